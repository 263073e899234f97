import type { PlanView } from "@planloom/plan";
import { type ExecutionEnvironment, isLimited, isPlain } from "../environment.ts";
import type { Partition } from "../partition.ts";
import { seededRandom } from "../random.ts";
import { makespan, simulate } from "../simulate.ts";
import { verify } from "../verify.ts";
import { Moves } from "./moves.ts";
import { SequenceCost } from "./sequence-cost.ts";
import { slotsOf } from "./slots.ts";

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
  const ordered = environment.semantics !== "streaming" && isPlain(environment);
  const before = simulate(view, environment, start);
  if (n < 2 || before.makespanMs <= boundMs) return { partition: start, makespanMs: before.makespanMs, steps: 0 };
  const sequence = new SequenceCost(view, environment);
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
