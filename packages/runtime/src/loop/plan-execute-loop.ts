import type { PlanningTime } from "@planloom/controller";
import {
  type ExecutionContext,
  type Executor,
  escapeText,
  hashValue,
  type PlannerTaskInput,
  type Resource,
  referenceText,
  TaskData,
} from "@planloom/plan";
import { nestedCall, recordedCall } from "../executors/agents/nested-call.ts";
import { type RunScope, scopeOf } from "../executors/scope.ts";
import { waitingFailure, waitingIn } from "../journal/waiting-call.ts";
import type { RunResult, TaskResult } from "../run-result.ts";
import { type TaskError, TaskErrorCode, TaskFailure } from "../task-error.ts";
import type { LoopEndReason } from "./end-reason.ts";
import type { LoopAgent, LoopEventBody } from "./events.ts";
import type { LoopSettings } from "./loop-options.ts";
import { type LoopPlanInput, readLoopPlan } from "./plan-tools.ts";
import { withoutRepeats } from "./repeated-steps.ts";
import { type LoopContext, type LoopExecutor, LoopExit, type LoopPlanner, type LoopReplanner } from "./roles.ts";
import { earlierSteps, lastSteps, type RoundStep, stepsOfRound } from "./round.ts";
import type { ExecutedStep, LoopMessage, LoopPlan, LoopSession } from "./session.ts";
import { toolCaller } from "./tool-caller.ts";

export interface LoopRoles {
  readonly planner: LoopPlanner;
  readonly executor: LoopExecutor;
  readonly replanner: LoopReplanner;
}

/** How far a loop has come. Plain JSON. */
export interface LoopState {
  readonly session: LoopSession;
  /** Rounds that began. */
  readonly rounds: number;
}

/** How a loop ended by itself. Plain JSON. */
export interface LoopOutput extends LoopState {
  readonly end_reason: "responded" | "completed" | "exited";
  readonly response?: unknown;
}

/** Where and when a loop works. */
export interface LoopPlace {
  readonly context: ExecutionContext;
  readonly scope: RunScope;
  readonly time: PlanningTime;
  /** Those that steps can be executed with. */
  readonly tools: readonly Resource[];
}

/** What a role gave, as it is recorded. */
type Given = { readonly exit: true; readonly response?: unknown } | { readonly exit?: never; readonly value: unknown };

/**
 * One run of planner, executor and replanner. Each call of one of them is a task nested in the loop's, so what was recorded is not
 * done again: a resumed loop repeats its past without a call, and continues from there. State is in the session alone.
 */
export class PlanExecuteLoop {
  readonly #roles: LoopRoles;
  readonly #settings: LoopSettings;
  readonly #context: ExecutionContext;
  readonly #scope: RunScope;
  readonly #time: PlanningTime;
  readonly #tools: readonly Resource[];
  /** Called with how far it has come. */
  readonly #onState: (state: LoopState) => void;
  #session: LoopSession;
  #rounds = 0;

  constructor(
    roles: LoopRoles,
    settings: LoopSettings,
    input: readonly LoopMessage[],
    { context, scope, time, tools }: LoopPlace,
    onState: (state: LoopState) => void,
  ) {
    this.#roles = roles;
    this.#settings = settings;
    this.#context = context;
    this.#scope = scope;
    this.#time = time;
    this.#tools = tools;
    this.#onState = onState;
    this.#session = { UserInput: input, ExecutedSteps: [] };
  }

  /** @throws TaskFailure NO_ANSWER with why; WAITING, CANCELLED, BUDGET as what it runs */
  async run(): Promise<LoopOutput> {
    this.#update({});
    const { maxRounds } = this.#settings;
    const planned = await this.#ask("planner", (context) => this.#roles.planner(this.#session, context));
    if (planned.exit) return this.#end("exited", planned.response);
    this.#plan("planner", this.#read("planner", planned.value));
    while (this.#rounds < maxRounds) {
      const round = stepsOfRound(this.#session.Plan!, this.#settings.replanWhen);
      this.#emit({ type: "loop-round", round: this.#rounds, steps: round.map(({ step }) => step) });
      this.#rounds += 1;
      this.#update({});
      const outcome = await this.#execute(round);
      if (outcome.exit) return this.#end("exited", outcome.exit.response);
      if (this.#settings.replanWhen === "failure" && !outcome.failed) {
        const last = lastSteps(round).map((index) => outcome.results.get(index)!);
        return this.#end("completed", last.length === 1 ? last[0] : last);
      }
      const chosen = await this.#ask("replanner", (context) => this.#roles.replanner(this.#session, context));
      if (chosen.exit) return this.#end("exited", chosen.response);
      const choice = chosen.value as { plan: LoopPlanInput } | { respond: unknown } | undefined;
      if (choice !== undefined && choice !== null && "respond" in choice) {
        const currentIterations = this.#rounds - 1;
        const breakLoop = { from: "replanner" as const, done: true, currentIterations };
        this.#emit({ type: "loop-action", agent: "replanner", action: { breakLoop } });
        return this.#end("responded", choice.respond);
      }
      this.#plan("replanner", this.#read("replanner", choice?.plan));
    }
    throw this.#failure("round_limit", `No answer within ${maxRounds} rounds (maxRounds).`);
  }

  /** Calls planner or replanner as a nested task. */
  async #ask(agent: "planner" | "replanner", call: (context: LoopContext) => unknown): Promise<Given> {
    const executor = this.#executorFor(agent, async (execution) => given(await call(this.#roleContext(execution))));
    const outcome = await nestedCall(this.#scope, this.#taskOf(agent, this.#session), {}, { executors: [executor] });
    switch (outcome.status) {
      case "completed":
        if (outcome.recorded) this.#emit(this.#message(agent, outcome.output as Given, true));
        return outcome.output as Given;
      case "waiting":
        throw waitingFailure(outcome.waiting, { agent, round: this.#rounds - 1, ...this.#state() });
      case "failed":
        throw this.#failure("failed", outcome.error.message, outcome.error);
      default:
        return outcome satisfies never;
    }
  }

  #taskOf(agent: "planner" | "replanner", session: LoopSession) {
    return {
      task_id: agent === "planner" ? agent : `${agent}-${this.#rounds}`,
      execution_type: "agent" as const,
      agent_id: agent,
      arguments: { session: this.#placeOf(session) },
    };
  }

  /** Executes the steps of a round, those that wait for nothing at the same time, and notes what came out. */
  async #execute(round: readonly RoundStep[]): Promise<RoundOutcome> {
    const number = this.#rounds - 1;
    const session = this.#session;
    const byTask = new Map(round.map((each) => [`step-${number}-${each.index}`, each]));
    const idOf = (index: number) => `step-${number}-${index}`;
    const neededBy = earlierSteps(round);
    const reported = new Set<number>();
    const plan = TaskData.parse({
      task_id: `round-${number}`,
      planned_tasks: [...byTask].map(
        ([task_id, { index, step, needs }]): PlannerTaskInput => ({
          task_id,
          title: step.slice(0, 200),
          execution_type: "agent",
          agent_id: "executor",
          on_failure: "continue",
          dependencies: needs.map(idOf),
          arguments: {
            step: escapeText(step),
            session: this.#placeOf(session),
            earlier: neededBy.get(index)!.map((each) => {
              const $ref = referenceText({ name: idOf(each.index), path: [], optional: false });
              return { step: escapeText(each.step), given: { $ref } };
            }),
          },
        }),
      ),
    });
    const before = round.flatMap(
      (_, at) => this.#scope.recorded(() => plan, {}, plan.planned_tasks[at]!.task_id) ?? [],
    );
    const wasRead = before.length === round.length && this.#wasRead(executedSteps(round, before));
    const executor = this.#executorFor("executor", async (execution, input) => {
      const { step, index } = byTask.get(execution.task.task_id)!;
      // The replanner got this failure, so its reply holds for no other outcome.
      const known = wasRead ? before.find(({ task_id }) => task_id === execution.task.task_id) : undefined;
      if (known?.status === "failed" && known.error !== undefined) throw failureOf(known.error);
      const earlier = (input.earlier as { step: string; given: Given }[]).map(({ step: done, given: out }) => ({
        step: done,
        result: textOf(givenValue(out)),
      }));
      const seen =
        earlier.length === 0 ? session : { ...session, ExecutedSteps: [...session.ExecutedSteps, ...earlier] };
      const out = given(await this.#roles.executor({ step, session: seen }, this.#roleContext(execution)));
      reported.add(index);
      this.#reportStep(number, { step, result: textOf(givenValue(out)) }, false);
      return out;
    });
    const result = await this.#scope.runNested(plan, {}, [executor]);
    return this.#note(round, result, number, reported);
  }

  #reportStep(round: number, executed: ExecutedStep, recorded: boolean): void {
    const mark = recorded ? { recorded: true as const } : {};
    this.#emit({ type: "loop-message", agent: "executor", content: executed.result, ...mark });
    this.#emit({ type: "loop-step", round, executed, ...mark });
  }

  #note(round: readonly RoundStep[], nested: RunResult, number: number, reported: ReadonlySet<number>): RoundOutcome {
    const results = new Map<number, unknown>();
    let exit: Extract<Given, { exit: true }> | undefined;
    const executed = executedSteps(round, nested.results);
    for (const [at, { index }] of round.entries()) {
      const result = nested.results[at]!;
      const out = result.status === "completed" ? (result.output as Given) : undefined;
      if (out?.exit) exit ??= out;
      if (out !== undefined) results.set(index, givenValue(out));
      const step = executed[at];
      if (step !== undefined && !reported.has(index)) this.#reportStep(number, step, result.recorded === true);
    }
    this.#update(afterSteps(this.#session, executed));
    switch (nested.end_reason) {
      case "waiting_approval":
      case "waiting":
        throw waitingFailure(waitingIn(nested, this.#scope.path), {
          agent: "executor",
          round: number,
          ...this.#state(),
        });
      case "cancelled":
      case "drained":
      case "shut_down":
        throw new TaskFailure(TaskErrorCode.CANCELLED, "The loop was cancelled.", { retryable: false });
      case "budget":
        throw failureOf(nested.results.find(({ error }) => error?.code === TaskErrorCode.BUDGET)!.error!);
      default:
        return { exit, results, failed: nested.results.some(({ status }) => status !== "completed") };
    }
  }

  #executorFor(
    uid: LoopAgent,
    execute: (context: ExecutionContext, input: Record<string, unknown>) => Promise<Given>,
  ): Executor {
    return {
      kind: "agent",
      resources: () => [{ kind: "agent", id: uid, description: `The ${uid} of a plan-execute loop.` }],
      // What it does it does by calls of tools, which are tasks of the run.
      delegates: () => true,
      async execute({ input_data }, context) {
        return execute(context, input_data);
      },
    };
  }

  #roleContext(execution: ExecutionContext): LoopContext {
    return {
      // Its agents are tasks of a nested run.
      callTool: toolCaller(scopeOf(execution)!),
      signal: execution.signal,
      round: Math.max(0, this.#rounds - 1),
      execution,
      time: this.#time,
      tools: this.#tools,
      emit: (event) => this.#emit(event),
      check: (plan) => {
        const { plan: left, repeated } = this.#withoutRepeats(plan);
        if (left.steps.length > 0) return undefined;
        return `All of these steps were executed already, or failed too often: ${repeated.map((step) => JSON.stringify(step)).join(", ")}. Plan something else, or answer.`;
      },
    };
  }

  #withoutRepeats(plan: LoopPlan) {
    const { drop, maxStepAttempts } = this.#settings;
    if (!drop) return { plan, repeated: [] };
    return withoutRepeats(plan, this.#session.ExecutedSteps, maxStepAttempts);
  }

  #read(agent: "planner" | "replanner", value: unknown): LoopPlan {
    const read = readLoopPlan(value);
    if ("plan" in read) return read.plan;
    throw this.#failure("failed", `The plan of the ${agent} cannot be used: ${read.issue}`);
  }

  #plan(agent: "planner" | "replanner", planned: LoopPlan): void {
    const { plan, repeated } = this.#withoutRepeats(planned);
    this.#update({ Plan: plan });
    if (repeated.length > 0) this.#emit({ type: "loop-repeat", round: this.#rounds, steps: repeated });
    if (plan.steps.length === 0) throw this.#failure("stalled", "Only steps that were executed already were planned.");
    this.#emit({ type: "loop-plan", agent, plan });
  }

  #message(agent: LoopAgent, output: Given, recorded: boolean): LoopEventBody {
    const content = textOf(givenValue(output));
    return { type: "loop-message", agent, content, ...(recorded && { recorded: true as const }) };
  }

  #end(end_reason: LoopOutput["end_reason"], response: unknown): LoopOutput {
    this.#emit({ type: "loop-end", endReason: end_reason, rounds: this.#rounds });
    return { end_reason, ...(response !== undefined && { response }), ...this.#state() };
  }

  #failure(endReason: LoopEndReason, message: string, cause?: TaskError): TaskFailure {
    this.#emit({ type: "loop-end", endReason, rounds: this.#rounds });
    const details = { end_reason: endReason, ...this.#state(), ...(cause !== undefined && { error: cause }) };
    return new TaskFailure(TaskErrorCode.NO_ANSWER, message, { retryable: false, details });
  }

  /** A key of all that was planned and done before: a record is valid at this place only. */
  #placeOf(session: LoopSession): string {
    return hashValue([this.#rounds, session]);
  }

  /** Whether the replanner was asked about these outcomes of the round in an earlier session of the run, and answered. */
  #wasRead(executed: readonly (ExecutedStep | undefined)[]): boolean {
    const task = this.#taskOf("replanner", afterSteps(this.#session, executed));
    return recordedCall(this.#scope, task, {})?.status === "completed";
  }

  #state(): LoopState {
    return { session: this.#session, rounds: this.#rounds };
  }

  #update(changes: Partial<LoopSession>): void {
    this.#session = { ...this.#session, ...changes };
    this.#onState(this.#state());
  }

  #emit(event: LoopEventBody): void {
    this.#context.onProgress({ loop: event });
  }
}

interface RoundOutcome {
  readonly exit: { readonly response?: unknown } | undefined;
  /** Values by place in the plan. */
  readonly results: ReadonlyMap<number, unknown>;
  readonly failed: boolean;
}

type StepEnd = Pick<TaskResult, "status" | "skipped_because" | "error" | "output">;

/** What became of the steps of a round, in its order; `undefined` for a step that was neither completed nor has failed itself. */
function executedSteps(round: readonly RoundStep[], ends: readonly StepEnd[]): (ExecutedStep | undefined)[] {
  return round.map(({ step }, at) => {
    const end = ends[at]!;
    if (end.status === "completed") return { step, result: textOf(givenValue(end.output as Given)) };
    if (!countsAsFailed(end)) return undefined;
    return { step, result: `Failed: ${end.error?.message ?? "no reason given"}`, failed: true };
  });
}

function afterSteps(session: LoopSession, steps: readonly (ExecutedStep | undefined)[]): LoopSession {
  const executed = steps.filter((step) => step !== undefined);
  const last = executed.at(-1);
  return {
    ...session,
    ExecutedSteps: [...session.ExecutedSteps, ...executed],
    ...(last !== undefined && { ExecutedStep: last.result }),
  };
}

/** A step that was skipped because of another step or a budget, or that was stopped, has not failed itself. */
function countsAsFailed({ status, skipped_because, error }: StepEnd): boolean {
  if (status === "failed") return true;
  return status === "skipped" && skipped_because === undefined && error?.code !== TaskErrorCode.BUDGET;
}

function given(value: unknown): Given {
  if (!(value instanceof LoopExit)) return { value: value ?? null };
  return value.response === undefined ? { exit: true } : { exit: true, response: value.response };
}

function givenValue(out: Given): unknown {
  return out.exit ? out.response : out.value;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function failureOf({ code, message, details }: TaskError): TaskFailure {
  return new TaskFailure(code, message, { retryable: false, ...(details !== undefined && { details }) });
}
