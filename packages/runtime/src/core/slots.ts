import type { Command } from "./core-event.ts";
import { EVERY_TASK, NO_GROUP } from "./limits.ts";
import type { RunState } from "./run-state.ts";
import { TaskHeap } from "./task-heap.ts";
import { TaskState } from "./task-state.ts";

/** Gives back what the task holds; who waited for its groups may try again. */
export function releaseSlots(state: RunState, task: number): void {
  if (state.holdsSlots[task] === 0) return;
  state.holdsSlots[task] = 0;
  state.limits.release(EVERY_TASK);
  for (const groups of [state.kindGroup, state.resourceGroup]) {
    const group = groups[task]!;
    if (group === NO_GROUP) continue;
    state.limits.release(group);
    unpark(state, group, 1);
  }
}

/** The task waits until its group has room. */
export function park(state: RunState, task: number, group: number): void {
  let heap = state.parked.get(group);
  if (heap === undefined) {
    heap = new TaskHeap(state.order);
    state.parked.set(group, heap);
  }
  heap.push(task);
}

/** Lets up to `count` parked tasks try again, as many as the group has room for. */
export function unpark(state: RunState, group: number, count: number): void {
  const heap = state.parked.get(group);
  if (heap === undefined) return;
  let room = Math.min(count, state.limits.capacity[group]! - state.limits.used[group]!);
  for (; room > 0 && heap.size > 0; room--) state.ready.push(heap.pop());
}

/** Starts what is ready, in the order of priorities, as far as limits allow. */
export function startReady(state: RunState, commands: Command[]): void {
  if (state.phase !== "running") return;
  const { ready, limits } = state;
  while (ready.size > 0 && !limits.isFull(EVERY_TASK)) {
    const task = ready.pop();
    const kind = state.kindGroup[task]!;
    const resource = state.resourceGroup[task]!;
    if (state.held[task] === 1) {
      state.state[task] = TaskState.WAITING;
      // The room that it was let out for is another task's.
      if (kind !== NO_GROUP) unpark(state, kind, 1);
      if (resource !== NO_GROUP) unpark(state, resource, 1);
      continue;
    }
    if (limits.isFull(kind)) {
      park(state, task, kind);
    } else if (limits.isFull(resource)) {
      park(state, task, resource);
      // It may have been let out for its kind's free slot, which is then another task's.
      if (kind !== NO_GROUP) unpark(state, kind, 1);
    } else {
      limits.take(EVERY_TASK);
      limits.take(kind);
      limits.take(resource);
      state.holdsSlots[task] = 1;
      state.state[task] = TaskState.RUNNING;
      state.running++;
      state.attempts[task]!++;
      commands.push({ type: "start", task, attempt: state.attempts[task]! });
    }
  }
}
