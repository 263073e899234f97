import type { ModelMessage } from "@planloom/controller";

/** A conversation as node-llama-cpp has it: the last item is the answer that is to be written. @param words what the model is given beside it */
export function chatHistory(messages: readonly ModelMessage[], words: string): object[] {
  const results = new Map(
    messages.flatMap(({ role, toolCallId, content }) => (role === "tool" && toolCallId ? [[toolCallId, content]] : [])),
  );
  const system = [...messages.filter(({ role }) => role === "system").map(({ content }) => content), words];
  const history: object[] = [];
  const text = system.filter((each) => each !== "").join("\n\n");
  if (text !== "") history.push({ type: "system", text });
  for (const { role, content, toolCalls = [] } of messages) {
    if (role === "user") history.push({ type: "user", text: content });
    if (role !== "assistant") continue;
    const calls = toolCalls.map(({ id, name, arguments: written }) => ({
      type: "functionCall",
      name,
      params: parse(written),
      result: results.get(id) ?? null,
    }));
    history.push({ type: "model", response: [...(content === "" ? [] : [content]), ...calls] });
  }
  return [...history, { type: "model", response: [] }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { unreadable: text };
  }
}
