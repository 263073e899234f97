import { isRecord } from "@planloom/plan";
import type OpenAI from "openai";
import { ControllerError } from "../errors.ts";
import { brokenOff } from "../transport/connection-errors.ts";
import { emptyStream, errorInside, protocolError, type RawReply } from "./read-completion.ts";
import { RepetitionWatch } from "./repetition-watch.ts";
import { runaway } from "./runaway.ts";
import { StreamTap } from "./stream-tap.ts";
import type { StreamOptions } from "./wire.ts";

/** Puts the events of a stream together. */
export interface StreamCollector {
  /** Events so far. */
  readonly events: number;
  /** Whether the answer said that it has ended. */
  readonly hasEnded: boolean;
  /** Whether it said so at its end and not in every piece, so that nothing that comes next belongs to it. */
  readonly isOver: boolean;
  /** Of the newest event, the part that is the answer's own words. */
  readonly said: string;
  /** @returns the new text, for listeners. @throws ControllerError for an error within the stream */
  add(event: unknown): string;
  /** @throws ControllerError PROTOCOL when there was no answer in it */
  reply(): RawReply;
}

/**
 * Collects a stream of server-sent events. `onDelta` gets text as it comes, reasoning and the
 * arguments of tool calls included. What becomes of the connection once the answer has ended changes nothing of it.
 * @throws ControllerError UNREACHABLE when the stream breaks off, TIMEOUT when it falls silent, RUNAWAY when it says the same over and
 *   over, PROTOCOL when it is not such a stream.
 */
export async function collectStream(
  response: Response,
  client: OpenAI,
  options: StreamOptions,
  collected: StreamCollector,
): Promise<RawReply> {
  const { Stream } = await import("openai/core/streaming");
  const { url, onDelta } = options;
  using tap = new StreamTap(url, options);
  const watched = new Response(response.body?.pipeThrough(tap.transform) ?? null, response);
  const repetition = new RepetitionWatch();
  try {
    for await (const chunk of Stream.fromSSEResponse<unknown>(watched, new AbortController(), client)) {
      const delta = collected.add(chunk);
      if (collected.isOver) tap.over();
      if (delta === "") continue;
      tap.begun();
      onDelta?.(delta, collected.said);
      const end = repetition.add(delta);
      if (end !== undefined) throw runaway(url, end, repetition.characters);
    }
  } catch (error) {
    const cause = tap.ended ?? error;
    tap.stop(cause);
    if (collected.isOver) return collected.reply();
    if (cause instanceof ControllerError) {
      throw cause;
    }
    throw explain(cause, url, tap.latest);
  }
  if (collected.events === 0) {
    // Some servers call anything a stream that answers a request for one: an error, a web page, a whole answer.
    if (/^[{[<]/.test(tap.beginning.trimStart())) {
      const whole = options.readText(tap.beginning, url);
      if (whole.text !== "") onDelta?.(whole.text);
      return whole;
    }
    throw emptyStream(url);
  }
  if (!collected.hasEnded && !tap.sawDone) {
    throw brokenOff(url, new Error("the stream ended before the answer did"));
  }
  return collected.reply();
}

/** What the stream's reader throws: a chunk that is not JSON, an error event, or a broken connection. */
function explain(error: unknown, url: string, latest: string): unknown {
  if (error instanceof SyntaxError) {
    return protocolError(`Expected JSON chunks from ${url}, got text that is not JSON`, latest, error);
  }
  if (error instanceof Error && "error" in error) {
    const said = typeof error.error === "string" ? { message: error.error, type: error.error } : error.error;
    const problem = `Expected an answer from ${url}, got an error inside the stream`;
    if (isRecord(said)) return errorInside(problem, said, url);
  }
  return brokenOff(url, error);
}
