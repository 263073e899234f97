import type { Command } from "./core-event.ts";
import type { RunState } from "./run-state.ts";
import { TaskState } from "./task-state.ts";

export function skip(state: RunState, task: number, because: number, commands: Command[]): void {
  state.state[task] = TaskState.SKIPPED;
  state.blame[task] = because;
  state.open--;
  commands.push({ type: "skip", task, because });
}

/** Nothing more starts since a task failed that halts its run: what has not begun is skipped. */
export function halt(state: RunState, origin: number, commands: Command[]): void {
  stopStarting(state);
  for (let task = 0; task < state.view.n; task++) {
    if (isIdle(state.state[task]!)) skip(state, task, origin, commands);
  }
}

/** Nothing more starts: what has not begun is cancelled, and what runs may end. */
export function cancel(state: RunState, commands: Command[]): void {
  // Every task that ends afterwards says so again; nothing can have become idle since, so once is enough.
  const isReplanning = state.holding > 0;
  if ((state.open === 0 && !isReplanning) || state.cancelled) return;
  state.cancelled = true;
  state.replanStopped = isReplanning;
  stopStarting(state);
  cancelIdle(state, commands);
}

/** Cancels each task that has not begun, or waits for something of its own. */
export function cancelIdle(state: RunState, commands: Command[]): void {
  for (let task = 0; task < state.view.n; task++) {
    if (isIdle(state.state[task]!)) cancelTask(state, task, commands);
  }
}

export function cancelTask(state: RunState, task: number, commands: Command[]): void {
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
  state.asleep = 0;
}

function isIdle(state: number): boolean {
  return state < TaskState.COMPLETED && state !== TaskState.RUNNING;
}
