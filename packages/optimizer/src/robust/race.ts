import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import type { Partition } from "../partition.ts";
import { makespan } from "../simulate.ts";
import { riskOf } from "./risk.ts";
import type { Risk } from "./uncertainty.ts";

/** A grouping with its makespans in the scenarios that it was simulated in so far, the first ones. */
export interface Runner {
  readonly partition: Partition;
  readonly makespans: number[];
}

/** Simulates groupings in scenarios, each at most once in each, and counts what that costs. */
export class Race {
  readonly #view: PlanView;
  readonly #environment: ExecutionEnvironment;
  readonly #scenarios: readonly Float64Array[];
  readonly #risk: Risk;
  /** Simulations times tasks. */
  spent = 0;

  constructor(view: PlanView, environment: ExecutionEnvironment, scenarios: readonly Float64Array[], risk: Risk) {
    this.#view = view;
    this.#environment = environment;
    this.#scenarios = scenarios;
    this.#risk = risk;
  }

  /** The risk over the first `count` scenarios. */
  risk({ partition, makespans }: Runner, count: number): number {
    while (makespans.length < count) {
      makespans.push(makespan(this.#view, this.#environment, partition, { work: this.#scenarios[makespans.length]! }));
      this.spent += this.#view.n;
    }
    return riskOf(Float64Array.from(makespans.slice(0, count)), this.#risk);
  }

  /**
   * Whether a grouping is less of a risk than another over the first `count` scenarios. Looks at a quarter of them first: where it is much worse there, by the
   * spread of the differences, the others are not simulated.
   */
  isBetter(runner: Runner, than: Runner, count: number): boolean {
    const some = Math.max(8, count >> 2);
    if (some < count) {
      this.risk(runner, some);
      const { mean, error } = this.difference(runner, than, some);
      if (mean > 2 * error && mean > 0) return false;
    }
    const [own, other] = [this.risk(runner, count), this.risk(than, count)];
    return own < other || (own === other && runner.partition.count < than.partition.count);
  }

  /** By how much longer a grouping takes than another in the same scenarios, and the standard error of that. */
  difference(runner: Runner, than: Runner, count: number): { mean: number; error: number } {
    this.risk(runner, count);
    this.risk(than, count);
    let sum = 0;
    let squares = 0;
    for (let at = 0; at < count; at++) {
      const own = runner.makespans[at]! - than.makespans[at]!;
      sum += own;
      squares += own * own;
    }
    const mean = sum / count;
    return { mean, error: Math.sqrt(Math.max(0, squares / count - mean * mean) / count) };
  }

  /** Half of the runners leave at every round, in which the rest is simulated in twice as many scenarios. @returns those that are left, best first. */
  halve(runners: readonly Runner[], left: number): Runner[] {
    let rest = [...runners];
    for (let count = 8; ; count = Math.min(2 * count, this.#scenarios.length)) {
      const scored = rest.map((runner) => ({ runner, risk: this.risk(runner, count) }));
      scored.sort((one, two) => one.risk - two.risk || one.runner.partition.count - two.runner.partition.count);
      const keep = Math.max(left, Math.ceil(scored.length / 2));
      rest = scored.slice(0, keep).map(({ runner }) => runner);
      if (rest.length <= left && count * 2 > this.#scenarios.length) return rest;
      if (count === this.#scenarios.length) return rest.slice(0, left);
    }
  }
}
