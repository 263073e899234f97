import { kirha } from "@planloom/compat";
import { LlmController, openaiModel } from "@planloom/controller";
import { chatBehaviours, startChatServer } from "@planloom/controller/testing";

interface Input {
  readonly choices: readonly { readonly content: string | null }[];
}

/** An answer without any content is an error, one without a plan is no plan. */
const adapter: ConformanceAdapter<Input> = async ({ choices: [choice] }, { signal }) => {
  const behaviour = choice === undefined ? chatBehaviours.noChoices() : chatBehaviours.answers(choice.content ?? "");
  await using server = await startChatServer([behaviour]);
  const model = openaiModel({ baseURL: server.baseURL, apiKey: "none", model: "m", maxRetries: 0 });
  const controller = new LlmController({ model, protocol: "kirha" });
  const reply = await controller.processPhase1(
    { search_id: "1", phase_1_data: { task_input_data: "Q", n_history_samples: 0, llm_data: {} }, resources: [] },
    { signal },
  );
  if (!reply.success && !choice?.content) throw new Error(reply.message);
  return { plan: reply.success ? kirha.parseReply(reply.text ?? "") : null };
};
export default adapter;
