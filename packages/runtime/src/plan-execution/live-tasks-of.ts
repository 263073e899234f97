import { TaskState } from "../core/task-state.ts";
import type { LiveTask } from "../live-tasks.ts";
import type { Session } from "./session.ts";

/** The present state of every task of the run, by id. O(tasks) */
export function liveTasksOf(
  { plan: { state, table }, dispatch }: Session,
  startedAt: number,
): ReadonlyMap<string, LiveTask> {
  const known = new Map<string, LiveTask>();
  for (const [number, { task_id }] of table.tasks.entries()) {
    const started = table.startedMs[number]!;
    const hasStarted = !Number.isNaN(started);
    const dispatched = table.dispatched.get(number);
    if (dispatch !== undefined && dispatched !== undefined && state.state[number] === TaskState.RUNNING) {
      const { attempt, uid, startedAt: began } = dispatched;
      known.set(task_id, {
        state: TaskState.RUNNING,
        attempts: attempt,
        ...(uid !== undefined && { uid }),
        startedAt: began,
      });
      continue;
    }
    // In a subgraph that goes whole, a task that has not been started counts as one that may run.
    const isQueued = dispatch !== undefined && !hasStarted && state.state[number] === TaskState.RUNNING;
    const elements = table.elements.get(number);
    const uid = table.prepared[number]?.step.uid ?? table.uids[number];
    known.set(task_id, {
      state: isQueued ? TaskState.READY : state.state[number]!,
      attempts: hasStarted ? state.attempts[number]! : 0,
      ...(uid !== undefined && { uid }),
      ...(elements !== undefined && { elements: elements.counts }),
      ...(hasStarted && { startedAt: Math.floor(performance.timeOrigin + startedAt + started) }),
    });
  }
  return known;
}
