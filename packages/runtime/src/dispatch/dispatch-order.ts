import type { PlanView } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";

/**
 * Lets subgraphs go in a given order: the next one takes the first slot that is free, and no later one overtakes it while
 * it waits for others. Since every subgraph comes after those it depends on, the next one never waits for a later one.
 */
export class DispatchOrder {
  readonly #order: Int32Array;
  readonly #width: number;
  readonly #waiting = new Set<number>();
  #next = 0;
  #running = 0;

  /** @param order numbers of all subgraphs, each after those it depends on. */
  constructor(order: Int32Array, width: number) {
    this.#order = order;
    this.#width = width;
  }

  /** Everything that `subgraph` depends on has ended. */
  ready(subgraph: number): void {
    this.#waiting.add(subgraph);
  }

  /** A subgraph that was let go has ended. */
  ended(): void {
    this.#running--;
  }

  /** Those that go now, in order. */
  release(): number[] {
    const released: number[] = [];
    while (this.#running < this.#width && this.#next < this.#order.length) {
      const subgraph = this.#order[this.#next]!;
      if (!this.#waiting.delete(subgraph)) break;
      this.#next++;
      this.#running++;
      released.push(subgraph);
    }
    return released;
  }

  /** Those that were ready and will not go any more. */
  drain(): number[] {
    const left = [...this.#waiting];
    this.#waiting.clear();
    return left;
  }
}

/** @throws RuntimeError INVALID_OPTION unless `ids` holds every subgraph once, after those it depends on. O(n + m) */
export function readDispatchOrder(view: PlanView, ids: readonly string[]): Int32Array {
  const expected = "the ids of all subgraphs, each once and after those it depends on";
  if (!Array.isArray(ids)) throw invalid("dispatchOrder", expected, ids);
  const place = new Int32Array(view.n).fill(-1);
  const order = Int32Array.from(ids, (id: string, at) => {
    const subgraph = typeof id === "string" ? view.indexOf(id) : -1;
    if (subgraph === -1 || place[subgraph] !== -1) throw invalid("dispatchOrder", expected, id);
    place[subgraph] = at;
    for (let edge = view.inPtr[subgraph]!; edge < view.inPtr[subgraph + 1]!; edge++) {
      if (place[view.in[edge]!] === -1) throw invalid("dispatchOrder", expected, id);
    }
    return subgraph;
  });
  if (order.length < view.n) throw invalid("dispatchOrder", expected, ids);
  return order;
}
