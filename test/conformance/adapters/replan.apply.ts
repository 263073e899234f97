import type { BehaviorController } from "@planloom/controller";
import { normaliseTask } from "@planloom/plan";
import { SubGraphRePlanner } from "@planloom/planner";

interface Input {
  readonly before?: object;
  readonly plannerReturns?: object;
  readonly tasks?: readonly object[];
}

/** The task after is given in the seed's words: in a `*_call` the arguments are its parameters. */
const adapter: ConformanceAdapter<Input> = async ({ before, plannerReturns, tasks = [before ?? {}] }, { signal }) => {
  const sent: string[] = [];
  const controller: BehaviorController = {
    name: "planner",
    async processPhase1({ replan }) {
      const marked = replan?.tasks.map(({ task }) => task) ?? [];
      sent.push(...marked.map(({ task_id }) => task_id));
      return { success: true, data: plannerReturns === undefined ? marked : [plannerReturns] };
    },
    processPhase2: () => Promise.reject(new Error("no phase 2 here")),
  };
  const subgraph = { subgraph_id: "s", tasks: tasks.map((task) => normaliseTask(task)), dependencies: [] };
  const { subgraph: now } = await new SubGraphRePlanner({ controller }).replaceReplanTasks(subgraph, { signal });
  const [first] = now.tasks;
  return {
    sentToPlanner: sent,
    plannerCalled: sent.length > 0,
    unchanged: now.tasks.filter((task) => subgraph.tasks.includes(task)).map(({ task_id }) => task_id),
    after: {
      ...first,
      execution_type: `${first?.execution_type}_call`,
      parameters: { ...first?.parameters, ...first?.arguments },
    },
  };
};
export default adapter;
