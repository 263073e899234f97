import {
  DEFAULT_TASK_MS,
  type EstimateData,
  type ExecutionKind,
  PlanError,
  type PlanIssue,
  type PlannerTask,
  resolveReferences,
  resourcePin,
  type TaskDataInput,
  validatePlan,
} from "@planloom/plan";
import { advance, type Command } from "./core/advance.ts";
import { Limits, NO_GROUP } from "./core/limits.ts";
import { createRunState } from "./core/run-state.ts";
import { type Registry, type RegistryEntry, registry } from "./executors/registry.ts";
import { Placeholders } from "./input/placeholders.ts";
import { cloneJson } from "./json-copy.ts";
import { type RunOptions, readSettings } from "./run-options.ts";
import { makeLookup, preparePlan } from "./shell/prepare-plan.ts";

export interface DryStep {
  readonly task_id: string;
  /** Absent when nothing says it yet; Stage 2 will. */
  readonly kind?: ExecutionKind;
  readonly uid?: string;
  /**
   * Arguments with references resolved; what does not exist yet stands as `<name.path>`. `convertor_code` and Stage 2 have
   * not been applied.
   */
  readonly input: Readonly<Record<string, unknown>>;
  /** Predicted, in milliseconds from the start of the run. */
  readonly start_ms: number;
  readonly end_ms: number;
  /** The task's own estimate, else its executor's. */
  readonly estimate?: EstimateData;
  /** Why it would be skipped. */
  readonly unavailable?: string;
}

export interface DryRunResult {
  /** What `validatePlan` says; errors mean that the run would not do what is shown here. */
  readonly issues: readonly PlanIssue[];
  /** In the order of starting. */
  readonly steps: readonly DryStep[];
  /** Predicted makespan; a task without an estimate counts as 1,000 ms. */
  readonly predictedMs: number;
  /** Calls by resource, `kind:uid`; `?` where Stage 2 is to choose. */
  readonly calls: Readonly<Record<string, number>>;
  /** Sums of what estimates say; absent when none does. */
  readonly tokens?: number;
  readonly cost?: number;
}

export type DryRunOptions = Pick<RunOptions, "executors" | "concurrency" | "limits" | "variables" | "input">;

/**
 * What `run` would do, without executing anything: the same core, priorities and limits under a virtual clock.
 * @throws RuntimeError INVALID_PLAN for what cannot run at all, INVALID_OPTION, DUPLICATE_RESOURCE
 */
export function dryRun(given: TaskDataInput, options: DryRunOptions): DryRunResult {
  const settings = readSettings(options);
  const known = registry(options.executors);
  const prepared = preparePlan(given, options.variables);
  const { plan, view } = prepared;
  const tasks = plan.planned_tasks;
  const placeholders = new Placeholders(tasks);
  const entries = tasks.map((task) => entryOf(task, known));
  const nameOf = tasks.map((task) => task.result_variable ?? task.task_id);
  const made = new Map<string, unknown>();
  const lookup = makeLookup(
    prepared,
    (number) => {
      const task = tasks[number]!;
      if (task.status === "completed") return { found: true, value: task.output };
      const name = nameOf[number]!;
      if (!made.has(name)) made.set(name, placeholders.of(name, entries[number]?.resource.output_schema));
      return { found: true, value: made.get(name) };
    },
    options.input ?? {},
  );
  const inputs = tasks.map((task) => resolveForShow(task, lookup));
  const estimates = tasks.map((task, number) => estimateOf(task, entries[number], inputs[number]!));
  const work = Float64Array.from(estimates, (estimate) => estimate?.duration_ms ?? DEFAULT_TASK_MS);

  const resources = new Map(
    [...settings.limits.resources].flatMap(([id, limit]) =>
      known.catalogue.kindsOf(id).map((kind) => [`${kind}:${id}`, limit]),
    ),
  );
  const limits = new Limits({ concurrency: settings.concurrency, kinds: settings.limits.kinds, resources });
  const group = (find: (kind: ExecutionKind, uid: string) => number) =>
    Int32Array.from(tasks, (task, number) => {
      const kind = entries[number]?.resource.kind ?? resourcePin(task).kind;
      return kind === undefined ? NO_GROUP : find(kind, entries[number]?.resource.id ?? "");
    });
  const kindGroup = group((kind) => limits.kindGroup(kind));
  const resourceGroup = group((kind, uid) => limits.resourceGroup(kind, uid));
  const state = createRunState({ ...view, work }, { limits, kindGroup, resourceGroup });
  for (const [task, { status }] of tasks.entries())
    if (status === "completed") advance(state, { type: "recorded", task });

  const { order, startMs, predictedMs } = simulate((event) => advance(state, event), work);
  const calls = new Map<string, number>();
  let tokens: number | undefined;
  let cost: number | undefined;
  const steps = order.map((number): DryStep => {
    const task = tasks[number]!;
    const entry = entries[number];
    const estimate = estimates[number];
    const kind = entry?.resource.kind ?? resourcePin(task).kind;
    const uid = entry?.resource.id ?? resourcePin(task).uid;
    const unavailable = entry?.executor.unavailable?.(entry.resource.id);
    if (unavailable === undefined) {
      const key = `${kind ?? "?"}:${uid ?? "?"}`;
      calls.set(key, (calls.get(key) ?? 0) + 1);
      if (estimate?.tokens !== undefined) tokens = (tokens ?? 0) + estimate.tokens;
      if (estimate?.cost !== undefined) cost = (cost ?? 0) + estimate.cost;
    }
    return {
      task_id: task.task_id,
      ...(kind !== undefined && { kind }),
      ...(uid !== undefined && { uid }),
      input: inputs[number]!,
      start_ms: startMs[number]!,
      end_ms: startMs[number]! + work[number]!,
      ...(estimate !== undefined && { estimate }),
      ...(unavailable !== undefined && { unavailable }),
    };
  });
  return {
    issues: validatePlan(plan, known.catalogue),
    steps,
    predictedMs,
    calls: Object.fromEntries(calls),
    ...(tokens !== undefined && { tokens }),
    ...(cost !== undefined && { cost }),
  };
}

/** Drives the core with a virtual clock: every attempt takes its estimate and succeeds. */
function simulate(
  feed: (event: { type: "begin" } | { type: "completed"; task: number }) => Command[],
  work: Float64Array,
): { order: number[]; startMs: Float64Array; predictedMs: number } {
  const order: number[] = [];
  const startMs = new Float64Array(work.length);
  const running: { task: number; endMs: number; place: number }[] = [];
  let now = 0;
  const obey = (commands: readonly Command[]) => {
    for (const command of commands) {
      if (command.type !== "start") continue;
      startMs[command.task] = now;
      insert(running, { task: command.task, endMs: now + work[command.task]!, place: order.length });
      order.push(command.task);
    }
  };
  obey(feed({ type: "begin" }));
  for (let next = running.pop(); next !== undefined; next = running.pop()) {
    now = next.endMs;
    obey(feed({ type: "completed", task: next.task }));
  }
  return { order, startMs, predictedMs: now };
}

/** Keeps the list sorted, what ends first last; at most one entry an executor, or a level when there is no limit. */
function insert<Entry extends { endMs: number; place: number }>(list: Entry[], entry: Entry): void {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = list[middle]!;
    if (other.endMs > entry.endMs || (other.endMs === entry.endMs && other.place > entry.place)) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, entry);
}

function entryOf(task: PlannerTask, known: Registry): RegistryEntry | undefined {
  const { kind, uid } = resourcePin(task);
  if (uid === undefined) return undefined;
  const [decided] = kind === undefined ? known.catalogue.kindsOf(uid) : [kind];
  return decided && known.find(decided, uid);
}

/** The arguments as they will be; as they are where a reference has no value, which `issues` tells. */
function resolveForShow(task: PlannerTask, lookup: ReturnType<typeof makeLookup>): Record<string, unknown> {
  try {
    return cloneJson(resolveReferences(task.arguments, lookup)) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof PlanError) return task.arguments;
    throw error;
  }
}

function estimateOf(
  task: PlannerTask,
  entry: RegistryEntry | undefined,
  input: Record<string, unknown>,
): EstimateData | undefined {
  if (entry === undefined) return task.estimate_data ?? undefined;
  const { executor, resource } = entry;
  const own = executor.estimate?.({ uid: resource.id, input_data: input }) ?? resource.estimate;
  return own === undefined && task.estimate_data === null ? undefined : { ...own, ...task.estimate_data };
}
