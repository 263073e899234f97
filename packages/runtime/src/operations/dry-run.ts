import {
  branchNames,
  checksOf,
  type EstimateData,
  type ExecutionKind,
  expectedLength,
  type OptionChecks,
  PlanError,
  type PlanIssue,
  type PlannerTask,
  type ReferenceLookup,
  resolveReferences,
  resourcePin,
  type TaskDataInput,
  validatePlan,
  viewWithCosts,
  waitText,
  whyUnavailable,
} from "@planloom/plan";
import { AnswerStore } from "../approvals/answer-store.ts";
import { PlanApprovals } from "../approvals/plan-approvals.ts";
import { checkOptions } from "../check-options.ts";
import { checkVariables } from "../check-variables.ts";
import { advance } from "../core/advance.ts";
import { createRunState } from "../core/run-state.ts";
import { simulate } from "../core/simulate.ts";
import { asDefinitionError } from "../edge/as-definition-error.ts";
import { estimateOf } from "../estimate-of.ts";
import { type Registry, type RegistryEntry, registry } from "../executors/registry.ts";
import { Placeholders } from "../input/placeholders.ts";
import { cloneJson } from "../json-copy.ts";
import { callLimits, makeLimits, taskGroups } from "../make-limits.ts";
import { checkNamedResources } from "../named-resources.ts";
import { runOptionChecks } from "../options/run-option-table.ts";
import { approvalPolicy } from "../plan-execution/make-state.ts";
import { withRunRules } from "../plan-run-rules.ts";
import { type RunOptions, readSettings } from "../run-settings.ts";
import { joinRules } from "../task-execution/join-rule.ts";
import { makeLookup, type RunnablePlan, runnablePlan } from "../task-execution/runnable-plan.ts";
import { type ExpectedCalls, knownLists, type TaskShape, taskShape } from "../task-shape.ts";
import { type RatedCalls, ratedCalls } from "./rated-calls.ts";

/** One task that a run would execute. */
export interface DryStep {
  readonly task_id: string;
  /** Absent while it is not decided; Stage 2 decides it. */
  readonly kind?: ExecutionKind;
  readonly uid?: string;
  /**
   * Arguments with references resolved; a value that does not exist yet is written as `<name.path>`. `convertor_code` and Stage 2 have
   * not been applied.
   */
  readonly input: Readonly<Record<string, unknown>>;
  /** The expression that will make the input of these arguments. */
  readonly convertor_code?: string;
  /** The elements of a task with `for_each`, and whether their number is known, or expected. */
  readonly elements?: { readonly items: number; readonly known: boolean };
  /** The calls in all elements of a task with `for_each.tasks`. */
  readonly inner?: readonly ExpectedCalls[];
  /** It is executed only where this condition holds. */
  readonly condition?: string;
  /** It decides between these branches; where conditions decide, it makes no call. */
  readonly branches?: readonly string[];
  /** Predicted, in milliseconds from the start of the run. */
  readonly start_ms: number;
  readonly end_ms: number;
  /** The task's own estimate, else its executor's. */
  readonly estimate?: EstimateData;
  /** Why it would be skipped. */
  readonly unavailable?: string;
  /** What it would wait for, in words; a task that waits makes no call. */
  readonly waits?: string;
  /** A person would be asked first; the prediction counts no time for it. */
  readonly needs_approval?: true;
}

/** What a run would do. */
export interface DryRunResult {
  /** The issues of `validatePlan`; errors mean that the run would not do what is shown here. */
  readonly issues: readonly PlanIssue[];
  /** In the order of starting. */
  readonly steps: readonly DryStep[];
  /** Predicted makespan; a task without an estimate counts as 1,000 ms. No less than what `rates` let begin. */
  readonly predictedMs: number;
  /** Calls that `limits.rates` hold back; absent where none are. Rates that several runs share (`shared`) are not known here. */
  readonly rates?: readonly RatedCalls[];
  /** Calls by resource, `kind:uid`; `?` where Stage 2 is to choose. In lists they count for each element, and conditions are taken to hold. */
  readonly calls: Readonly<Record<string, number>>;
  /** Sums of what estimates say; absent when none does. */
  readonly tokens?: number;
  readonly cost?: number;
}

export type DryRunOptions = Pick<
  RunOptions,
  "executors" | "concurrency" | "limits" | "variables" | "input" | "approval" | "confirm" | "secrets"
>;

/** What is checked of each option. */
export const dryRunChecks = checksOf(runOptionChecks, [
  "executors",
  "concurrency",
  "limits",
  "variables",
  "input",
  "approval",
  "confirm",
  "secrets",
]) satisfies OptionChecks<DryRunOptions>;

/**
 * What `run` would do, without executing anything: the same core, priorities and limits under a virtual clock.
 * @throws RuntimeError INVALID_PLAN for what cannot run at all, INVALID_OPTION, DUPLICATE_RESOURCE
 */
export function dryRun(given: TaskDataInput, called: DryRunOptions): DryRunResult {
  checkOptions("`dryRun`", called, dryRunChecks);
  const options = withRunRules(called, given);
  const settings = readSettings(options);
  const known = registry(options.executors);
  checkNamedResources(options, known);
  const runnable = runnablePlan(given, options.variables);
  checkVariables(given, runnable.plan, options.variables);
  const { plan, view } = runnable;
  const tasks = plan.planned_tasks;
  const entries = tasks.map((task) => entryOf(task, known));
  const inputs = showInputs(runnable, entries, options.input ?? {});
  const estimates = asDefinitionError(() =>
    tasks.map((task, number) => estimateOf(task, entries[number], inputs[number]!)),
  );
  const around = [knownValues(runnable, options.input ?? {})];
  const limitsOf = callLimits(settings.limits, known);
  const lengths = tasks.map(({ for_each }) => for_each && knownLists(for_each.items, around)?.[0]?.length);
  const shapes = asDefinitionError(() =>
    tasks.map((task, number) =>
      taskShape(task, {
        entryOf: (each) => (each === task ? entries[number] : entryOf(each, known)),
        estimateOf: (each) =>
          each === task ? estimates[number] : estimateOf(each, entryOf(each, known), each.arguments),
        around,
        limitsOf,
        concurrency: settings.concurrency,
      }),
    ),
  );
  const work = Float64Array.from(shapes, ({ wallMs }) => wallMs);

  const limits = makeLimits(settings, known);
  const joins = joinRules(tasks);
  const state = createRunState(viewWithCosts(view, { work }), { limits, ...taskGroups(tasks, limits, known), joins });
  for (const [task, { status }] of tasks.entries()) {
    if (status === "completed") advance(state, { type: "recorded", task });
  }
  const approvals = new PlanApprovals(plan, approvalPolicy(settings, known), new AnswerStore());
  const { order, startMs, makespanMs } = simulate(
    state,
    Float64Array.from(shapes, ({ sleepMs }) => sleepMs),
  );
  const steps = order.map((number): DryStep => {
    const start_ms = startMs[number]!;
    const times = { start_ms, end_ms: start_ms + work[number]! };
    return {
      ...describeTask(tasks[number]!, entries[number], estimates[number]),
      input: inputs[number]!,
      ...flowOf(tasks[number]!, shapes[number]!, lengths[number]),
      ...times,
      ...(tasks[number]!.wait === undefined && approvals.willAsk(number, known) && { needs_approval: true }),
    };
  });
  const summed = sums(
    steps,
    order.map((number) => shapes[number]!),
  );
  const rates = ratedCalls(summed.calls, settings.limits.rates, known);
  return {
    issues: validatePlan(plan, known.catalogue, { secrets: Object.keys(options.secrets ?? {}) }),
    steps,
    predictedMs: rates.reduce((most, { least_ms }) => Math.max(most, least_ms), makespanMs),
    ...(rates.length > 0 && { rates }),
    ...summed,
  };
}

/** Arguments with references resolved to what will be there, as far as that is known. */
function showInputs(
  runnable: RunnablePlan,
  entries: readonly (RegistryEntry | undefined)[],
  input: unknown,
): Record<string, unknown>[] {
  const tasks = runnable.plan.planned_tasks;
  const placeholders = new Placeholders(tasks);
  const made = new Map<number, unknown>();
  const lookup = makeLookup(
    runnable,
    (number) => {
      const { status, output, result_variable, task_id, for_each, choose } = tasks[number]!;
      if (status === "completed") return { found: true, value: output };
      if (!made.has(number)) {
        const one = choose === undefined ? entries[number]?.resource.output_schema : undefined;
        const schema = for_each === undefined ? one : { type: "array", ...(one !== undefined && { items: one }) };
        made.set(number, placeholders.of(result_variable ?? task_id, schema));
      }
      return { found: true, value: made.get(number) };
    },
    input,
  );
  return tasks.map((task) => resolveForShow(task, lookup));
}

function describeTask(task: PlannerTask, entry: RegistryEntry | undefined, estimate: EstimateData | undefined) {
  const pin = resourcePin(task);
  const kind = entry?.resource.kind ?? pin.kind;
  const uid = entry?.resource.id ?? pin.uid;
  const unavailable = entry && asDefinitionError(() => whyUnavailable(entry.executor, entry.resource.id));
  return {
    task_id: task.task_id,
    ...(kind !== undefined && { kind }),
    ...(uid !== undefined && { uid }),
    ...(task.wait !== undefined && { waits: waitText(task.wait) }),
    ...(task.convertor_code && { convertor_code: task.convertor_code }),
    ...(estimate !== undefined && { estimate }),
    ...(unavailable !== undefined && { unavailable }),
  };
}

/** Values that are known before the run: outputs of completed tasks, variables, the input. */
function knownValues(runnable: RunnablePlan, input: unknown): ReferenceLookup {
  const { planned_tasks } = runnable.plan;
  const done = (number: number) => {
    const { status, output } = planned_tasks[number]!;
    return status === "completed" ? { found: true, value: output } : { found: false };
  };
  return makeLookup(runnable, done, input);
}

function flowOf(task: PlannerTask, { calls }: TaskShape, known: number | undefined): Partial<DryStep> {
  const { for_each, when, choose } = task;
  return {
    ...(for_each !== undefined && { elements: { items: known ?? expectedLength(task), known: known !== undefined } }),
    ...(for_each?.tasks !== undefined && { inner: calls }),
    ...(when !== undefined && { condition: when.condition }),
    ...(choose !== undefined && { branches: branchNames(choose) }),
  };
}

function sums(
  steps: readonly DryStep[],
  shapes: readonly TaskShape[],
): Pick<DryRunResult, "calls" | "tokens" | "cost"> {
  const calls = new Map<string, number>();
  let tokens: number | undefined;
  let cost: number | undefined;
  for (const [at, { unavailable }] of steps.entries()) {
    if (unavailable !== undefined) continue;
    const shape = shapes[at]!;
    for (const { kind, uid, calls: made } of shape.calls) {
      const key = `${kind ?? "?"}:${uid ?? "?"}`;
      calls.set(key, (calls.get(key) ?? 0) + made);
    }
    if (shape.tokens !== undefined) tokens = (tokens ?? 0) + shape.tokens;
    if (shape.cost !== undefined) cost = (cost ?? 0) + shape.cost;
  }
  return {
    calls: Object.fromEntries(calls),
    ...(tokens !== undefined && { tokens }),
    ...(cost !== undefined && { cost }),
  };
}

function entryOf(task: PlannerTask, known: Registry): RegistryEntry | undefined {
  const { kind, uid } = resourcePin(task);
  if (uid === undefined) return undefined;
  const [decided] = kind === undefined ? known.catalogue.kindsOf(uid) : [kind];
  return decided && known.find(decided, uid);
}

/** The arguments as they will be; unchanged where a reference has no value, which is in `issues`. */
function resolveForShow(task: PlannerTask, lookup: ReturnType<typeof makeLookup>): Record<string, unknown> {
  try {
    return cloneJson(resolveReferences(task.arguments, lookup)) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof PlanError) return task.arguments;
    throw error;
  }
}
