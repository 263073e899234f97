import { isRecord } from "@planloom/plan";
import type { ModelReply, ModelToolCall } from "../model.ts";
import { checkEnd, joinReasoning, noResponse, type RawReply } from "../openai/read-completion.ts";
import { countOf, type TokenCounts } from "../openai/token-counts.ts";
import { brokenOff } from "../transport/connection-errors.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A thought, and what its provider wants to have back with it. */
export interface Thought {
  text: string;
  metadata?: unknown;
}

/** Puts an answer together from the parts of a content, or of a stream. */
export class AnswerParts {
  readonly #text: string[] = [];
  readonly #thoughts: Thought[] = [];
  readonly #calls: ModelToolCall[] = [];
  /** Calls of which only pieces came so far, in the order in which they began. */
  readonly #begun = new Map<unknown, BegunCall>();
  /** Thoughts since the last call. */
  #open: Thought[] = [];

  /** Whether nothing has come. */
  get isEmpty(): boolean {
    return this.#text.length + this.#thoughts.length + this.#calls.length + this.#begun.size === 0;
  }

  addText(text: string): void {
    this.#text.push(text);
  }

  addThought(text: string, metadata: unknown): Thought {
    const thought: Thought = { text, ...(metadata !== undefined && { metadata }) };
    this.#thoughts.push(thought);
    this.#open.push(thought);
    return thought;
  }

  addCall(part: Fields): void {
    const { toolCallId: id, toolName: name, input, providerMetadata: metadata } = part;
    // What the provider calls itself is its own business.
    this.#begun.delete(id);
    if (part.providerExecuted === true || typeof name !== "string") return;
    const reasoning = this.#open.splice(0);
    const data = { ...(metadata !== undefined && { metadata }), ...(reasoning.length > 0 && { reasoning }) };
    this.#calls.push({
      id: typeof id === "string" ? id : "",
      name,
      arguments: typeof input === "string" ? input : (JSON.stringify(input) ?? ""),
      ...(Object.keys(data).length > 0 && { providerData: data }),
    });
  }

  beginCall(part: Fields): void {
    this.#begun.set(part.id, { part, pieces: [], isWhole: false });
  }

  addInput(id: unknown, piece: string): void {
    this.#begun.get(id)?.pieces.push(piece);
  }

  endCall(id: unknown): void {
    const call = this.#begun.get(id);
    if (call !== undefined) call.isWhole = true;
  }

  /** Calls whose pieces came whole, but never the part that repeats them. */
  #addBegun(): void {
    for (const [id, { part, pieces, isWhole }] of this.#begun) {
      if (isWhole) this.addCall({ ...part, toolCallId: id, input: pieces.join("") });
    }
  }

  /** @throws ControllerError STATUS where the provider says that it broke the answer off, UNREACHABLE where its stream ended before the answer did */
  reply(end: AnswerEnd): RawReply {
    checkEnd(endName(end.finishReason), end.source);
    const tokens = readUsage(end.usage);
    if (isInterrupted(end) && this.isEmpty) throw noResponse(end.source, "an answer with nothing in it");
    if (isInterrupted(end)) throw brokenOff(end.source, new Error("the stream ended before the answer did"));
    this.#addBegun();
    return {
      text: joinReasoning(this.#thoughts.map(({ text }) => text).join(""), this.#text.join("")),
      toolCalls: this.#calls,
      ...(tokens && { tokens }),
      ...(typeof end.modelId === "string" && { model: end.modelId }),
      finishReason: readEnd(end.finishReason),
    };
  }
}

interface BegunCall {
  readonly part: Fields;
  readonly pieces: string[];
  isWhole: boolean;
}

interface AnswerEnd {
  readonly usage: unknown;
  readonly finishReason: unknown;
  readonly modelId: unknown;
  /** For messages. */
  readonly source: string;
}

/** Reads what `doGenerate` gave. @throws ControllerError as `AnswerParts.reply` does */
export function readGenerated(result: unknown, source: string): RawReply {
  const parts = new AnswerParts();
  const { content = [], usage, finishReason, response } = isRecord(result) ? result : {};
  for (const part of Array.isArray(content) ? content : []) {
    if (!isRecord(part)) continue;
    if (part.type === "text") parts.addText(String(part.text ?? ""));
    if (part.type === "reasoning") parts.addThought(String(part.text ?? ""), part.providerMetadata);
    if (part.type === "tool-call") parts.addCall(part);
  }
  return parts.reply({ usage, finishReason, modelId: isRecord(response) ? response.modelId : undefined, source });
}

function outputOf(usage: unknown): number | undefined {
  const tokens = isRecord(usage) ? usage.outputTokens : undefined;
  return countOf(tokens) ?? (isRecord(tokens) ? countOf(tokens.total) : undefined);
}

/** Version 2 has plain counts, later ones totals with their parts. */
function readUsage(usage: unknown): TokenCounts | undefined {
  if (!isRecord(usage)) return undefined;
  const { inputTokens, outputTokens } = usage;
  const [inputs, outputs] = [isRecord(inputTokens) ? inputTokens : {}, isRecord(outputTokens) ? outputTokens : {}];
  const input = countOf(inputTokens) ?? countOf(inputs.total);
  const output = outputOf(usage);
  if (input === undefined && output === undefined) return undefined;
  const cached = countOf(usage.cachedInputTokens) ?? countOf(inputs.cacheRead);
  const reasoning = countOf(usage.reasoningTokens) ?? countOf(outputs.reasoning);
  return {
    input: input ?? 0,
    output: output ?? 0,
    ...(cached !== undefined && { cached: Math.min(cached, input ?? 0) }),
    ...(reasoning !== undefined && { reasoning: Math.min(reasoning, output ?? 0) }),
  };
}

const ends: Readonly<Record<string, NonNullable<ModelReply["finishReason"]>>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

/** Version 2 has a name, later ones one beside the provider's own. */
function endName(reason: unknown): unknown {
  return isRecord(reason) ? reason.unified : reason;
}

/** Version 4 says so; of the ones before it is an end without a reason and without a count of what was written. */
export function isInterrupted({ finishReason: reason, usage }: Pick<AnswerEnd, "finishReason" | "usage">): boolean {
  const name = endName(reason);
  if (name === "interrupted") return true;
  const isNamed = isRecord(reason) ? reason.raw !== undefined : name !== "unknown";
  return !isNamed && (name === "other" || name === "unknown") && outputOf(usage) === undefined;
}

function readEnd(reason: unknown): NonNullable<ModelReply["finishReason"]> {
  const name = endName(reason);
  return (typeof name === "string" ? ends[name] : undefined) ?? "other";
}
