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
  const before = state.view.n;
  const { view } = revision;
  const grown = state as GrowingState;
  grown.view = view;
  grown.order = startingOrder(view);
  grown.state = longer(state.state, view.n);
  grown.missing = new Int32Array(view.n);
  grown.attempts = longer(state.attempts, view.n);
  grown.blame = longer(state.blame, view.n).fill(-1, before);
  grown.holdsSlots = longer(state.holdsSlots, view.n);
  grown.held = longer(state.held, view.n);
  grown.kindGroup = joined(state.kindGroup, revision.kindGroup);
  grown.resourceGroup = joined(state.resourceGroup, revision.resourceGroup);
  grown.halts = joined(state.halts, revision.halts);
  grown.gates = longer(state.gates, view.n);
  const { joins } = revision;
  if (state.joins !== undefined || joins?.some((rule) => rule !== 0))
    grown.joins = joined(state.joins ?? new Uint8Array(before), joins ?? new Uint8Array(view.n - before));
  if (state.joins !== undefined) grown.lost = new Uint8Array(view.n);
  grown.ready = new TaskHeap(state.order);
  grown.parked = new Map();
  state.open += view.n - before;
  for (const task of revision.replaced) replace(state, task);
  takeHold(state, revision.held ?? []);
  for (const task of revision.asksAgain) {
    if (hasBegun(state, task) || state.state[task] !== TaskState.GATED) continue;
    leave(state, task);
    state.state[task] = TaskState.WAITING;
  }
  return settle(state, commands);
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
  const { view } = state;
  const free: number[] = [];
  for (const task of view.topo) {
    let missing = 0;
    let dead = -1;
    const forEnds = waitsForEnds(state, task);
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      const source = view.in[edge]!;
      const other = state.state[source]!;
      // A failed one that is held may yet be replaced.
      const failed = other === TaskState.FAILED && state.held[source] === 0;
      if (failed && state.lost !== undefined) state.lost[source] = 1;
      const lost = failed || other === TaskState.SKIPPED || other === TaskState.CANCELLED;
      const isCompleted = other === TaskState.COMPLETED || other === TaskState.REPLACED;
      if (!isCompleted && !(lost && forEnds)) missing++;
      if (lost && dead === -1 && !forEnds) dead = source;
    }
    if (forEnds && (missing === 0 || state.joins![task] === JoinRule.NONE_FAILED)) dead = keptBy(state, task);
    state.missing[task] = missing;
    const now = state.state[task]!;
    const skippedByOther = now === TaskState.SKIPPED && state.blame[task] !== task;
    if (hasBegun(state, task)) {
      if (now === TaskState.READY) free.push(task);
      continue;
    }
    if (isTerminal(now) && !skippedByOther) continue;
    if (dead !== -1) {
      if (!skippedByOther) skip(state, task, state.blame[dead] === -1 ? dead : state.blame[dead]!, commands);
      continue;
    }
    if (skippedByOther) {
      state.state[task] = TaskState.WAITING;
      state.blame[task] = -1;
      state.open++;
      commands.push({ type: "reopen", task });
    } else if (now !== TaskState.WAITING && !(missing === 0 && now !== TaskState.READY)) {
      leave(state, task);
      state.state[task] = TaskState.WAITING;
    }
    if (state.state[task] === TaskState.WAITING && missing === 0 && state.phase === "running") free.push(task);
  }
  return free;
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
