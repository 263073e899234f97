import type { Command } from "./core-event.ts";
import { endElement, isLost } from "./element-window.ts";
import { EVERY_TASK, NO_GROUP } from "./limits.ts";
import type { RunState } from "./run-state.ts";
import { TaskHeap } from "./task-heap.ts";
import { TaskState } from "./task-state.ts";

/** Gives back the slots of the task; tasks that waited for its groups may try again. */
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

/** The task continues without the attempt that holds its slots: they stay taken until `settleAbandoned`. */
export function abandonSlots(state: RunState, task: number): void {
  if (state.holdsSlots[task] === 0) return;
  state.holdsSlots[task] = 0;
  state.abandoned.set(task, (state.abandoned.get(task) ?? 0) + 1);
  for (const group of groupsOf(state, task)) state.limits.abandon(group);
}

/** Gives back the slots of an abandoned attempt that has ended; tasks that wait for its groups may try again. */
export function settleAbandoned(state: RunState, task: number): void {
  const left = (state.abandoned.get(task) ?? 0) - 1;
  if (left < 0) return;
  if (left === 0) state.abandoned.delete(task);
  else state.abandoned.set(task, left);
  for (const group of groupsOf(state, task)) {
    state.limits.settle(group);
    if (group !== EVERY_TASK) unpark(state, group, 1);
  }
}

/** The groups of the task in which it counts. */
export function groupsOf(state: RunState, task: number): number[] {
  return [EVERY_TASK, state.kindGroup[task]!, state.resourceGroup[task]!].filter((group) => group !== NO_GROUP);
}

/** Gives a `stall` command for each task that waits for a limit whose slots are all abandoned. Such tasks hold nothing. */
export function stallWaiting(state: RunState, commands: Command[]): void {
  if (state.phase !== "running") return;
  for (const [group, heap] of state.parked) {
    if (state.limits.isGivenUp(group)) while (heap.size > 0) stall(state, heap.pop(), group, commands);
  }
  if (!state.limits.isGivenUp(EVERY_TASK)) return;
  for (const heap of [state.ready, ...state.parked.values()]) {
    while (heap.size > 0) stall(state, heap.pop(), EVERY_TASK, commands);
  }
}

/** It counts as running until the shell has ended it. */
function stall(state: RunState, task: number, group: number, commands: Command[]): void {
  state.state[task] = TaskState.RUNNING;
  state.running++;
  commands.push({ type: "stall", task, group });
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

/** True where a task is ready to start, or parked at a limit: what another run gives back may let it start. */
export function wantsSlots({ ready, parked }: RunState): boolean {
  if (ready.size > 0) return true;
  for (const heap of parked.values()) if (heap.size > 0) return true;
  return false;
}

/** Lets up to `count` parked tasks try again, as many as the group has room for. */
export function unpark(state: RunState, group: number, count: number): void {
  const heap = state.parked.get(group);
  if (heap === undefined) return;
  let room = Math.min(count, state.limits.roomOf(group));
  for (; room > 0 && heap.size > 0; room--) state.ready.push(heap.pop());
}

/** Puts back a task that a replan may replace, and drops an element that has not begun where too many are lost. */
function mayNotStart(state: RunState, task: number, commands: Command[]): boolean {
  const { window, held } = state;
  if (held[task] === 1) {
    state.state[task] = TaskState.WAITING;
    return true;
  }
  if (window === undefined || !isLost(window) || window.begun[task] === 1) return false;
  state.state[task] = TaskState.CANCELLED;
  state.open--;
  commands.push({ type: "element-end", task, index: window.elements[task]!, state: TaskState.CANCELLED });
  endElement(window, task);
  return true;
}

/** Starts what is ready, in the order of priorities, as far as limits allow. */
export function startReady(state: RunState, commands: Command[]): void {
  if (state.phase !== "running") return;
  const { ready, limits } = state;
  while (ready.size > 0 && !limits.isFull(EVERY_TASK)) {
    const task = ready.pop();
    const kind = state.kindGroup[task]!;
    const resource = state.resourceGroup[task]!;
    if (mayNotStart(state, task, commands)) {
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
      if (state.window !== undefined) state.window.begun[task] = 1;
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
