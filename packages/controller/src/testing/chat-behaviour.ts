import type { LikelyToken } from "../model.ts";

/** What a chat server does with one request. An empty behaviour answers with an empty text. */
export interface ChatBehaviour {
  /** The answer's text; given as a tool call when the request forces one. */
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
  /** Sent as `reasoning_content`. */
  readonly reasoning?: string;
  /** @default "stop" */
  readonly finishReason?: string;
  /** @default 7 in, 3 out; `null` for none */
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  /** The likeliest tokens at the first place of the answer, with their log-probabilities, for a request that asks for such (`logprobs`). */
  readonly topTokens?: readonly LikelyToken[];
  /** Answers with this status and `body` instead. */
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Wait before anything is sent, in milliseconds; `Infinity` never answers. */
  readonly delayMs?: number;
  /** Wait before each piece of a stream, in milliseconds. */
  readonly pieceDelayMs?: number;
  /** Breaks the connection: before the head, halfway through the body, or halfway through the stream. */
  readonly drop?: "before" | "middle";
  /** Takes no notice of a forced tool call. */
  readonly ignoresTools?: boolean;
  /** Takes no notice of `stream: true`. */
  readonly ignoresStream?: boolean;
  /** Leaves the end mark and the finish reason out of the stream. */
  readonly endsEarly?: boolean;
}

export interface ChatRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed; `undefined` when it was not JSON. */
  readonly body: Record<string, unknown> | undefined;
}

export type ChatStep = ChatBehaviour | ((request: ChatRequest) => ChatBehaviour);

const json = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** Ways to go wrong, by name. Values are written as JSON; texts are taken as they are. */
export const chatBehaviours = {
  answers: (value: unknown): ChatBehaviour => ({ text: json(value) }),
  fenced: (value: unknown): ChatBehaviour => ({ text: `\`\`\`json\n${json(value)}\n\`\`\`` }),
  inProse: (value: unknown): ChatBehaviour => ({
    text: `Sure! Here's the {plan} you asked for:\n\n${json(value)}\n\nLet me know if it's [ok].`,
  }),
  thinksFirst: (value: unknown): ChatBehaviour => ({
    text: `<think>Maybe {"tasks": []}? No, that is empty.</think>\n${json(value)}`,
  }),
  thinksApart: (value: unknown): ChatBehaviour => ({ reasoning: "Let me see.", text: json(value) }),
  /** Cut off after a share of its text, 0 to 1. */
  truncated: (value: unknown, share = 0.6): ChatBehaviour => {
    const text = json(value);
    return { text: text.slice(0, Math.floor(text.length * share)), finishReason: "length" };
  },
  /** A plan whose tools do not exist. */
  wrongToolNames: (tasks: readonly object[]): ChatBehaviour => ({
    text: json({ tasks: tasks.map((task) => ({ ...task, tool_id: "no_such_tool" })) }),
  }),
  /** A plan whose first task waits for the last one. */
  cyclic: (
    tasks: readonly { readonly task_id: string; readonly dependencies?: readonly string[] }[],
  ): ChatBehaviour => {
    const last = tasks.at(-1);
    const looped = tasks.map((task, index) =>
      index === 0 && last ? { ...task, dependencies: [...(task.dependencies ?? []), last.task_id] } : task,
    );
    return { text: json({ tasks: looped }) };
  },
  rateLimited: (retryAfter?: string): ChatBehaviour => ({
    status: 429,
    body: JSON.stringify({ error: { message: "Rate limit reached", type: "requests" } }),
    ...(retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } }),
  }),
  fails: (status = 500, body = JSON.stringify({ error: { message: "Internal error" } })): ChatBehaviour => ({
    status,
    body,
  }),
  drops: (value: unknown, drop: "before" | "middle" = "middle"): ChatBehaviour => ({ text: json(value), drop }),
  slow: (value: unknown, pieceDelayMs: number): ChatBehaviour => ({ text: json(value), pieceDelayMs }),
  silent: (): ChatBehaviour => ({ delayMs: Number.POSITIVE_INFINITY }),
  /** 400 with a message that names the field, as soon as a request has it; otherwise it answers. */
  refuses:
    (field: string, value: unknown, status = 400): ChatStep =>
    (request) =>
      request.body?.[field] === undefined
        ? { text: json(value) }
        : {
            status,
            body: JSON.stringify({ error: { message: `Unsupported parameter: '${field}'`, param: field } }),
          },
  noChoices: (): ChatBehaviour => ({ status: 200, body: JSON.stringify({ object: "chat.completion", choices: [] }) }),
  noJson: (): ChatBehaviour => ({ status: 200, body: '{"choices":[{"message":' }),
  page: (): ChatBehaviour => ({
    status: 200,
    body: "<!doctype html><title>Welcome</title>",
    headers: { "content-type": "text/html" },
  }),
  /** A body of so many bytes. */
  huge: (bytes: number): ChatBehaviour => ({ text: numbers(bytes) }),
} as const;

/** So many characters that do not repeat: an answer that says the same over and over is stopped for that. */
function numbers(characters: number): string {
  let text = "";
  for (let next = 0; text.length < characters; next++) text += `${next} `;
  return text.slice(0, characters);
}
