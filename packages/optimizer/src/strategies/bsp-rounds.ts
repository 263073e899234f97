import type { PlanView } from "@planloom/plan";
import { keepBest } from "../clustering/keep-best.ts";
import { bottomLevels, byFalling } from "../clustering/levels.ts";
import type { ExecutionEnvironment } from "../environment.ts";
import { simulatedAspects } from "../environment-aspects.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { PriorityHeap } from "../priority-heap.ts";
import type { RuleStrategy } from "../strategy.ts";

/** More bins than this in one round are never opened. */
const MOST_BINS = 256;

/**
 * Supersteps (after OneStopParallel, Papp et al., SPAA 2024, with a dispatch as the price of a superstep): in each round
 * every executor gets one subgraph, filled up to a given amount of work with free tasks and with tasks whose inputs are
 * all in that subgraph or in earlier rounds. Many amounts are tried, from an even share of the whole down to single tasks,
 * with as many bins as there are executors or half of them, and the simulator chooses. Subgraphs of one round never
 * depend on each other, so the quotient is acyclic. O((n + m) log n) a trial, O(log n) trials.
 */
export const bspRounds: RuleStrategy = {
  name: "bsp-rounds",
  version: "1",
  description: "executors are loaded in rounds, with whatever needs nothing from one another in the round",
  regards: simulatedAspects,
  deterministic: true,
  largest: 32_768,
  propose(view, environment) {
    return keepBest(view, environment, trials(view, environment));
  },
};

function* trials(view: PlanView, environment: ExecutionEnvironment): Iterable<Partition> {
  const { n } = view;
  if (n === 0) return;
  let total = 0;
  let longest = 0;
  for (const work of view.work) {
    total += work;
    longest = Math.max(longest, work);
  }
  const before = byFalling(view, bottomLevels(view, new Float64Array(n)));
  const most = Math.min(environment.executors, n, MOST_BINS);
  const widths = new Set([most, Math.ceil(most / 2)]);
  for (const bins of widths) {
    yield rounds(view, before, bins, Number.POSITIVE_INFINITY);
    for (let share = total / bins; share > total / n / 2; share /= 1.5) yield rounds(view, before, bins, share);
    yield rounds(view, before, bins, longest);
  }
}

/** Tasks that are free for everyone, those free in one bin, and what every bin holds so far. */
function rounds(
  view: PlanView,
  before: (left: number, right: number) => boolean,
  bins: number,
  capacity: number,
): Partition {
  const { n } = view;
  const waits = Int32Array.from({ length: n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  // Where the inputs of a task are that are in the current round: a bin, -1 nowhere, -2 in several.
  const inputsIn = new Int32Array(n).fill(-1);
  const shared = new PriorityHeap(before);
  const later: number[] = [];
  const local = Array.from({ length: bins }, () => new PriorityHeap(before));
  const load = new Float64Array(bins);
  const label = new Int32Array(n);
  for (let v = 0; v < n; v++) if (waits[v] === 0) shared.push(v);
  let placed = 0;
  const touched: number[] = [];
  const put = (v: number, bin: number, part: number) => {
    label[v] = part;
    load[bin]! += view.work[v]!;
    placed++;
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const next = view.out[edge]!;
      if (inputsIn[next] === -1) {
        inputsIn[next] = bin;
        touched.push(next);
      } else if (inputsIn[next] !== bin) inputsIn[next] = -2;
      if (--waits[next]! > 0) continue;
      if (inputsIn[next] === bin) local[bin]!.push(next);
      else later.push(next);
    }
  };
  for (let round = 0; placed < n; round++) {
    load.fill(0);
    const open = new PriorityHeap(
      (left, right) => load[left]! < load[right]! || (load[left] === load[right] && left < right),
    );
    for (let bin = 0; bin < bins; bin++) open.push(bin);
    for (let bin = open.pop(); bin !== undefined; bin = open.pop()) {
      const own = local[bin]!.peek();
      const free = shared.peek();
      const v = own === undefined || (free !== undefined && before(free, own)) ? free : own;
      if (v === undefined) continue;
      // Every bin takes at least one task, however long, so a round is never empty.
      if (load[bin]! > 0 && load[bin]! + view.work[v]! > capacity) {
        if (own === undefined || v === own || load[bin]! + view.work[own]! > capacity) continue;
        local[bin]!.pop();
        put(own, bin, round * bins + bin);
      } else {
        if (v === own) local[bin]!.pop();
        else shared.pop();
        put(v, bin, round * bins + bin);
      }
      open.push(bin);
    }
    for (const each of local) for (let v = each.pop(); v !== undefined; v = each.pop()) shared.push(v);
    for (const v of later.splice(0)) shared.push(v);
    for (const v of touched.splice(0)) inputsIn[v] = -1;
  }
  return compact(label);
}

/** Labels may exceed the number of tasks where rounds leave bins empty. */
function compact(label: Int32Array): Partition {
  const number = new Map<number, number>();
  for (let v = 0; v < label.length; v++) {
    const known = number.get(label[v]!) ?? number.size;
    number.set(label[v]!, known);
    label[v] = known;
  }
  return fromLabels(label);
}
