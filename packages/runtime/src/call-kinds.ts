import type { ExecutionKind } from "@planloom/plan";

/** What the runtime knows of the calls of one kind; shared code asks here and never by name. `kindRecord` has what is known of its tasks. */
export interface CallKind {
  /** Whether a call whose use of tokens and money nobody estimated may use any amount; calls of other kinds use none then. */
  readonly spendsTokens: boolean;
  /** Whether tasks may be run within a call, which then have time limits of their own. */
  readonly runsTasks: boolean;
}

export const callKinds: Readonly<Record<ExecutionKind, CallKind>> = {
  agent: { spendsTokens: false, runsTasks: true },
  tool: { spendsTokens: false, runsTasks: false },
  llm: { spendsTokens: true, runsTasks: true },
  dsl: { spendsTokens: false, runsTasks: true },
};
