import { isDeepStrictEqual } from "node:util";
import { controllerService } from "@planloom/compat";
import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";

const adapter: ConformanceAdapter<{ task: string }> = async ({ task }) => {
  const text = '{"tasks":[{"task_id":"a","description":"A","execution_type":"tool","arguments":{},"dependencies":[]}]}';
  const model = scriptedModel([text]);
  const service = controllerService({ controller: new LlmController({ model }) });
  const body = JSON.stringify({ search_id: "1", phase_1_data: { task_input_data: task } });
  const response = await service.fetch(new Request("http://h/process-phase-1-task", { method: "POST", body }));
  const { data } = (await response.json()) as { data: unknown };
  const messages = model.requests[0]?.messages ?? [];
  const parsed = isDeepStrictEqual(data, JSON.parse(text)) || isDeepStrictEqual(data, JSON.parse(text).tasks);
  return {
    messages: messages.filter(({ content }) => content !== ""),
    output: parsed ? "first choice text, parsed as JSON" : data,
  };
};
export default adapter;
