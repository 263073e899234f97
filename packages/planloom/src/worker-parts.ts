import type { BehaviorController } from "@planloom/controller";
import type { Bind, Executor, Resource } from "@planloom/plan";
import { bindWith, type PlannerEvent } from "@planloom/planner";
import type { Journal, SharedLimits } from "@planloom/runtime";
import { defaultController } from "./default-controller.ts";
import { executorsOf } from "./executors-of.ts";
import { checkPlanloomOptions } from "./instance-checks.ts";
import { sharedLimitsOf } from "./instance-limits.ts";
import { limitsRuns, type PlanloomOptions } from "./planloom-options.ts";
import { stage2Settings } from "./planner-settings.ts";
import { planningClock } from "./planning-clock.ts";
import { resourceList } from "./resource-list.ts";
import { watchedOptions } from "./telemetry/watched.ts";

/** What the module of a worker process exports. */
export interface WorkerParts {
  readonly executors: readonly Executor[];
  /** Stage 2, for tasks that name no resource or lack arguments. */
  readonly bind: Bind;
  /** Awaited before the end of a subgraph is reported: the process may be ended after that. */
  readonly flush?: () => Promise<void>;
}

/**
 * What a worker process needs of the options of a `Planloom`, for the module that `childProcessDispatcher` names:
 * `export const { executors, bind } = workerParts(options)`. Limits, budgets, gates, secrets and the journal stay with the process of the run, which is
 * asked before each call.
 * @throws PlanloomError OPTION, RuntimeError INVALID_DEFINITION as `Planloom`
 */
export function workerParts(given: PlanloomOptions): WorkerParts {
  checkPlanloomOptions(given);
  const options = watchedOptions(given);
  const { telemetry } = options;
  const { executors } = executorsOf(options);
  const controller = options.controller ?? defaultController(options);
  const watched = telemetry === undefined ? controller : telemetry.controller(controller);
  return {
    executors,
    bind: bindingOf(options, watched, resourceList(executors)),
    ...(telemetry?.flush !== undefined && { flush: () => telemetry.flush!() }),
  };
}

/**
 * The limits of all runs, as the options of a `Planloom` have them, for a worker that continues runs whose process is gone (option `shared` of `postgresWorker`). With
 * `limitScope: "journal"` it counts with all processes of that journal, otherwise it counts the runs that the worker continues. Close it after the worker.
 * @returns undefined where the options limit nothing
 * @throws PlanloomError OPTION, RuntimeError INVALID_OPTION
 */
export function workerLimits(options: PlanloomOptions, journal: Journal): SharedLimits | undefined {
  checkPlanloomOptions(options);
  if (!limitsRuns(options)) return undefined;
  return sharedLimitsOf(options, () => Promise.resolve(journal));
}

/** Stage 2 as the options of an instance have it. */
export function bindingOf(
  options: PlanloomOptions,
  controller: BehaviorController,
  resources: () => readonly Resource[],
  onEvent?: (event: PlannerEvent) => void,
): Bind {
  const bind = bindWith({
    ...planningClock(options),
    ...stage2Settings(options.planner),
    controller,
    resources,
    ...(onEvent !== undefined && { onEvent }),
  });
  return options.telemetry === undefined ? bind : options.telemetry.bind(bind);
}
