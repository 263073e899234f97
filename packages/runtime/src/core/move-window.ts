import type { Command, CoreEvent } from "./core-event.ts";
import type { ElementWindow } from "./element-window.ts";
import type { RunState } from "./run-state.ts";
import { isTerminal, TaskState } from "./task-state.ts";

/** Gives each number its first element; numbers that get none do not count any more. Returns those that have one. */
export function openWindow(state: RunState, window: ElementWindow, commands: Command[]): number[] {
  const given: number[] = [];
  for (let number = 0; number < window.elements.length; number++) {
    if (place(window, number, commands)) given.push(number);
    else {
      state.state[number] = TaskState.REPLACED;
      state.open--;
    }
  }
  return given;
}

/**
 * Where the event ended an element, its number goes to the next one.
 * @returns that number, which waits to be made ready; -1 where no element follows
 */
export function moveWindow(state: RunState, window: ElementWindow, event: CoreEvent, commands: Command[]): number {
  const number = "task" in event ? event.task : -1;
  const index = number === -1 ? -1 : window.elements[number]!;
  if (index === -1 || !isTerminal(state.state[number]!)) return -1;
  const now = state.state[number]!;
  window.elements[number] = -1;
  const isLeftOut = event.type === "unavailable" && event.cause === "left-out";
  if (now === TaskState.FAILED || (now === TaskState.SKIPPED && !isLeftOut)) window.lost++;
  commands.push({ type: "element-end", task: number, index, state: now });
  if (state.phase !== "running" || window.lost > window.mayLose || !place(window, number, commands)) return -1;
  state.state[number] = TaskState.WAITING;
  state.attempts[number] = 0;
  state.blame[number] = -1;
  state.gates[number] = 0;
  // An abandoned attempt gives back the slots of the limit that it was counted in.
  if (!state.abandoned.has(number))
    state.resourceGroup[number] = window.groups?.[number] ?? state.resourceGroup[number]!;
  state.open++;
  return number;
}

function place(window: ElementWindow, number: number, commands: Command[]): boolean {
  while (window.next < window.total && window.done?.[window.next] === 1) window.next++;
  if (window.next >= window.total) return false;
  const index = window.next++;
  window.elements[number] = index;
  commands.push({ type: "element", task: number, index });
  return true;
}
