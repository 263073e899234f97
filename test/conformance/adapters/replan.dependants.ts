import { scriptedController } from "@planloom/controller/testing";
import { PlannerTask } from "@planloom/plan";
import { SubGraphRePlanner } from "@planloom/planner";

interface Input {
  readonly tasks: readonly object[];
  readonly newIdForB: string;
}

const adapter: ConformanceAdapter<Input> = async ({ tasks, newIdForB }, { signal }) => {
  const controller = scriptedController([{ phase1: { success: true, data: [{ task_id: newIdForB }] } }]);
  const subgraph = { subgraph_id: "s", tasks: tasks.map((task) => PlannerTask.parse(task)), dependencies: [] };
  const { plan } = await new SubGraphRePlanner({ controller }).replaceReplanTasks(subgraph, { signal });
  return Object.fromEntries(plan.planned_tasks.map((task) => [`${task.task_id}.dependencies`, task.dependencies]));
};
export default adapter;
