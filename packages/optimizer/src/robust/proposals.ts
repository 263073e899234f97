import type { PlanView } from "@planloom/plan";
import { coarsened } from "../coarsened.ts";
import type { ExecutionEnvironment } from "../environment.ts";
import { OptimizerError } from "../errors.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { repair } from "../repair/repair.ts";
import { bspRounds } from "../strategies/bsp-rounds.ts";
import { chainFusion } from "../strategies/chain-fusion.ts";
import { components } from "../strategies/components.ts";
import { edgeZeroing } from "../strategies/edge-zeroing.ts";
import { gdca } from "../strategies/gdca.ts";
import { levelLpt } from "../strategies/level-lpt.ts";
import { perTask } from "../strategies/per-task.ts";
import { portfolio } from "../strategies/portfolio.ts";
import { scheduleCutEtf, scheduleCutHeft } from "../strategies/schedule-cut.ts";
import { single } from "../strategies/single.ts";
import type { ProposeOptions, RuleStrategy } from "../strategy.ts";
import { verify } from "../verify.ts";

/** Those that group more or less by what an executor or a dispatch is said to be worth. */
const scaled: readonly RuleStrategy[] = [levelLpt, bspRounds, gdca, scheduleCutHeft, scheduleCutEtf];
const fixed: readonly RuleStrategy[] = [perTask, chainFusion, components, single, edgeZeroing];
/** Smaller parts leave the dispatcher more to choose, which is what a part that takes long by chance calls for. */
const EXECUTORS = [1, 1.5, 2, 3, 4, 8];
const OVERHEADS = [1, 3];
/** Beyond so many tasks a strategy costs so much that it is asked less often. */
const OFTEN_TASKS = 150;
/** Tasks in a part at most. */
const SIZES = [2, 3, 4, 6, 8, 12];
const MERGED_TASKS = 300;

/**
 * Groupings from coarse to fine, each once and each valid: of every strategy as if there were more executors and dispatches dearer or cheaper, with parts cut to some size, and merged step by step.
 * @param options.evaluations an eighth of them may go into each of two chains of merges; the number of the other groupings is bounded.
 */
export function proposals(
  view: PlanView,
  environment: ExecutionEnvironment,
  options: ProposeOptions & { readonly evaluations: number },
): readonly Partition[] {
  const found = new Map<string, Partition>();
  const offer = ({ part, count }: Partition) => {
    // What is dispatched by priority makes the best of what happens; an order was made for the estimates.
    const key = part.join();
    if (found.has(key)) return;
    const partition = { part, count };
    const violations = verify(view, environment, partition);
    if (violations.length === 0) found.set(key, partition);
    else {
      const repaired = repair(view, environment, partition).partition;
      if (verify(view, environment, repaired).length === 0) found.set(repaired.part.join(), repaired);
    }
  };
  const ask = (strategy: RuleStrategy, where: ExecutionEnvironment) => {
    if (view.n > (strategy.largest ?? Number.POSITIVE_INFINITY)) return;
    try {
      offer(strategy.propose(view, where, options));
    } catch (error) {
      // No grouping of this one keeps the limits; others may.
      if (!(error instanceof OptimizerError)) throw error;
    }
  };
  for (const strategy of [portfolio, ...fixed]) ask(strategy, environment);
  const often = view.n <= OFTEN_TASKS;
  for (const strategy of scaled) {
    for (const executors of often ? EXECUTORS : EXECUTORS.filter((each) => Number.isInteger(Math.log2(each)))) {
      for (const overhead of often ? OVERHEADS : OVERHEADS.slice(0, 1))
        ask(strategy, scaledTo(environment, executors, overhead));
    }
  }
  const whole = [...found.values()];
  for (const partition of whole) for (const size of SIZES) offer(cut(view, partition, size));
  if (view.n <= MERGED_TASKS) {
    const chains = fromLabels(chainFusion.propose(view, environment, options).part);
    for (const start of [chains, whole[0]]) {
      if (start === undefined) continue;
      for (const coarser of coarsened(view, environment, start, options.evaluations / 8 / view.n)) offer(coarser);
    }
  }
  return [...found.values()];
}

function scaledTo(environment: ExecutionEnvironment, executors: number, overhead: number): ExecutionEnvironment {
  return {
    ...environment,
    executors: Number.isFinite(environment.executors)
      ? Math.ceil(environment.executors * executors)
      : environment.executors,
    overheadMs: environment.overheadMs * overhead,
  };
}

/** Each part cut, in topological order, into pieces of at most so many tasks: pieces of one topological order do not wait for each other. */
function cut(view: PlanView, { part, count }: Partition, size: number): Partition {
  const open = new Int32Array(count);
  const held = new Int32Array(count).fill(size);
  const label = new Int32Array(view.n);
  let next = 0;
  for (const v of view.topo) {
    const p = part[v]!;
    if (held[p]! >= size) {
      open[p] = next++;
      held[p] = 0;
    }
    held[p]!++;
    label[v] = open[p]!;
  }
  return fromLabels(label);
}
