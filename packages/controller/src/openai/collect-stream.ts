import { isRecord } from "@planloom/plan";
import type OpenAI from "openai";
import { ControllerError } from "../errors.ts";
import type { ModelToolCall } from "../model.ts";
import { unreachable } from "../transport/guarded-fetch.ts";
import {
  joinReasoning,
  noResponse,
  protocolError,
  type RawReply,
  readContent,
  readFinishReason,
  readReasoning,
  readTokens,
} from "./read-completion.ts";

export interface StreamOptions {
  readonly url: string;
  readonly onDelta?: (text: string) => void;
}

/**
 * Collects a stream of server-sent chat-completion chunks. `onDelta` gets text as it comes, reasoning and the
 * arguments of tool calls included.
 * @throws ControllerError UNREACHABLE when the stream breaks off, PROTOCOL when it is no such stream.
 */
export async function collectStream(response: Response, client: OpenAI, options: StreamOptions): Promise<RawReply> {
  const { Stream } = await import("openai/core/streaming");
  const { url, onDelta } = options;
  const end = watchForEnd();
  const watched = new Response(response.body?.pipeThrough(end.transform) ?? null, response);
  const collected = new Collected();
  try {
    for await (const chunk of Stream.fromSSEResponse<unknown>(watched, new AbortController(), client)) {
      const delta = collected.add(chunk);
      if (delta !== "") {
        onDelta?.(delta);
      }
    }
  } catch (error) {
    if (error instanceof ControllerError) {
      throw error;
    }
    throw explain(error, url);
  }
  if (collected.chunks === 0) {
    throw noResponse(url, "an empty stream");
  }
  if (collected.finishReason === undefined && !end.seen()) {
    throw unreachable(url, new Error("the stream ended before the answer did"));
  }
  if (!collected.hasChoice) {
    throw noResponse(url, "a stream without choices");
  }
  return collected.reply();
}

/** What the stream's reader throws: a chunk that is no JSON, an error event, or a broken connection. */
function explain(error: unknown, url: string): unknown {
  if (error instanceof SyntaxError) {
    return protocolError(`Expected JSON chunks from ${url}, got text that is not JSON`, error.message, error);
  }
  if (error instanceof Error && "error" in error && isRecord(error.error)) {
    return protocolError(`Expected a chat completion from ${url}, got an error inside the stream`, error.error);
  }
  return unreachable(url, error);
}

/** Whether the end mark `[DONE]` went by, which the stream's reader swallows. */
function watchForEnd() {
  let tail = "";
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      tail = (tail + Buffer.from(chunk.subarray(-32)).toString("latin1")).slice(-32);
      controller.enqueue(chunk);
    },
  });
  return { transform, seen: () => tail.includes("[DONE]") };
}

/** The pieces of one answer. */
class Collected {
  chunks = 0;
  hasChoice = false;
  finishReason: RawReply["finishReason"];
  #text: string[] = [];
  #reasoning: string[] = [];
  #model: string | undefined;
  #tokens: RawReply["tokens"];
  readonly #calls = new Map<number, { id: string; name: string; arguments: string[] }>();

  /** @returns what is new, for whoever watches. */
  add(chunk: unknown): string {
    if (!isRecord(chunk)) {
      return "";
    }
    this.chunks += 1;
    this.#model ??= typeof chunk.model === "string" ? chunk.model : undefined;
    this.#tokens = readTokens(chunk.usage) ?? this.#tokens;
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (!isRecord(choice)) {
      return "";
    }
    this.hasChoice = true;
    if (choice.finish_reason !== undefined && choice.finish_reason !== null) {
      this.finishReason = readFinishReason(choice.finish_reason);
    }
    const delta = isRecord(choice.delta) ? choice.delta : choice.message;
    return isRecord(delta) ? this.#addDelta(delta) : "";
  }

  #addDelta(delta: Readonly<Record<string, unknown>>): string {
    const reasoning = readReasoning(delta);
    const text = readContent(delta.content);
    this.#reasoning.push(reasoning);
    this.#text.push(text);
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    return reasoning + text + calls.map((call) => this.#addCall(call)).join("");
  }

  #addCall(call: unknown): string {
    const called = isRecord(call) ? call.function : undefined;
    if (!isRecord(call) || !isRecord(called)) {
      return "";
    }
    // A call starts with its name; servers that leave out the index send each call whole.
    const starts = typeof called.name === "string" && called.name !== "";
    const index = typeof call.index === "number" ? call.index : Math.max(0, this.#calls.size - (starts ? 0 : 1));
    const known = this.#calls.get(index) ?? { id: "", name: "", arguments: [] };
    this.#calls.set(index, known);
    known.id ||= typeof call.id === "string" ? call.id : "";
    known.name ||= starts ? String(called.name) : "";
    const written = typeof called.arguments === "string" ? called.arguments : "";
    known.arguments.push(written);
    return written;
  }

  reply(): RawReply {
    const toolCalls: ModelToolCall[] = [...this.#calls.entries()]
      .sort(([left], [right]) => left - right)
      .map(([, call]) => ({ id: call.id, name: call.name, arguments: call.arguments.join("") }));
    return {
      text: joinReasoning(this.#reasoning.join(""), this.#text.join("")),
      toolCalls,
      ...(this.#tokens ? { tokens: this.#tokens } : {}),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      finishReason: this.finishReason ?? "other",
    };
  }
}
