import { constants } from "node:buffer";
import { hasJsonText } from "../json-copy.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";

/** Inputs of calls may have as much as outputs have by default. */
const usualLimit = 64 * 1024 * 1024;
/** Where `maxOutputBytes` is lower, an input may still take up so many outputs, and always so many bytes. */
const outputsInInput = 8;
const leastLimit = 1024 * 1024;

/**
 * Refuses an input that is too large as JSON, before any text of it is made. Texts that references are written into are refused before, as they are resolved. Linear in its distinct values: what is referred to twice is looked at once.
 * @param maxOutputBytes of the run
 * @throws TaskFailure INPUT_TOO_LARGE
 */
export function checkInputSize(input: unknown, maxOutputBytes: number): void {
  const limit = inputLimit(maxOutputBytes);
  const bytes = sizeOf(input, limit, new Map());
  if (bytes > limit) throw inputTooLarge(limit);
  if (!hasJsonText(input, bytes)) throw inputTooLarge(constants.MAX_STRING_LENGTH);
}

/** Most bytes of an input as JSON. */
export function inputLimit(maxOutputBytes: number): number {
  const ofOutputs = Math.max(leastLimit, outputsInInput * maxOutputBytes);
  return Math.max(Math.min(usualLimit, ofOutputs), maxOutputBytes);
}

export function inputTooLarge(limit: number, cause?: unknown): TaskFailure {
  const message = `The input is too large. Expected at most ${limit.toLocaleString("en")} bytes of JSON, got more. Refer to fewer or smaller outputs.`;
  const details = { max_bytes: limit };
  return new TaskFailure(TaskErrorCode.INPUT_TOO_LARGE, message, { retryable: false, details, cause });
}

/** Bytes of JSON, escapes not counted; some number above `limit` where there are more. */
function sizeOf(value: unknown, limit: number, known: Map<object, number>): number {
  if (typeof value === "string") return value.length > limit ? value.length : Buffer.byteLength(value) + 2;
  if (typeof value !== "object" || value === null) return 4;
  let bytes = known.get(value) ?? 0;
  if (bytes > 0) return bytes;
  bytes = 2;
  // A value that leads back to itself is refused elsewhere.
  known.set(value, bytes);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && bytes <= limit; index++)
      bytes += 1 + sizeOf(value[index], limit - bytes, known);
  } else {
    for (const key in value) {
      if (bytes > limit) break;
      bytes += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], limit - bytes, known);
    }
  }
  known.set(value, bytes);
  return bytes;
}
