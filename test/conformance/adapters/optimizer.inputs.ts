import { scriptedModel } from "@planloom/controller/testing";
import { ManualOptimizer, OptimizationPlanner } from "@planloom/optimizer";
import { TaskData } from "@planloom/plan";

/** What each of the two groups, tried with the very plan and the list of its tasks. */
const adapter: ConformanceAdapter = async (_, { signal }) => {
  const a = { task_id: "a", execution_type: "tool" as const };
  const plan = TaskData.parse({ planned_tasks: [a, { ...a, task_id: "b", dependencies: ["a"] }] });
  const model = scriptedModel([JSON.stringify({ groups: [["a", "b"]] })]);
  const byModel = await new OptimizationPlanner({ model, feedback: false }).generateSubgraphs(plan, { signal });
  const byRules = new ManualOptimizer().generateSubgraphs(plan.planned_tasks);
  const complete = (groups: typeof byRules) => groups.flatMap((group) => group.tasks).length === 2;
  return {
    llm: complete(byModel) && model.requests.length === 1 ? "generate_subgraphs(TaskData)" : "nothing",
    manual: complete(byRules) ? "generate_subgraphs(list of tasks)" : "nothing",
  };
};
export default adapter;
