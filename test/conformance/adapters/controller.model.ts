import { isDeepStrictEqual } from "node:util";
import { controllerService, LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";

const adapter: ConformanceAdapter<{ task: string }> = async ({ task }) => {
  const text = '{"tasks":[{"task_id":"a","description":"A","execution_type":"tool","arguments":{},"dependencies":[]}]}';
  const model = scriptedModel([text]);
  const service = controllerService({ controller: new LlmController({ model }) });
  const { body } = await service.answer(1, { search_id: "1", phase_1_data: { task_input_data: task } });
  const { data } = body;
  const messages = model.requests[0]?.messages ?? [];
  const parsed = isDeepStrictEqual(data, JSON.parse(text)) || isDeepStrictEqual(data, JSON.parse(text).tasks);
  return {
    messages: messages.filter(({ content }) => content !== ""),
    output: parsed ? "first choice text, parsed as JSON" : data,
  };
};
export default adapter;
