import type { PlanView } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";

/**
 * Lets subgraphs go in a given order: the next one takes the first slot that is free, and no later one overtakes it while
 * it waits for others. Since every subgraph comes after those it depends on, the next one never waits for a later one. While
 * one is suspended, others may overtake what waits for it; one that continues is dispatched before all others.
 */
export class DispatchOrder {
  readonly #order: Int32Array;
  readonly #width: number;
  readonly #waiting = new Set<number>();
  readonly #released = new Set<number>();
  #next = 0;
  #running = 0;
  #suspended = 0;
  #placeOf: ((subgraph: number) => number) | undefined;

  /** @param order numbers of all subgraphs, each after those it depends on. */
  constructor(order: Int32Array, width: number) {
    this.#order = order;
    this.#width = width;
  }

  /** Executors that nothing is let go for: all that is ready has been let go, if there are any. */
  get idle(): number {
    return this.#waiting.size > 0 ? 0 : Math.max(0, this.#width - this.#running);
  }

  /** From now on whatever is ready may overtake. @param placeOf of those that are ready, the one with the smallest place goes first */
  loosen(placeOf: (subgraph: number) => number): void {
    this.#placeOf = placeOf;
  }

  /** Everything that `subgraph` depends on has ended; or it was suspended and continues. */
  ready(subgraph: number): void {
    if (this.#released.has(subgraph)) this.#suspended--;
    this.#waiting.add(subgraph);
  }

  /** A subgraph that was let go has ended. */
  ended(): void {
    this.#running--;
  }

  /** A subgraph that was let go waits for a person. */
  suspended(): void {
    this.#running--;
    this.#suspended++;
  }

  /** Those that go now, in order. */
  release(): number[] {
    const released: number[] = [];
    while (this.#running < this.#width) {
      const subgraph = this.#pick();
      if (subgraph === undefined) break;
      this.#waiting.delete(subgraph);
      this.#released.add(subgraph);
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

  #pick(): number | undefined {
    if (this.#waiting.size === 0) return undefined;
    for (const subgraph of this.#waiting) if (this.#released.has(subgraph)) return subgraph;
    const placeOf = this.#placeOf;
    if (placeOf !== undefined)
      return [...this.#waiting].reduce((best, each) => (placeOf(each) < placeOf(best) ? each : best));
    while (this.#next < this.#order.length && this.#released.has(this.#order[this.#next]!)) this.#next++;
    for (let at = this.#next; at < this.#order.length; at++) {
      const subgraph = this.#order[at]!;
      if (this.#waiting.has(subgraph)) return subgraph;
      if (this.#suspended === 0) return undefined;
    }
    return undefined;
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
