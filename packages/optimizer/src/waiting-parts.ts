import type { PartDurations } from "./part-durations.ts";

/** From when on a part could run on each class of executors. */
export interface Openings {
  readonly now: number;
  isFree(kind: number): boolean;
  /** Now where there is a free executor, else the earliest estimated end there. */
  fromMs(kind: number): number;
}

/**
 * Waiting parts that the same classes may run, where these classes differ in speed or slots, so that one part takes what is free and another one waits for
 * what is faster. A tree over the parts by priority holds, for every two classes, by how much the first is slower at least, so that subtrees in which all
 * would rather wait are passed over. `add`, `remove` and, with two classes, `first` take O(log parts).
 */
export class WaitingParts {
  readonly uniform = false;
  readonly #parts: readonly number[];
  readonly #place: Int32Array;
  readonly #priority: Int32Array;
  readonly #kinds: readonly number[];
  readonly #estimatedMs: PartDurations;
  readonly #leaves: number;
  /** How many pairs of two classes there are: those of a first class lie together. */
  readonly #pairs: number;
  /** `#least[node * #pairs + pair]`; 1 is the root, the children of `v` are `2 v` and `2 v + 1`. */
  readonly #least: Float64Array;
  #longest = 0;

  /**
   * @param parts all that may ever wait here, by priority
   * @param place of every part in its list, which is written here
   */
  constructor(
    parts: readonly number[],
    priority: Int32Array,
    place: Int32Array,
    kinds: readonly number[],
    estimatedMs: PartDurations,
  ) {
    this.#parts = parts;
    this.#priority = priority;
    this.#place = place;
    this.#kinds = kinds;
    this.#estimatedMs = estimatedMs;
    let leaves = 1;
    while (leaves < parts.length) leaves *= 2;
    this.#leaves = leaves;
    this.#pairs = kinds.length * (kinds.length - 1);
    this.#least = new Float64Array(2 * leaves * this.#pairs).fill(Number.POSITIVE_INFINITY);
    for (let at = 0; at < parts.length; at++) {
      place[parts[at]!] = at;
      for (const kind of kinds) this.#longest = Math.max(this.#longest, estimatedMs[kind]![parts[at]!]!);
    }
  }

  add(p: number): void {
    const kinds = this.#kinds;
    let at = (this.#leaves + this.#place[p]!) * this.#pairs;
    for (const slower of kinds) {
      for (const faster of kinds) {
        if (faster === slower) continue;
        this.#least[at++] = this.#estimatedMs[slower]![p]! - this.#estimatedMs[faster]![p]!;
      }
    }
    this.#raise(p);
  }

  remove(p: number): void {
    const at = (this.#leaves + this.#place[p]!) * this.#pairs;
    this.#least.fill(Number.POSITIVE_INFINITY, at, at + this.#pairs);
    this.#raise(p);
  }

  /**
   * The first waiting part of a priority after this one that may choose a class with a free executor; -1 if there is none. What it chooses is for the caller
   * to see: sums are compared here up to their rounding.
   */
  first(after: number, openings: Openings): number {
    const at = this.#descend(1, 0, this.#leaves, this.#placeAfter(after), openings);
    return at === -1 ? -1 : this.#parts[at]!;
  }

  #descend(node: number, from: number, width: number, start: number, openings: Openings): number {
    if (from + width <= start || !this.#mayStart(node, openings)) return -1;
    if (width === 1) return from;
    const half = width / 2;
    const left = this.#descend(2 * node, from, half, start, openings);
    return left === -1 ? this.#descend(2 * node + 1, from + half, half, start, openings) : left;
  }

  #mayStart(node: number, { now, isFree, fromMs }: Openings): boolean {
    const kinds = this.#kinds;
    let pair = node * this.#pairs;
    if (this.#least[pair] === Number.POSITIVE_INFINITY) return false;
    for (const slower of kinds) {
      let isBest = isFree(slower);
      for (const faster of kinds) {
        if (faster === slower) continue;
        const least = this.#least[pair++]!;
        if (!isBest || isFree(faster)) continue;
        const openMs = fromMs(faster);
        isBest = least <= openMs - now + (openMs + this.#longest) * 1e-12;
      }
      if (isBest) return true;
    }
    return false;
  }

  /** Brings what the leaf of a part holds up to the root. */
  #raise(p: number): void {
    const least = this.#least;
    const pairs = this.#pairs;
    for (let node = (this.#leaves + this.#place[p]!) >> 1; node >= 1; node >>= 1) {
      let isSame = true;
      for (let pair = 0; pair < pairs; pair++) {
        const value = Math.min(least[2 * node * pairs + pair]!, least[(2 * node + 1) * pairs + pair]!);
        if (value === least[node * pairs + pair]) continue;
        least[node * pairs + pair] = value;
        isSame = false;
      }
      if (isSame) return;
    }
  }

  /** The place of the first part of a greater priority. */
  #placeAfter(after: number): number {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#priority[this.#parts[middle]!]! > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
