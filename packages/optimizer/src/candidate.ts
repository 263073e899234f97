import { callNow, isCallbackError, isRecord, type PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";
import type { Partition } from "./partition.ts";
import { repair } from "./repair/repair.ts";
import { type Metrics, simulate } from "./simulate.ts";
import type { ProposeOptions, RuleStrategy } from "./strategy.ts";
import { type Violation, verify } from "./verify.ts";
import type { PartViolation } from "./verify-parts.ts";

/** A verified proposal with what it is predicted to cost. */
export interface Candidate {
  readonly strategy: RuleStrategy;
  readonly partition: Partition;
  readonly metrics: Metrics;
}

/**
 * Asks one strategy, verifies its answer and simulates it. Strategies need not know the limits of the environment: what is
 * beyond them is cut.
 * @throws OptimizerError `OPTIMIZER_INVALID_PARTITION` naming the strategy that proposed nonsense, `OPTIMIZER_INFEASIBLE`
 * when a part is beyond a limit that no cut brings it under.
 */
export function evaluate(
  strategy: RuleStrategy,
  view: PlanView,
  environment: ExecutionEnvironment,
  options: ProposeOptions,
): Candidate {
  let partition = propose(strategy, view, environment, options);
  let violations = verify(view, environment, partition);
  if (violations.length > 0 && violations.every(({ code }) => limitCodes.has(code))) {
    const { provedMs } = partition;
    partition = { ...repair(view, environment, partition).partition, ...(provedMs === undefined ? {} : { provedMs }) };
    violations = verify(view, environment, partition);
    if (violations.length > 0) throw infeasible(violations);
  }
  if (violations.length > 0) {
    throw new OptimizerError(
      OptimizerErrorCode.INVALID_PARTITION,
      `Strategy ${strategy.name} proposed no valid partition: ${violations.map((violation) => violation.message).join(" ")}`,
      { details: { strategy: strategy.name, violations } },
    );
  }
  return { strategy, partition, metrics: simulate(view, environment, partition) };
}

/** @throws OptimizerError `OPTIMIZER_INVALID_PARTITION` when the strategy throws or gives no partition at all */
function propose(
  strategy: RuleStrategy,
  view: PlanView,
  environment: ExecutionEnvironment,
  options: ProposeOptions,
): Partition {
  try {
    const expected = `a partition ({ part: Int32Array of ${view.n} numbers, count })`;
    return callNow(
      `${strategy.name}.propose`,
      () => strategy.propose(view, environment, options),
      expected,
      isPartition,
    );
  } catch (error) {
    if (!isCallbackError(error)) throw error;
    // Our own strategies, and the members of a portfolio, already say what is wrong.
    if (error.cause instanceof OptimizerError) throw error.cause;
    throw new OptimizerError(OptimizerErrorCode.INVALID_PARTITION, error.message, {
      details: { strategy: strategy.name, violations: [] },
      cause: error.cause ?? error,
    });
  }
}

function isPartition(value: unknown): value is Partition {
  return isRecord(value) && value.part instanceof Int32Array && Number.isInteger(value.count);
}

const limitCodes: ReadonlySet<Violation["code"]> = new Set<PartViolation["code"]>([
  "context-exceeded",
  "memory-exceeded",
  "affinity-mixed",
  "part-too-large",
  "no-executor",
]);

function infeasible(violations: readonly Violation[]): OptimizerError {
  return new OptimizerError(
    OptimizerErrorCode.INFEASIBLE,
    `Expected a grouping of which each subgraph fits into a dispatch: ${violations.map((violation) => violation.message).join(" ")} Raise the limit, make the task smaller, or try portfolio, which also puts tasks beside those whose outputs they read.`,
    { details: { violations } },
  );
}

/**
 * Asks the members of a strategy that are worth it for this plan, or the strategy itself; best first, at least one. All of
 * them share the deadline: once it has passed, no further member is asked.
 * A member whose grouping cannot be brought under the limits is left out.
 * @throws OptimizerError `OPTIMIZER_PLAN_TOO_LARGE` where none is for plans of this size, `OPTIMIZER_INFEASIBLE` where no member is left, and as `evaluate`.
 */
export function candidates(
  strategy: RuleStrategy,
  view: PlanView,
  environment: ExecutionEnvironment,
  options: ProposeOptions,
): Candidate[] {
  const largestOf = ({ largest = Number.POSITIVE_INFINITY }: RuleStrategy) => largest;
  const asked = strategy.members ?? [strategy];
  const worthwhile = asked.filter((member) => view.n <= largestOf(member));
  if (worthwhile.length === 0) {
    const largest = Math.max(0, ...asked.map(largestOf));
    throw new OptimizerError(
      OptimizerErrorCode.PLAN_TOO_LARGE,
      `Expected a plan of at most ${largest} tasks for ${strategy.name}, got ${view.n}. The portfolio takes plans of any size.`,
      { details: { strategy: strategy.name, tasks: view.n, largest } },
    );
  }
  const until = Date.now() + options.deadlineMs;
  const found: Candidate[] = [];
  let beyondLimits: OptimizerError | undefined;
  for (const member of worthwhile) {
    const deadlineMs = found.length === 0 ? options.deadlineMs : until - Date.now();
    if (deadlineMs <= 0) break;
    try {
      found.push(evaluate(member, view, environment, { ...options, deadlineMs }));
    } catch (error) {
      // A task that does not fit alone may fit beside the one whose output it reads: other members put them together.
      if (!(error instanceof OptimizerError) || error.code !== OptimizerErrorCode.INFEASIBLE) throw error;
      beyondLimits ??= error;
    }
  }
  if (found.length === 0 && beyondLimits !== undefined) throw beyondLimits;
  found.sort(compareCandidates);
  const left = until - Date.now();
  const better = left > 0 ? strategy.refine?.(view, environment, found, { ...options, deadlineMs: left }) : undefined;
  if (better === undefined) return found;
  const { name, description } = found[0]!.strategy;
  const refined = {
    ...strategy,
    name: `${name}, refined`,
    description: `${description}; then tasks were moved and subgraphs merged where that ends no later`,
  };
  return [{ strategy: refined, partition: better, metrics: simulate(view, environment, better) }, ...found].sort(
    compareCandidates,
  );
}

/** Orders candidates: shortest makespan, then fewest dispatches; equals stay in the order in which they were asked. */
export function compareCandidates(left: Candidate, right: Candidate): number {
  return left.metrics.makespanMs - right.metrics.makespanMs || left.metrics.dispatches - right.metrics.dispatches;
}
