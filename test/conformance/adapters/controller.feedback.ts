import { controllerService } from "@planloom/controller";

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
  const body = { search_id: "1", phase_2_data: { task_input_data: "Sign it" } };
  await controllerService({ controller }).answer(2, body);
  return { stage1Rerun: planned.length === 1, inputAdapted: planned.some((text) => text !== "Sign it") };
};
export default adapter;
