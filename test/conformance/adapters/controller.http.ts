import { controllerService } from "@planloom/compat";

/** A request from which a field is missing, or one whose answer fails or comes too late. */
const adapter: ConformanceAdapter<{ missing?: string; processing?: string }> = async ({ missing = "", processing }) => {
  const late = processing?.includes("timed out") && !processing.includes("failed");
  const fail = () => (late ? new Promise<never>(() => {}) : Promise.reject(new Error("failed")));
  const answer = () => (processing === undefined ? Promise.resolve({ success: true, data: [] }) : fail());
  const controller = { name: "case", processPhase1: answer, processPhase2: answer };
  const service = controllerService({ controller, timeoutMs: 20 });
  const data = { task_input_data: "P", n_history_samples: 0, llm_data: {} };
  const { [missing]: _, ...body } = { search_id: "1", phase_1_data: data } as Record<string, unknown>;
  const request = new Request("http://h/process-phase-1-task", { method: "POST", body: JSON.stringify(body) });
  const response = await service.fetch(request);
  const { success } = (await response.json()) as { success: boolean };
  return { status: response.status, success, taskStatus: service.tasks()[0]?.status };
};
export default adapter;
