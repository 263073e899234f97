import { isRecord } from "@planloom/plan";
import { longestTimerMs } from "@planloom/plan/internals";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { noResponse, type RawReply } from "../openai/read-completion.ts";
import { RepetitionWatch } from "../openai/repetition-watch.ts";
import { runaway } from "../openai/runaway.ts";
import { brokenOff } from "../transport/connection-errors.ts";
import { AnswerParts, type Thought } from "./read-parts.ts";

export interface PartStreamOptions {
  /** For messages. */
  readonly source: string;
  readonly signal: AbortSignal;
  /** Longest silence after the answer began, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Longest text, in characters. */
  readonly maxCharacters: number;
  readonly onDelta: (text: string) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the stream of parts that `doStream` gives. It is cancelled when it does not end well, or the signal is aborted.
 * @throws ControllerError UNREACHABLE when the stream breaks off, STATUS when it says that it did, TIMEOUT when it falls silent, RUNAWAY when it says the same over and
 *   over, PROTOCOL when it has no answer or too much of it; what an `error` part carries, as it is; the signal's reason
 */
export async function readPartStream(
  stream: ReadableStream<unknown> | undefined,
  options: PartStreamOptions,
): Promise<RawReply> {
  const { source, signal, idleTimeoutMs, maxCharacters, onDelta } = options;
  if (typeof stream?.getReader !== "function") throw noResponse(source, "no stream");
  const reader = stream.getReader();
  // It ends the read that is under way, too, whatever the stream itself does about its signal.
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  const parts = new AnswerParts();
  const thoughts = new Map<unknown, Thought>();
  const repetition = new RepetitionWatch();
  let end: Fields | undefined;
  let modelId: unknown;
  let hasBegun = false;
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, hasBegun ? idleTimeoutMs : Number.POSITIVE_INFINITY, source);
      signal.throwIfAborted();
      if (done) break;
      if (!isRecord(value)) continue;
      if (value.type === "error") throw value.error;
      if (value.type === "finish") end = value;
      if (value.type === "response-metadata") modelId = value.modelId ?? modelId;
      const delta = addPart(parts, thoughts, value);
      if (delta === "") continue;
      hasBegun = true;
      onDelta(delta);
      const repeated = repetition.add(delta);
      if (repeated !== undefined) throw runaway(source, repeated, repetition.characters);
      if (repetition.characters > maxCharacters) throw tooLong(source, maxCharacters);
    }
  } catch (error) {
    void reader.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  if (end === undefined) {
    throw hasBegun
      ? brokenOff(source, new Error("the stream ended before the answer did"))
      : noResponse(source, "an empty stream");
  }
  return parts.reply({ usage: end.usage, finishReason: end.finishReason, modelId, source });
}

/** @returns the new text, for listeners */
function addPart(parts: AnswerParts, thoughts: Map<unknown, Thought>, part: Fields): string {
  const { type, id } = part;
  const delta = typeof part.delta === "string" ? part.delta : "";
  switch (type) {
    case "text-delta":
      parts.addText(delta);
      return delta;
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end": {
      const known = thoughts.get(id);
      const thought = known ?? parts.addThought("", undefined);
      if (known === undefined) thoughts.set(id, thought);
      thought.text += delta;
      // Signatures come last, with the end or with an empty piece.
      if (part.providerMetadata !== undefined) thought.metadata = part.providerMetadata;
      return delta;
    }
    case "tool-input-delta":
      return delta;
    case "tool-call":
      parts.addCall(part);
      return "";
    default:
      return "";
  }
}

function readWithin(
  reader: ReadableStreamDefaultReader<unknown>,
  milliseconds: number,
  source: string,
): Promise<{ readonly done: boolean; readonly value?: unknown }> {
  if (milliseconds > longestTimerMs) return reader.read();
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `Expected ${source} to continue writing, got nothing for ${milliseconds} ms (\`idleTimeoutMs\`).`;
      const details = { url: source, timeoutMs: milliseconds, idle: true };
      reject(new ControllerError(ControllerErrorCode.TIMEOUT, message, { details }));
    }, milliseconds);
  });
  return Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
}

function tooLong(source: string, maxCharacters: number): ControllerError {
  const message = `Expected at most ${maxCharacters} characters from ${source}, got more; raise \`maxResponseBytes\` if that is right.`;
  return new ControllerError(ControllerErrorCode.PROTOCOL, message, {
    details: { url: source, maxBytes: maxCharacters },
  });
}
