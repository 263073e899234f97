import type { JsonSchema } from "@planloom/plan";

/** One message of a conversation. */
export interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  /** On a `tool` message: which call it answers. */
  readonly toolCallId?: string;
  /** On an `assistant` message: the calls it made. */
  readonly toolCalls?: readonly ModelToolCall[];
  /** On an `assistant` message: the `providerData` of the reply that it repeats. */
  readonly providerData?: ProviderData;
}

/**
 * What a provider wants to have back with the next request (thoughts, signatures): plain JSON that only its adapter reads. Code that keeps
 * a conversation hands it back where it came from, unchanged.
 */
export type ProviderData = Readonly<Record<string, unknown>>;

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: usually JSON text, never trusted to be. */
  readonly arguments: string;
  /** To be handed back with the call. */
  readonly providerData?: ProviderData;
}

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /** The answer should be a value of this schema; an adapter negotiates how to ask for it. */
  readonly schema?: {
    readonly name: string;
    readonly schema: JsonSchema;
    /** Whether the schema is in the form that OpenAI enforces to the letter. @default false */
    readonly strict?: boolean;
  };
  readonly tools?: readonly ModelTool[];
  /** @default "auto" when there are tools */
  readonly toolChoice?: "auto" | "required" | { readonly name: string };
  /** Overrides the adapter's model. */
  readonly model?: string;
  /** @default the endpoint's */
  readonly temperature?: number;
  /** Of the answer. @default the endpoint's */
  readonly maxTokens?: number;
  /**
   * How many of the likeliest tokens the reply is to name at each place of the answer, 1 to 20. An endpoint that does not tell them answers without.
   * @default none
   */
  readonly topTokens?: number;
  /** Further parameters of the endpoint (`top_p`, `seed`, `stop`, `reasoning_effort`, …), sent as they are; what is said above goes first. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Tokens of one call, and its cost where prices are known. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input tokens, those that the provider had in its cache; absent where it does not say. */
  readonly cachedInputTokens?: number;
  /** Of the output tokens, those of thoughts; absent where the provider does not say. */
  readonly reasoningTokens?: number;
  /** From the user's price table, in its unit; absent without one. */
  readonly cost?: number;
  /** The provider does not count, or the call was stopped before it did: tokens are a guess, one for 4 characters of what was sent and written. @default false */
  readonly estimated?: boolean;
}

/** A token that a model could have written at some place, and how likely it was. */
export interface LikelyToken {
  readonly text: string;
  /** Natural logarithm of the likelihood; at most 0. */
  readonly logprob: number;
}

/** What a model answered. */
export interface ModelReply {
  /** All text; empty when the model only called tools. */
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  /** By place of the answer: the likeliest tokens, the likeliest first. Absent where nobody asked (`topTokens`), or the endpoint does not tell. */
  readonly topTokens?: readonly (readonly LikelyToken[])[];
  readonly usage?: ModelUsage;
  readonly model?: string;
  /** Requests to the endpoint that the answer took, retries and refused forms included; `usage` is of all of them. @default 1 */
  readonly requests?: number;
  /** Of these, the requests that the endpoint refused for a part of their form, so that nothing was generated. @default 0 */
  readonly refusedRequests?: number;
  /** What was sent otherwise than it was asked, since the endpoint refused or ignored it: a sentence each. Absent when nothing was. */
  readonly adjustments?: readonly string[];
  /** To be handed back with the assistant message that repeats this reply. */
  readonly providerData?: ProviderData;
  /** `length` means cut off. */
  readonly finishReason?: "stop" | "length" | "tool_calls" | "content_filter" | "other";
}

/** The record of one model call. */
export interface ModelCall {
  readonly request: ModelRequest;
  readonly reply?: ModelReply;
  readonly error?: string;
  /** Of a call without a reply that was paid for all the same. */
  readonly usage?: ModelUsage;
  /** Requests to the endpoint, retries and refused forms included. @default 1 */
  readonly requests?: number;
  /** Milliseconds from sending to the last byte. */
  readonly latencyMs: number;
}

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  /**
   * Called with each piece of text while the model writes, thoughts and arguments of tool calls included; `said` is the part of the piece that is the
   * answer's own words, where the model tells them apart.
   */
  readonly onDelta?: (text: string, said?: string) => void;
  /** Called as `onDelta` is where the model streams anyway: by itself it is not a reason to stream. */
  readonly watch?: (text: string) => void;
  /**
   * Called before the first piece of an answer that takes the place of one that was begun: that one broke off, or could not be read. What `onDelta` and
   * `watch` were given until then does not count.
   */
  readonly onRestart?: () => void;
  /**
   * Called before the call is rejected, also after an abort, with what it used all the same; a guess by the number of characters where an answer ended before
   * its endpoint counted. Not called where nothing was written.
   */
  readonly onSpent?: (usage: ModelUsage) => void;
  /** The most that a model may try again on its own; a caller that does so itself gives 0, or tries would multiply. @default the model's own */
  readonly maxRetries?: number;
  /**
   * The most requests of the call, at least 1: the first one and those after a fault of the connection. Requests that the endpoint refuses for a part of
   * their form do not count: there are only so many parts, and each is refused once. With it, an answer that cannot be read is given as it is: the caller asks again, and says
   * why. @default as many as it takes
   */
  readonly maxRequests?: number;
}

/** The one thing Planloom asks of a language model. */
export interface Model {
  readonly name: string;
  /** Who serves it, as OpenTelemetry names providers: `openai` for every endpoint that speaks OpenAI's API, `anthropic`, … @default none is known */
  readonly provider?: string;
  /** The limit that it has for one call, in milliseconds. Tasks that call it have no shorter one unless their run or plan says so. @default none is known */
  readonly timeoutMs?: number;
  /** Whether its replies have `topTokens` where a request asks for them and its endpoint tells them. @default false */
  readonly tellsTokens?: boolean;
  generate(request: ModelRequest, options?: GenerateOptions): Promise<ModelReply>;
}
