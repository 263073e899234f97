import { HttpController } from "@planloom/controller";
import { readStepReply } from "@planloom/planner";

const adapter: ConformanceAdapter<object> = async (body, { signal }) => {
  const controller = new HttpController({ url: "http://localhost:8888", fetch: async () => Response.json(body) });
  const task = { task_input_data: "P", n_history_samples: 0, llm_data: {} };
  const reply = await controller.processPhase2({ search_id: "1", phase_2_data: task }, { signal });
  if (!reply.success) return { error: reply.message };
  const { step, ...rest } = readStepReply(reply.data);
  return step ? { uid: step.uid, input_data: step.input, plan: step.plan } : rest;
};
export default adapter;
