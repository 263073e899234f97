import {
  DEFAULT_TASK_MS,
  type EstimateData,
  isDecidedByConditions,
  type PlannerTask,
  resourcePin,
  withInnerTasks,
} from "@planloom/plan";
import { asDefinitionError } from "../edge/as-definition-error.ts";
import { estimateOf } from "../estimate-of.ts";
import type { Registry, RegistryEntry } from "../executors/registry.ts";
import { resourceEntry } from "../executors/resource-entry.ts";
import { retryPolicy } from "../ports/retry.ts";
import type { RunOptions } from "../run-settings.ts";
import { type LimitedCalls, type ShapeOptions, type TaskShape, taskShape } from "../task-shape.ts";
import { type Distribution, seededRandom } from "./distribution.ts";
import { DrawnElements } from "./draw-element.ts";
import type { Behaviour, Behaviours } from "./learn-behaviour.ts";

/** How the attempts of one task go in virtual time. */
export interface TaskBehaviour {
  readonly duration: Distribution;
  readonly expectedMs: number;
  readonly failureProbability: number;
  readonly estimate: EstimateData | undefined;
  /** Of one attempt; of a list, in one element. */
  readonly calls: number;
  readonly policy: ReturnType<typeof retryPolicy>;
  /** The share of an element's time in which none of its own tasks holds a slot. */
  readonly sleepShare: number;
  /** How long all calls of an element's own tasks hold a slot, and how long those that have a limit do. 0 for any other task. */
  readonly slotMs: number;
  readonly limited: TaskShape["limited"];
  /** Calls of the task's resource at once. */
  readonly atOnce: number;
  /** One element, where it is drawn for each of them which of its tasks are executed; all else says what is expected of one. */
  readonly one?: (random: () => number) => TaskBehaviour;
}

/** What one attempt of a task is expected to take and use: as earlier runs say, else as its resource or the plan estimates it. */
export function describeTask(task: PlannerTask, known: Registry, options: DescribeOptions): TaskBehaviour {
  const { behaviours, retry } = options;
  if (isDecidedByConditions(task)) return { ...instant, policy: { max_attempts: 1 } };
  if (task.for_each?.tasks !== undefined) return describeElement(task, task.for_each.tasks, known, options);
  const entry = resourceEntry(task, known);
  const estimate = asDefinitionError(() => estimateOf(task, entry, task.arguments));
  const own = ownBehaviour(behaviours?.tasks, task.task_id);
  const ofResource = entry && ownBehaviour(behaviours?.resources, entry.resource.id);
  const expectedMs = estimate?.duration_ms ?? DEFAULT_TASK_MS;
  const once = { max_attempts: task.retry?.max_attempts ?? retry?.max_attempts ?? 1 };
  return {
    duration: own?.duration ?? ofResource?.duration ?? { type: "constant", ms: expectedMs },
    expectedMs,
    failureProbability: own?.failureProbability ?? ofResource?.failureProbability ?? estimate?.failure_probability ?? 0,
    estimate,
    calls: task.wait === undefined ? 1 : 0,
    policy: entry === undefined ? once : retryPolicy(task, entry.resource, retry, undefined, "other"),
    sleepShare: 0,
    slotMs: 0,
    limited: new Map(),
    atOnce: Math.min(Number.POSITIVE_INFINITY, ...callLimitsOf(task, entry, options).values()),
  };
}

interface DescribeOptions extends Pick<RunOptions, "retry"> {
  readonly behaviours?: Behaviours | undefined;
  readonly limitsOf: ShapeOptions["limitsOf"];
}

function callLimitsOf(task: PlannerTask, entry: RegistryEntry | undefined, { limitsOf }: DescribeOptions) {
  const pin = resourcePin(task);
  return limitsOf(entry?.resource.kind ?? pin.kind, entry?.resource.id ?? pin.uid);
}

const instant = {
  duration: { type: "constant", ms: 0 },
  expectedMs: 0,
  failureProbability: 0,
  estimate: undefined,
  calls: 0,
  sleepShare: 0,
  slotMs: 0,
  limited: new Map(),
  atOnce: Number.POSITIVE_INFINITY,
} as const;

/** One element of a list with tasks of its own: which of them are executed is drawn where they have conditions or decide between branches. */
function describeElement(
  task: PlannerTask,
  inner: readonly PlannerTask[],
  known: Registry,
  options: DescribeOptions,
): TaskBehaviour {
  const drawn = DrawnElements.of(inner, (id) => ownBehaviour(options.behaviours?.tasks, id));
  if (drawn === undefined) return describeElementOf(task, inner, known, options);
  const made = new Map<string, TaskBehaviour>();
  const one = (random: () => number) => {
    const { tasks, key } = drawn.draw(random);
    const before = made.get(key);
    if (before !== undefined) return before;
    const behaviour = describeElementOf(task, tasks, known, options);
    if (made.size < mostKept) made.set(key, behaviour);
    return behaviour;
  };
  const random = seededRandom(1);
  return { ...meanOf(Array.from({ length: drawsOfMean }, () => one(random))), one };
}

/** Most different elements that are remembered. */
const mostKept = 1_000;
/** Elements whose mean is what is expected of one. */
const drawsOfMean = 200;

function meanOf(drawn: readonly TaskBehaviour[]): TaskBehaviour {
  const mean = (amount: (one: TaskBehaviour) => number) =>
    drawn.reduce((sum, one) => sum + amount(one), 0) / drawn.length;
  const expectedMs = mean((one) => one.expectedMs);
  const limited = new Map<string, LimitedCalls>();
  for (const [name, { slotMs, limit }] of drawn.flatMap((one) => [...one.limited]))
    limited.set(name, { limit, slotMs: (limited.get(name)?.slotMs ?? 0) + slotMs / drawn.length });
  return {
    ...drawn[0]!,
    duration: { type: "constant", ms: expectedMs },
    expectedMs,
    failureProbability: mean((one) => one.failureProbability),
    estimate: { tokens: mean((one) => one.estimate?.tokens ?? 0), cost: mean((one) => one.estimate?.cost ?? 0) },
    calls: mean((one) => one.calls),
    sleepShare: mean((one) => one.sleepShare),
    slotMs: mean((one) => one.slotMs),
    limited,
  };
}

/** One element whose tasks are executed, but for those that are completed: their longest path and their calls, as they are expected. */
function describeElementOf(
  task: PlannerTask,
  inner: readonly PlannerTask[],
  known: Registry,
  options: DescribeOptions,
): TaskBehaviour {
  const executed = withInnerTasks(inner).filter(({ status }) => status !== "completed");
  const each = new Map(executed.map((one) => [one, describeTask(one, known, options)]));
  const shape = taskShape(
    { ...task, for_each: { items: [null], tasks: [...inner] } },
    {
      entryOf: (one) => resourceEntry(one, known),
      estimateOf: (one) => ({ ...each.get(one)?.estimate, duration_ms: each.get(one)?.expectedMs ?? 0 }),
      limitsOf: options.limitsOf,
      concurrency: Number.POSITIVE_INFINITY,
    },
  );
  const { wallMs, sleepMs, slotMs, limited, calls, tokens, cost } = shape;
  const survives = [...each.values()].reduce(
    (chance, { failureProbability: p, policy }) => chance * (1 - p ** policy.max_attempts),
    1,
  );
  return {
    duration: { type: "constant", ms: wallMs },
    expectedMs: wallMs,
    failureProbability: 1 - survives,
    estimate: { ...(tokens !== undefined && { tokens }), ...(cost !== undefined && { cost }) },
    calls: calls.reduce((sum, one) => sum + one.calls, 0),
    policy: { max_attempts: task.retry?.max_attempts ?? 1 },
    sleepShare: wallMs === 0 ? 0 : sleepMs / wallMs,
    slotMs,
    limited,
    atOnce: Number.POSITIVE_INFINITY,
  };
}

/** What earlier runs say of a task or a resource. */
export function ownBehaviour(
  behaviours: Readonly<Record<string, Behaviour>> | undefined,
  id: string,
): Behaviour | undefined {
  return behaviours !== undefined && Object.hasOwn(behaviours, id) ? behaviours[id] : undefined;
}
