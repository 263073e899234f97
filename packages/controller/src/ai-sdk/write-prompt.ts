import { isRecord } from "@planloom/plan";
import type { ModelMessage, ModelToolCall, ProviderData } from "../model.ts";
import { sentInput } from "../openai/sent-arguments.ts";
import { withoutThinking } from "../output/thinking.ts";

/** Writes a conversation as a prompt of the AI SDK: parts of text, thoughts, calls, and what the calls gave. */
export function writePrompt(messages: readonly ModelMessage[], sendsData: boolean): unknown[] {
  const prompt: unknown[] = [];
  const names = new Map<string, string>();
  let results: unknown[] | undefined;
  for (const message of messages) {
    if (message.role !== "tool") results = undefined;
    switch (message.role) {
      case "system":
        prompt.push({ role: "system", content: message.content });
        break;
      case "user":
        prompt.push({ role: "user", content: [{ type: "text", text: message.content }] });
        break;
      case "assistant":
        for (const call of message.toolCalls ?? []) names.set(call.id, call.name);
        prompt.push({ role: "assistant", content: writeParts(message, sendsData) });
        break;
      case "tool": {
        const id = message.toolCallId ?? "";
        const output = { type: "text", value: message.content };
        const result = { type: "tool-result", toolCallId: id, toolName: names.get(id) ?? "", output };
        // Providers want all results of one turn in one message.
        if (results === undefined) {
          results = [];
          prompt.push({ role: "tool", content: results });
        }
        results.push(result);
        break;
      }
      default:
        message.role satisfies never;
    }
  }
  return prompt;
}

function writeParts({ content, toolCalls = [] }: ModelMessage, sendsData: boolean): unknown[] {
  const said = withoutThinking(content).trim();
  const text = said === "" && toolCalls.length === 0 ? "(no answer)" : said;
  const [first] = toolCalls;
  // What was thought before a text belongs to the first call after it.
  return [
    ...(first === undefined ? [] : thoughtsOf(first, sendsData)),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...toolCalls.flatMap((call) => [
      ...(call === first ? [] : thoughtsOf(call, sendsData)),
      writeCall(call, sendsData),
    ]),
  ];
}

function thoughtsOf({ providerData = {} }: ModelToolCall, sendsData: boolean): unknown[] {
  const { reasoning } = providerData;
  if (!sendsData || !Array.isArray(reasoning)) return [];
  return reasoning.flatMap((part: unknown) =>
    isRecord(part) ? [{ type: "reasoning", text: part.text, ...optionsOf(part) }] : [],
  );
}

function writeCall({ id, name, arguments: written, providerData = {} }: ModelToolCall, sendsData: boolean): unknown {
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: sentInput(written),
    ...(sendsData && optionsOf(providerData)),
  };
}

function optionsOf({ metadata }: ProviderData): { readonly providerOptions?: unknown } {
  return metadata === undefined ? {} : { providerOptions: metadata };
}
