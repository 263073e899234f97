import { isRecord } from "../../json.ts";
import type { RetryPolicy } from "../../records/planner-task.ts";
import { refusal } from "./refusal.ts";

/** What a retrier has where it does not say. */
const usual = { IntervalSeconds: 1, MaxAttempts: 3, BackoffRate: 2 };
const fields = ["ErrorEquals", "MaxDelaySeconds", "Comment", ...Object.keys(usual)];

/** One retrier for all errors: a plan does not ask which error it was. Undefined for a list without any. @throws PlanError DIALECT */
export function retryOf(name: string, Retry: unknown): RetryPolicy | undefined {
  if (Array.isArray(Retry) && Retry.length === 0) return undefined;
  const [only, second] = Array.isArray(Retry) ? (Retry as unknown[]) : [];
  if (!isRecord(only) || second !== undefined)
    throw refusal(name, "Retry", "is expected to be a list of one retrier: a plan has one policy for each task.");
  const unknown = Object.keys(only).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw refusal(name, `Retry[0].${unknown}`, "cannot be converted.");
  const { ErrorEquals } = only;
  const isAll = Array.isArray(ErrorEquals) && ErrorEquals.some((error) => error === "States.ALL");
  if (!isAll)
    throw refusal(
      name,
      "Retry[0].ErrorEquals",
      'is expected to be ["States.ALL"]: a plan does not tell errors apart by their names.',
    );
  const number = (field: string, least: number): number | undefined => {
    const value = only[field] ?? usual[field as keyof typeof usual];
    if (value === undefined || (typeof value === "number" && value >= least)) return value as number | undefined;
    throw refusal(name, `Retry[0].${field}`, `is expected to be a number of at least ${least}.`);
  };
  const most = number("MaxDelaySeconds", 0);
  const attempts = number("MaxAttempts", 0)!;
  if (!Number.isInteger(attempts)) throw refusal(name, "Retry[0].MaxAttempts", "is expected to be an integer.");
  return {
    max_attempts: attempts + 1,
    initial_delay_ms: number("IntervalSeconds", 0)! * 1000,
    backoff_factor: number("BackoffRate", 1)!,
    ...(most !== undefined && { max_delay_ms: most * 1000 }),
  };
}

/** The retrier of a policy. @throws PlanError DIALECT for delays that have fractions of a second */
export function retrierOf(name: string, policy: RetryPolicy): Record<string, unknown> {
  const { max_attempts, initial_delay_ms = 0, backoff_factor = 1, max_delay_ms } = policy;
  return {
    ErrorEquals: ["States.ALL"],
    MaxAttempts: max_attempts - 1,
    IntervalSeconds: seconds(name, "retry.initial_delay_ms", initial_delay_ms),
    BackoffRate: backoff_factor,
    ...(max_delay_ms !== undefined && { MaxDelaySeconds: seconds(name, "retry.max_delay_ms", max_delay_ms) }),
  };
}

/** Milliseconds as whole seconds. @throws PlanError DIALECT */
export function seconds(name: string, field: string, milliseconds: number): number {
  if (milliseconds % 1000 === 0) return milliseconds / 1000;
  throw refusal(name, field, `is ${milliseconds} ms; a state machine has whole seconds.`);
}
