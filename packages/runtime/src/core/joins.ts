import type { RunState } from "./run-state.ts";
import { TaskState } from "./task-state.ts";

/** Which of its dependencies a task cannot do without, as a small number for typed arrays. */
export const JoinRule = { ALL: 0, ANY: 1, NONE_FAILED: 2 } as const;

/** True for a task that waits until all it depends on has ended, however, and then sees whether it can start. */
export function waitsForEnds({ joins }: RunState, task: number): boolean {
  return joins !== undefined && joins[task] !== JoinRule.ALL;
}

/** True where a failure before such a task says already that it will not run, whatever else it still waits for. */
export function isLostToFailure({ joins, state }: RunState, task: number, origin: number): boolean {
  return joins![task] === JoinRule.NONE_FAILED && state[origin] === TaskState.FAILED;
}

/**
 * Of such a task: what keeps it from starting, -1 if nothing does, once everything it depends on has ended. Before that, with `NONE_FAILED`, the
 * failure that will keep it from starting. O(its dependencies)
 */
export function keptBy(state: RunState, task: number): number {
  const { inPtr, in: sources } = state.view;
  const isAny = state.joins![task] === JoinRule.ANY;
  let lost = -1;
  for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) {
    const source = sources[edge]!;
    const now = state.state[source]!;
    if (now === TaskState.COMPLETED || now === TaskState.REPLACED) {
      if (isAny) return -1;
      continue;
    }
    const origin = state.blame[source] === -1 ? source : state.blame[source]!;
    // A failed one that is held may yet be replaced.
    if (now === TaskState.FAILED && state.lost![source] === 0) continue;
    if (isAny || now === TaskState.CANCELLED || state.state[origin] === TaskState.FAILED) {
      if (lost === -1) lost = origin;
    }
  }
  return lost;
}
