import type { PlanView } from "@planloom/plan";
import { type ExecutionEnvironment, isLimited, isPlain } from "../environment.ts";
import type { Partition } from "../partition.ts";
import { seededRandom } from "../random.ts";
import { makespan, simulate } from "../simulate.ts";
import { verify } from "../verify.ts";
import { SequenceCost } from "./sequence-cost.ts";

export interface ImproveOptions {
  readonly seed: number;
  /** Changes to try. */
  readonly steps: number;
  /** `Date.now()` at which to stop. */
  readonly until: number;
  /** A makespan that cannot be beaten: reaching it ends the search. */
  readonly boundMs: number;
  /** How much longer, as a share of the makespan, a change may make it in the beginning. @default 0.03 */
  readonly heat?: number;
  readonly signal?: AbortSignal;
}

/**
 * Simulated annealing over sequences of parts: move a task, merge two parts, split one, put one elsewhere in the sequence.
 * No edge ever goes back in the sequence, so the quotient is acyclic by construction. Never worse than what it starts from.
 * Searches the dispatch order along with the grouping where that is kept (atomic dispatch on equal executors).
 * O(n + m) a step.
 */
export function improve(
  view: PlanView,
  environment: ExecutionEnvironment,
  start: Partition,
  { seed, steps, until, boundMs, heat: heatShare = 0.03, signal }: ImproveOptions,
): { partition: Partition; makespanMs: number; steps: number } {
  const { n } = view;
  const ordered = environment.semantics === "atomic" && isPlain(environment);
  const before = simulate(view, environment, start);
  if (n < 2 || before.makespanMs <= boundMs) return { partition: start, makespanMs: before.makespanMs, steps: 0 };
  const sequence = new SequenceCost(view, environment.executors, environment.overheadMs);
  const cost = (slot: Int32Array) => {
    if (ordered) return sequence.makespan(slot);
    const partition = compact(slot);
    sequence.dispatches = partition.count;
    return makespan(view, environment, partition);
  };
  const limited = isLimited(environment);
  const valid = (slot: Int32Array) => !limited || verify(view, environment, compact(slot)).length === 0;

  let current: Int32Array = slotsOf(view, start, before.schedule.startMs);
  let next: Int32Array = current.slice();
  let value = cost(current);
  let parts = sequence.dispatches;
  const best = { slot: current.slice(), value, parts };
  const random = seededRandom(seed);
  const moves = new Moves(view, random);
  const hot = heatShare * value;
  let taken = 0;
  let heat = hot;
  for (; taken < steps; taken++) {
    if ((taken & 31) === 0) {
      if (signal?.aborted === true || best.value <= boundMs) break;
      const now = Date.now();
      if (now >= until) break;
      heat = hot * (1 - taken / steps) ** 3;
      if (until !== Number.POSITIVE_INFINITY) moves.begun ??= now;
      if (moves.begun !== undefined)
        heat = Math.min(heat, hot * (1 - (now - moves.begun) / (until - moves.begun)) ** 3);
    }
    next.set(current);
    if (!moves.change(next)) continue;
    const candidate = cost(next);
    const dispatches = sequence.dispatches;
    // A dispatch less counts for a little, so that the search drifts towards fewer.
    const worse = candidate - value + (dispatches - parts) * 1e-4 * hot;
    if (worse > 0 && random() >= Math.exp(-worse / Math.max(heat, 1e-12))) continue;
    if (!valid(next)) continue;
    [current, next] = [next, current];
    value = candidate;
    parts = dispatches;
    if (value < best.value || (value === best.value && parts < best.parts)) {
      best.slot.set(current);
      best.value = value;
      best.parts = parts;
    }
  }
  const partition = ordered ? inOrder(best.slot, sequence) : compact(best.slot);
  const makespanMs = makespan(view, environment, partition);
  return makespanMs < before.makespanMs || (makespanMs === before.makespanMs && partition.count < start.count)
    ? { partition, makespanMs, steps: taken }
    : { partition: start, makespanMs: before.makespanMs, steps: taken };
}

/** The places of the parts in the order in which they started; of parts that start together those depended on first. */
function slotsOf(view: PlanView, { part, count }: Partition, startMs: Float64Array): Int32Array {
  const waits = new Int32Array(count);
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = part[view.out[edge]!]!;
      if (target !== part[v]) waits[target]!++;
    }
  }
  const tasks: number[][] = Array.from({ length: count }, () => []);
  for (let v = 0; v < view.n; v++) tasks[part[v]!]!.push(v);
  // Kahn by rounds keeps dependencies first; a stable sort by start then only moves parts that start later.
  const order: number[] = [];
  for (let p = 0; p < count; p++) if (waits[p] === 0) order.push(p);
  for (let at = 0; at < order.length; at++) {
    for (const v of tasks[order[at]!]!) {
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const target = part[view.out[edge]!]!;
        if (target !== part[v] && --waits[target]! === 0) order.push(target);
      }
    }
  }
  order.sort((left, right) => startMs[left]! - startMs[right]!);
  const place = new Int32Array(count);
  order.forEach((p, at) => {
    place[p] = at;
  });
  return part.map((p) => place[p]!);
}

function compact(slot: Int32Array): Partition {
  const number = new Int32Array(slot.length + 1).fill(-1);
  let count = 0;
  const part = slot.map((s) => {
    if (number[s] === -1) number[s] = count++;
    return number[s]!;
  });
  return { part, count };
}

/** The grouping with its parts to be dispatched in the order of their starts. */
function inOrder(slot: Int32Array, sequence: SequenceCost): Partition {
  sequence.makespan(slot);
  const { part, count } = compact(slot);
  const slotOf = new Int32Array(count);
  slot.forEach((s, v) => {
    slotOf[part[v]!] = s;
  });
  const { startMs } = sequence;
  const order = Int32Array.from({ length: count }, (_, p) => p).sort(
    (left, right) => startMs[slotOf[left]!]! - startMs[slotOf[right]!]! || slotOf[left]! - slotOf[right]!,
  );
  return { part, count, order };
}

/** Random changes of a sequence that leave no edge going back. */
class Moves {
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
