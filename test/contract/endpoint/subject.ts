import type { Model, ModelReply, ModelRequest } from "@planloom/controller";
import { type ChatRequest, type ChatServer, type ChatStep, startChatServer } from "@planloom/controller/testing";
import { onTestFinished, type TestAPI, test } from "vitest";

export type Body = Readonly<Record<string, unknown>>;

/** What a server does, which gets the body of each request. */
export type Behaviour = (body: Readonly<Record<string, unknown>>, request: number) => Answer;
export type Answer =
  | { readonly message: object; readonly finish?: string; readonly usage?: object }
  | { readonly status: number; readonly error: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly chunks: readonly object[] };

/** A protocol in the words of chat completions, in which the behaviours here are written. */
export interface Dialect {
  readonly name: string;
  /** A request as chat completions would have it. */
  readBody(body: Body): Body;
  /** An answer that is no error, as the body of a response. */
  writeAnswer(answer: { readonly message: object; readonly finish: string; readonly usage: object }): object;
  /** The chunks of a stream, as its events. */
  writeChunks(chunks: readonly object[]): readonly object[];
}

export interface EndpointContractOptions {
  /** @default chat completions */
  readonly dialect?: Dialect;
  /** Makes the model under test, asking the server at `baseURL`. `price`: a million tokens cost 1 in, 0.1 from the cache, 10 out. */
  readonly modelAt: (baseURL: string) => Model;
}

export const schema = {
  name: "plan",
  schema: { type: "object", properties: { tasks: { type: "array" } }, required: ["tasks"] },
} as const;
export const plan = { tasks: [{ task_id: "a" }] };
export const written = JSON.stringify(plan);
export const system = { role: "system", content: "Be brief." } as const;
export const user = { role: "user", content: "Plan it." } as const;
export const asksForPlan: ModelRequest = { messages: [system, user], schema };
export const weather = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
export const planTool = { name: "plan", description: "Gives the plan.", parameters: schema.schema };
export const asksWithTools: ModelRequest = { messages: [user], tools: [weather] };
export const forcesPlan: ModelRequest = { messages: [system, user], tools: [planTool], toolChoice: { name: "plan" } };

export const says = (text: string, finish = "stop"): Answer => ({ message: { content: text }, finish });
export const calls = (...given: readonly (readonly [name: string, input: object])[]): Answer => ({
  message: {
    content: null,
    tool_calls: given.map(([name, input], index) => ({
      id: `c${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  },
  finish: "tool_calls",
});
export const refuses = (status: number, error: unknown): Answer => ({ status, error });
export const message = (text: string, more: object = {}) => ({
  error: { message: text, type: "invalid_request_error", ...more },
});
export const forced = (body: Readonly<Record<string, unknown>>) => typeof body.tool_choice === "object";
export const rolesOf = (body: Readonly<Record<string, unknown>>) =>
  (body.messages as { role: string }[]).map(({ role }) => role).join();

const chat: Dialect = {
  name: "chat",
  readBody: (body) => body,
  writeAnswer: ({ message, finish, usage }) => {
    return {
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
      usage,
    };
  },
  writeChunks: (chunks) => chunks,
};

function step(behaviour: Behaviour, count: () => number, dialect: Dialect): ChatStep {
  return ({ body = {} }: ChatRequest) => {
    const answer = behaviour(dialect.readBody(body), count());
    if ("status" in answer) {
      const { status, error, headers = {} } = answer;
      return { status, body: typeof error === "string" ? error : JSON.stringify(error), headers };
    }
    if ("chunks" in answer) {
      const events = [...dialect.writeChunks(answer.chunks).map((chunk) => JSON.stringify(chunk)), "[DONE]"];
      return {
        status: 200,
        headers: { "content-type": "text/event-stream" },
        body: events.map((data) => `data: ${data}\n\n`).join(""),
      };
    }
    const { message, finish = "stop", usage = { prompt_tokens: 100, completion_tokens: 20 } } = answer;
    return { status: 200, body: JSON.stringify(dialect.writeAnswer({ message, finish, usage })) };
  };
}

export const delta = (piece: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: piece, finish_reason: finish }],
});

/** What the cases of a topic are made with. */
export interface EndpointSubject {
  /** Of the model under test. */
  readonly name: string;
  /** A model that asks a new server of this behaviour. */
  readonly world: (
    behaviour: Behaviour,
  ) => Promise<{ readonly server: ChatServer; readonly model: Model; readonly bodies: () => Body[] }>;
  /** For what only chat completions have. */
  readonly chatOnly: TestAPI;
}

export function endpointSubject(name: string, { modelAt, dialect = chat }: EndpointContractOptions): EndpointSubject {
  return {
    name,
    chatOnly: (dialect === chat ? test : test.skip) as TestAPI,
    async world(behaviour) {
      let count = 0;
      const server = await startChatServer([step(behaviour, () => ++count, dialect)], { repeat: true });
      onTestFinished(() => server.close());
      return {
        server,
        model: modelAt(server.baseURL),
        bodies: () => server.requests.map(({ body = {} }) => dialect.readBody(body)),
      };
    },
  };
}

export function callMessage() {
  return (calls(["weather", { city: "Lyon" }]) as { readonly message: object }).message;
}

/** The reply as the conversation goes on with it, and what the tools gave. */
export function turnOf({ text, toolCalls, providerData }: ModelReply): ModelRequest["messages"] {
  return [
    { role: "assistant", content: text, toolCalls, ...(providerData && { providerData }) },
    ...toolCalls.map(({ id }) => ({ role: "tool", toolCallId: id, content: "20" }) as const),
  ];
}

export function planIn({ text, toolCalls }: ModelReply): unknown {
  return JSON.parse(toolCalls[0]?.arguments ?? text);
}
