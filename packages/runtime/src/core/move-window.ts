import type { Command, CoreEvent } from "./core-event.ts";
import { type ElementWindow, endElement, hasIdle, isLost } from "./element-window.ts";
import type { RunState } from "./run-state.ts";
import { isTerminal, TaskState } from "./task-state.ts";

const none: readonly number[] = [];

/** Gives numbers their first elements; a number that gets none does not count until it gets one. Returns those that have one. */
export function openWindow(state: RunState, window: ElementWindow, commands: Command[]): number[] {
  const given: number[] = [];
  for (let number = 0; number < window.elements.length; number++) {
    if (given.length < widthOf(state, window) && place(window, number, commands)) given.push(number);
    else {
      state.state[number] = TaskState.REPLACED;
      state.open--;
      window.idle.push(number);
    }
  }
  return given;
}

/**
 * Where the event ended an element, its number goes to the next one. Numbers for elements ahead get theirs once tasks are started ahead.
 * @returns numbers with new elements, which wait to be made ready
 */
export function moveWindow(
  state: RunState,
  window: ElementWindow,
  event: CoreEvent,
  commands: Command[],
): readonly number[] {
  const number = "task" in event ? event.task : -1;
  const index = number === -1 ? -1 : window.elements[number]!;
  if (index !== -1 && isTerminal(state.state[number]!)) {
    const now = state.state[number]!;
    endElement(window, number);
    const isLeftOut = event.type === "unavailable" && event.cause === "left-out";
    if (now === TaskState.FAILED || (now === TaskState.SKIPPED && !isLeftOut)) window.lost++;
    commands.push({ type: "element-end", task: number, index, state: now });
  }
  return state.phase === "running" && hasIdle(window) && !isLost(window) ? refill(state, window, commands) : none;
}

/** How many elements may be under way now. */
function widthOf({ limits }: RunState, { elements, ahead }: ElementWindow): number {
  return elements.length - (limits.looksAhead ? 0 : ahead);
}

function refill(state: RunState, window: ElementWindow, commands: Command[]): readonly number[] {
  const { elements, idle, groups } = window;
  const given: number[] = [];
  while (idle.length > 0 && elements.length - idle.length < widthOf(state, window)) {
    const number = idle.at(-1)!;
    if (!place(window, number, commands)) break;
    idle.pop();
    state.state[number] = TaskState.WAITING;
    state.attempts[number] = 0;
    state.blame[number] = -1;
    state.gates[number] = 0;
    // An abandoned attempt gives back the slots of the limit that it was counted in.
    if (!state.abandoned.has(number)) state.resourceGroup[number] = groups?.[number] ?? state.resourceGroup[number]!;
    state.open++;
    given.push(number);
  }
  return given;
}

function place(window: ElementWindow, number: number, commands: Command[]): boolean {
  while (window.next < window.total && window.done?.[window.next] === 1) window.next++;
  if (window.next >= window.total) return false;
  const index = window.next++;
  window.elements[number] = index;
  commands.push({ type: "element", task: number, index });
  return true;
}
