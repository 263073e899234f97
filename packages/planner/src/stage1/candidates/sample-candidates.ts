import type { ModelCall } from "@planloom/controller";
import { checkUsage, type ResourceCatalogue } from "@planloom/plan";
import type { AttemptRecord, AttemptResult } from "../../attempt-until-valid.ts";
import type { CandidateLimits } from "./candidate-options.ts";
import { type CandidateScore, type ComparedPlan, chooseCandidate, isSettled } from "./choose-candidate.ts";

/** The result of the comparison of several plans, in `metadata.candidates` of the plan. Plain JSON. */
export interface CandidateFacts {
  /** How many plans were to be compared. */
  readonly asked: number;
  /** The valid ones, in the order in which they came. */
  readonly plans: readonly CandidateScore[];
  /** The place of the plan that was taken among them, from 1 on. */
  readonly chosen: number;
  readonly because: string;
  /** How many answers were no valid plan; absent where there was none. */
  readonly invalid?: number;
  /** Why fewer were asked for: most were the same already; a budget would have been exceeded; a call failed. */
  readonly stopped?: "agreed" | "model_calls" | "tokens" | "failed";
}

/** A valid plan with the attempts that were made for it. */
export interface SampledPlan<Plan extends ComparedPlan> {
  readonly plan: Plan;
  readonly attempts: readonly AttemptRecord[];
}

export interface Sampling<Plan extends ComparedPlan> {
  readonly first: SampledPlan<Plan>;
  readonly limits: CandidateLimits;
  readonly goal: string;
  readonly catalogue: ResourceCatalogue;
  readonly signal: AbortSignal | undefined;
  /**
   * Asks for one more plan, once: what is not valid is not asked for again.
   * @param number from 1 on
   * @param onAttempt hears of the attempt, also where asking fails
   */
  readonly ask: (number: number, onAttempt: (record: AttemptRecord) => void) => Promise<AttemptResult<Plan>>;
}

/**
 * Samples further plans until there are enough, most are the same, or a budget is used up, and takes the best. A call that fails ends the
 * sampling, not the planning.
 * @throws `signal.reason` after an abort, and what `ask` rejects with because of it
 */
export async function sampleCandidates<Plan extends ComparedPlan>(
  sampling: Sampling<Plan>,
): Promise<SampledPlan<Plan> & { readonly facts: CandidateFacts }> {
  const { first, limits, goal, catalogue, signal, ask } = sampling;
  const plans: Plan[] = [first.plan];
  const attempts: AttemptRecord[] = [...first.attempts];
  let invalid = 0;
  let stopped: CandidateFacts["stopped"];
  for (let number = 1; number < limits.count; number += 1) {
    stopped = usedUp(attempts, limits) ?? (isSettled(plans, limits.count, goal, catalogue) ? "agreed" : undefined);
    if (stopped !== undefined) break;
    try {
      const result = await ask(number, (record) => attempts.push(record));
      if (result.found) plans.push(result.value);
      else invalid += 1;
    } catch (error) {
      signal?.throwIfAborted();
      if (signal?.aborted === true) throw error;
      stopped = "failed";
      break;
    }
  }
  const { at, scores } = chooseCandidate(plans, goal, catalogue);
  const facts: CandidateFacts = {
    asked: limits.count,
    plans: scores,
    chosen: at + 1,
    because: reasonOf(at, scores),
    ...(invalid > 0 && { invalid }),
    ...(stopped !== undefined && { stopped }),
  };
  return { plan: plans[at] ?? first.plan, attempts, facts };
}

/** A further plan may cost as much as the costliest so far. */
function usedUp(
  attempts: readonly AttemptRecord[],
  { maxModelCalls, maxTokens }: CandidateLimits,
): CandidateFacts["stopped"] {
  const calls = attempts.map((attempt) => attempt.calls);
  if (calls.flat().length >= maxModelCalls) return "model_calls";
  const tokens = calls.map((each) => each.reduce((sum, call) => sum + tokensOf(call), 0));
  const all = tokens.reduce((sum, each) => sum + each, 0);
  return all + Math.max(0, ...tokens) > maxTokens ? "tokens" : undefined;
}

function tokensOf({ reply, usage }: ModelCall): number {
  const { inputTokens = 0, outputTokens = 0 } = checkUsage(reply?.usage ?? usage).usage;
  return inputTokens + outputTokens;
}

function reasonOf(at: number, scores: readonly CandidateScore[]): string {
  const own = scores[at];
  if (own === undefined || scores.length === 1) return "It is the only valid plan.";
  const others = scores.filter((_, place) => place !== at);
  if (own.agreement === 1 && others.every(({ agreement }) => agreement === 1)) return "All plans are the same.";
  const best = (["drafted", "agreement", "covered", "grounded"] as const).filter((sign) =>
    others.every((other) => (own[sign] ?? 0) > (other[sign] ?? 0)),
  );
  const words = {
    drafted: "its calls are most like those of the planner without a model",
    agreement: "it agrees most with the others",
    covered: "it takes up most of the goal",
    grounded: "most of its values are said in the goal",
  };
  if (best.length > 0) return `Of ${scores.length} plans ${best.map((sign) => words[sign]).join(" and ")}.`;
  const isBest = others.every(({ score }) => score <= own.score);
  return isBest
    ? `Of ${scores.length} plans it has the highest score.`
    : `Of plans that are about as good it is the cheaper or shorter one.`;
}
