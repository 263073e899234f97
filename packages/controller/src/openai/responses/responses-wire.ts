import { collectStream } from "../collect-stream.ts";
import type { Wire } from "../wire.ts";
import { readResponseText } from "./read-response.ts";
import { writeResponsesBody } from "./responses-body.ts";
import { ResponsesCollector } from "./responses-collector.ts";

/** OpenAI's Responses API. Nothing is stored at the endpoint: the conversation and its encrypted thoughts are sent whole with each request. */
export const responsesWire: Wire = {
  path: "/responses",
  offer: "the Responses API",
  title: "Responses API",
  otherwise: 'Where it has chat completions alone, leave `api` at "chat" (--model-api chat).',
  writeBody: writeResponsesBody,
  readText: readResponseText,
  collect: (response, client, options) => collectStream(response, client, options, new ResponsesCollector(options.url)),
};
