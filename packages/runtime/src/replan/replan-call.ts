import type { BindOptions, PlanPatch } from "@planloom/plan";
import type { Replan, ReplanRegion } from "../ports/replan-policy.ts";
import { taskErrorFrom } from "../task-error.ts";
import { TimedWork, type WorkOutcome } from "../task-execution/timed-work.ts";
import type { ReplanCalls } from "./replan-calls.ts";
import type { Refusal } from "./replan-limits.ts";

export interface ReplanCallParts {
  readonly runId: string;
  readonly replan: Replan;
  readonly calls: ReplanCalls;
  readonly timeoutMs: number;
  readonly abortGraceMs: number;
}

/** Asks `replan` for a change, within its time and the run's budgets; once at a time. */
export class ReplanCall {
  readonly #parts: ReplanCallParts;
  #attempt: TimedWork | undefined;

  constructor(parts: ReplanCallParts) {
    this.#parts = parts;
  }

  /** What was asked for is not waited for any more. */
  stop(reason: unknown): void {
    this.#attempt?.stop(reason);
  }

  /** @returns the change that was proposed, which nobody has verified; or why there is none. */
  async ask(region: ReplanRegion): Promise<{ readonly patch: PlanPatch } | { readonly refusal: Refusal }> {
    const { replan, timeoutMs } = this.#parts;
    const { outcome, refused, misreported } = await this.#within((options) => replan(region, options));
    if (outcome.type === "stopped") return cancelled;
    if (outcome.type === "timeout") return refusal("failed", `There was no answer within ${timeoutMs} ms.`);
    if (refused !== undefined && outcome.type === "thrown") return refusal("budget", refused.message);
    if (misreported !== undefined) return refusal("failed", misreported.message);
    if (outcome.type === "thrown") return refusal("failed", taskErrorFrom(outcome.thrown).message);
    if (outcome.value === undefined) return refusal("unchanged", "Nothing was changed.");
    return { patch: outcome.value as PlanPatch };
  }

  async #within(work: (options: BindOptions) => Promise<unknown>) {
    const { timeoutMs, abortGraceMs, runId } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<WorkOutcome>();
    const attempt = new TimedWork({ timeoutMs, graceMs: abortGraceMs }, (outcome) => {
      this.#attempt = undefined;
      calls.close();
      resolve(outcome);
    });
    this.#attempt = attempt;
    const { signal } = attempt;
    const calls = this.#parts.calls.paid(signal);
    attempt.follow((async () => work({ signal, ...calls.hooks, about: { runId, path: "" } }))());
    const outcome = await promise;
    const { refused, misreported } = calls;
    return { outcome, refused, misreported };
  }
}

function refusal(code: Refusal["code"], message: string): { readonly refusal: Refusal } {
  return { refusal: { code, message } };
}

/** The run ended first. */
export const cancelled = refusal("cancelled", "The run ended before there was an answer.");
