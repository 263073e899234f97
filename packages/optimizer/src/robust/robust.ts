import type { PlanView } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { canonicalPlan } from "../canonical-plan.ts";
import { checkOptions } from "../check-options.ts";
import type { ExecutionEnvironment } from "../environment.ts";
import { simulatedAspects } from "../environment-aspects.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { seededRandom } from "../random.ts";
import { Moves } from "../search/moves.ts";
import { slotsOf } from "../search/slots.ts";
import { simulate } from "../simulate.ts";
import { portfolio } from "../strategies/portfolio.ts";
import type { ProposeOptions, RuleStrategy } from "../strategy.ts";
import { verify } from "../verify.ts";
import { proposals } from "./proposals.ts";
import { Race, type Runner } from "./race.ts";
import { scenarios } from "./scenarios.ts";
import { checkRobust, type RobustOptions, robustChecks } from "./uncertainty.ts";

/** Task evaluations that are spent where nothing else is asked for: a second or so, and some three at 2,500 tasks. A third of them was 0.3 % slower in the mean. */
const defaultEvaluations = (tasks: number) => Math.max(12_000_000, 8000 * tasks);
/** What a race costs a runner, in simulations: a round costs as much as the one before, with half of the runners in twice as many scenarios. */
const RACE_SIMULATIONS = 24;
/** Groupings that are changed further. */
const FINALISTS = 4;

/**
 * A strategy that groups for durations that are not what they were estimated at: of many groupings, coarse and fine, it keeps that of the least risk over
 * scenarios, by successive halving, and changes it at random while that lowers the risk. All groupings meet the same scenarios (common random numbers, in mirrored
 * pairs), one that is worse in the first of them is not simulated in the others. What is kept is better than one dispatch a task by more than chance
 * explains, in scenarios that it was not chosen in; else it is that. Without any spread it is `portfolio`.
 * @throws OptimizerError `OPTIMIZER_OPTION`, `OPTIMIZER_INPUT`
 */
export function robustStrategy(options: RobustOptions = {}): RuleStrategy {
  checkOptions("`robustStrategy`", options, robustChecks);
  checkRobust(options);
  return {
    name: "robust",
    version: "1",
    description: "of many groupings, coarse and fine, the one that ends soonest when durations are not as estimated",
    regards: [...simulatedAspects, "limits"],
    deterministic: true,
    largest: 2500,
    propose: (view, environment, how) => propose(view, environment, how, options),
  };
}

/** With the spread of a model's calls (a sigma of 1) for every task, by the mean. */
export const robust: RuleStrategy = robustStrategy();

function propose(
  plan: PlanView,
  environment: ExecutionEnvironment,
  how: ProposeOptions,
  { uncertainty = {}, risk = "mean", scenarios: count = 128 }: RobustOptions,
): Partition {
  const { sigma = 1, samples, draw } = uncertainty;
  if (plan.n < 2 || (sigma === 0 && samples === undefined && draw === undefined))
    return withoutProof(portfolio.propose(plan, environment, how));
  const { view, enter, leave } = canonicalPlan(plan);
  const ids = new Array<string>(plan.n);
  const position = canonicalOrder(plan);
  for (let v = 0; v < plan.n; v++) ids[position[v]!] = plan.ids[v]!;
  const until = Date.now() + how.deadlineMs;
  const { evaluations = defaultEvaluations(plan.n) } = how;
  const race = new Race(view, environment, scenarios(view, ids, uncertainty, count, 2 * how.seed), risk);
  const found = proposals(view, environment, { ...how, evaluations, deadlineMs: Math.max(1, until - Date.now()) });
  const entered = spread(found, Math.max(2 * FINALISTS, evaluations / 2 / RACE_SIMULATIONS / plan.n));
  const runners = entered.map((partition): Runner => ({ partition, makespans: [] }));
  const singly = found.find(({ count }) => count === plan.n);
  const finalists = race.halve(runners, FINALISTS);
  let best = finalists[0] ?? { partition: enter(portfolio.propose(plan, environment, how)), makespans: [] };
  for (const [at, start] of finalists.entries()) {
    const budget = race.spent + (evaluations - race.spent) / (finalists.length - at);
    const changed = improved(view, environment, race, start, { count, until, budget, seed: how.seed + at });
    if (race.isBetter(changed, best, count)) best = changed;
  }
  if (singly === undefined || best.partition === singly) return leave(best.partition);
  // The best of many in some scenarios may owe that to them, so it has to be so in others.
  const fresh = new Race(view, environment, scenarios(view, ids, uncertainty, 2 * count, 2 * how.seed + 1), risk);
  const again = (partition: Partition): Runner => ({ partition, makespans: [] });
  const [own, one] = [again(best.partition), again(singly)];
  const { mean, error } = fresh.difference(own, one, 2 * count);
  const safe = mean <= -error || (mean <= 0 && error === 0);
  const lessRisk = risk === "mean" || fresh.risk(own, 2 * count) <= fresh.risk(one, 2 * count);
  return leave((risk === "mean" ? safe : lessRisk) ? best.partition : singly);
}

/** At most so many, evenly from all of them, the first among them. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.ceil(all.length / step) }, (_, at) => all[Math.floor(at * step)]!);
}

/** A bound that was proved for the estimates says nothing of what was asked. */
function withoutProof({ provedMs: _, ...partition }: Partition): Partition {
  return partition;
}

/** Random changes (move, merge, split), each kept where it lowers the risk. */
function improved(
  view: PlanView,
  environment: ExecutionEnvironment,
  race: Race,
  start: Runner,
  { count, until, budget, seed }: { count: number; until: number; budget: number; seed: number },
): Runner {
  const moves = new Moves(view, seededRandom(seed + 1));
  let best = start;
  let slot = slotsOf(view, start.partition, simulate(view, environment, start.partition).schedule.startMs);
  // Few scenarios to look, all of them to compare in the end.
  const few = Math.max(16, count >> 2);
  for (let misses = 0; race.spent < budget && misses < 40 * view.n && Date.now() < until; misses++) {
    const next = slot.slice();
    if (!moves.change(next)) continue;
    const partition = fromLabels(next);
    if (verify(view, environment, partition).length > 0) continue;
    const runner: Runner = { partition, makespans: [] };
    if (!race.isBetter(runner, best, few)) continue;
    best = runner;
    slot = next;
    misses = 0;
  }
  return race.isBetter(best, start, count) ? best : start;
}
