import { HttpController } from "@planloom/controller";
import { readPlanReply } from "@planloom/planner";

const adapter: ConformanceAdapter<object> = async (body, { signal }) => {
  const controller = new HttpController({ url: "http://localhost:8888", fetch: async () => Response.json(body) });
  const task = { task_input_data: "P", n_history_samples: 0, llm_data: {} };
  const reply = await controller.processPhase1({ search_id: "1", phase_1_data: task }, { signal });
  if (!reply.success) return { error: reply.message };
  const { plan, issues } = readPlanReply(reply.data);
  return plan ? { accepted: true, tasks: plan.planned_tasks } : { accepted: false, error: issues };
};
export default adapter;
