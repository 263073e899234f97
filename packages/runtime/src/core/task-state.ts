/** The state of a task in the core, as a small number for typed arrays. */
export const TaskState = {
  /** Some dependency is not completed yet. */
  WAITING: 0,
  /** In the ready heap, or parked at a limit. */
  READY: 1,
  RUNNING: 2,
  /** Waits for the time of its next attempt, or for a rate or budget to let it start. */
  DELAYED: 3,
  /** Everything it depends on is completed; a person must approve it first. */
  GATED: 4,
  /** Waits for a time or a signal; no process need run meanwhile. */
  ASLEEP: 5,
  COMPLETED: 6,
  FAILED: 7,
  /** Something it depends on failed, or it cannot be executed now. */
  SKIPPED: 8,
  CANCELLED: 9,
  /** A revision of the plan replaced it, also if it had been completed before. */
  REPLACED: 10,
} as const;
export type TaskState = (typeof TaskState)[keyof typeof TaskState];

/** True once nothing can change any more. */
export function isTerminal(state: number): boolean {
  return state >= TaskState.COMPLETED;
}
