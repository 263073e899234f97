import {
  hashValue,
  maxWaitMs,
  type OnDeadline,
  type ReferenceLookup,
  readTime,
  resolveReferences,
  type Wait,
} from "@planloom/plan";
import { withReferences } from "../input/prepare-step.ts";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";

/** What a task waits for, with references resolved. */
export interface ReadWait {
  /** SHA-256 of it. */
  readonly content_hash: string;
  /** When it ends, or its deadline: milliseconds since the epoch, for a wait that begins at the given time. Absent: never by itself. */
  readonly due_at?: number;
  readonly event?: string;
  readonly key?: string;
  readonly onDeadline: OnDeadline;
}

/** Longest name and key of a signal, in characters. */
export const maxSignalName = 200;

/**
 * @param now when the wait begins, milliseconds since the epoch
 * @throws TaskFailure REFERENCE, WAIT for what cannot be read as a time, a duration or a name
 */
export function readWait({ schema: _, ...wait }: Wait, lookup: ReferenceLookup, now: number): ReadWait {
  const read = withReferences(() => resolveReferences(wait, lookup)) as Omit<Wait, "schema">;
  const { for_ms, until, event, key, timeout_ms, deadline, on_deadline = "fail" } = read;
  const dueAt = dueOf({ for_ms, until, timeout_ms, deadline }, now);
  return {
    content_hash: hashValue(read),
    onDeadline: on_deadline,
    ...(dueAt !== undefined && { due_at: dueAt }),
    ...(event !== undefined && { event: nameOf("event", event), key: key === undefined ? "" : nameOf("key", key) }),
  };
}

type Times = Pick<Wait, "for_ms" | "until" | "timeout_ms" | "deadline">;

function dueOf({ for_ms, until, timeout_ms, deadline }: Times, now: number): number | undefined {
  if (for_ms !== undefined) return now + durationOf("for_ms", for_ms);
  if (timeout_ms !== undefined) return now + durationOf("timeout_ms", timeout_ms);
  if (until !== undefined) return timeOf("until", until);
  return deadline === undefined ? undefined : timeOf("deadline", deadline);
}

function durationOf(field: string, value: unknown): number {
  // What a reference in a text gives is a text.
  const ms = typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof ms === "number" && ms >= 0 && ms <= maxWaitMs) return ms;
  throw invalidWait(field, `a number of milliseconds from 0 to ${maxWaitMs} (ten years)`, value);
}

function timeOf(field: string, value: unknown): number {
  const ms = typeof value === "string" ? readTime(value) : undefined;
  if (ms !== undefined) return ms;
  throw invalidWait(field, "a time with its zone, such as 2026-12-01T09:00:00+01:00", value);
}

function nameOf(field: string, value: unknown): string {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text === "string" && text.length <= maxSignalName && (text !== "" || field === "key")) return text;
  throw invalidWait(field, `a text of at most ${maxSignalName} characters`, value);
}

function invalidWait(field: string, expected: string, value: unknown): TaskFailure {
  const message = `Expected \`wait.${field}\` to give ${expected}, got ${describe(value)}.`;
  return new TaskFailure(TaskErrorCode.WAIT, message, { retryable: false, details: { field } });
}
