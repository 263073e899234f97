import { ChatCollector } from "./chat-collector.ts";
import { collectStream } from "./collect-stream.ts";
import { readCompletionText } from "./read-completion.ts";
import { writeRequestBody } from "./request-body.ts";
import type { Wire } from "./wire.ts";

/** Chat completions, which nearly every endpoint speaks. */
export const chatWire: Wire = {
  path: "/chat/completions",
  offer: "chat completions",
  title: "chat completions API",
  otherwise: 'Where it has the Responses API alone, set `api: "responses"` (--model-api responses).',
  writeBody: writeRequestBody,
  readText: readCompletionText,
  collect: (response, client, options) => collectStream(response, client, options, new ChatCollector(options.url)),
};
