import { agentGrid } from "@planloom/compat";
import type { BehaviorController } from "@planloom/controller";
import { SubGraphRePlanner } from "@planloom/planner";

interface Input {
  readonly before?: { readonly execution_type?: string };
  readonly plannerReturns?: { readonly execution_type?: string };
  readonly tasks?: readonly { readonly task_id?: string }[];
  readonly marked?: readonly string[];
}
const { normaliseTask, executionTypes } = agentGrid;

const adapter: ConformanceAdapter<Input> = async ({ before = {}, plannerReturns, ...input }, { signal }) => {
  const sent: string[] = [];
  const controller: BehaviorController = {
    name: "planner",
    async processPhase1({ replan: { tasks: marked } = { tasks: [] } }) {
      sent.push(...marked.map(({ task }) => task.task_id));
      return { success: true, data: plannerReturns ? [plannerReturns] : marked.map(({ task }) => task) };
    },
    processPhase2: () => Promise.reject(new Error("no phase 2 here")),
  };
  const given = (input.tasks ?? [before]).map((task) => normaliseTask(task));
  const tasks = given.map((task) => (input.marked?.includes(task.task_id) ? { ...task, mark_replan: true } : task));
  const subgraph = { subgraph_id: "s", tasks, dependencies: [] };
  const { subgraph: now } = await new SubGraphRePlanner({ controller }).replaceReplanTasks(subgraph, { signal });
  const [first] = now.tasks;
  // The answer is in the words of the case: what it calls the type, and a call's arguments as its parameters.
  const written = plannerReturns?.execution_type ?? before.execution_type ?? "";
  const word = executionTypes.get(written) === first?.execution_type ? written : first?.execution_type;
  const parameters = { ...first?.parameters, ...(word?.endsWith("_call") && first?.arguments) };
  return {
    sentToPlanner: sent,
    plannerCalled: sent.length > 0,
    unchanged: now.tasks.filter((task) => tasks.includes(task)).map(({ task_id }) => task_id),
    after: { ...first, execution_type: word, parameters },
  };
};
export default adapter;
