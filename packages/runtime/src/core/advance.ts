import type { Command, CoreEndReason, CoreEvent, SkipCause } from "./core-event.ts";
import { isLostToFailure, keptBy, waitsForEnds } from "./joins.ts";
import { NO_GROUP } from "./limits.ts";
import { moveWindow, openWindow } from "./move-window.ts";
import { countSkip, haltingFailure, hasLosses, restoreEnd } from "./restore.ts";
import { dropHold, revise, settle, takeHold } from "./revise.ts";
import type { RunState } from "./run-state.ts";
import {
  abandonSlots,
  park,
  releaseSlots,
  settleAbandoned,
  stallWaiting,
  startReady,
  unpark,
  wantsSlots,
} from "./slots.ts";
import { cancel, cancelIdle, cancelTask, halt, skip } from "./stopping.ts";
import { isTerminal, TaskState } from "./task-state.ts";

/**
 * Applies `event` to `state` in place and returns what the shell is to do, in order. It is pure apart from that: it never waits,
 * reads a clock or makes an id. O(out-degree) an event plus O(log n) a task that becomes ready; a failure costs the
 * tasks it skips, each of which is skipped once in a run.
 */
export function advance(state: RunState, event: CoreEvent): Command[] {
  const commands: Command[] = [];
  // Slots are shared with other runs, which may outlive this one.
  if (event.type === "settled") settleAbandoned(state, event.task);
  if (state.phase === "ended") {
    // An answer, a signal or an end at the last moment: what waited continues, or is cancelled.
    if (state.gated + state.asleep === 0 || !reopening.has(event.type)) return commands;
    state.phase = "running";
  }
  if (event.type === "recorded") {
    if (state.phase === "new") restoreEnd(state, event.task, event);
    return commands;
  }
  apply(state, event, commands);
  if (state.window !== undefined) {
    for (const number of moveWindow(state, state.window, event, commands)) makeReady(state, number, commands);
  }
  startReady(state, commands);
  if (state.limits.hasGivenUp) stallWaiting(state, commands);
  if (state.phase !== "new" && state.holding === 0 && (state.open === 0 || onlyWaitsRemain(state))) {
    const reason = endReason(state);
    state.phase = "ended";
    commands.push({ type: "finish", endReason: reason });
  }
  return commands;
}

/** What the event itself changes, before anything is started because of it. */
function apply(state: RunState, event: Exclude<CoreEvent, { type: "recorded" }>, commands: Command[]): void {
  switch (event.type) {
    case "begin":
      begin(state, commands);
      break;
    case "bound":
      bind(state, event.task, event.resourceGroup, commands);
      break;
    case "lent":
      if (state.state[event.task] === TaskState.RUNNING) releaseSlots(state, event.task);
      break;
    case "abandoned":
      if (state.state[event.task] === TaskState.RUNNING) abandonSlots(state, event.task);
      break;
    case "settled":
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
    case "sleep":
      if (putBack(state, event.task, TaskState.ASLEEP, commands)) {
        state.asleep++;
        // A call that is repeated until a condition holds has its attempts each time.
        state.attempts[event.task] = 0;
      }
      break;
    case "wake":
      if (state.state[event.task] === TaskState.ASLEEP) {
        state.asleep--;
        makeReady(state, event.task, commands);
      }
      break;
    case "failed":
      fail(state, event.task, event.held === true, commands);
      break;
    case "unavailable":
      giveUp(state, event.task, event.cause, commands);
      break;
    case "dropped":
      leaveRunning(state, event.task, TaskState.CANCELLED);
      break;
    case "stopped":
      if (leaveRunning(state, event.task, TaskState.CANCELLED)) {
        cancel(state, commands);
        // Also when it was the last one: what was stopped was not completed.
        state.cancelled = true;
      }
      break;
    case "cancel":
      state.drained = event.drain === true && (state.drained || !state.cancelled);
      cancel(state, commands);
      break;
    case "hold":
      takeHold(state, event.tasks);
      break;
    case "release":
      release(state, event.tasks, commands);
      break;
    case "revise":
      for (const task of revise(state, event.revision, commands)) makeReady(state, task, commands);
      if (state.phase === "draining") cancelIdle(state, commands);
      break;
    case "supplied":
      if (state.state[event.task] === TaskState.WAITING) makeReady(state, event.task, commands);
      break;
    case "poke":
      for (const group of state.parked.keys()) unpark(state, group, Number.POSITIVE_INFINITY);
      break;
    default:
      event satisfies never;
  }
}

/** Events that a run which ended waiting still takes. */
const reopening: ReadonlySet<CoreEvent["type"]> = new Set(["approved", "denied", "wake", "cancel"]);

function onlyWaitsRemain(state: RunState): boolean {
  if (state.gated + state.asleep === 0 || state.asking > 0 || state.phase !== "running") return false;
  // Where limits are shared, tasks of this run may be parked while another run holds the slots.
  return state.running === 0 && state.delayed === 0 && !wantsSlots(state);
}

function endReason(state: RunState): CoreEndReason {
  // A run that was drained when nothing was left to start has ended as usual.
  const endedAsUsual = state.drained && !state.replanStopped && !state.state.includes(TaskState.CANCELLED);
  if (state.cancelled && !endedAsUsual) return "cancelled";
  if (state.open > 0) return state.gated > 0 ? "waiting_approval" : "waiting";
  if (state.stalled > 0) return "stalled";
  if (state.refused > 0) return "budget";
  if (state.failed > 0) return "failed";
  return state.denied > 0 ? "denied" : "completed";
}

function begin(state: RunState, commands: Command[]): void {
  if (state.phase !== "new") return;
  state.phase = "running";
  if (state.window !== undefined) {
    for (const number of openWindow(state, state.window, commands)) makeReady(state, number, commands);
    return;
  }
  const halting = haltingFailure(state);
  if (halting !== -1) {
    halt(state, halting, commands);
    return;
  }
  if (hasLosses(state)) {
    for (const task of settle(state, commands)) makeReady(state, task, commands);
    return;
  }
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

function fail(state: RunState, task: number, isHeld: boolean, commands: Command[]): void {
  if (!leaveRunning(state, task, TaskState.FAILED)) return;
  state.failed++;
  if (isHeld) takeHold(state, [task]);
  else if (state.halts[task] === 1) halt(state, task, commands);
  else skipDescendants(state, task, commands);
}

/** Nothing can execute the task, or nothing may. */
function giveUp(state: RunState, task: number, cause: SkipCause | undefined, commands: Command[]): void {
  if (!leaveRunning(state, task, TaskState.SKIPPED)) return;
  state.blame[task] = task;
  countSkip(state, cause);
  skipDescendants(state, task, commands);
}

/** Tasks that were held for a change of the plan continue as they are. */
function release(state: RunState, tasks: Parameters<typeof dropHold>[1], commands: Command[]): void {
  for (const task of dropHold(state, tasks)) {
    // A failure among them may have skipped those that come after it.
    if (state.state[task] === TaskState.WAITING) makeReady(state, task, commands);
    else if (state.state[task] !== TaskState.FAILED) continue;
    else if (state.halts[task] === 1) halt(state, task, commands);
    else if (state.lost?.[task] !== 1) skipDescendants(state, task, commands);
  }
}

/** Opens the gate. False when the task does not wait at it now. */
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
    if (state.missing[next] !== 0 || state.state[next] !== TaskState.WAITING) continue;
    if (waitsForEnds(state, next)) join(state, next, commands);
    else makeReady(state, next, commands);
  }
}

/** Everything the task depends on has ended, some of it without being completed. */
function join(state: RunState, task: number, commands: Command[]): void {
  const kept = keptBy(state, task);
  if (kept === -1) makeReady(state, task, commands);
  else {
    skip(state, task, kept, commands);
    skipDescendants(state, task, commands, kept);
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

/** Skips all that cannot run without `start`, nearest first. @param origin what is to blame. @default `start` */
function skipDescendants(state: RunState, start: number, commands: Command[], origin = start): void {
  const { outPtr, out } = state.view;
  const queue = [start];
  if (state.lost !== undefined && state.state[start] === TaskState.FAILED) state.lost[start] = 1;
  for (let at = 0; at < queue.length; at++) {
    const task = queue[at]!;
    for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) {
      const next = out[edge]!;
      const forEnds = waitsForEnds(state, next);
      if (forEnds) state.missing[next]!--;
      if (state.state[next] !== TaskState.WAITING) continue;
      let because = origin;
      if (forEnds && !isLostToFailure(state, next, origin)) {
        if (state.missing[next] !== 0) continue;
        because = keptBy(state, next);
        if (because === -1) {
          makeReady(state, next, commands);
          continue;
        }
      }
      skip(state, next, because, commands);
      queue.push(next);
    }
  }
}
