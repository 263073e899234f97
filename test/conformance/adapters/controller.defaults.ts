import { controllerService } from "@planloom/controller";
import { defaultPort } from "@planloom/server";

const adapter: ConformanceAdapter = async () => {
  const statuses: unknown[] = [];
  const answer = async () => ({ success: true, data: statuses.push(service.tasks()[0]?.status) });
  const service = controllerService({ controller: { name: "case", processPhase1: answer, processPhase2: answer } });
  await service.answer(1, { search_id: "1", phase_1_data: { task_input_data: "P" } });
  return { port: defaultPort, initialStatus: statuses[0] };
};
export default adapter;
