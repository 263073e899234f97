import { isRecord } from "@planloom/plan";
import type OpenAI from "openai";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import type { ProviderData } from "../model.ts";
import { unreachable } from "../transport/guarded-fetch.ts";
import { dataOfMessage, mergeData } from "./provider-data.ts";
import {
  errorInside,
  joinReasoning,
  noResponse,
  protocolError,
  type RawReply,
  readContent,
  readFinishReason,
  readReasoning,
} from "./read-completion.ts";
import { RepetitionWatch } from "./repetition-watch.ts";
import { StreamTap } from "./stream-tap.ts";
import { StreamedCalls } from "./streamed-calls.ts";
import { readTokens } from "./token-counts.ts";

export interface StreamOptions {
  readonly url: string;
  /** Longest silence after the answer began, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly onDelta?: (text: string) => void;
}

/**
 * Collects a stream of server-sent chat-completion chunks. `onDelta` gets text as it comes, reasoning and the
 * arguments of tool calls included.
 * @throws ControllerError UNREACHABLE when the stream breaks off, TIMEOUT when it falls silent, RUNAWAY when it says the same over and
 *   over, PROTOCOL when it is no such stream.
 */
export async function collectStream(response: Response, client: OpenAI, options: StreamOptions): Promise<RawReply> {
  const { Stream } = await import("openai/core/streaming");
  const { url, idleTimeoutMs, onDelta } = options;
  using tap = new StreamTap(url, idleTimeoutMs);
  const watched = new Response(response.body?.pipeThrough(tap.transform) ?? null, response);
  const collected = new Collected(url);
  const repetition = new RepetitionWatch();
  try {
    for await (const chunk of Stream.fromSSEResponse<unknown>(watched, new AbortController(), client)) {
      const delta = collected.add(chunk);
      if (delta === "") continue;
      tap.begun();
      onDelta?.(delta);
      const end = repetition.add(delta);
      if (end !== undefined) throw runaway(url, end, repetition.characters);
    }
  } catch (error) {
    const told = tap.ended ?? error;
    tap.stop(told);
    if (told instanceof ControllerError) {
      throw told;
    }
    throw explain(told, url);
  }
  if (collected.chunks === 0) {
    throw noResponse(url, "an empty stream");
  }
  if (collected.finishReason === undefined && !tap.sawDone) {
    throw unreachable(url, new Error("the stream ended before the answer did"));
  }
  if (!collected.hasChoice) {
    throw noResponse(url, "a stream without choices");
  }
  return collected.reply();
}

function runaway(url: string, text: string, characters: number): ControllerError {
  const message = `The answer from ${url} said the same over and over and was stopped after ${characters} characters; it ended ${JSON.stringify(text)}.`;
  return new ControllerError(ControllerErrorCode.RUNAWAY, message, { details: { url, characters, text } });
}

/** What the stream's reader throws: a chunk that is no JSON, an error event, or a broken connection. */
function explain(error: unknown, url: string): unknown {
  if (error instanceof SyntaxError) {
    return protocolError(`Expected JSON chunks from ${url}, got text that is not JSON`, error.message, error);
  }
  if (error instanceof Error && "error" in error && isRecord(error.error)) {
    return errorInside(`Expected a chat completion from ${url}, got an error inside the stream`, error.error, url);
  }
  return unreachable(url, error);
}

/** The pieces of one answer. */
class Collected {
  chunks = 0;
  hasChoice = false;
  finishReason: RawReply["finishReason"];
  readonly #url: string;
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #refusal: string[] = [];
  readonly #calls = new StreamedCalls();
  #data: ProviderData | undefined;
  #model: string | undefined;
  #tokens: RawReply["tokens"];

  constructor(url: string) {
    this.#url = url;
  }

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
    if (isRecord(choice.error)) {
      throw errorInside(
        `Expected an answer from ${this.#url}, got an error inside the stream`,
        choice.error,
        this.#url,
      );
    }
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
    if (typeof delta.refusal === "string") this.#refusal.push(delta.refusal);
    // Whether there will be calls is not known yet.
    this.#data = mergeData(this.#data, dataOfMessage(delta, 1));
    return reasoning + text + calls.map((call) => this.#calls.add(call)).join("");
  }

  reply(): RawReply {
    const refusal = this.#refusal.join("");
    return {
      text: joinReasoning(this.#reasoning.join(""), this.#text.join("")),
      toolCalls: this.#calls.all(),
      ...(this.#tokens ? { tokens: this.#tokens } : {}),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(refusal !== "" && { refusal }),
      ...(this.#data !== undefined && this.#calls.count > 0 && { providerData: this.#data }),
      finishReason: this.finishReason ?? "other",
    };
  }
}
