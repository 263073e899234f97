type Fields = Readonly<Record<string, unknown>>;

/** What a model says, in no protocol's words. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[];
  /** Thought before the first call, and what the provider wants back with it. */
  readonly thought?: { readonly text: string; readonly signature: string };
  readonly finish?: "stop" | "length";
  /** Tokens: all in, those of them from the cache, all out, those of them thoughts. */
  readonly usage?: {
    readonly input: number;
    readonly cached: number;
    readonly output: number;
    readonly thoughts: number;
  };
}

/** What a request asks for, in no protocol's words. */
export interface Asked {
  readonly stream: boolean;
  readonly tools: readonly string[];
  /** The answer is to be a value of a schema, in whatever form. */
  readonly structured: boolean;
  /** What was called is sent back by these results. */
  readonly results: readonly string[];
  /** Signatures of thoughts that came back. */
  readonly signatures: readonly string[];
  /** The function that must be called. */
  readonly forced: string | undefined;
}

/** One protocol of a provider. */
export interface ModelDialect {
  readonly name: string;
  asked(path: string, body: Fields): Asked;
  whole(said: Said): object;
  events(said: Said): readonly object[];
  error(status: number, message: string): object;
}

const usageOf = ({ usage = { input: 7, cached: 0, output: 3, thoughts: 0 } }: Said) => usage;
const list = (value: unknown) => (Array.isArray(value) ? (value as Fields[]) : []);
const record = (value: unknown) => (typeof value === "object" && value !== null ? (value as Fields) : {});
const halves = (text: string) => [text.slice(0, Math.ceil(text.length / 2)), text.slice(Math.ceil(text.length / 2))];

export const chatModel: ModelDialect = {
  name: "chat completions",
  asked(_, body) {
    const messages = list(body.messages);
    const choice = record(body.tool_choice);
    return {
      stream: body.stream === true,
      tools: list(body.tools).map((tool) => String(record(tool.function).name)),
      structured: body.response_format !== undefined,
      results: messages.filter(({ role }) => role === "tool").map(({ content }) => String(content)),
      signatures: messages.flatMap(({ reasoning_details: details }) => list(details).map(({ data }) => String(data))),
      forced: choice.function === undefined ? undefined : String(record(choice.function).name),
    };
  },
  whole: (said) => ({
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", ...chatMessage(said) }, finish_reason: chatFinish(said) }],
    usage: chatUsage(said),
  }),
  events(said) {
    const {
      content,
      tool_calls: calls = [],
      ...rest
    } = chatMessage(said) as { content: string | null; tool_calls?: object[] };
    const delta = (piece: object, finish: string | null = null) => ({
      model: "m",
      choices: [{ index: 0, delta: piece, finish_reason: finish }],
    });
    return [
      ...(Object.keys(rest).length > 0 ? [delta(rest)] : []),
      ...halves(content ?? "").map((piece) => delta({ content: piece })),
      ...calls.map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
      delta({}, chatFinish(said)),
      { model: "m", choices: [], usage: chatUsage(said) },
    ];
  },
  error: (_, message) => ({ error: { message, type: "invalid_request_error" } }),
};

function chatMessage({ text, calls = [], thought }: Said): object {
  return {
    content: text ?? null,
    ...(thought && {
      reasoning: thought.text,
      reasoning_details: [{ type: "reasoning.encrypted", data: thought.signature }],
    }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => {
        return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
      }),
    }),
  };
}

const chatFinish = ({ finish, calls = [] }: Said) => finish ?? (calls.length > 0 ? "tool_calls" : "stop");

function chatUsage(said: Said): object {
  const { input, cached, output, thoughts } = usageOf(said);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thoughts },
  };
}

export const responsesModel: ModelDialect = {
  name: "Responses API",
  asked(_, body) {
    const items = list(body.input);
    const choice = record(body.tool_choice);
    return {
      stream: body.stream === true,
      tools: list(body.tools).map(({ name }) => String(name)),
      structured: record(body.text).format !== undefined,
      results: items.filter(({ type }) => type === "function_call_output").map(({ output }) => String(output)),
      signatures: items.filter(({ type }) => type === "reasoning").map((item) => String(item.encrypted_content)),
      forced: choice.name === undefined ? undefined : String(choice.name),
    };
  },
  whole: responseOf,
  events(said) {
    const response = responseOf(said);
    return [
      { type: "response.created", response: { ...response, output: [], status: "in_progress" } },
      ...halves(said.text ?? "").map((delta) => ({ type: "response.output_text.delta", delta })),
      ...response.output.map((item) => ({ type: "response.output_item.done", item })),
      { type: `response.${response.status}`, response },
    ];
  },
  error: chatModel.error,
};

function responseOf(said: Said) {
  const { text, calls = [], thought, finish } = said;
  const { input, cached, output, thoughts } = usageOf(said);
  return {
    model: "m",
    status: finish === "length" ? "incomplete" : "completed",
    ...(finish === "length" && { incomplete_details: { reason: "max_output_tokens" } }),
    output: [
      ...(thought
        ? [
            {
              type: "reasoning",
              id: "rs_1",
              summary: [{ type: "summary_text", text: thought.text }],
              encrypted_content: thought.signature,
            },
          ]
        : []),
      ...(text === undefined ? [] : [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }]),
      ...calls.map(({ id, name, input: given }) => {
        return { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(given) };
      }),
    ],
    usage: {
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: { cached_tokens: cached },
      output_tokens_details: { reasoning_tokens: thoughts },
    },
  };
}

/** Anthropic's Messages API. A text that answers a forced tool is given as its input. */
export const anthropicModel: ModelDialect = {
  name: "Anthropic Messages",
  asked(_, body) {
    const blocks = list(body.messages).flatMap(({ content }) => list(content));
    const choice = record(body.tool_choice);
    return {
      stream: body.stream === true,
      tools: list(body.tools).map(({ name }) => String(name)),
      structured:
        record(body.output_config).format !== undefined || list(body.tools).some(({ name }) => name === "json"),
      results: blocks.filter(({ type }) => type === "tool_result").map(({ content }) => JSON.stringify(content)),
      signatures: blocks.filter(({ type }) => type === "thinking").map(({ signature }) => String(signature)),
      forced:
        choice.type === "tool"
          ? String(choice.name)
          : choice.type === "any"
            ? String(list(body.tools)[0]?.name)
            : undefined,
    };
  },
  whole: (said) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: anthropicBlocks(said),
    stop_reason: anthropicStop(said),
    stop_sequence: null,
    usage: anthropicUsage(said),
  }),
  events(said) {
    const { output_tokens: output, ...usage } = anthropicUsage(said);
    const blocks = anthropicBlocks(said).flatMap((block, index) => {
      const { start, deltas } = anthropicPieces(block);
      return [
        { type: "content_block_start", index, content_block: start },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ];
    });
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    return [
      { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } },
      ...blocks,
      {
        type: "message_delta",
        delta: { stop_reason: anthropicStop(said), stop_sequence: null },
        usage: { output_tokens: output },
      },
      { type: "message_stop" },
    ];
  },
  error: (status, message) => ({
    type: "error",
    error: {
      type: status === 401 ? "authentication_error" : status === 429 ? "rate_limit_error" : "invalid_request_error",
      message,
    },
  }),
};

function anthropicBlocks({ text, calls = [], thought }: Said): Fields[] {
  return [
    ...(thought ? [{ type: "thinking", thinking: thought.text, signature: thought.signature }] : []),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
}

function anthropicPieces(block: Fields): { readonly start: object; readonly deltas: readonly object[] } {
  switch (block.type) {
    case "thinking":
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: block.thinking },
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "text":
      return {
        start: { type: "text", text: "" },
        deltas: halves(String(block.text)).map((text) => ({ type: "text_delta", text })),
      };
    default:
      return {
        start: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }],
      };
  }
}

const anthropicStop = ({ finish, calls = [] }: Said) =>
  finish === "length" ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";

function anthropicUsage(said: Said) {
  const { input, cached, output } = usageOf(said);
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  };
}

/** Google's Gemini API. */
export const geminiModel: ModelDialect = {
  name: "Gemini",
  asked(path, body) {
    const parts = list(body.contents).flatMap(({ parts: each }) => list(each));
    const config = record(record(body.toolConfig).functionCallingConfig);
    const [forced] =
      config.mode === "ANY" && Array.isArray(config.allowedFunctionNames) ? config.allowedFunctionNames : [];
    return {
      stream: path.includes("stream"),
      tools: list(body.tools).flatMap(({ functionDeclarations: each }) => list(each).map(({ name }) => String(name))),
      structured: record(body.generationConfig).responseMimeType === "application/json",
      results: parts.filter(({ functionResponse: each }) => each !== undefined).map((part) => JSON.stringify(part)),
      signatures: parts.flatMap(({ thoughtSignature: each }) => (each === undefined ? [] : [String(each)])),
      forced: forced === undefined ? undefined : String(forced),
    };
  },
  whole: (said) => geminiAnswer(said, geminiParts(said), true),
  events: (said) => {
    const parts = geminiParts(said).flatMap((part): Fields[] =>
      typeof part.text === "string" && part.thought !== true ? halves(part.text).map((text) => ({ text })) : [part],
    );
    return parts.map((part, index) => geminiAnswer(said, [part], index === parts.length - 1));
  },
  error: (status, message) => ({ error: { code: status, message, status: "INVALID_ARGUMENT" } }),
};

function geminiParts({ text, calls = [], thought }: Said): Fields[] {
  return [
    ...(thought ? [{ text: thought.text, thought: true }] : []),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, input }, index) => ({
      functionCall: { name, args: input },
      ...(thought && index === 0 && { thoughtSignature: thought.signature }),
    })),
  ];
}

function geminiAnswer(said: Said, parts: readonly Fields[], isLast: boolean): object {
  const { input, cached, output, thoughts } = usageOf(said);
  const finish = said.finish === "length" ? "MAX_TOKENS" : "STOP";
  return {
    modelVersion: "m",
    candidates: [{ index: 0, content: { role: "model", parts }, ...(isLast && { finishReason: finish }) }],
    usageMetadata: {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output - thoughts,
      thoughtsTokenCount: thoughts,
      totalTokenCount: input + output,
    },
  };
}
