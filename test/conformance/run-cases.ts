import { adapterFinder } from "./adapters.ts";
import type { Case } from "./case-file.ts";
import { catalogue } from "./catalogue.ts";
import { compare, type Mismatch } from "./compare.ts";
import { readDecisions } from "./decisions.ts";
import { callsThrough } from "./guarded-calls.ts";
import * as inWords from "./in-words.ts";
import { noCounterpart } from "./no-counterpart.ts";
import { withPlanFiles } from "./plan-files.ts";
import { runOfType } from "./run-of-type.ts";
import { stubReplan } from "./stub-replan.ts";
import { stubTools } from "./stub-tools.ts";

/**
 * `passed`: our answer shows what is expected. `decided`: it does not, the case's stance leaves it to us, and a decision in
 * docs/decisions names the feature. `skipped`: there is nothing here to ask. Anything else is `failed`.
 */
export type Status = "passed" | "decided" | "failed" | "skipped";

export interface Outcome {
  readonly case: Case;
  readonly status: Status;
  /** What the adapter answered; errors as `{throws: message}`. Absent when skipped. */
  readonly answer?: unknown;
  readonly mismatches?: readonly Mismatch[];
  /** Why it was skipped, or the decision that settles it. */
  readonly reason?: string;
}

class Skipped extends Error {}

/** Runs cases one after another, each with its own time limit. Never rejects because of a case. */
export async function runCases(cases: readonly Case[], { timeoutMs = 20_000 } = {}): Promise<Outcome[]> {
  const [find, decisions] = await Promise.all([adapterFinder(), readDecisions()]);
  const outcomes: Outcome[] = [];
  for (const each of cases) {
    const key = `${each.seed}.${each.feature}`;
    const left = noCounterpart.find(({ matches }) => matches.test(key));
    const load = left === undefined ? find(each.seed, each.feature) : undefined;
    if (load === undefined) {
      outcomes.push({ case: each, status: "skipped", reason: left?.reason ?? "no adapter for this feature" });
      continue;
    }
    try {
      outcomes.push(judge(each, await ask(load, each, timeoutMs), decisions.get(key)));
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      outcomes.push({ case: each, status: "skipped", reason: error.message });
    }
  }
  return outcomes;
}

async function ask(load: () => Promise<ConformanceAdapter>, { input }: Case, timeoutMs: number): Promise<unknown> {
  const stop = new AbortController();
  const limit = stop.signal;
  // Unlike the timer of `AbortSignal.timeout` it keeps the process: an answer that never comes is waited for, and is then a failed case.
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  const context: ConformanceContext = {
    signal: limit,
    catalogue,
    stubTools,
    stubReplan,
    callsThrough,
    runOfType,
    withPlanFiles,
    inWords,
    skip: (reason) => {
      throw new Skipped(reason);
    },
  };
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener("abort", () => reject(new Error(`no answer after ${timeoutMs} ms`)), { once: true });
  });
  try {
    return await Promise.race([load().then((adapter) => adapter(structuredClone(input), context)), late]);
  } catch (error) {
    if (error instanceof Skipped) throw error;
    return { throws: error instanceof Error ? error : new Error(String(error)) };
  } finally {
    clearTimeout(timer);
  }
}

function judge(each: Case, answer: unknown, decision: string | undefined): Outcome {
  const asError = (answer as { throws?: unknown } | undefined)?.throws;
  // `{"error": …}` expects a refusal; whether the API throws it or returns it is its own business.
  const actual =
    asError instanceof Error && Object.hasOwn(Object(each.expected), "error")
      ? { ...(answer as object), error: asError }
      : answer;
  const expectsError = ["throws", "error", "panic"].some((key) => Object.hasOwn(Object(each.expected), key));
  const mismatches =
    asError instanceof Error && !expectsError
      ? [{ at: "", expected: each.expected, actual: asError }]
      : compare(each.expected, actual);
  if (mismatches.length === 0) return { case: each, status: "passed", answer };
  if (each.stance !== "match" && decision !== undefined) {
    return { case: each, status: "decided", answer, mismatches, reason: `docs/decisions/${decision}` };
  }
  return { case: each, status: "failed", answer, mismatches };
}
