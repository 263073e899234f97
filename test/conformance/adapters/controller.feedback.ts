import { controllerService } from "@planloom/compat";

const adapter: ConformanceAdapter<{ stage2SelectsNothing: boolean }> = async ({ stage2SelectsNothing }) => {
  const planned: string[] = [];
  const controller = {
    name: "case",
    async processPhase1(request: { readonly phase_1_data: { readonly task_input_data: string } }) {
      planned.push(request.phase_1_data.task_input_data);
      return { success: true, data: [] };
    },
    processPhase2: async () => ({ success: true, data: stage2SelectsNothing ? {} : { uid: "t", input_data: {} } }),
  };
  const body = JSON.stringify({ search_id: "1", phase_2_data: { task_input_data: "Sign it" } });
  const request = new Request("http://h/process-phase-2-task", { method: "POST", body });
  await controllerService({ controller }).fetch(request);
  return { stage1Rerun: planned.length === 1, inputAdapted: planned.some((text) => text !== "Sign it") };
};
export default adapter;
