import { checkOptions } from "../check-options.ts";
import type { Model } from "../model.ts";
import { chatWire } from "./chat-wire.ts";
import { httpEndpoint } from "./http-endpoint.ts";
import { modelOf } from "./model-of.ts";
import { type OpenaiModelOptions, openaiChecks, readOptions } from "./options.ts";
import { responsesWire } from "./responses/responses-wire.ts";

/**
 * A model behind any OpenAI-compatible endpoint, by chat completions or the Responses API.
 *
 * A request with a schema is asked as json_schema response format, else as a forced tool call, else in words; one that must call a
 * function as such, else as a response format with the function's parameters, else in words. What an
 * endpoint refuses for a model is remembered for the life of the process, what an answer ignores for the next requests. Every
 * request counts against `maxRequests`, and the reply says how many it took. `onDelta` may start the text again after a retry; what
 * it throws is ignored.
 * @throws ControllerError OPTION or CONFIG at once when an option is unknown, or key, model or URL are missing or wrong. `generate` rejects with the signal's reason, or with
 * a ControllerError whose `retryable` says whether the same call may end otherwise.
 */
export function openaiModel(options: OpenaiModelOptions = {}): Model {
  checkOptions("`openaiModel`", options, openaiChecks);
  const settings = readOptions(options);
  const model = modelOf(httpEndpoint(settings, settings.api === "responses" ? responsesWire : chatWire), settings);
  return { ...model, provider: "openai", tellsTokens: settings.api !== "responses" };
}
