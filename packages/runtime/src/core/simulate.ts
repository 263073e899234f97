import { advance, type Command } from "./advance.ts";
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
 */
export function simulate(state: RunState): Simulation {
  const { work } = state.view;
  const order: number[] = [];
  const startMs = new Float64Array(work.length);
  const running = new EndQueue();
  let now = 0;
  const obey = (commands: readonly Command[]) => {
    for (const command of commands) {
      if (command.type !== "start") continue;
      startMs[command.task] = now;
      running.push({ task: command.task, endMs: now + work[command.task]!, place: order.length });
      order.push(command.task);
    }
  };
  obey(advance(state, { type: "begin" }));
  for (let next = running.pop(); next !== undefined; next = running.pop()) {
    now = next.endMs;
    obey(advance(state, { type: "completed", task: next.task }));
  }
  return { order, startMs, makespanMs: now };
}

interface Ending {
  readonly task: number;
  readonly endMs: number;
  readonly place: number;
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
