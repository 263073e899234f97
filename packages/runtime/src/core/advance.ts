import { EVERY_TASK, NO_GROUP } from "./limits.ts";
import { dropHold, type Revision, revise, takeHold } from "./revise.ts";
import type { RunState } from "./run-state.ts";
import { TaskHeap } from "./task-heap.ts";
import { isTerminal, TaskState } from "./task-state.ts";

/** What happened. `task` is its number in the plan view. */
export type CoreEvent =
  /** The task was completed in an earlier session of the run. Only before `begin`. */
  | { readonly type: "recorded"; readonly task: number }
  | { readonly type: "begin" }
  /** Stage 2 chose a resource whose limit was not known before; the task runs and asks to execute. */
  | { readonly type: "bound"; readonly task: number; readonly resourceGroup: number }
  /** The task only waits for a nested run now: its slots are free for that run's tasks. */
  | { readonly type: "lent"; readonly task: number }
  | { readonly type: "completed"; readonly task: number }
  /** An attempt failed and another one is to follow. */
  | { readonly type: "retrying"; readonly task: number }
  /** The time of the next attempt has come. */
  | { readonly type: "due"; readonly task: number }
  /** The task failed for good. `held`: a replan is to replace it, so what depends on it waits. */
  | { readonly type: "failed"; readonly task: number; readonly held?: boolean }
  /**
   * The task cannot be executed now: it and all that depend on it are skipped. `budget`: nothing is left that it could
   * spend; `denied`: a person said no to something in it; without a cause its resource is unavailable (no model, say).
   */
  | { readonly type: "unavailable"; readonly task: number; readonly cause?: "budget" | "denied" }
  /** The attempt that was commanded may not begin yet (a rate, a budget); it does not count. `due` follows. */
  | { readonly type: "postponed"; readonly task: number }
  /** The task turns out to need a person's approval; the attempt that was commanded does not count. */
  | { readonly type: "gate"; readonly task: number }
  /** Answer to `ask`: nobody has said anything yet. The run may end meanwhile. */
  | { readonly type: "waits"; readonly task: number }
  /** A person said yes; before `begin` too. */
  | { readonly type: "approved"; readonly task: number }
  /** A person said no: the task and all that depend on it are skipped. */
  | { readonly type: "denied"; readonly task: number }
  /** A running task ended because the run was cancelled. */
  | { readonly type: "stopped"; readonly task: number }
  | { readonly type: "cancel" }
  /** A replan may replace these tasks; before `begin` too. Those that run are not to be among them. */
  | { readonly type: "hold"; readonly tasks: readonly number[] }
  /** They stay as they are; a failed one takes effect now. */
  | { readonly type: "release"; readonly tasks: readonly number[] }
  /** The plan is another one from now on. */
  | { readonly type: "revise"; readonly revision: Revision }
  /** Another run that shares the limits freed a slot. */
  | { readonly type: "poke" };

/** What the shell is to do. */
export type Command =
  /** Start an attempt (the first, or after `retrying` and `due`). */
  | { readonly type: "start"; readonly task: number; readonly attempt: number }
  /** Answer to `bound`: go on executing. Without it, the task was parked and a `start` of the same attempt follows. */
  | { readonly type: "execute"; readonly task: number }
  /** Wait, then feed `due`. */
  | { readonly type: "delay"; readonly task: number; readonly attempt: number }
  /** The task will not run because of `because`, whose failure or absence it cannot do without. */
  | { readonly type: "skip"; readonly task: number; readonly because: number }
  | { readonly type: "cancel"; readonly task: number }
  /** Ask a person. Answered by `waits`, `approved` or `denied`; after `waits` one of the others may follow at any time. */
  | { readonly type: "ask"; readonly task: number }
  /** Nothing runs, and every task is terminal or waits behind a gate. */
  | { readonly type: "finish"; readonly endReason: CoreEndReason };

export type CoreEndReason = "completed" | "failed" | "cancelled" | "waiting_approval" | "budget" | "denied";

/**
 * Applies `event` to `state` in place and returns what the shell is to do, in order. Pure besides that: never waits,
 * reads a clock or makes an id. O(out-degree) an event plus O(log n) a task that becomes ready; a failure costs the
 * tasks it skips, each of which is skipped once in a run.
 */
export function advance(state: RunState, event: CoreEvent): Command[] {
  const commands: Command[] = [];
  if (state.phase === "ended") {
    // An answer at the last moment: what waited behind the gates goes on.
    if (state.gated === 0 || (event.type !== "approved" && event.type !== "denied")) return commands;
    state.phase = "running";
  }
  switch (event.type) {
    case "recorded":
      record(state, event.task);
      return commands;
    case "begin":
      begin(state, commands);
      break;
    case "bound":
      bind(state, event.task, event.resourceGroup, commands);
      break;
    case "lent":
      if (state.state[event.task] === TaskState.RUNNING) releaseSlots(state, event.task);
      break;
    case "completed":
      if (leaveRunning(state, event.task, TaskState.COMPLETED)) freeDependents(state, event.task, commands);
      break;
    case "retrying":
      retry(state, event.task, commands);
      break;
    case "due":
      if (state.state[event.task] === TaskState.DELAYED) {
        state.delayed--;
        makeReady(state, event.task, commands);
      }
      break;
    case "postponed":
      if (putBack(state, event.task, TaskState.DELAYED, commands)) state.delayed++;
      break;
    case "gate":
      if (putBack(state, event.task, TaskState.GATED, commands)) ask(state, event.task, commands);
      break;
    case "waits":
      if (state.state[event.task] === TaskState.GATED && state.gates[event.task] === 1) {
        state.gates[event.task] = 2;
        state.asking--;
      }
      break;
    case "approved":
      approve(state, event.task, commands);
      break;
    case "denied":
      deny(state, event.task, commands);
      break;
    case "failed":
      if (leaveRunning(state, event.task, TaskState.FAILED)) {
        state.failed++;
        if (event.held === true) takeHold(state, [event.task]);
        else if (state.halts[event.task] === 1) halt(state, event.task, commands);
        else skipDescendants(state, event.task, commands);
      }
      break;
    case "unavailable":
      if (leaveRunning(state, event.task, TaskState.SKIPPED)) {
        state.blame[event.task] = event.task;
        if (event.cause === "budget") state.refused++;
        if (event.cause === "denied") state.denied++;
        skipDescendants(state, event.task, commands);
      }
      break;
    case "stopped":
      if (leaveRunning(state, event.task, TaskState.CANCELLED)) cancel(state, commands);
      break;
    case "cancel":
      cancel(state, commands);
      break;
    case "hold":
      takeHold(state, event.tasks);
      break;
    case "release":
      for (const task of dropHold(state, event.tasks)) {
        // A failure among them may have skipped those that come after it.
        if (state.state[task] === TaskState.WAITING) makeReady(state, task, commands);
        else if (state.state[task] !== TaskState.FAILED) continue;
        else if (state.halts[task] === 1) halt(state, task, commands);
        else skipDescendants(state, task, commands);
      }
      break;
    case "revise":
      for (const task of revise(state, event.revision, commands)) makeReady(state, task, commands);
      if (state.phase === "draining") cancelIdle(state, commands);
      break;
    case "poke":
      for (const group of state.parked.keys()) unpark(state, group, Number.POSITIVE_INFINITY);
      break;
    default:
      event satisfies never;
  }
  startReady(state, commands);
  if (state.phase !== "new" && state.holding === 0 && (state.open === 0 || onlyGatesRemain(state))) {
    const reason = endReason(state);
    state.phase = "ended";
    commands.push({ type: "finish", endReason: reason });
  }
  return commands;
}

function onlyGatesRemain(state: RunState): boolean {
  if (state.gated === 0 || state.asking > 0 || state.phase !== "running") return false;
  if (state.running > 0 || state.delayed > 0 || state.ready.size > 0) return false;
  // Where limits are shared, tasks of this run may be parked while another run holds the slots.
  for (const heap of state.parked.values()) if (heap.size > 0) return false;
  return true;
}

function endReason(state: RunState): CoreEndReason {
  if (state.cancelled) return "cancelled";
  if (state.open > 0) return "waiting_approval";
  if (state.refused > 0) return "budget";
  if (state.failed > 0) return "failed";
  return state.denied > 0 ? "denied" : "completed";
}

function record(state: RunState, task: number): void {
  if (state.phase !== "new" || isTerminal(state.state[task]!)) return;
  state.state[task] = TaskState.COMPLETED;
  state.open--;
  const { outPtr, out } = state.view;
  for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) state.missing[out[edge]!]!--;
}

function begin(state: RunState, commands: Command[]): void {
  if (state.phase !== "new") return;
  state.phase = "running";
  for (let task = 0; task < state.view.n; task++) {
    if (state.missing[task] === 0 && state.state[task] === TaskState.WAITING) makeReady(state, task, commands);
  }
}

function makeReady(state: RunState, task: number, commands: Command[]): void {
  if (state.held[task] === 1) {
    state.state[task] = TaskState.WAITING;
    return;
  }
  if (state.gates[task] !== 0) {
    state.state[task] = TaskState.GATED;
    ask(state, task, commands);
    return;
  }
  state.state[task] = TaskState.READY;
  state.ready.push(task);
}

function ask(state: RunState, task: number, commands: Command[]): void {
  state.gates[task] = 1;
  state.gated++;
  state.asking++;
  commands.push({ type: "ask", task });
}

function approve(state: RunState, task: number, commands: Command[]): void {
  if (!leaveGate(state, task)) return;
  makeReady(state, task, commands);
}

function deny(state: RunState, task: number, commands: Command[]): void {
  if (!leaveGate(state, task)) return;
  state.denied++;
  state.state[task] = TaskState.SKIPPED;
  state.blame[task] = task;
  state.open--;
  skipDescendants(state, task, commands);
}

/** Opens the gate. False when the task does not stand before it now. */
function leaveGate(state: RunState, task: number): boolean {
  const asking = state.gates[task] === 1;
  state.gates[task] = 0;
  if (state.state[task] !== TaskState.GATED) return false;
  state.gated--;
  if (asking) state.asking--;
  return true;
}

function freeDependents(state: RunState, task: number, commands: Command[]): void {
  const { outPtr, out } = state.view;
  for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) {
    const next = out[edge]!;
    state.missing[next]!--;
    if (state.missing[next] === 0 && state.state[next] === TaskState.WAITING) makeReady(state, next, commands);
  }
}

/** Takes back an attempt that was commanded and has not begun. False when the run ends meanwhile, or it does not run. */
function putBack(state: RunState, task: number, to: TaskState, commands: Command[]): boolean {
  if (!leaveRunning(state, task, to)) return false;
  state.attempts[task]!--;
  if (state.phase === "running") return true;
  cancelTask(state, task, commands);
  return false;
}

/** False when the task does not run: an answer that came late, or twice. */
function leaveRunning(state: RunState, task: number, to: TaskState): boolean {
  if (state.state[task] !== TaskState.RUNNING) return false;
  state.state[task] = to;
  state.running--;
  if (isTerminal(to)) state.open--;
  releaseSlots(state, task);
  return true;
}

function retry(state: RunState, task: number, commands: Command[]): void {
  if (state.phase !== "running") {
    if (leaveRunning(state, task, TaskState.CANCELLED)) commands.push({ type: "cancel", task });
    return;
  }
  if (!leaveRunning(state, task, TaskState.DELAYED)) return;
  state.delayed++;
  commands.push({ type: "delay", task, attempt: state.attempts[task]! + 1 });
}

function bind(state: RunState, task: number, group: number, commands: Command[]): void {
  if (state.state[task] !== TaskState.RUNNING) return;
  state.resourceGroup[task] = group;
  if (!state.limits.isFull(group)) {
    state.limits.take(group);
    commands.push({ type: "execute", task });
    return;
  }
  // The slots it has are worth more to others while it waits. The resource's own slot was not taken.
  state.resourceGroup[task] = NO_GROUP;
  leaveRunning(state, task, TaskState.READY);
  state.resourceGroup[task] = group;
  state.attempts[task]!--;
  if (state.phase === "running") park(state, task, group);
  else cancelTask(state, task, commands);
}

function releaseSlots(state: RunState, task: number): void {
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

function park(state: RunState, task: number, group: number): void {
  let heap = state.parked.get(group);
  if (heap === undefined) {
    heap = new TaskHeap(state.order);
    state.parked.set(group, heap);
  }
  heap.push(task);
}

/** Lets up to `count` parked tasks try again, as many as the group has room for. */
function unpark(state: RunState, group: number, count: number): void {
  const heap = state.parked.get(group);
  if (heap === undefined) return;
  let room = Math.min(count, state.limits.capacity[group]! - state.limits.used[group]!);
  for (; room > 0 && heap.size > 0; room--) state.ready.push(heap.pop());
}

function startReady(state: RunState, commands: Command[]): void {
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

/** Skips all that cannot run without `origin`, nearest first. */
function skipDescendants(state: RunState, origin: number, commands: Command[]): void {
  const { outPtr, out } = state.view;
  const queue = [origin];
  for (let at = 0; at < queue.length; at++) {
    const task = queue[at]!;
    for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) {
      const next = out[edge]!;
      if (state.state[next] !== TaskState.WAITING) continue;
      skip(state, next, origin, commands);
      queue.push(next);
    }
  }
}

function skip(state: RunState, task: number, because: number, commands: Command[]): void {
  state.state[task] = TaskState.SKIPPED;
  state.blame[task] = because;
  state.open--;
  commands.push({ type: "skip", task, because });
}

function halt(state: RunState, origin: number, commands: Command[]): void {
  stopStarting(state);
  for (let task = 0; task < state.view.n; task++) {
    if (isIdle(state.state[task]!)) skip(state, task, origin, commands);
  }
}

function cancel(state: RunState, commands: Command[]): void {
  // Every task that ends afterwards says so again; nothing can have become idle since, so once is enough.
  if (state.open === 0 || state.cancelled) return;
  state.cancelled = true;
  stopStarting(state);
  cancelIdle(state, commands);
}

function cancelIdle(state: RunState, commands: Command[]): void {
  for (let task = 0; task < state.view.n; task++) {
    if (isIdle(state.state[task]!)) cancelTask(state, task, commands);
  }
}

function cancelTask(state: RunState, task: number, commands: Command[]): void {
  state.state[task] = TaskState.CANCELLED;
  state.open--;
  commands.push({ type: "cancel", task });
}

function stopStarting(state: RunState): void {
  state.phase = "draining";
  state.ready.clear();
  state.parked.clear();
  state.delayed = 0;
  state.gated = 0;
  state.asking = 0;
}

function isIdle(state: number): boolean {
  return state < TaskState.COMPLETED && state !== TaskState.RUNNING;
}
