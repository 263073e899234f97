import type { RecordedEnd, SkipCause } from "./core-event.ts";
import type { RunState } from "./run-state.ts";
import { isTerminal, TaskState } from "./task-state.ts";

/** Takes over how a task ended in an earlier session. What follows from a loss is found when the run begins. O(out-degree) */
export function restoreEnd(state: RunState, task: number, end: RecordedEnd): void {
  if (isTerminal(state.state[task]!)) return;
  state.open--;
  if (end.as === "failed") {
    state.state[task] = TaskState.FAILED;
    state.failed++;
  } else if (end.as === "skipped") {
    state.state[task] = TaskState.SKIPPED;
    state.blame[task] = "because" in end ? end.because : task;
    if (!("because" in end)) countSkip(state, end.cause);
  } else {
    state.state[task] = TaskState.COMPLETED;
    const { outPtr, out } = state.view;
    for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) state.missing[out[edge]!]!--;
  }
}

/** Counts a task that was skipped for its own sake among those that say how the run ends. */
export function countSkip(state: RunState, cause: SkipCause | undefined): void {
  if (cause === "budget") state.refused++;
  if (cause === "denied") state.denied++;
  if (cause === "stalled") state.stalled++;
}

/** True where tasks ended in an earlier session without being completed. */
export function hasLosses(state: RunState): boolean {
  return state.failed > 0 || state.state.includes(TaskState.SKIPPED);
}

/** The first task that failed in an earlier session and whose failure halts the run; -1 if there is none. */
export function haltingFailure(state: RunState): number {
  if (state.failed === 0) return -1;
  return state.state.findIndex(
    (now, task) => now === TaskState.FAILED && state.halts[task] === 1 && state.held[task] === 0,
  );
}
