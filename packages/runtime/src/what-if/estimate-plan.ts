import {
  type EstimateData,
  type Executor,
  isDecidedByConditions,
  type OptionChecks,
  type PlannerTask,
  resourcePin,
  type TaskData,
  wholeReference,
  withInnerTasks,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { asDefinitionError } from "../edge/as-definition-error.ts";
import { estimateOf } from "../estimate-of.ts";
import { registry } from "../executors/registry.ts";
import { resourceEntry } from "../executors/resource-entry.ts";
import type { Distribution } from "./distribution.ts";
import { type Behaviour, type Behaviours, checkBehaviours } from "./learn-behaviour.ts";

/** Where the durations of an estimated plan are from, as numbers of tasks. */
export interface EstimateSources {
  /** The plan itself says it. */
  readonly planned: number;
  /** Learned from earlier runs of the task's resource. */
  readonly learned: number;
  /** The resource or its executor says it. */
  readonly declared: number;
  /** Nothing is known: such a task counts as one second. */
  readonly assumed: number;
  /** Lists of unknown length: such a list counts as ten elements. Absent where there are none. */
  readonly assumedLists?: number;
}

/** A plan whose tasks say how long they are expected to take, as far as that is known. */
export interface EstimatedPlan {
  readonly plan: TaskData;
  readonly sources: EstimateSources;
  /** What earlier runs of the resource took, in milliseconds, by the ids of the tasks whose durations were learned; for a grouping that looks at their spread. */
  readonly samples: Readonly<Record<string, readonly number[]>>;
}

export interface EstimatePlanOptions {
  /** Those whose own estimates count. None: only those of the plan and of earlier runs do. */
  readonly executors: readonly Executor[];
  /** `learnBehaviours(journal)`. @default nothing was learned */
  readonly behaviours?: Behaviours | undefined;
}

const checks = {
  executors: { required: "list" },
  behaviours: "own",
} as const satisfies OptionChecks<EstimatePlanOptions>;

/**
 * Gives each task of a plan the duration that is best known of it: its own estimate, else the mean of what its resource took in earlier runs, else the
 * estimate of its executor. The plan handed in is not changed; a task about which nothing is known stays as it is. O(tasks).
 * @throws RuntimeError INVALID_OPTION, INVALID_DEFINITION, DUPLICATE_RESOURCE; PlanError CALLBACK where an executor's `estimate` throws
 */
export function estimatePlan(plan: TaskData, options: EstimatePlanOptions): EstimatedPlan {
  checkOptions("`estimatePlan`", options, checks);
  const { executors, behaviours } = options;
  checkBehaviours(behaviours);
  const known = registry(executors);
  const sources = { planned: 0, learned: 0, declared: 0, assumed: 0 };
  const learned = new Map(Object.entries(behaviours?.resources ?? {}));
  const samples = new Map<string, readonly number[]>();
  const estimate = (task: PlannerTask): EstimateData | undefined => {
    const entry = resourceEntry(task, known);
    const declared = asDefinitionError(() => estimateOf(task, entry, task.arguments));
    // A plan may be estimated without its executors: what earlier runs took goes by the name of the resource alone.
    const uid = entry?.resource.id ?? resourcePin(task).uid;
    const seen = uid === undefined ? undefined : learnedEstimate(learned.get(uid));
    if (task.estimate_data?.duration_ms !== undefined) sources.planned++;
    else if (seen !== undefined) {
      sources.learned++;
      const { duration } = learned.get(uid!)!;
      if (duration?.type === "samples") samples.set(task.task_id, duration.ms);
    } else if (declared?.duration_ms !== undefined) sources.declared++;
    else sources.assumed++;
    return seen === undefined ? declared : { ...declared, ...seen, ...task.estimate_data };
  };
  const ofTasks = new Map(Object.entries(behaviours?.tasks ?? {}));
  const estimated = (task: PlannerTask): PlannerTask => {
    if (task.for_each?.tasks !== undefined) {
      const tasks = task.for_each.tasks.map(estimated);
      const flow = flowEstimate(task, ofTasks.get(task.task_id), plan);
      return {
        ...task,
        for_each: { ...task.for_each, tasks },
        ...(flow && { estimate_data: { ...flow, ...task.estimate_data } }),
      };
    }
    if (isDecidedByConditions(task)) return task;
    if (task.wait !== undefined) return withWait(task, ofTasks.get(task.task_id));
    const own = estimate(task);
    const flow = flowEstimate(task, ofTasks.get(task.task_id), plan);
    return own === undefined && flow === undefined ? task : { ...task, estimate_data: { ...flow, ...own } };
  };
  const planned_tasks = plan.planned_tasks.map(estimated);
  const assumedLists = withInnerTasks(planned_tasks).filter(isOfUnknownLength).length;
  return {
    plan: { ...plan, planned_tasks },
    sources: { ...sources, ...(assumedLists > 0 && { assumedLists }) },
    samples: Object.fromEntries(samples),
  };
}

const isOfUnknownLength = ({ for_each, estimate_data }: PlannerTask): boolean =>
  for_each !== undefined && !Array.isArray(for_each.items) && estimate_data?.items === undefined;

/** The wait as long as it was in the mean in earlier runs, where the plan does not say how long it is. */
function withWait(task: PlannerTask, { waitMs }: Behaviour = {}): PlannerTask {
  const known = estimateOf(task, undefined, {})?.duration_ms;
  const mean = waitMs && waitMs.reduce((sum, each) => sum + each, 0) / waitMs.length;
  const duration_ms = known ?? mean;
  return duration_ms === undefined ? task : { ...task, estimate_data: { ...task.estimate_data, duration_ms } };
}

/** How long its list is and whether its condition holds, as earlier runs and the plan's variables say. */
function flowEstimate(
  { for_each, when }: PlannerTask,
  { items, runProbability }: Behaviour = {},
  { variables }: TaskData,
): EstimateData | undefined {
  const reference = typeof for_each?.items === "string" ? wholeReference(for_each.items) : undefined;
  const isVariable = reference?.path.length === 0 && Object.hasOwn(variables ?? {}, reference.name);
  const list = isVariable ? variables?.[reference.name] : undefined;
  const mean = items && items.reduce((sum, each) => sum + each, 0) / items.length;
  const length = Array.isArray(list) ? list.length : mean;
  const flow: EstimateData = {
    ...(for_each !== undefined && length !== undefined && { items: length }),
    ...(when !== undefined && runProbability !== undefined && { run_probability: runProbability }),
  };
  return Object.keys(flow).length === 0 ? undefined : flow;
}

function learnedEstimate({ duration, failureProbability }: Behaviour = {}): EstimateData | undefined {
  const duration_ms = duration && meanOf(duration);
  if (duration_ms === undefined) return undefined;
  return { duration_ms, ...(failureProbability !== undefined && { failure_probability: failureProbability }) };
}

function meanOf(distribution: Distribution): number {
  switch (distribution.type) {
    case "constant":
      return distribution.ms;
    case "uniform":
      return (distribution.minMs + distribution.maxMs) / 2;
    case "lognormal":
      return distribution.medianMs * Math.exp(distribution.sigma ** 2 / 2);
    case "samples":
      return distribution.ms.reduce((sum, ms) => sum + ms, 0) / distribution.ms.length;
    default:
      return distribution satisfies never;
  }
}
