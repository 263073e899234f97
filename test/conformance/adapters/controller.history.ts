import { controllerService, LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";

/** One request more than is asked for goes before; then the one that asks for its history. */
const adapter: ConformanceAdapter<{ n_history_samples: number }> = async ({ n_history_samples }) => {
  const model = scriptedModel(Array(n_history_samples + 2).fill('{"tasks":[]}'));
  const service = controllerService({ controller: new LlmController({ model }) });
  for (let number = 0; number < n_history_samples + 2; number++) {
    const samples = number > n_history_samples ? n_history_samples : 0;
    const data = { task_input_data: `Task ${number}`, n_history_samples: samples };
    await service.answer(1, { search_id: String(number), phase_1_data: data });
  }
  const text = model.requests.at(-1)?.messages.at(-1)?.content ?? "";
  return { llmInput: JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)) };
};
export default adapter;
