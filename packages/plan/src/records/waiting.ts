import { z } from "zod";

/** Longest time that a wait may take, in milliseconds: ten years. */
export const maxWaitMs = 10 * 365 * 24 * 3_600_000;

const duration = z.union([z.number().nonnegative().max(maxWaitMs), z.string().min(1).max(1_000)]);
const time = z.string().min(1).max(1_000);

/** What happens when a deadline passes before what is waited for: see `Wait.on_deadline`. */
export const OnDeadline = z.union([z.enum(["fail", "skip"]), z.strictObject({ value: z.unknown() })]);
export type OnDeadline = z.infer<typeof OnDeadline>;

const waitFields = {
  /** How long, in milliseconds, from when the task begins: a number, or a reference to one. */
  for_ms: duration.optional(),
  /** Until when: ISO 8601 with a time zone (`2026-12-01T09:00:00+01:00`), or a reference to such a text. A time that has passed ends the wait at once. */
  until: time.optional(),
  /** The name of a signal (`planloom signal RUN NAME`); the output of the task is its data. May hold references. */
  event: z.string().min(1).max(1_000).optional(),
  /** The signal must have this key. May hold references. @default only signals without a key are meant */
  key: z.string().max(1_000).optional(),
  /** JSON Schema that the signal's data must fit. @default any JSON */
  schema: z.record(z.string(), z.unknown()).optional(),
  /** How long to wait for the signal at most, in milliseconds from when the task begins; a number, or a reference to one. @default no limit */
  timeout_ms: duration.optional(),
  /** The same as a point in time, as `until`. @default no limit */
  deadline: time.optional(),
  /**
   * When no signal has come by then. `fail`: the task fails (`TASK_DEADLINE`). `skip`: it is skipped. `{"value": …}`: this is its output,
   * in which references are resolved. @default "fail"
   */
  on_deadline: OnDeadline.optional(),
};

/**
 * The task calls nothing: it waits for a time (`for_ms`, `until`) or for a signal (`event`). No process need run meanwhile. Its output is the signal's
 * data, or `{"waited_until": …}`.
 */
export const Wait = z.strictObject(waitFields).superRefine((wait, context) => {
  const kinds = (["for_ms", "until", "event"] as const).filter((field) => wait[field] !== undefined);
  const issue = (message: string, path: string[] = []) => context.addIssue({ code: "custom", message, path });
  if (kinds.length !== 1)
    issue(`must have exactly one of for_ms, until and event, got ${kinds.length === 0 ? "none" : kinds.join(" and ")}`);
  if (wait.timeout_ms !== undefined && wait.deadline !== undefined)
    issue("must have at most one of timeout_ms and deadline, got both", ["deadline"]);
  const ofEvents = (["key", "schema", "timeout_ms", "deadline", "on_deadline"] as const).filter(
    (field) => wait[field] !== undefined,
  );
  if (wait.event === undefined && ofEvents.length > 0)
    issue(`is of waits for an event; a wait for a time has no ${ofEvents[0]}`, [ofEvents[0]!]);
  if (wait.on_deadline !== undefined && wait.timeout_ms === undefined && wait.deadline === undefined)
    issue("needs a deadline: give timeout_ms or deadline", ["on_deadline"]);
});
export type Wait = z.infer<typeof Wait>;

/** Most calls that one `retry_until` may make. */
export const maxPolls = 1_000_000;

/** The call of the task is made again and again, until its output meets a condition. */
export const RetryUntil = z.strictObject({
  /**
   * A JSONata expression over `{"output": …, "polls": 1}` that must give `true` or `false`: `output.status = "done"`. References in it mean the
   * values that they name, as in `when.condition`.
   */
  condition: z.string().min(1).max(10_000),
  /** Milliseconds from the end of one call to the beginning of the next. @default 1_000 */
  interval_ms: z.number().nonnegative().max(maxWaitMs).optional(),
  /** Each further interval is this many times the one before. @default 1 */
  backoff_factor: z.number().min(1).max(100).optional(),
  /** No interval is longer, in milliseconds. @default no limit */
  max_interval_ms: z.number().nonnegative().max(maxWaitMs).optional(),
  /** No call begins later than this after the first, in milliseconds. @default no limit */
  timeout_ms: z.number().positive().max(maxWaitMs).optional(),
  /** At most so many calls. @default 1_000_000 */
  max_polls: z.number().int().min(1).max(maxPolls).optional(),
  /** When neither time nor calls are left. As `Wait.on_deadline`. @default "fail" */
  on_deadline: OnDeadline.optional(),
});
export type RetryUntil = z.infer<typeof RetryUntil>;
