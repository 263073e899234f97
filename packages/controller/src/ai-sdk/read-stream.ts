import { setImmediate } from "node:timers/promises";
import { isRecord } from "@planloom/plan";
import { longestTimerMs } from "@planloom/plan/internals";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { emptyStream, noResponse, type RawReply } from "../openai/read-completion.ts";
import { RepetitionWatch } from "../openai/repetition-watch.ts";
import { runaway } from "../openai/runaway.ts";
import { brokenOff } from "../transport/connection-errors.ts";
import { AnswerParts, isInterrupted, type Thought } from "./read-parts.ts";

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

/** Characters that a part counts for at least: as an event of a stream it is as long, whatever is in it. */
const leastPart = 64;
/** Parts that are read before timers have their turn: a stream within this process may give them without a pause. */
const partsAtOnce = 512;
/** Longest silence after the part that ends an answer. */
const afterEndMs = 2_000;

/**
 * Reads the stream of parts that `doStream` gives. It is cancelled when it does not end well, or the signal is aborted. What becomes of it once the answer
 * has ended changes nothing of the answer.
 * @throws ControllerError UNREACHABLE when the stream breaks off, STATUS when it says that it did, TIMEOUT when it falls silent, RUNAWAY when it says the same over and
 *   over, PROTOCOL when it has no answer or too much of it; what an `error` part carries, as it is; the signal's reason
 */
export async function readPartStream(
  stream: ReadableStream<unknown> | undefined,
  options: PartStreamOptions,
): Promise<RawReply> {
  const { source, signal, maxCharacters, onDelta } = options;
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
  let characters = 0;
  let idleTimeoutMs = Number.POSITIVE_INFINITY;
  try {
    for (let count = 1; ; count++) {
      if (count % partsAtOnce === 0) await setImmediate();
      const { done, value } = await readWithin(reader, idleTimeoutMs, source);
      signal.throwIfAborted();
      if (done) break;
      characters += leastPart;
      if (characters > maxCharacters) throw tooLong(source, maxCharacters);
      if (!isRecord(value)) continue;
      if (value.type === "error") throw value.error;
      if (value.type === "finish") {
        end = value;
        idleTimeoutMs = Math.min(options.idleTimeoutMs, afterEndMs);
      }
      if (value.type === "response-metadata") modelId = value.modelId ?? modelId;
      const delta = addPart(parts, thoughts, value);
      if (delta === "") continue;
      hasBegun = true;
      if (end === undefined) idleTimeoutMs = options.idleTimeoutMs;
      characters += Math.max(0, delta.length - leastPart);
      if (characters > maxCharacters) throw tooLong(source, maxCharacters);
      onDelta(delta);
      const repeated = repetition.add(delta);
      if (repeated !== undefined) throw runaway(source, repeated, repetition.characters);
    }
  } catch (error) {
    void reader.cancel(error).catch(() => undefined);
    if (end === undefined || signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  if (end === undefined) {
    throw hasBegun ? brokenOff(source, new Error("the stream ended before the answer did")) : emptyStream(source);
  }
  const { usage, finishReason } = end;
  if (!hasBegun && parts.isEmpty && isInterrupted({ usage, finishReason })) throw emptyStream(source);
  return parts.reply({ usage, finishReason, modelId, source });
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
    case "tool-input-start":
      parts.beginCall(part);
      return "";
    case "tool-input-delta":
      parts.addInput(id, delta);
      return delta;
    case "tool-input-end":
      parts.endCall(id);
      return "";
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
