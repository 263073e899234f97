import type { ExecutionKind } from "@planloom/plan";

/** How the words of a goal reach a call of one kind of execution. Code asks these records and does not compare names of kinds. */
export interface GoalKind {
  /**
   * Whether a call is no more than its parameters say, and is meant by the name of its resource and of what it works on. Otherwise a clause
   * may mean it by a verb of its description alone, and the rest of the words goes to its one open text.
   */
  readonly callsAreExact: boolean;
  /** Whether it is asked in words: a whole clause is an argument, and no part of it is left over. */
  readonly takesWords: boolean;
  /** What it can work out from the outputs of other tasks: anything, what its description says, or nothing. */
  readonly computes: "anything" | "described" | "nothing";
}

export const goalKinds: Readonly<Record<ExecutionKind, GoalKind>> = {
  agent: { callsAreExact: false, takesWords: true, computes: "described" },
  tool: { callsAreExact: true, takesWords: false, computes: "nothing" },
  llm: { callsAreExact: false, takesWords: true, computes: "anything" },
  dsl: { callsAreExact: false, takesWords: false, computes: "nothing" },
};
