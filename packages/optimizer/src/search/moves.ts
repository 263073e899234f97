import type { PlanView } from "@planloom/plan";

/** Random changes of a sequence that leave no edge going back. */
export class Moves {
  begun: number | undefined;
  readonly #view: PlanView;
  readonly #random: () => number;

  constructor(view: PlanView, random: () => number) {
    this.#view = view;
    this.#random = random;
  }

  /** Changes `slot` in place. @returns false when the change that was drawn is not possible. */
  change(slot: Int32Array): boolean {
    const kind = this.#random();
    const v = this.#below(this.#view.n);
    if (kind < 0.4) return this.#move(slot, v);
    if (kind < 0.55) return this.#alone(slot, v);
    if (kind < 0.75) return this.#merge(slot, v);
    if (kind < 0.88) return this.#split(slot, v);
    return this.#shift(slot, v);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  /** Places that v may take while everything else stays: not before a dependency, not after a dependent. */
  #range(slot: Int32Array, v: number, ignored: number): [number, number] {
    const { inPtr, outPtr, out, n } = this.#view;
    let low = 0;
    let high = n;
    for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) {
      const s = slot[this.#view.in[edge]!]!;
      if (s !== ignored && s > low) low = s;
    }
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
      const s = slot[out[edge]!]!;
      if (s !== ignored && s < high) high = s;
    }
    return [low, high];
  }

  /** A part near v: of one of its neighbours, or of any task. */
  #near(slot: Int32Array, v: number): number {
    const { inPtr, outPtr, out, n } = this.#view;
    const before = inPtr[v + 1]! - inPtr[v]!;
    const degree = before + outPtr[v + 1]! - outPtr[v]!;
    if (degree === 0 || this.#random() < 0.4) return slot[this.#below(n)]!;
    const at = this.#below(degree);
    return slot[at < before ? this.#view.in[inPtr[v]! + at]! : out[outPtr[v]! + at - before]!]!;
  }

  #move(slot: Int32Array, v: number): boolean {
    const target = this.#near(slot, v);
    const [low, high] = this.#range(slot, v, -1);
    if (target === slot[v] || target < low || target > high) return false;
    slot[v] = target;
    return true;
  }

  /** Gives v a part of its own, somewhere in its range. */
  #alone(slot: Int32Array, v: number): boolean {
    const [from, to] = this.#range(slot, v, -1);
    const low = from > 0 || this.#hasOther(slot, v, -1) ? from + 1 : 0;
    const high = Math.min(to, this.#last(slot) + 1);
    if (high < low) return false;
    const at = low + this.#below(high - low + 1);
    // The parts at that place move up together with their dependents, so no edge goes back.
    this.#open(slot, at);
    slot[v] = at;
    return this.#settle(slot);
  }

  #merge(slot: Int32Array, v: number): boolean {
    const source = slot[v]!;
    const target = this.#near(slot, v);
    if (source === target) return false;
    for (let u = 0; u < slot.length; u++) {
      if (slot[u] !== source) continue;
      const [low, high] = this.#range(slot, u, source);
      if (target < low || target > high) return false;
    }
    for (let u = 0; u < slot.length; u++) if (slot[u] === source) slot[u] = target;
    return true;
  }

  /** Cuts v's part in two: what comes up to v in topological order, and the rest right after it. */
  #split(slot: Int32Array, v: number): boolean {
    const source = slot[v]!;
    this.#open(slot, source + 1);
    let passed = false;
    let moved = false;
    for (const u of this.#view.topo) {
      if (slot[u] !== source) continue;
      if (passed) {
        slot[u] = source + 1;
        moved = true;
      }
      if (u === v) passed = true;
    }
    return moved && this.#settle(slot);
  }

  /** Puts v's part elsewhere in the sequence. */
  #shift(slot: Int32Array, v: number): boolean {
    const source = slot[v]!;
    let low = 0;
    let high = this.#last(slot) + 1;
    for (let u = 0; u < slot.length; u++) {
      if (slot[u] !== source) continue;
      const [from, to] = this.#range(slot, u, source);
      if (from > 0 || this.#hasOther(slot, u, source)) low = Math.max(low, from + 1);
      high = Math.min(high, to);
    }
    if (high < low) return false;
    const at = low + this.#below(high - low + 1);
    if (at === source || at === source + 1) return false;
    this.#open(slot, at);
    const moved = source >= at ? source + 1 : source;
    for (let u = 0; u < slot.length; u++) if (slot[u] === moved) slot[u] = at;
    return this.#settle(slot);
  }

  #hasOther(slot: Int32Array, v: number, source: number): boolean {
    const { inPtr } = this.#view;
    for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) if (slot[this.#view.in[edge]!] !== source) return true;
    return false;
  }

  #last(slot: Int32Array): number {
    let last = 0;
    for (const s of slot) if (s > last) last = s;
    return last;
  }

  /** Makes room at place `at`. */
  #open(slot: Int32Array, at: number): void {
    for (let u = 0; u < slot.length; u++) if (slot[u]! >= at) slot[u]!++;
  }

  /** Renumbers the places from 0 without gaps. */
  #settle(slot: Int32Array): boolean {
    const used = new Uint8Array(slot.length + 3);
    for (const s of slot) used[s] = 1;
    const number = new Int32Array(used.length);
    let count = 0;
    for (let s = 0; s < used.length; s++) if (used[s] === 1) number[s] = count++;
    for (let u = 0; u < slot.length; u++) slot[u] = number[slot[u]!]!;
    return true;
  }
}
