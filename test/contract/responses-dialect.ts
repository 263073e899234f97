import type { Dialect } from "./endpoint/subject.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The Responses API in the words of chat completions. */
export const responsesDialect: Dialect = {
  name: "responses",
  readBody({ input, text, max_output_tokens: maxTokens, tools, tool_choice: choice, ...rest }) {
    const { format } = (text ?? {}) as { format?: Fields };
    return {
      ...rest,
      ...(input !== undefined && { messages: messagesOf(input as Fields[]) }),
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...(format && { response_format: { type: format.type, json_schema: format } }),
      ...(tools !== undefined && {
        tools: (tools as Fields[]).map(({ type, ...tool }) => ({ type, function: tool })),
      }),
      ...(choice !== undefined && {
        tool_choice:
          typeof choice === "string" ? choice : { type: "function", function: { name: (choice as Fields).name } },
      }),
    };
  },
  writeAnswer: ({ message, finish, usage }) => responseOf(message as Fields, finish, usage as Fields),
  writeChunks(chunks) {
    const merged: { content: string; tool_calls: Fields[] } = { content: "", tool_calls: [] };
    const events: object[] = [];
    let finish = "stop";
    for (const chunk of chunks as { choices: { delta: Fields; finish_reason: string | null }[] }[]) {
      const { delta = {}, finish_reason: reason } = chunk.choices[0] ?? {};
      if (typeof delta.content === "string") {
        merged.content += delta.content;
        events.push({ type: "response.output_text.delta", delta: delta.content });
      }
      finish = reason ?? finish;
    }
    const response = responseOf(merged, finish, { prompt_tokens: 100, completion_tokens: 20 });
    return [...events, { type: "response.completed", response }];
  },
};

function messagesOf(items: readonly Fields[]): Fields[] {
  return items.map((item) => (item.type === undefined ? item : { role: item.type, ...item }));
}

function responseOf(message: Fields, finish: string, usage: Fields): object {
  const { content, refusal, reasoning_content: thought, tool_calls: calls = [] } = message;
  const parts = [
    ...(typeof content === "string" && content !== "" ? [{ type: "output_text", text: content }] : []),
    ...(typeof refusal === "string" ? [{ type: "refusal", refusal }] : []),
  ];
  const reason =
    finish === "length" ? "max_output_tokens" : finish.startsWith("content_filter") ? "content_filter" : undefined;
  return {
    object: "response",
    model: "m",
    status: reason === undefined ? "completed" : "incomplete",
    ...(reason !== undefined && { incomplete_details: { reason } }),
    output: [
      ...(thought === undefined
        ? []
        : [{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: thought }] }]),
      ...(parts.length > 0 ? [{ type: "message", role: "assistant", content: parts }] : []),
      ...(calls as { id: string; function: Fields }[]).map(({ id, function: called }) => {
        return { type: "function_call", id: `fc_${id}`, call_id: id, ...called };
      }),
    ],
    usage: {
      input_tokens: usage.prompt_tokens,
      output_tokens: usage.completion_tokens,
      input_tokens_details: usage.prompt_tokens_details ?? { cached_tokens: usage.prompt_cache_hit_tokens },
      output_tokens_details: usage.completion_tokens_details,
    },
  };
}
