import type { PlanningTime } from "@planloom/controller";
import {
  checksWithout,
  type Executor,
  FaultLog,
  isRecord,
  notify,
  type OptionChecks,
  type Resource,
  TaskData,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import { type RunScope, scopeOf } from "../executors/scope.ts";
import { unknownResource } from "../executors/tool.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import { type WaitingCall, waitingCalls } from "../journal/waiting-call.ts";
import { runOptionChecks } from "../options/run-option-table.ts";
import { type ResumeOptions, resume, resumeOptionChecks } from "../resume.ts";
import { run } from "../run.ts";
import type { Certificate, RunResult, Usage } from "../run-result.ts";
import type { RunOptions } from "../run-settings.ts";
import { type TaskError, TaskErrorCode, TaskFailure } from "../task-error.ts";
import type { LoopEndReason } from "./end-reason.ts";
import { type LoopAgent, type LoopEvent, loopEventOf } from "./events.ts";
import { modelExecutor, modelPlanner, modelReplanner } from "./lazy-model-roles.ts";
import { type LoopOptions, loopOptionChecks, planExecuteDefaults, readLoopSettings } from "./loop-options.ts";
import { loopTime } from "./loop-time.ts";
import type { LoopRoles, LoopState } from "./plan-execute-loop.ts";
import type { LoopMessage, LoopSession } from "./session.ts";
import { contentOf, isUserInput, readUserInput } from "./user-input.ts";

export interface PlanExecuteOptions extends LoopOptions, Omit<RunOptions, "input" | "onEvent" | "replan"> {
  /** Called with each event of the loop, in order. */
  readonly onEvent?: ((event: LoopEvent) => void) | undefined;
  /** Called with each event of the run that the loop is recorded as. */
  readonly onRunEvent?: ((event: RunEvent) => void) | undefined;
}

export type ResumePlanExecuteOptions = LoopOptions &
  Omit<ResumeOptions, "onEvent" | "replan" | "ifDueBy"> &
  Pick<PlanExecuteOptions, "onEvent" | "onRunEvent">;

/** What is checked of each option: those of the run that the loop is, and its own. */
export const planExecuteChecks = {
  ...checksWithout(runOptionChecks, "input", "replan"),
  ...loopOptionChecks,
  onRunEvent: "function",
} as const satisfies OptionChecks<PlanExecuteOptions>;

export const resumeLoopChecks = {
  ...checksWithout(resumeOptionChecks, "replan", "ifDueBy"),
  ...loopOptionChecks,
  onRunEvent: "function",
} as const satisfies OptionChecks<ResumePlanExecuteOptions>;

/** How a loop ended. Plain JSON. */
export interface PlanExecuteResult {
  readonly run_id: string;
  readonly end_reason: LoopEndReason;
  /** What the replanner answered; with `completed` what the last step gave (a list where there are several last ones). */
  readonly response?: unknown;
  /** Rounds that began. */
  readonly rounds: number;
  /** Also of a loop that ended without an answer: what was planned and executed so far. */
  readonly session: LoopSession;
  /** What waits for a person; `approve(run_id, id, { journal })`, then resume. */
  readonly waiting: readonly WaitingCall[];
  /** Whose call waits, and in which round, from 0. */
  readonly interrupted?: { readonly agent: LoopAgent; readonly round: number };
  /** Why there is no answer. */
  readonly error?: TaskError;
  readonly usage: Usage;
  readonly certificate: Certificate;
}

const { outer } = planExecuteDefaults.agentNames;

const messageSchema = {
  type: "object",
  properties: { role: { enum: ["system", "user", "assistant"] }, content: { type: "string" } },
  required: ["role", "content"],
};

/**
 * Plans, executes and replans until the replanner answers: the loop of Eino's plan-execute, as a run of this runtime. `input` is what the user says, or a
 * conversation: texts of the user, and messages with a role. Nothing that a model or a tool does rejects the call.
 * @throws RuntimeError INVALID_OPTION, also when one of the three has neither a model nor a function; and as `run`
 */
export async function planExecute(
  input: LoopMessage | readonly LoopMessage[],
  options: PlanExecuteOptions,
): Promise<PlanExecuteResult> {
  checkOptions("`planExecute`", options, planExecuteChecks);
  const { onEvent, onRunEvent, executors, ...given } = options;
  const UserInput = readUserInput(input);
  const Time = loopTime(options);
  const seen: { state?: LoopState } = {};
  const loop = loopExecutor(options, Time, (state) => {
    seen.state = state;
  });
  const plan = TaskData.parse({
    title: contentOf(UserInput.at(-1)!).slice(0, 200),
    planned_tasks: [
      { task_id: outer, execution_type: "agent", agent_id: outer, arguments: { input: { $ref: "input.UserInput" } } },
    ],
  });
  const result = await run(plan, {
    ...withoutLoopOptions(given),
    // A resumed loop has the same day in its prompts, so that its prompts are those that were answered before.
    input: { UserInput, Time },
    executors: [...executors, loop],
    metadata: { ...given.metadata, mode: "plan-execute" },
    onEvent: listener(onEvent, onRunEvent),
  });
  return readResult(result, seen.state ?? { session: { UserInput, ExecutedSteps: [] }, rounds: 0 });
}

/**
 * Resumes a loop from its journal, under the same run id: what was planned, executed and called is not done again. Also after an end without
 * an answer, with a higher `maxRounds`, say.
 * @param runId the run's whole id.
 * @throws as `planExecute` and `resume`; RuntimeError INVALID_OPTION for a run that is not a loop
 */
export async function resumePlanExecute(runId: string, options: ResumePlanExecuteOptions): Promise<PlanExecuteResult> {
  checkOptions("`resumePlanExecute`", options, resumeLoopChecks);
  const { onEvent, onRunEvent, executors, ...given } = options;
  const { input, time } = await loopInput(runId, guardJournal(options.journal, options.journalTimeoutMs));
  const seen: { state?: LoopState } = {};
  const loop = loopExecutor(options, time, (state) => {
    seen.state = state;
  });
  const result = await resume(runId, {
    ...withoutLoopOptions(given),
    executors: [...executors, loop],
    onEvent: listener(onEvent, onRunEvent),
  });
  return readResult(result, seen.state ?? { session: { UserInput: input, ExecutedSteps: [] }, rounds: 0 });
}

/**
 * The loop as an agent, for tasks of any plan: `{ execution_type: "agent", agent_id: id, arguments: { input } }`. Its output is
 * `{ end_reason, response, rounds, session }`; without an answer the task fails (`TASK_NO_ANSWER`).
 * @throws RuntimeError INVALID_OPTION
 */
export function planExecuteAgent(
  options: LoopOptions & { readonly id?: string | undefined; readonly description?: string | undefined },
): Executor {
  checkOptions("`planExecuteAgent`", options, { ...loopOptionChecks, id: "name", description: "text" });
  return loopExecutor(options, undefined, () => {}, options.id, options.description);
}

/** @param time of the loop that is begun or resumed. @default that of the options, when a task is executed */
function loopExecutor(
  options: LoopOptions,
  time: PlanningTime | undefined,
  onState: (state: LoopState) => void,
  id: string = outer,
  description = "Plans how to reach an objective, executes the steps with tools, and replans until it has an answer.",
): Executor {
  const settings = readLoopSettings(options);
  checkRoles(options);
  loopTime({ timeZone: options.timeZone });
  const input_schema = {
    type: "object",
    properties: {
      input: {
        anyOf: [{ type: "string" }, { type: "array", items: { anyOf: [{ type: "string" }, messageSchema] } }],
        description: "The objective, or the messages of the user who has it.",
      },
    },
    required: ["input"],
  };
  return {
    kind: "agent",
    resources: () => [{ kind: "agent", id, description, input_schema }],
    delegates: () => true,
    async execute({ uid, input_data }, context) {
      if (uid !== id) throw unknownResource("agent", uid);
      const scope = scopeOf(context);
      if (scope === undefined) {
        const message = "A plan-execute loop can only be executed within a run.";
        throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
      }
      const { PlanExecuteLoop } = await import("./plan-execute-loop.ts");
      const roles = rolesOf(options);
      const input = readUserInput(input_data.input as LoopMessage | readonly LoopMessage[]);
      const place = { context, scope, time: time ?? loopTime(options), tools: toolsOf(options, scope) };
      return new PlanExecuteLoop(roles, settings, input, place, onState).run();
    },
  };
}

/** The tools that steps can be executed with. A function may call all. */
function toolsOf({ executor }: LoopOptions, { registry }: RunScope): readonly Resource[] {
  const ids = typeof executor === "function" ? undefined : executor?.tools;
  if (ids !== undefined) return ids.flatMap((id) => registry.find("tool", id)?.resource ?? []);
  return registry.resources.filter(({ kind }) => kind === "tool");
}

/** @throws RuntimeError INVALID_OPTION */
function checkRoles(options: LoopOptions): void {
  for (const name of ["planner", "executor", "replanner"] as const) {
    const given = options[name];
    if (typeof given === "function") continue;
    if (given !== undefined && !isRecord(given)) throw invalid(name, "a function, or how the model is asked", given);
    const own = given as { model?: unknown; formattedModel?: unknown } | undefined;
    if ((own?.model ?? own?.formattedModel ?? options.model) === undefined)
      throw invalid(name, "a function, or a model for it (`model`)", undefined);
  }
}

function rolesOf({ model, planner, executor, replanner }: LoopOptions): LoopRoles {
  return {
    planner: typeof planner === "function" ? planner : modelPlanner({ model, ...planner }),
    executor: typeof executor === "function" ? executor : modelExecutor({ model, ...executor }),
    replanner: typeof replanner === "function" ? replanner : modelReplanner({ model, ...replanner }),
  };
}

function withoutLoopOptions<Options extends LoopOptions>(options: Options): Omit<Options, keyof LoopOptions> {
  const {
    model,
    planner,
    executor,
    replanner,
    maxRounds,
    replanWhen,
    repeatedSteps,
    maxStepAttempts,
    now,
    timeZone,
    ...rest
  } = options;
  return rest;
}

function listener(
  onEvent: PlanExecuteOptions["onEvent"],
  onRunEvent: PlanExecuteOptions["onRunEvent"],
): ((event: RunEvent) => void) | undefined {
  if (onEvent === undefined && onRunEvent === undefined) return undefined;
  const faults = new FaultLog();
  return (event) => {
    const own = onEvent && loopEventOf(event, outer);
    if (onEvent !== undefined && own !== undefined) notify(onEvent, own, (error) => faults.report("onEvent", error));
    if (onRunEvent !== undefined) notify(onRunEvent, event, (error) => faults.report("onRunEvent", error));
  };
}

interface LoopInput {
  readonly input: readonly LoopMessage[];
  /** Absent in runs that were begun before it was kept. */
  readonly time?: PlanningTime;
}

async function loopInput(runId: string, journal: Journal): Promise<LoopInput> {
  const { run_id, options } = await loadRun(journal, runId);
  const { UserInput: input, Time: time } = isRecord(options.input) ? options.input : {};
  if (options.metadata?.mode === "plan-execute" && isUserInput(input))
    return isTime(time) ? { input, time } : { input };
  throw new RuntimeError(
    RuntimeErrorCode.INVALID_OPTION,
    `Expected run ${run_id} to be a plan-execute loop; it is the run of a plan. Use \`resume\`.`,
    { details: { option: "runId" } },
  );
}

function isTime(value: unknown): value is PlanningTime {
  return isRecord(value) && typeof value.time_zone === "string" && !Number.isNaN(Date.parse(String(value.now)));
}

function readResult(result: RunResult, state: LoopState): PlanExecuteResult {
  const { run_id, end_reason, usage, certificate } = result;
  const [task] = result.results;
  const output = task?.status === "completed" && isRecord(task.output) ? task.output : undefined;
  const details = task?.error?.details;
  const own = output ?? (task?.error?.code === TaskErrorCode.NO_ANSWER ? details : undefined);
  const reason = (own?.end_reason as LoopEndReason | undefined) ?? end_reason;
  const waiting = waitingCalls(task?.error);
  const { session, rounds } = { ...state, ...(output as LoopState | undefined) };
  return {
    run_id,
    end_reason: reason,
    ...(output !== undefined && "response" in output && { response: output.response }),
    rounds,
    session,
    waiting,
    ...(waiting.length > 0 && {
      interrupted: { agent: details?.agent as LoopAgent, round: Number(details?.round ?? 0) },
    }),
    ...(task?.error !== undefined && { error: task.error }),
    usage,
    certificate,
  };
}
