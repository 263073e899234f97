import type { ModelMessage, ModelRequest } from "../model.ts";
import { schemaInWords } from "../prompts/schema-in-words.ts";
import type { OptionalFeature } from "./features.ts";
import { callInWords } from "./forms.ts";
import { hasProviderData } from "./provider-data.ts";
import type { BodyOptions } from "./wire.ts";

/** The conversation as it is sent, and whether what providers want back goes with it. */
export interface ArrangedMessages {
  readonly messages: readonly ModelMessage[];
  readonly sendsData: boolean;
}

/** Adds what the form of the request does not say by itself, and leaves out what the endpoint refuses. Adds to `used` what it could refuse. */
export function arrangeMessages(
  request: ModelRequest,
  { wanted, refused }: BodyOptions,
  used: Set<OptionalFeature>,
): ArrangedMessages {
  const sendsData = hasProviderData(request.messages) && !refused.has("provider_data");
  if (sendsData) used.add("provider_data");
  const words = wordsFor(wanted);
  const messages = words === "" ? request.messages : withSystem(request.messages, words);
  const isRefused = refused.has("system");
  if (!isRefused && messages.some(({ role }) => role === "system")) used.add("system");
  return { messages: isRefused ? withoutSystem(messages) : messages, sendsData };
}

function wordsFor(wanted: BodyOptions["wanted"]): string {
  if (wanted === undefined || wanted.form === "tool") return "";
  const call = wanted.tools === undefined ? "" : callInWords(wanted.tools);
  const schema = wanted.form === "text" ? schemaInWords(wanted.schema) : "";
  return [call, schema].filter((text) => text !== "").join("\n\n");
}

/** One system message at the start: several, or one later on, are refused by many chat templates. */
function withSystem(messages: readonly ModelMessage[], words: string): ModelMessage[] {
  const [first, ...rest] = messages;
  return first?.role === "system"
    ? [{ ...first, content: `${first.content}\n\n${words}` }, ...rest]
    : [{ role: "system", content: words }, ...messages];
}

/** For templates without a system role (Gemma, o1-mini): what it says goes before what the user says. */
function withoutSystem(messages: readonly ModelMessage[]): ModelMessage[] {
  const merged: ModelMessage[] = [];
  let before: string[] = [];
  for (const message of messages) {
    if (message.role === "system") {
      before.push(message.content);
      continue;
    }
    if (before.length > 0 && message.role === "user") {
      merged.push({ ...message, content: [...before, message.content].join("\n\n") });
      before = [];
      continue;
    }
    if (before.length > 0) merged.push({ role: "user", content: before.splice(0).join("\n\n") });
    merged.push(message);
  }
  if (before.length > 0) merged.push({ role: "user", content: before.join("\n\n") });
  return merged;
}
