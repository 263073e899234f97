import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import type { EnvironmentAspect } from "./environment-aspects.ts";
import type { Partition } from "./partition.ts";

export interface ProposeOptions {
  /** For strategies that draw numbers; the same seed gives the same answer. */
  readonly seed: number;
  /**
   * Wall time the strategy may use, in milliseconds, for those that search or ask others. `Infinity`: as long as it takes, and
   * the same answer on every machine.
   */
  readonly deadlineMs: number;
  /**
   * What a search may spend, in place of a deadline and with the same answer on every machine: looking at one grouping of a plan of n tasks counts n. A
   * million are some 50 ms. @default as long as the deadline lets it
   */
  readonly evaluations?: number;
  readonly signal?: AbortSignal;
}

/**
 * One way to group a plan. A strategy only proposes: a custom one gets copies of plan and environment, and its answer is verified before it is used, so that
 * it can do no harm beyond its own running time.
 */
export interface OptimizerStrategy {
  /** Unique among the strategies of one optimizer. */
  readonly name: string;
  /** Changes when the same input may give another answer. */
  readonly version: string;
  /** What it does, as part of a sentence that explains a grouping to a reader: "each connected component is …". */
  readonly description: string;
  /** What of the environment its proposal goes by, for reports: with it they say what it ignores. @default not said */
  readonly regards?: readonly EnvironmentAspect[];
  /** The same input gives the same answer on every machine. */
  readonly deterministic: boolean;
  /** Another seed gives another answer. @default the opposite of `deterministic` */
  readonly seeded?: boolean;
  propose(view: PlanView, environment: ExecutionEnvironment, options: ProposeOptions): Partition | Promise<Partition>;
}

/** A grouping of a member, with its simulated makespan. */
export interface Grouped {
  readonly partition: Partition;
  readonly metrics: { readonly makespanMs: number };
}

/** A strategy that answers at once; what `ManualOptimizer` takes. */
export interface RuleStrategy extends OptimizerStrategy {
  /** Tasks up to which a portfolio asks it; beyond, it is not worth its time. @default Infinity */
  readonly largest?: number;
  /** The strategies it chooses among; absent in one that groups by itself. */
  readonly members?: readonly RuleStrategy[];
  /** What becomes of the groupings of its members, best first; `undefined` where nothing better does. @default the best of them is kept as it is */
  refine?(
    view: PlanView,
    environment: ExecutionEnvironment,
    sorted: readonly Grouped[],
    options: ProposeOptions,
  ): Partition | undefined;
  propose(view: PlanView, environment: ExecutionEnvironment, options: ProposeOptions): Partition;
}
