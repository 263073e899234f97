import { isDeepStrictEqual } from "node:util";
import { scriptedController } from "@planloom/controller/testing";
import { PlannerTask } from "@planloom/plan";
import { SubGraphRePlanner } from "@planloom/planner";

const fields = [
  "task_id",
  "description",
  "execution_type",
  "parameters",
  "arguments",
  "main_task_id",
  "dependencies",
] as const;

const adapter: ConformanceAdapter = async (_input, { signal }) => {
  const answer = { task_id: "new", description: "B", execution_type: "llm", parameters: { b: 1 }, arguments: { b: 2 } };
  const controller = scriptedController([{ phase1: { success: true, data: [answer] } }]);
  const before = PlannerTask.parse({ task_id: "old", main_task_id: "first", mark_replan: true, dependencies: ["a"] });
  const subgraph = { subgraph_id: "s", tasks: [PlannerTask.parse({ task_id: "a" }), before], dependencies: [] };
  const { subgraph: now } = await new SubGraphRePlanner({ controller }).replaceReplanTasks(subgraph, { signal });
  const same = (field: (typeof fields)[number]) => isDeepStrictEqual(before[field], now.tasks[1]?.[field]);
  return { updated: fields.filter((field) => !same(field)), preserved: fields.filter(same) };
};
export default adapter;
