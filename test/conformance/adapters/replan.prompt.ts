import { scriptedController } from "@planloom/controller/testing";
import { PlannerTask } from "@planloom/plan";
import { SubGraphRePlanner } from "@planloom/planner";

interface Input {
  readonly custom_append_text: string;
}

const adapter: ConformanceAdapter<Input> = async ({ custom_append_text }, { signal }) => {
  const controller = scriptedController([{ phase1: { success: true, data: [{ task_id: "new" }] } }]);
  const tasks = [PlannerTask.parse({ task_id: "old", mark_replan: true })];
  const subgraph = { subgraph_id: "s", tasks, dependencies: [] };
  const options = { customAppendText: custom_append_text, signal };
  await new SubGraphRePlanner({ controller }).replaceReplanTasks(subgraph, options);
  const [sent] = controller.requests;
  return { prompt: sent?.phase === 1 ? sent.request.phase_1_data.task_input_data : "" };
};
export default adapter;
