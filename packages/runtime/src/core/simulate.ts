import { advance } from "./advance.ts";
import type { Command } from "./core-event.ts";
import type { RunState } from "./run-state.ts";

export interface Simulation {
  /** Tasks in the order of starting. */
  readonly order: readonly number[];
  /** By task number, in milliseconds; 0 for tasks that never start. */
  readonly startMs: Float64Array;
  /** When the last task ends. */
  readonly makespanMs: number;
}

/**
 * Drives the core with a virtual clock: every task takes its `work` and succeeds. What ends at one time ends in the order
 * of starting. O(log running) a task.
 * @param state new, or with tasks recorded; its view's `work` is what tasks take, in milliseconds.
 * @param sleepMs the part of it in which a task holds no slot. @default 0 for each
 */
export function simulate(state: RunState, sleepMs?: Float64Array): Simulation {
  const { work } = state.view;
  return simulateAttempts(state, {
    attempt: (task) => {
      const asleep = sleepMs?.[task] ?? 0;
      return { ms: work[task]! - asleep, fails: false, sleepsMs: asleep };
    },
    retryAfterMs: () => undefined,
  });
}

/** What happens in a simulated run. */
export interface SimulatedWorld {
  /** How the next attempt of a task turns out; asked as it starts. */
  attempt(task: number): SimulatedAttempt;
  /** How long to wait after so many failed attempts; undefined: the task has failed. */
  retryAfterMs(task: number, attempts: number): number | undefined;
}

export interface SimulatedAttempt {
  readonly ms: number;
  readonly fails: boolean;
  /** Its condition does not hold. */
  readonly skips?: boolean;
  /** How long it waits for a time or a signal before it takes `ms`, without a slot. @default 0 */
  readonly sleepsMs?: number;
}

/** As `simulate`, with attempts that take their own time and may fail. */
export function simulateAttempts(state: RunState, world: SimulatedWorld): Simulation {
  const order: number[] = [];
  const startMs = new Float64Array(state.view.n);
  const queue = new EndQueue();
  /** How attempts turn out that sleep first. */
  const awaited = new Map<number, SimulatedAttempt>();
  const started = new Uint8Array(state.view.n);
  let now = 0;
  let places = 0;
  const obey = (commands: readonly Command[]) => {
    for (const command of commands) {
      if (command.type === "start") {
        const { task } = command;
        const attempt = awaited.get(task) ?? world.attempt(task);
        const { ms, fails, skips, sleepsMs = 0 } = attempt;
        if (started[task] === 0) {
          started[task] = 1;
          startMs[task] = now;
          order.push(task);
        }
        if (sleepsMs > 0 && skips !== true && !awaited.delete(task)) {
          awaited.set(task, attempt);
          queue.push({ task, endMs: now + sleepsMs, place: places++, type: "wake" });
          obey(advance(state, { type: "sleep", task }));
          continue;
        }
        const type = skips === true ? "unavailable" : fails ? "failed" : "completed";
        queue.push({ task, endMs: now + ms, place: places++, type });
      } else if (command.type === "delay") {
        const ms = world.retryAfterMs(command.task, command.attempt - 1) ?? 0;
        queue.push({ task: command.task, endMs: now + ms, place: places++, type: "due" });
      }
    }
  };
  obey(advance(state, { type: "begin" }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    now = next.endMs;
    const { task } = next;
    const again = next.type === "failed" && world.retryAfterMs(task, state.attempts[task]!) !== undefined;
    obey(advance(state, { type: again ? "retrying" : next.type, task }));
  }
  return { order, startMs, makespanMs: now };
}

interface Ending {
  readonly task: number;
  readonly endMs: number;
  readonly place: number;
  readonly type: "completed" | "failed" | "unavailable" | "due" | "wake";
}

/** A binary heap, what ends first at the top. */
class EndQueue {
  readonly #items: Ending[] = [];

  push(item: Ending): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Ending | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && isBefore(items[child + 1]!, items[child]!)) child++;
      if (!isBefore(items[child]!, last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return first;
  }
}

function isBefore(a: Ending, b: Ending): boolean {
  return a.endMs < b.endMs || (a.endMs === b.endMs && a.place < b.place);
}
