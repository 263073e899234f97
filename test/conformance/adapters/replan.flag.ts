import { scriptedController } from "@planloom/controller/testing";
import { PlannerTask } from "@planloom/plan";
import { SubGraphRePlanner } from "@planloom/planner";

const adapter: ConformanceAdapter = async (_input, { signal }) => {
  const answer = { task_id: "new", mark_replan: true };
  const controller = scriptedController([{ phase1: { success: true, data: [answer] } }]);
  const tasks = [PlannerTask.parse({ task_id: "old", mark_replan: true })];
  const subgraph = { subgraph_id: "s", tasks, dependencies: [] };
  const { subgraph: now } = await new SubGraphRePlanner({ controller }).replaceReplanTasks(subgraph, { signal });
  return now.tasks[0];
};
export default adapter;
