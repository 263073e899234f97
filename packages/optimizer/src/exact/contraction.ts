import type { PartLimits } from "./part-limits.ts";
import type { SmallGraph } from "./small-graph.ts";

/**
 * A grouping under way: some edges are decided (both ends in one part, or in two), the others open. Tasks already known to
 * share a part have one label.
 */
export interface Decisions {
  /** Lowest task of the group that each task is in so far. */
  readonly label: Int8Array;
  /** 1 for edges whose ends are in different parts. */
  readonly cut: Uint8Array;
}

export interface Verdict {
  /** No grouping that keeps the decisions ends earlier; `Infinity`: there is none. */
  readonly bound: number;
  /** When it ends if every open edge is cut; `Infinity` when some group is not a valid part. */
  readonly value: number;
  /** Open edges on the longest paths of either. */
  readonly critical: readonly number[];
}

/**
 * The bound of a set of decisions on unlimited executors. For every group two figures from the front, and the same two
 * from the back on the graph turned round: `ready`, the earliest end of its part's overhead, and `end`, the earliest end
 * of its part. A cut edge costs an overhead. Of a group's open dependencies some are in its part and some are not: those
 * that end last are, down to some point, and the cheapest such point is what counts. The proof is in
 * docs/optimizer/bounds.md (LB7). O(groups² + edges).
 */
export class Contraction {
  readonly #graph: SmallGraph;
  readonly #overhead: number;
  readonly #limits: PartLimits;
  readonly #edgesInto: readonly (readonly number[])[];
  readonly #edgesFrom: readonly (readonly number[])[];
  readonly #set: Int32Array;
  readonly #before: Int32Array;
  readonly #order: Int8Array;
  readonly #load: Float64Array;
  readonly #reach: Int32Array;
  readonly #forward: { ready: Float64Array; end: Float64Array };
  readonly #backward: { ready: Float64Array; end: Float64Array };
  readonly #value: Float64Array;
  #groups = 0;

  constructor(graph: SmallGraph, overheadMs: number, limits: PartLimits) {
    const { n, from, to } = graph;
    this.#graph = graph;
    this.#overhead = overheadMs;
    this.#limits = limits;
    const into: number[][] = Array.from({ length: n }, () => []);
    const out: number[][] = Array.from({ length: n }, () => []);
    for (let edge = 0; edge < from.length; edge++) {
      into[to[edge]!]!.push(edge);
      out[from[edge]!]!.push(edge);
    }
    this.#edgesInto = into;
    this.#edgesFrom = out;
    this.#set = new Int32Array(n);
    this.#before = new Int32Array(n);
    this.#order = new Int8Array(n);
    this.#load = new Float64Array(n);
    this.#reach = new Int32Array(n);
    this.#forward = { ready: new Float64Array(n), end: new Float64Array(n) };
    this.#backward = { ready: new Float64Array(n), end: new Float64Array(n) };
    this.#value = new Float64Array(n);
  }

  judge(decisions: Decisions): Verdict {
    this.#collect(decisions);
    const { from, to } = this.#graph;
    const { label } = decisions;
    this.#pass(decisions, this.#forward, this.#edgesInto, from, 1);
    this.#pass(decisions, this.#backward, this.#edgesFrom, to, -1);
    const o = this.#overhead;
    let bound = 0;
    let last = 0;
    for (let at = 0; at < this.#groups; at++) {
      const g = this.#order[at]!;
      const through = Math.max(
        this.#forward.ready[g]! - o + this.#backward.end[g]!,
        this.#forward.end[g]! + this.#backward.ready[g]! - o,
      );
      if (through > bound) bound = through;
      if (this.#forward.end[g]! > this.#forward.end[last]!) last = g;
    }
    const critical = new Set<number>();
    this.#walk(decisions, last, this.#forward.end, this.#overhead, critical);
    let value = 0;
    let latest = 0;
    let valid = true;
    for (let at = 0; at < this.#groups; at++) {
      const g = this.#order[at]!;
      valid &&= this.#limits.fits(this.#set[g]!);
      let start = 0;
      for (let v = g; v < label.length; v++) {
        if (label[v] !== g) continue;
        for (const edge of this.#edgesInto[v]!) {
          const h = label[from[edge]!]!;
          if (h !== g && this.#value[h]! > start) start = this.#value[h]!;
        }
      }
      this.#value[g] = start + o + this.#load[g]!;
      if (this.#value[g]! > value) {
        value = this.#value[g]!;
        latest = g;
      }
    }
    this.#walk(decisions, latest, this.#value, 0, critical);
    if (!valid && critical.size === 0) this.#anyOpen(decisions, critical);
    return {
      bound: Math.min(bound, valid ? value : Number.POSITIVE_INFINITY),
      value: valid ? value : Number.POSITIVE_INFINITY,
      critical: [...critical],
    };
  }

  /**
   * Puts both ends of an edge, and with them every group on a path from one to the other, into one part, in place.
   * @returns false when that goes against a cut or a limit; `decisions` are then of no more use.
   */
  contract(decisions: Decisions, edge: number): boolean {
    const { label, cut } = decisions;
    const { from, to } = this.#graph;
    this.#collect(decisions);
    for (let at = this.#groups - 1; at >= 0; at--) {
      const g = this.#order[at]!;
      this.#reach[g] = 0;
      for (let v = g; v < label.length; v++) {
        if (label[v] !== g) continue;
        for (const out of this.#edgesFrom[v]!) {
          const h = label[to[out]!]!;
          if (h !== g) this.#reach[g]! |= (1 << h) | this.#reach[h]!;
        }
      }
    }
    const source = label[from[edge]!]!;
    const target = label[to[edge]!]!;
    let lowest = Math.min(source, target);
    let merged = (1 << source) | (1 << target);
    for (let at = 0; at < this.#groups; at++) {
      const g = this.#order[at]!;
      if ((this.#reach[source]! & (1 << g)) === 0 || (this.#reach[g]! & (1 << target)) === 0) continue;
      merged |= 1 << g;
      lowest = Math.min(lowest, g);
    }
    let set = 0;
    for (let v = 0; v < label.length; v++) {
      if ((merged & (1 << label[v]!)) === 0) continue;
      label[v] = lowest;
      set |= 1 << v;
    }
    for (let other = 0; other < cut.length; other++) {
      if (cut[other] === 1 && label[from[other]!] === label[to[other]!]) return false;
    }
    return this.#limits.mayGrow(set);
  }

  /** Sets, loads and a topological order of the groups. */
  #collect({ label }: Decisions): void {
    const { n, before, work } = this.#graph;
    const set = this.#set;
    for (let v = 0; v < n; v++) {
      const g = label[v]!;
      if (g === v) {
        set[g] = 0;
        this.#before[g] = 0;
        this.#load[g] = 0;
      }
      set[g]! |= 1 << v;
      this.#before[g]! |= before[v]!;
      this.#load[g]! += work[v]!;
    }
    let done = 0;
    let waiting = 0;
    for (let v = 0; v < n; v++) if (label[v] === v) waiting |= 1 << v;
    this.#groups = 0;
    while (waiting !== 0) {
      for (let rest = waiting; rest !== 0; rest &= rest - 1) {
        const g = 31 - Math.clz32(rest & -rest);
        if ((this.#before[g]! & ~done & ~set[g]!) !== 0) continue;
        done |= set[g]!;
        waiting &= ~(1 << g);
        this.#order[this.#groups++] = g;
      }
    }
  }

  #pass(
    { label, cut }: Decisions,
    { ready, end }: { ready: Float64Array; end: Float64Array },
    edges: readonly (readonly number[])[],
    other: Int32Array,
    direction: 1 | -1,
  ): void {
    const o = this.#overhead;
    for (let step = 0; step < this.#groups; step++) {
      const g = this.#order[direction === 1 ? step : this.#groups - 1 - step]!;
      let apart = 0;
      let open = 0;
      for (let v = g; v < label.length; v++) {
        if (label[v] !== g) continue;
        for (const edge of edges[v]!) {
          const h = label[other[edge]!]!;
          if (h === g) continue;
          if (cut[edge] === 1) apart |= 1 << h;
          else open |= 1 << h;
        }
      }
      open &= ~apart;
      let from = o;
      for (let rest = apart; rest !== 0; rest &= rest - 1) {
        const h = 31 - Math.clz32(rest & -rest);
        if (end[h]! + o > from) from = end[h]! + o;
      }
      let latestOpen = 0;
      for (let rest = open; rest !== 0; rest &= rest - 1) {
        const h = 31 - Math.clz32(rest & -rest);
        if (ready[h]! > from) from = ready[h]!;
        if (end[h]! > latestOpen) latestOpen = end[h]!;
      }
      ready[g] = from;
      end[g] = Math.max(from, latestOpen, open === 0 ? 0 : this.#cheapest(open, end, from)) + this.#load[g]!;
    }
  }

  /** The least start of a group's own work over all choices of which open dependencies share its part. */
  #cheapest(open: number, end: Float64Array, from: number): number {
    const o = this.#overhead;
    let inside = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let outside = open; ; ) {
      let last = -1;
      for (let rest = outside; rest !== 0; rest &= rest - 1) {
        const h = 31 - Math.clz32(rest & -rest);
        if (last === -1 || end[h]! > end[last]!) last = h;
      }
      const start = Math.max(from, last === -1 ? 0 : end[last]! + o) + inside;
      if (start < least) least = start;
      if (last === -1) return least;
      outside &= ~(1 << last);
      inside += this.#load[last]!;
    }
  }

  /** Follows the latest dependency back from `last`, a cut one `penalty` later, and notes the open edges on the way. */
  #walk({ label, cut }: Decisions, last: number, end: Float64Array, penalty: number, critical: Set<number>): void {
    const { from } = this.#graph;
    for (let g = last; ; ) {
      let chosen = -1;
      let latest = -1;
      for (let v = g; v < label.length; v++) {
        if (label[v] !== g) continue;
        for (const edge of this.#edgesInto[v]!) {
          const h = label[from[edge]!]!;
          if (h === g) continue;
          const arrival = end[h]! + (cut[edge] === 1 ? penalty : 0);
          if (arrival <= latest) continue;
          latest = arrival;
          chosen = edge;
        }
      }
      if (chosen === -1) return;
      if (cut[chosen] === 0) critical.add(chosen);
      g = label[from[chosen]!]!;
    }
  }

  #anyOpen({ label, cut }: Decisions, critical: Set<number>): void {
    const { from, to } = this.#graph;
    for (let edge = 0; edge < from.length && critical.size === 0; edge++) {
      if (cut[edge] === 0 && label[from[edge]!] !== label[to[edge]!]) critical.add(edge);
    }
  }
}
