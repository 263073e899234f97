import {
  checksOf,
  type OptionChecks,
  type PlannerTask,
  type PlanView,
  runRulesOf,
  type TaskData,
  type TaskDataInput,
  viewWithCosts,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { checkVariables } from "../check-variables.ts";
import { advance } from "../core/advance.ts";
import { createRunState, type RunState } from "../core/run-state.ts";
import { type SimulatedAttempt, type SimulatedWorld, simulateAttempts } from "../core/simulate.ts";
import { type Registry, registry } from "../executors/registry.ts";
import { invalid } from "../invalid-option.ts";
import { callLimits, makeLimits, taskGroups } from "../make-limits.ts";
import { checkNamedResources } from "../named-resources.ts";
import { runOptionChecks } from "../options/run-option-table.ts";
import { ruledRetry } from "../plan-run-rules.ts";
import { type Amounts, type Budget, type BudgetUnit, budgetUnits, nothing } from "../ports/amounts.ts";
import { checkBudgets } from "../ports/budget.ts";
import { retryDelay } from "../ports/retry.ts";
import { type RunOptions, readSettings, type Settings } from "../run-settings.ts";
import { joinRules } from "../task-execution/join-rule.ts";
import { runnablePlan } from "../task-execution/runnable-plan.ts";
import { type LimitedCalls, leastMs } from "../task-shape.ts";
import { describeTask, ownBehaviour, type TaskBehaviour } from "./describe-task.ts";
import { draw, seededRandom } from "./distribution.ts";
import { DrawnFlow, flowTasks } from "./draw-flow.ts";
import { type Behaviours, checkBehaviours } from "./learn-behaviour.ts";

/** What is tried in virtual time, and how often. */
export interface WhatIfOptions
  extends Pick<RunOptions, "executors" | "limits" | "retry" | "onFailure" | "budgets" | "variables"> {
  /** Tasks at once; several are compared. @default 4 */
  readonly concurrency?: number | readonly number[];
  /** What is known of resources and tasks; `learnBehaviours(journal)`. @default estimates, exactly */
  readonly behaviours?: Behaviours;
  /** Simulated runs for each concurrency, 1 to 100,000. @default 500 */
  readonly samples?: number;
  /** The same seed gives the same answer. @default 1 */
  readonly seed?: number;
}

const checks = {
  ...checksOf(runOptionChecks, ["executors", "limits", "retry", "onFailure", "budgets", "variables"]),
  concurrency: { either: ["count", "list"] },
  behaviours: "own",
  samples: "own",
  seed: "own",
} as const satisfies OptionChecks<WhatIfOptions>;

/** How the runs with one concurrency came out. */
export interface WhatIfScenario {
  readonly concurrency: number;
  /** Makespan, in milliseconds: half of the runs, and 95 of 100, take no longer. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly meanMs: number;
  /** Share of the runs in which some task failed for good. */
  readonly failureChance: number;
  /** Share of the runs that would spend more than `budgets.run` allows; by unit where it limits one. */
  readonly budgetChance: number;
  readonly overBudget: Readonly<Partial<Record<BudgetUnit, number>>>;
  /** Means of what a run spends. */
  readonly spends: Readonly<Amounts>;
}

/**
 * Runs the plan many times over in virtual time, by the core that also runs it really: with durations and failures drawn
 * from what is known, under the limits, priorities and retries that would hold. Waits hold no slot: a time is as the plan says, and when a signal comes or
 * a repeated call has what it is made for is drawn (`behaviours.tasks`, else `estimate_data`). Lengths of lists, conditions and branches are drawn, too
 * (`behaviours.tasks`, else `estimate_data`; without either, conditions hold and branches are equally likely); the elements of a list are under way
 * as many at once as it and the run allow, as if nothing else ran. Budgets are compared, not enforced, and
 * gates are open. Executes nothing. O(samples · (tasks + elements) · log tasks).
 * @throws RuntimeError INVALID_PLAN, INVALID_OPTION, DUPLICATE_RESOURCE
 */
export function whatIf(given: TaskDataInput, called: WhatIfOptions): { readonly scenarios: readonly WhatIfScenario[] } {
  checkOptions("`whatIf`", called, checks);
  const rules = runRulesOf(given);
  const retry = called.retry ?? (rules && ruledRetry(rules));
  const options = { ...called, onFailure: called.onFailure ?? rules?.onFailure, ...(retry && { retry }) };
  const { samples = 500, seed = 1, concurrency = rules?.concurrency ?? 4, budgets } = options;
  checkSampling(samples, seed, concurrency);
  if (budgets !== undefined) checkBudgets(budgets);
  checkBehaviours(options.behaviours);
  const { plan, view } = runnablePlan(given, options.variables);
  checkVariables(given, plan, options.variables);
  const known = registry(options.executors);
  checkNamedResources(options, known);
  const { behaviours: _, samples: __, seed: ___, concurrency: ____, ...ofRun } = options;
  const limitsOf = callLimits(readSettings({ ...ofRun, concurrency: 1 }).limits, known);
  const tasks = plan.planned_tasks.map((task) => describeTask(task, known, { ...options, limitsOf }));
  const simulated: SimulatedPlan = {
    ...{ tasks, known, plan },
    // Priorities go by what is expected, as they would in the run.
    view: viewWithCosts(view, { work: Float64Array.from(tasks, ({ expectedMs }) => expectedMs) }),
    flow: flowTasks(plan.planned_tasks, (id) => ownBehaviour(options.behaviours?.tasks, id)),
    joins: joinRules(plan.planned_tasks),
  };
  const counts = typeof concurrency === "number" ? [concurrency] : concurrency;
  const scenarios = counts.map((count) =>
    scenarioOf(simulated, readSettings({ ...ofRun, concurrency: count }), count, samples, seed, budgets?.run),
  );
  return { scenarios };
}

function checkSampling(samples: number, seed: number, concurrency: number | readonly number[]): void {
  if (!(Number.isInteger(samples) && samples >= 1 && samples <= 100_000)) {
    throw invalid("samples", "an integer from 1 to 100,000", samples);
  }
  if (!Number.isFinite(seed)) throw invalid("seed", "a number", seed);
  if (Array.isArray(concurrency) && concurrency.length === 0)
    throw invalid("concurrency", "a number or a list of them, not empty", concurrency);
}

/** A plan as it is simulated: with what is known of its tasks. */
interface SimulatedPlan {
  readonly plan: TaskData;
  readonly view: PlanView;
  readonly tasks: readonly TaskBehaviour[];
  readonly known: Registry;
  readonly flow: ReturnType<typeof flowTasks>;
  readonly joins: ReturnType<typeof joinRules>;
}

/** Simulates runs with `count` tasks at once. @param limit what one run may spend */
function scenarioOf(
  simulated: SimulatedPlan,
  settings: Settings,
  count: number,
  samples: number,
  seed: number,
  limit: Budget | undefined,
): WhatIfScenario {
  const { plan, flow } = simulated;
  const random = seededRandom(seed);
  const makespans = new Float64Array(samples);
  const over = nothing();
  const spends = nothing();
  let broken = 0;
  let failed = 0;
  const halts = Uint8Array.from(plan.planned_tasks, (task) =>
    (task.on_failure ?? settings.onFailure) === "halt" ? 1 : 0,
  );
  for (let sample = 0; sample < samples; sample++) {
    const state = stateOf(simulated, settings, halts);
    const drawn = flow && new DrawnFlow(flow, random);
    const spent = nothing();
    const { makespanMs } = simulateAttempts(state, new DrawnAttempts(simulated, drawn, spent, count, random));
    makespans[sample] = makespanMs;
    if (state.failed > 0) failed++;
    if (noteOver(spent, limit, over)) broken++;
    for (const unit of budgetUnits) spends[unit] += spent[unit];
  }
  makespans.sort();
  const limited = budgetUnits.filter((unit) => limit?.[unit] !== undefined);
  return {
    concurrency: count,
    p50Ms: quantile(makespans, 0.5),
    p95Ms: quantile(makespans, 0.95),
    meanMs: makespans.reduce((sum, ms) => sum + ms, 0) / samples,
    failureChance: failed / samples,
    budgetChance: broken / samples,
    overBudget: Object.fromEntries(limited.map((unit) => [unit, over[unit] / samples])),
    spends: means(spends, samples),
  };
}

/** The core of a run that begins, with what is completed already. */
function stateOf({ plan, view, joins, known }: SimulatedPlan, settings: Settings, halts: Uint8Array): RunState {
  const limits = makeLimits(settings, known);
  const state = createRunState(view, { limits, ...taskGroups(plan.planned_tasks, limits, known), halts, joins });
  for (const [task, { status }] of plan.planned_tasks.entries()) {
    if (status === "completed") advance(state, { type: "recorded", task });
  }
  return state;
}

/** What attempts of one simulated run come to, drawn from what is known. */
class DrawnAttempts implements SimulatedWorld {
  readonly #plan: SimulatedPlan;
  readonly #drawn: DrawnFlow | undefined;
  readonly #spent: Amounts;
  readonly #count: number;
  readonly #random: () => number;

  /**
   * @param drawn lengths, conditions and waits of the run, where the plan has any
   * @param spent gets what the attempts spend
   * @param count tasks at once
   */
  constructor(plan: SimulatedPlan, drawn: DrawnFlow | undefined, spent: Amounts, count: number, random: () => number) {
    this.#plan = plan;
    this.#drawn = drawn;
    this.#spent = spent;
    this.#count = count;
    this.#random = random;
  }

  attempt(task: number): SimulatedAttempt {
    const drawn = this.#drawn;
    if (drawn === undefined) return this.#once(this.#plan.tasks[task]!);
    if (!drawn.runs(task)) return { ms: 0, fails: false, skips: true };
    drawn.decide(task);
    const planned = this.#plan.plan.planned_tasks[task]!;
    if (planned.for_each !== undefined) return this.#list(task, planned.for_each, drawn);
    if (planned.wait !== undefined) return { ...waited, sleepsMs: drawn.waitMsOf(task) };
    return { ...this.#once(this.#plan.tasks[task]!), sleepsMs: drawn.waitMsOf(task) };
  }

  retryAfterMs(task: number, attempts: number): number | undefined {
    // Elements are tried again one by one, and not the list.
    if (this.#plan.plan.planned_tasks[task]!.for_each !== undefined) return undefined;
    return this.#delayMs(task, attempts);
  }

  #delayMs(task: number, attempts: number): number | undefined {
    const { policy } = this.#plan.tasks[task]!;
    return attempts < policy.max_attempts ? retryDelay(policy, attempts, this.#random) : undefined;
  }

  #once(behaviour: TaskBehaviour): { readonly ms: number; readonly fails: boolean } {
    const { duration, failureProbability, estimate, calls, slotMs } = behaviour;
    const spent = this.#spent;
    const ms = Math.max(0, draw(duration, this.#random));
    spent.calls += calls;
    spent.tokens += estimate?.tokens ?? 0;
    spent.cost += estimate?.cost ?? 0;
    spent.seconds += (slotMs || ms) / 1_000;
    return { ms, fails: failureProbability > 0 && this.#random() < failureProbability };
  }

  #list(task: number, forEach: NonNullable<PlannerTask["for_each"]>, drawn: DrawnFlow): SimulatedAttempt {
    const behaviour = this.#plan.tasks[task]!;
    const isWait = this.#plan.plan.planned_tasks[task]!.wait !== undefined;
    const held = { slotMs: 0, limited: new Map<string, LimitedCalls>() };
    const one = () => {
      if (isWait) return { ms: drawn.waitMsOf(task), fails: false };
      const element = behaviour.one?.(this.#random) ?? behaviour;
      held.slotMs += element.slotMs;
      for (const [name, { slotMs, limit }] of element.limited)
        held.limited.set(name, { limit, slotMs: (held.limited.get(name)?.slotMs ?? 0) + slotMs });
      const made = this.#once(element);
      return { ...made, ms: made.ms + drawn.waitMsOf(task) };
    };
    const items = drawn.itemsOf(task);
    const atOnce = Math.min(this.#count, behaviour.atOnce);
    const alone = simulateList(forEach, items, atOnce, one, (attempts) => this.#delayMs(task, attempts));
    // What several elements have under way at once shares the slots.
    const ms = Math.max(alone.ms, leastMs(held, this.#count));
    // All that its elements wait holds no slot, as long as all of them wait.
    const sleepsMs = ms * (isWait ? 1 : behaviour.sleepShare);
    return { ...alone, ms: ms - sleepsMs, sleepsMs };
  }
}

function means(sums: Amounts, samples: number): Amounts {
  for (const unit of budgetUnits) sums[unit] /= samples;
  return sums;
}

/** A task that only waits, once it has waited. */
const waited = { ms: 0, fails: false } as const;

/** The elements of a list, each as soon as one of the places is free; after too many failures no further one starts. */
function simulateList(
  { concurrency = Number.POSITIVE_INFINITY, on_failure = "all" }: NonNullable<PlannerTask["for_each"]>,
  items: number,
  atOnce: number,
  attempt: () => { readonly ms: number; readonly fails: boolean },
  retryAfterMs: (attempts: number) => number | undefined,
): { readonly ms: number; readonly fails: boolean } {
  const mayLose = on_failure === "all" ? 0 : on_failure === "collect" ? Number.POSITIVE_INFINITY : on_failure.first - 1;
  const freeAt = new Float64Array(Math.max(1, Math.min(items, concurrency, atOnce)));
  let lost = 0;
  let endMs = 0;
  for (let element = 0; element < items && lost <= mayLose; element++) {
    let place = 0;
    for (let other = 1; other < freeAt.length; other++) if (freeAt[other]! < freeAt[place]!) place = other;
    for (let attempts = 1; ; attempts++) {
      const { ms, fails } = attempt();
      freeAt[place]! += ms;
      if (!fails) break;
      const delayMs = retryAfterMs(attempts);
      if (delayMs === undefined) {
        lost++;
        break;
      }
      freeAt[place]! += delayMs;
    }
    endMs = Math.max(endMs, freeAt[place]!);
  }
  return { ms: endMs, fails: lost > mayLose };
}

/** Counts by unit what goes over; true when anything does. */
function noteOver(spent: Amounts, budget: Budget | undefined, over: Amounts): boolean {
  let any = false;
  for (const unit of budgetUnits) {
    if (spent[unit] <= (budget?.[unit] ?? Number.POSITIVE_INFINITY)) continue;
    over[unit]++;
    any = true;
  }
  return any;
}

/** The least value that `share` of them do not exceed. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
