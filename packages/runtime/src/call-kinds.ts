import type { ExecutionKind } from "@planloom/plan";

/**
 * The facts about one execution kind that concern its calls. Shared code reads these records and never compares names of kinds. The facts
 * that concern plans are in `kindRecord`.
 */
export interface CallKind {
  /** Whether a call without an estimate of tokens and money may use any amount; calls of other kinds use none then. */
  readonly spendsTokens: boolean;
  /** Whether tasks may be run within a call, which then have time limits of their own. */
  readonly runsTasks: boolean;
  /** Whether resources may have time limits of their own, which only the process that calls them knows (`Executor.timeoutMs`). */
  readonly mayLimitTime: boolean;
}

export const callKinds: Readonly<Record<ExecutionKind, CallKind>> = {
  agent: { spendsTokens: false, runsTasks: true, mayLimitTime: false },
  tool: { spendsTokens: false, runsTasks: false, mayLimitTime: false },
  llm: { spendsTokens: true, runsTasks: true, mayLimitTime: true },
  dsl: { spendsTokens: false, runsTasks: true, mayLimitTime: false },
};
