import { isRecord, type OptionChecks, type TaskData, variableNames } from "@planloom/plan";
import { PlannerError, PlannerErrorCode } from "@planloom/planner";
import type { Confirm, RunEvent, RunResult } from "@planloom/runtime";
import { checkOptions } from "./check-options.ts";
import { describePlan, lacksAnswers, questionsFor } from "./describe-plan.ts";
import { describeRun } from "./describe-run.ts";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import { memoryPlans, type PlanStore } from "./plan-store.ts";
import { isPlanTool } from "./plan-tool-definitions.ts";
import type { Planloom } from "./planloom.ts";
import type { PlanloomRunOptions } from "./planloom-options.ts";
import { fitsText } from "./tool-text.ts";

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
   * Called with the result of each run before the model hears of it; the model gets what it gives in its place. A host that asks people in between gives
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
  // What the plan gives comes first: by the ids of its tasks.
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
