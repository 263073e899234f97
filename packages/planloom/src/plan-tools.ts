import { isRecord, notedIssues, type OptionChecks, planTitle, type TaskData, variableNames } from "@planloom/plan";
import { PlannerError, PlannerErrorCode, type PlanQuestion } from "@planloom/planner";
import {
  type Confirm,
  type Journal,
  questionsOf,
  type RunEvent,
  type RunResult,
  type TaskResult,
  type WaitingCall,
  waitingFor,
  waitSentence,
} from "@planloom/runtime";
import { checkOptions } from "./check-options.ts";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import { memoryPlans, type PlanStore } from "./plan-store.ts";
import type { Planloom } from "./planloom.ts";
import type { PlanloomRunOptions } from "./planloom-options.ts";
import { fitsText } from "./tool-text.ts";

/** A tool as chat-completions requests list it. */
export interface PlanToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: PlanToolName;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export type PlanToolName = "plan_create" | "plan_execute" | "plan_create_and_execute";

/** What plans and runs for the model, and where its plans are kept. */
export interface PlanToolOptions {
  readonly planloom: Planloom;
  /** Where plans are kept between two calls. @default in memory, as long as `planloom` lives */
  readonly plans?: PlanStore | undefined;
  /** Which calls of a plan a person confirms: no person has seen it. @default what `planloom` says, else "writes" */
  readonly confirm?: Confirm | undefined;
  /** The tenant that the runs count for. With the key of the conversation here and in `callTool`, both use one budget. @default none */
  readonly tenant?: PlanloomRunOptions["tenant"];
  /** Called with every event of a run, for progress step by step. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with the result of each run before the model hears of it; what it gives is told in its place. A host that asks people in between gives
   * the result of the run that was resumed. @default the result as it is
   */
  readonly settle?: ((result: RunResult) => Promise<RunResult>) | undefined;
  /** Length of the answer; larger results are cut, and the answer says so. @default 100_000 characters */
  readonly maxCharacters?: number | undefined;
}

const checks = {
  planloom: { required: "object" },
  plans: "object",
  confirm: { either: [["writes", "destructive", "never"], "function"] },
  tenant: { either: ["name", "object"] },
  onEvent: "function",
  signal: "signal",
  settle: "function",
  maxCharacters: "nonNegative",
} as const satisfies OptionChecks<PlanToolOptions>;

const goal = {
  type: "string",
  description: "What is to be reached, in words, with every name, number and condition that matters.",
};
const variables = {
  type: "object",
  description: "Values for the plan's variables, by name; they go before the plan's own.",
};
const answers = {
  type: "object",
  description:
    'Arguments that the plan lacks, by the names of its questions: {"step.argument": value}. Ask the person where you do not know.',
};
const whenToPlan = "Use it where several tool calls build on one another; for a single call, call that tool itself.";

const definitions: Readonly<Record<PlanToolName, Omit<PlanToolDefinition["function"], "name">>> = {
  plan_create: {
    description: `Makes a plan of tool calls for a goal and keeps it without running it. Gives its id and steps. ${whenToPlan}`,
    parameters: parameters({ goal }, ["goal"]),
  },
  plan_execute: {
    description: "Runs a plan made before. Steps that do not need each other run at the same time. Gives the results.",
    parameters: parameters(
      { plan_id: { type: "string", description: "The id that plan_create gave." }, variables, answers },
      ["plan_id"],
    ),
  },
  plan_create_and_execute: {
    description: `Makes a plan of tool calls for a goal, runs it and gives the results. ${whenToPlan}`,
    parameters: parameters({ goal }, ["goal"]),
  },
};

/** The three tools with which a model plans and runs by itself (mcp-cli), as OpenAI tool definitions. */
export function planTools(): PlanToolDefinition[] {
  return Object.entries(definitions).map(([name, definition]) => ({
    type: "function",
    function: { name: name as PlanToolName, ...definition },
  }));
}

/** True for names that `handlePlanTool` answers; other calls are for the program to answer. */
export function isPlanTool(name: string): name is PlanToolName {
  return Object.hasOwn(definitions, name);
}

/**
 * Answers a model's call of a plan tool with JSON text: what the tool gives, or `{"error": …}` in words the model can act on.
 * @param args as the model wrote them: an object, or its JSON text.
 * @throws PlanloomError OPTION, and `signal.reason` when the signal is aborted while planning; a run is then ended as cancelled, and says so.
 */
export async function handlePlanTool(name: string, args: unknown, options: PlanToolOptions): Promise<string> {
  checkOptions("`handlePlanTool`", options, checks);
  const maxCharacters = options.maxCharacters ?? 100_000;
  try {
    const { answer: given, first } = await answer(name, args, options);
    return fitsText(given, maxCharacters, first);
  } catch (error) {
    if (options.signal?.aborted === true && error === options.signal.reason) throw error;
    if (error instanceof ToolRefusal) return JSON.stringify({ error: error.message, ...error.details });
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}

/** An answer that is an error to the model. */
class ToolRefusal extends Error {
  readonly details: Readonly<Record<string, unknown>>;
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.details = details;
  }
}

interface Answer {
  readonly answer: Record<string, unknown>;
  /** The results to keep where not all of them fit. */
  readonly first?: readonly string[];
}

async function answer(name: string, args: unknown, options: PlanToolOptions): Promise<Answer> {
  if (!isPlanTool(name)) throw new ToolRefusal(`Unknown plan tool: ${name}`);
  const given = readArguments(args);
  switch (name) {
    case "plan_create":
      return { answer: describePlan(await create(given.goal, options)) };
    case "plan_execute": {
      const found = await find(given.plan_id, options);
      const plan = await withAnswers(found, given.answers ?? {}, options);
      return lacksAnswers(plan)
        ? { answer: describePlan(plan) }
        : execute(plan, readVariables(given.variables ?? {}, plan), options);
    }
    case "plan_create_and_execute": {
      const plan = await create(given.goal, options);
      return lacksAnswers(plan) ? { answer: describePlan(plan) } : execute(plan, {}, options);
    }
    default:
      return name satisfies never;
  }
}

async function create(wanted: unknown, options: PlanToolOptions): Promise<TaskData> {
  if (typeof wanted !== "string" || wanted.trim() === "") throw new ToolRefusal("Goal description is required.");
  const { planloom, signal } = options;
  let plan: TaskData;
  try {
    plan = await planloom.draft(wanted, { signal });
  } catch (error) {
    throw whyNoPlan(error, signal);
  }
  await storeOf(options).save(plan, signal === undefined ? {} : { signal });
  return plan;
}

/** The plan with the answers, which is kept with them. */
async function withAnswers(plan: TaskData, given: unknown, options: PlanToolOptions): Promise<TaskData> {
  if (!isRecord(given)) throw new ToolRefusal("The answers must be an object of values by name.");
  if (Object.keys(given).length === 0) return plan;
  let answered: TaskData;
  try {
    answered = options.planloom.answer(plan, given);
  } catch (error) {
    if (!(error instanceof PlannerError)) throw error;
    throw new ToolRefusal(error.message, { questions: questionsFor(plan) });
  }
  const { signal } = options;
  await storeOf(options).save(answered, signal === undefined ? {} : { signal });
  return answered;
}

const questionsIn = ({ metadata }: TaskData) =>
  Array.isArray(metadata?.questions) ? (metadata.questions as readonly PlanQuestion[]) : [];
const lacksAnswers = (plan: TaskData) => questionsIn(plan).length > 0;

/** What a plan lacks, as a model is asked for it. */
function questionsFor(plan: TaskData) {
  return questionsIn(plan).map(({ name, type, description, choices, suggestions, secret }) => ({
    ...{ name, type, description },
    ...(choices !== undefined && { choices }),
    ...(suggestions !== undefined && { suggestions }),
    ...(secret === true && { secret }),
  }));
}

/** A planner that answered nothing usable, or one that could not answer at all. */
function whyNoPlan(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true || !(error instanceof Error)) return error;
  if (error instanceof PlannerError && error.code === PlannerErrorCode.NO_VALID_PLAN) {
    const { cause } = error;
    if (cause === undefined) return new ToolRefusal("Failed to generate a valid plan.", { reason: error.message });
    return new ToolRefusal(`Plan creation failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  return new ToolRefusal(`Plan creation failed: ${error.message}`);
}

async function find(id: unknown, options: PlanToolOptions): Promise<TaskData> {
  if (typeof id !== "string" || id.trim() === "") throw new ToolRefusal("Plan ID is required.");
  const { signal } = options;
  try {
    return await storeOf(options).load(id, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!(error instanceof PlanloomError) || error.code !== PlanloomErrorCode.PLAN_NOT_FOUND) throw error;
    throw new ToolRefusal(`Plan not found: ${id}`);
  }
}

async function execute(
  plan: TaskData,
  variables: Readonly<Record<string, unknown>>,
  { planloom, signal, onEvent, tenant, settle, confirm = planloom.confirm ?? "writes" }: PlanToolOptions,
): Promise<Answer> {
  const first = await planloom.run(plan, { variables, confirm, signal, onEvent, tenant });
  const result = settle === undefined ? first : await settle(first);
  // What the plan gives is told first: by the ids of its tasks.
  const given = Object.values(result.plan.outputs ?? {});
  return { answer: describeRun(plan, result), first: [...Object.keys(result.output_data), ...given] };
}

/** Values for variables that the plan has; a name it has not is a misspelt one, and would change nothing. */
function readVariables(given: unknown, plan: TaskData): Readonly<Record<string, unknown>> {
  if (!isRecord(given)) throw new ToolRefusal("The variables must be an object of values by name.");
  const known = variableNames(plan);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return given;
  throw new ToolRefusal(`The plan has no variable "${unknown}".`, { variables: known });
}

/** What `plan_create` answers of a plan: its steps and what it lacks, as JSON. */
export function describePlan(plan: TaskData): Record<string, unknown> {
  const open = notedIssues(plan);
  return {
    success: !lacksAnswers(plan),
    plan_id: plan.task_id,
    title: planTitle(plan),
    step_count: plan.planned_tasks.length,
    steps: plan.planned_tasks.map(describeStep),
    ...(open.length === 0 ? {} : { left_open: open.map(({ message }) => message) }),
    ...(lacksAnswers(plan) && {
      status: "questions",
      questions: questionsFor(plan),
      next: "Nothing was run. Call plan_execute with this plan_id and answers for these questions.",
    }),
  };
}

/** A step with all that decides what it does: who reads the plan before it runs sees what will be called with what. */
function describeStep(task: TaskData["planned_tasks"][number]): Record<string, unknown> {
  const {
    task_id,
    title,
    description,
    tool_id,
    agent_id,
    execution_type,
    dependencies,
    for_each,
    when,
    wait,
    approval,
  } = task;
  return {
    index: task_id,
    title: title ?? description,
    tool: tool_id ?? agent_id ?? execution_type,
    arguments: task.arguments,
    depends_on: dependencies,
    ...(for_each && { for_each }),
    ...(when && { when }),
    ...(wait && { wait }),
    ...(approval && { approval }),
  };
}

/** What `plan_execute` answers of a run: what each step gave, what was not completed and why, what a person is asked, as JSON. */
export function describeRun(plan: TaskData, result: RunResult): Record<string, unknown> {
  const { run_id, end_reason, results, certificate } = result;
  return describeResults(plan, {
    run_id,
    end_reason,
    results,
    duration_ms: Math.round(certificate.achievedMs),
    waiting: questionsOf(result),
  });
}

/**
 * Describes a run that ended or waits from its journal, as `describeRun` does from its result.
 * @throws RuntimeError RUN_NOT_FOUND, JOURNAL_*
 */
export async function describeRecordedRun(runId: string, journal: Journal): Promise<Record<string, unknown>> {
  const { plan, status, certificate } = await journal.getRun(runId);
  const records = new Map((await journal.getTasks(runId, { outputs: "small" })).map((each) => [each.task_id, each]));
  return describeResults(plan, {
    run_id: runId,
    end_reason: status,
    results: plan.planned_tasks.map(({ task_id }) => records.get(task_id) ?? { task_id, status: "pending" }),
    ...(certificate !== undefined && { duration_ms: Math.round(certificate.achieved_ms) }),
    waiting: (await waitingFor(runId, { journal })).filter(({ wait }) => wait === undefined),
  });
}

type DescribedTask = Pick<TaskResult, "task_id" | "status" | "output" | "output_bytes" | "error" | "wait">;

interface DescribedResults {
  readonly run_id: string;
  readonly end_reason: string;
  readonly results: readonly DescribedTask[];
  readonly duration_ms?: number;
  readonly waiting: readonly WaitingCall[];
}

function describeResults(plan: TaskData, described: DescribedResults): Record<string, unknown> {
  const { run_id, end_reason, results, duration_ms, waiting } = described;
  const failed = results.filter(({ status }) => status !== "completed");
  const success = end_reason === "completed" && failed.length === 0;
  const first =
    failed.find(({ status }) => status === "failed") ??
    failed.find(({ status }) => status === "waiting_approval") ??
    failed.find(({ status }) => status === "waiting") ??
    failed[0];
  const questions = waiting.map(({ id, uid, input }) => ({ id, tool: uid, arguments: input }));
  return {
    success,
    plan_id: plan.task_id,
    run_id,
    title: planTitle(plan),
    end_reason,
    steps_completed: results.length - failed.length,
    steps_total: results.length,
    ...(duration_ms !== undefined && { duration_ms }),
    ...(success ? {} : { error: whyNot(first) }),
    results: outputsByStep(results),
    ...(questions.length === 0 ? {} : { questions }),
    ...(failed.length === 0
      ? {}
      : {
          not_completed: failed.map(({ task_id, status, error }) => ({ step: task_id, status, error: error?.message })),
        }),
  };
}

/** What every completed step gave, by its id: the steps before the last say what the plan did, and a model answers from them too. */
function outputsByStep(results: readonly DescribedTask[]): Record<string, unknown> {
  const completed = results.filter(({ status }) => status === "completed");
  return Object.fromEntries(
    completed.map(({ task_id, output, output_bytes }) => [
      task_id,
      output_bytes === undefined ? output : { kept_in_journal: true, bytes: output_bytes },
    ]),
  );
}

function whyNot(task: DescribedTask | undefined): string {
  if (task?.status === "waiting_approval") {
    return `Step ${task.task_id} waits for a person to approve its call (see questions); the run goes on when it is resumed after that.`;
  }
  if (task?.status === "waiting") {
    const what = task.wait === undefined ? (task.error?.message ?? "") : `It ${waitSentence(task.wait)}.`;
    return `Step ${task.task_id} waits. ${what} The run goes on when it is resumed after that.`;
  }
  return `Step ${task?.task_id} ${task?.status}: ${task?.error?.message ?? "not reached"}`;
}

/** A model's arguments: an object, or JSON text of one; what is neither has nothing in it. */
function readArguments(args: unknown): Readonly<Record<string, unknown>> {
  if (typeof args !== "string") return isRecord(args) ? args : {};
  try {
    const value: unknown = JSON.parse(args);
    return isRecord(value) ? value : {};
  } catch {
    throw new ToolRefusal("The arguments are not a JSON object.");
  }
}

const inMemory = new WeakMap<Planloom, PlanStore>();

function storeOf({ planloom, plans }: PlanToolOptions): PlanStore {
  if (plans !== undefined) return plans;
  const store = inMemory.get(planloom) ?? memoryPlans();
  inMemory.set(planloom, store);
  return store;
}

function parameters(properties: Readonly<Record<string, unknown>>, required: readonly string[]) {
  return { type: "object", properties, required, additionalProperties: false };
}
