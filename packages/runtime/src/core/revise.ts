import type { Command } from "./core-event.ts";
import { JoinRule, keptBy, waitsForEnds } from "./joins.ts";
import type { Revision } from "./revision.ts";
import { type RunState, startingOrder } from "./run-state.ts";
import { TaskHeap } from "./task-heap.ts";
import { isTerminal, TaskState } from "./task-state.ts";

/** Keeps tasks from starting, and the run from ending. One that runs by now is left alone. */
export function takeHold(state: RunState, tasks: readonly number[]): void {
  for (const task of tasks) {
    if (state.held[task] === 1 || state.state[task] === TaskState.RUNNING) continue;
    state.held[task] = 1;
    state.holding++;
  }
}

/** Ends the hold; returns the tasks for which something follows, since they can start now or have failed. */
export function dropHold(state: RunState, tasks: readonly number[]): number[] {
  const due: number[] = [];
  for (const task of tasks) {
    if (state.held[task] === 0) continue;
    state.held[task] = 0;
    state.holding--;
    const now = state.state[task];
    if (state.phase !== "running") continue;
    if (now === TaskState.FAILED || (now === TaskState.WAITING && state.missing[task] === 0)) due.push(task);
  }
  return due;
}

type GrowingState = { -readonly [Key in keyof RunState]: RunState[Key] };

/** True for a task that has begun, or has ended by itself: nothing it waits for can change any more. */
export function hasBegun(state: RunState, task: number): boolean {
  const now = state.state[task]!;
  if (now === TaskState.RUNNING || now === TaskState.COMPLETED || now === TaskState.FAILED) return true;
  return !isTerminal(now) && state.attempts[task]! > 0;
}

/**
 * Puts the new plan in place; gives the tasks that can start now. Held tasks stay held. Tasks skipped for the sake of a
 * replaced one may run again, tasks behind one that has failed for good are skipped. O(n log n + m), for the priorities.
 */
export function revise(state: RunState, revision: Revision, commands: Command[]): number[] {
  grow(state, revision);
  for (const task of revision.replaced) replace(state, task);
  takeHold(state, revision.held ?? []);
  for (const task of revision.asksAgain) {
    if (hasBegun(state, task) || state.state[task] !== TaskState.GATED) continue;
    leave(state, task);
    state.state[task] = TaskState.WAITING;
  }
  return settle(state, commands);
}

/** Makes room for the new tasks, which all wait, and empties the queues. What tasks wait for is left to `settle`. */
function grow(state: RunState, { view, kindGroup, resourceGroup, halts, joins }: Revision): void {
  const before = state.view.n;
  const grown = state as GrowingState;
  grown.view = view;
  grown.order = startingOrder(view);
  grown.state = longer(state.state, view.n);
  grown.missing = new Int32Array(view.n);
  grown.attempts = longer(state.attempts, view.n);
  grown.blame = longer(state.blame, view.n).fill(-1, before);
  grown.holdsSlots = longer(state.holdsSlots, view.n);
  grown.held = longer(state.held, view.n);
  grown.kindGroup = joined(state.kindGroup, kindGroup);
  grown.resourceGroup = joined(state.resourceGroup, resourceGroup);
  grown.halts = joined(state.halts, halts);
  grown.gates = longer(state.gates, view.n);
  if (state.joins !== undefined || joins?.some((rule) => rule !== JoinRule.ALL))
    grown.joins = joined(state.joins ?? new Uint8Array(before), joins ?? new Uint8Array(view.n - before));
  if (state.joins !== undefined) grown.lost = new Uint8Array(view.n);
  grown.ready = new TaskHeap(state.order);
  grown.parked = new Map();
  state.open += view.n - before;
}

function replace(state: RunState, task: number): void {
  const now = state.state[task]!;
  leave(state, task);
  if (!isTerminal(now)) state.open--;
  if (now === TaskState.FAILED) state.failed--;
  state.state[task] = TaskState.REPLACED;
  if (state.held[task] === 1) state.holding--;
  state.held[task] = 0;
}

/** Takes a task out of the counters of those that wait for something of their own; it comes to its gate again by itself. */
function leave(state: RunState, task: number): void {
  const now = state.state[task]!;
  if (now === TaskState.DELAYED) state.delayed--;
  if (now === TaskState.ASLEEP) state.asleep--;
  if (now !== TaskState.GATED) return;
  state.gated--;
  if (state.gates[task] === 1) state.asking--;
  state.gates[task] = 0;
}

/** Counts again what each task waits for, in the order of the graph, and puts each where it belongs now. */
export function settle(state: RunState, commands: Command[]): number[] {
  const free: number[] = [];
  for (const task of state.view.topo) {
    if (state.lost !== undefined) markLostSources(state, state.lost, task);
    const forEnds = waitsForEnds(state, task);
    state.missing[task] = missingOf(state, task, forEnds);
    if (hasBegun(state, task)) {
      if (state.state[task] === TaskState.READY) free.push(task);
      continue;
    }
    place(state, task, forEnds ? endingCause(state, task) : firstLostSource(state, task), commands);
    if (state.state[task] === TaskState.WAITING && state.missing[task] === 0 && state.phase === "running") {
      free.push(task);
    }
  }
  return free;
}

/** Puts a task that has not begun where it belongs: skipped if `cause` (-1: none) keeps it from starting, else waiting or where it was. */
function place(state: RunState, task: number, cause: number, commands: Command[]): void {
  const now = state.state[task]!;
  const wasSkippedByOther = now === TaskState.SKIPPED && state.blame[task] !== task;
  if (isTerminal(now) && !wasSkippedByOther) return;
  if (cause !== -1) {
    if (!wasSkippedByOther) skip(state, task, state.blame[cause] === -1 ? cause : state.blame[cause]!, commands);
  } else if (wasSkippedByOther) {
    state.state[task] = TaskState.WAITING;
    state.blame[task] = -1;
    state.open++;
    commands.push({ type: "reopen", task });
  } else if (now !== TaskState.WAITING && (state.missing[task] !== 0 || now === TaskState.READY)) {
    leave(state, task);
    state.state[task] = TaskState.WAITING;
  }
}

/** True for a task that has failed for good: one that is held may yet be replaced. */
const hasFailed = (state: RunState, task: number): boolean =>
  state.state[task] === TaskState.FAILED && state.held[task] === 0;

/** True for a task that will give nothing to those that depend on it. */
function givesNothing(state: RunState, task: number): boolean {
  const now = state.state[task]!;
  return now === TaskState.SKIPPED || now === TaskState.CANCELLED || hasFailed(state, task);
}

function markLostSources(state: RunState, lost: Uint8Array, task: number): void {
  const { inPtr, in: sources } = state.view;
  for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) {
    const source = sources[edge]!;
    if (hasFailed(state, source)) lost[source] = 1;
  }
}

/** How many of its dependencies the task still waits for. Where it waits for ends alone, a lost one has had its end. */
function missingOf(state: RunState, task: number, forEnds: boolean): number {
  const { inPtr, in: sources } = state.view;
  let missing = 0;
  for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) {
    const source = sources[edge]!;
    const now = state.state[source]!;
    if (now === TaskState.COMPLETED || now === TaskState.REPLACED) continue;
    if (!(forEnds && givesNothing(state, source))) missing++;
  }
  return missing;
}

/** The first dependency without which a task cannot start that needs them all, or -1. */
function firstLostSource(state: RunState, task: number): number {
  const { inPtr, in: sources } = state.view;
  for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) {
    if (givesNothing(state, sources[edge]!)) return sources[edge]!;
  }
  return -1;
}

/** What keeps a task from starting that waits for ends, or -1. It is known before the last end only where a failure decides. */
function endingCause(state: RunState, task: number): number {
  const isKnown = state.missing[task] === 0 || state.joins![task] === JoinRule.NONE_FAILED;
  return isKnown ? keptBy(state, task) : -1;
}

function skip(state: RunState, task: number, because: number, commands: Command[]): void {
  leave(state, task);
  state.state[task] = TaskState.SKIPPED;
  state.blame[task] = because;
  state.open--;
  commands.push({ type: "skip", task, because });
}

type Numbers = Int32Array | Uint8Array;

function longer<Each extends Numbers>(numbers: Each, length: number): Each {
  const copy = new (numbers.constructor as new (length: number) => Each)(length);
  copy.set(numbers);
  return copy;
}

function joined<Each extends Numbers>(left: Each, right: Each): Each {
  const both = longer(left, left.length + right.length);
  both.set(right, left.length);
  return both;
}
