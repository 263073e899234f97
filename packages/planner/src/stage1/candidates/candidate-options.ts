import type { OptionChecks } from "@planloom/plan";
import { PlannerError, PlannerErrorCode } from "../../errors.ts";

/** How many plans are sampled for one goal, and what they may cost together. */
export interface CandidateOptions {
  /** Plans in all, the first one included: 1 to 16. Fewer are asked for once more than half of them are the same. */
  readonly count: number;
  /** Model calls for all of them together, those of the first plan included, at least 1. @default no limit */
  readonly maxModelCalls?: number;
  /**
   * Tokens sent and written for all of them together, at least 1. No further plan is asked for where one as costly as the costliest so far would
   * go beyond; the first plan is made in any case. @default no limit
   */
  readonly maxTokens?: number;
  /** Of the further plans, 0 to 2: at the temperature of the first a model writes the same plan again. @default 0.7 */
  readonly temperature?: number;
}

export const candidateChecks = {
  count: "own",
  maxModelCalls: "own",
  maxTokens: "own",
  temperature: "own",
} as const satisfies OptionChecks<CandidateOptions>;

/** The option `candidates` of planners and of calls. */
export const candidatesCheck = { either: ["number", { options: candidateChecks }] } as const;

/** The options in force. */
export interface CandidateLimits {
  readonly count: number;
  readonly maxModelCalls: number;
  readonly maxTokens: number;
  readonly temperature: number;
}

const mostCandidates = 16;

/** @throws PlannerError CONFIG */
export function readCandidates(candidates: number | CandidateOptions = 1): CandidateLimits {
  const options = typeof candidates === "number" ? { count: candidates } : candidates;
  const { count, maxModelCalls, maxTokens, temperature = 0.7 } = options;
  const name = typeof candidates === "number" ? "candidates" : "candidates.count";
  if (!Number.isSafeInteger(count) || count < 1 || count > mostCandidates)
    throw wrong(name, `a whole number from 1 to ${mostCandidates} (plans that are compared)`, count);
  if (typeof temperature !== "number" || !(temperature >= 0 && temperature <= 2))
    throw wrong("candidates.temperature", "a number from 0 to 2", temperature);
  return {
    count,
    maxModelCalls: limitOf("candidates.maxModelCalls", maxModelCalls),
    maxTokens: limitOf("candidates.maxTokens", maxTokens),
    temperature,
  };
}

function limitOf(option: string, limit = Number.POSITIVE_INFINITY): number {
  if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 1)) return limit;
  throw wrong(option, "a whole number of at least 1, or Infinity", limit);
}

function wrong(option: string, expected: string, got: unknown): PlannerError {
  return new PlannerError(
    PlannerErrorCode.CONFIG,
    `Expected \`${option}\` to be ${expected}, got \`${String(got)}\`.`,
    {
      details: { option },
    },
  );
}
