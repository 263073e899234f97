import { controllerPort, controllerService } from "@planloom/compat";

const adapter: ConformanceAdapter = async () => {
  const statuses: unknown[] = [];
  const answer = async () => ({ success: true, data: statuses.push(service.tasks()[0]?.status) });
  const service = controllerService({ controller: { name: "case", processPhase1: answer, processPhase2: answer } });
  const body = JSON.stringify({ search_id: "1", phase_1_data: { task_input_data: "P" } });
  await service.fetch(new Request("http://h/process-phase-1-task", { method: "POST", body }));
  return { port: controllerPort, initialStatus: statuses[0] };
};
export default adapter;
