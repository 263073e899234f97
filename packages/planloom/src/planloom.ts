import type { BehaviorController } from "@planloom/controller";
import { type ExecutionKind, executionKinds, type TaskData, type TaskDataInput, type TypedPlan } from "@planloom/plan";
import {
  fork,
  type Journal,
  type LoopMessage,
  type PlanExecuteResult,
  planExecute,
  type RunResult,
  type RunStatusView,
  recordedPlan,
  resume,
  resumePlanExecute,
  reviseRun,
  run,
  runStatus,
  type SentSignal,
  type SharedLimits,
  signal,
  type TypedRunResult,
  type WokenRun,
} from "@planloom/runtime";
import { callChecks, streamChecks } from "./call-checks.ts";
import { checkOptions } from "./check-options.ts";
import { describeOptions, type PlanloomDescription } from "./description.ts";
import type { PlanloomEvent, PlanloomEventType, PlanloomListener } from "./events.ts";
import type { PlanloomRunResult } from "./grouping/run-grouping.ts";
import { Instance } from "./instance.ts";
import { withPlanIssues } from "./instance-runs.ts";
import type { PlanMemory } from "./memory/plan-memory.ts";
import type { CloseOptions } from "./open-work.ts";
import type { PlanStream } from "./plan-stream.ts";
import type {
  Goal,
  PlanloomDueOptions,
  PlanloomForkOptions,
  PlanloomLoopOptions,
  PlanloomOptions,
  PlanloomReplanOptions,
  PlanloomResumeLoopOptions,
  PlanloomResumeOptions,
  PlanloomRunOptions,
  PlanloomSignalOptions,
} from "./planloom-options.ts";
import { PlanningMethods } from "./planning-methods.ts";
import { type ReplannedPlan, replanPlan } from "./replan-plan.ts";
import { type RunStream, type StreamOptions, streamOf } from "./run-stream.ts";
import { runnablePlan, wholePlan } from "./runnable-plan.ts";
import type { SchedulerOptions } from "./scheduler.ts";
import { checkScheduleId } from "./schedules/check-schedule-id.ts";
import { type Schedule, type ScheduleFire, type ScheduleOptions, scheduleChecks } from "./schedules/schedule.ts";
import { type RunSubscription, type SubscribeOptions, subscribeTo } from "./subscription.ts";
import type { Logger } from "./telemetry/logger.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { planOfCall, type ToolCallOptions, type ToolCallResult } from "./tool-call.ts";

/**
 * All stages wired together: a goal becomes a plan, a plan is run, a run gives results. Each stage is usable alone too; this class only
 * hands the output of one to the next and gathers their events. With `dispatch` a plan is grouped into subgraphs for that dispatcher before
 * it is run; without, its tasks start one by one as they become ready. `optimize(plan)` only groups.
 */
export class Planloom extends PlanningMethods implements AsyncDisposable {
  /** Answers planning questions. */
  readonly controller: BehaviorController;
  /** Which calls of its runs a person confirms; undefined where its options do not say. */
  readonly confirm: PlanloomOptions["confirm"];
  /** What watches it, as its options have it. */
  readonly telemetry: Telemetry | undefined;
  /** Where it writes what happens, as its options have it. */
  readonly logger: Logger | undefined;
  /** Limits, rates and budgets of all runs together, and how much of them is in use now. */
  readonly limits: SharedLimits;
  /** The plans of completed runs that can be reused, whether this instance reuses them (`memory`) or not. */
  readonly memory: PlanMemory;
  readonly #instance: Instance;

  /** @throws PlanloomError OPTION, PlannerError CONFIG, RuntimeError INVALID_DEFINITION, EmbeddedError for invalid options. */
  constructor(given: PlanloomOptions = {}) {
    const instance = new Instance(given);
    super(instance);
    this.#instance = instance;
    const { controller, limits, memory } = instance;
    const { confirm, telemetry, logger } = instance.options;
    this.controller = controller;
    this.confirm = confirm;
    this.telemetry = telemetry;
    this.logger = logger;
    this.limits = limits;
    this.memory = memory;
  }

  /** Calls `listener` for every event of a type. If it throws, neither the work nor other listeners notice. */
  on<Type extends PlanloomEventType>(type: Type, listener: PlanloomListener<Type>): this {
    this.#instance.events.on(type, listener);
    return this;
  }

  off<Type extends PlanloomEventType>(type: Type, listener: PlanloomListener<Type>): this {
    this.#instance.events.off(type, listener);
    return this;
  }

  /**
   * Runs a plan, or plans a goal and runs that. A failing task never rejects the call.
   * @returns the results in plan order with `end_reason`; settles only when no task is running any more.
   * @throws PlanloomError INVALID_PLAN with the issues, before anything starts; RuntimeError for wrong options or a journal that cannot
   *   be written; PlannerError when no plan could be made for the goal.
   */
  run<Output>(
    plan: TypedPlan<Output>,
    options?: PlanloomRunOptions,
  ): Promise<TypedRunResult<Output, PlanloomRunResult>>;
  run(planOrGoal: TaskDataInput | Goal | PlanStream, options?: PlanloomRunOptions): Promise<PlanloomRunResult>;
  run(planOrGoal: TaskDataInput | Goal | PlanStream, options: PlanloomRunOptions = {}): Promise<PlanloomRunResult> {
    return this.#instance.run(planOrGoal, options, () => {});
  }

  /**
   * As `run`, with the events of planning and running as an async iterable. A consumer that is slow, throws or stops reading does
   * not change the run, except that with `whenFull: "wait"` no attempt starts until the consumer has caught up.
   * @throws PlanloomError OPTION at once; all other errors reject `result` and the iteration
   */
  stream<Output>(
    plan: TypedPlan<Output>,
    options?: PlanloomRunOptions & StreamOptions,
  ): RunStream<TypedRunResult<Output, PlanloomRunResult>>;
  stream(
    planOrGoal: TaskDataInput | Goal | PlanStream,
    options?: PlanloomRunOptions & StreamOptions,
  ): RunStream<PlanloomRunResult>;
  stream(
    planOrGoal: TaskDataInput | Goal | PlanStream,
    given: PlanloomRunOptions & StreamOptions = {},
  ): RunStream<PlanloomRunResult> {
    checkOptions("`stream`", given, { ...callChecks.run, ...streamChecks });
    const { bufferSize, whenFull, ...options } = given;
    return streamOf({ bufferSize, whenFull }, (notify, pace) =>
      this.#instance.run(planOrGoal, { pace, ...options }, notify),
    );
  }

  /**
   * One call of a tool, as a chat makes it beside its plans: under the limits, budgets, gates and guards of the instance, and kept as a
   * run of one task. `input` is data, in which no references are resolved and no missing argument is filled in.
   * @param id the tool's id, or the name under which models call it (`server__tool`)
   * @returns the result of the task. A call that waits for a person is made by `resume(run_id)` once it is approved.
   * @throws PlanloomError INVALID_PLAN for an unknown tool or an input without a required argument; as `run`
   */
  callTool(
    id: string,
    input: Readonly<Record<string, unknown>> = {},
    options: ToolCallOptions = {},
  ): Promise<ToolCallResult> {
    return this.#instance.work.run("callTool", options, callChecks.callTool, async (signals) => {
      const plan = runnablePlan(planOfCall(id, input), this.#instance.planning);
      const given = { ...(await this.#instance.wiring.ofCall(options, true, signals)), input };
      const { run_id, results } = await run(plan, given);
      return { ...results[0]!, run_id };
    });
  }

  /** Resumes a run from the journal; completed tasks are not run again. @throws RuntimeError RUN_NOT_FOUND, RUN_LEASED, … */
  resume(runId: string, options: PlanloomResumeOptions = {}): Promise<PlanloomRunResult> {
    return this.#instance.work.run("resume", options, callChecks.resume, async (signals) => {
      return withPlanIssues(await resume(runId, await this.#instance.wiring.ofResumption(options, signals)));
    });
  }

  /**
   * Resumes the runs of the journal in which something is due: a time that a task waits for, a deadline, a signal. Each run is woken by one of the processes that
   * do so. @returns the runs that were woken, with how they ended then or why they could not be resumed
   * @throws RuntimeError NO_WAITS, JOURNAL_*
   */
  resumeDue(options: PlanloomDueOptions = {}): Promise<readonly WokenRun[]> {
    return this.#instance.work.run("resumeDue", options, callChecks.resumeDue, (signals) =>
      this.#instance.schedules.resumeDue(options, signals),
    );
  }

  /**
   * Wakes what is due in the journal, until `signal` is aborted or the instance is closed: a long-running `resumeDue`. There may be several of them on
   * one journal. @throws RuntimeError NO_WAITS, JOURNAL_*
   */
  scheduler(options: SchedulerOptions = {}): Promise<void> {
    return this.#instance.work.run("scheduler", options, callChecks.scheduler, (signals) =>
      this.#instance.schedules.scheduler(options, signals),
    );
  }

  /**
   * Runs a plan at the times of a cron pattern, wherever a scheduler runs on the journal (`scheduler`, `planloom scheduler`); each due time is run once.
   * @throws PlanloomError INVALID_PLAN, OPTION for a pattern or zone that cannot be read, or a journal that keeps no schedules
   */
  async schedule(given: TaskDataInput, options: ScheduleOptions): Promise<Schedule> {
    checkOptions("`schedule`", options, scheduleChecks);
    const plan = runnablePlan(given, this.#instance.planning, options.variables);
    return this.#instance.schedules.add(plan, options);
  }

  /** The schedules of the journal, the one that is due first at the front. */
  schedules(): Promise<readonly Schedule[]> {
    return this.#instance.schedules.list();
  }

  /** What became of the due times of a schedule, the newest last; at most 200. @throws PlanloomError OPTION for an unknown id */
  async scheduleHistory(id: string): Promise<readonly ScheduleFire[]> {
    checkScheduleId(id);
    return this.#instance.schedules.history(id);
  }

  /** A paused schedule has no due times. @param paused false lets it continue. @throws PlanloomError OPTION for an unknown id */
  async pauseSchedule(id: string, paused = true): Promise<Schedule> {
    checkScheduleId(id);
    return this.#instance.schedules.pause(id, paused);
  }

  /** Its runs stay. @throws PlanloomError OPTION for an unknown id */
  async deleteSchedule(id: string): Promise<void> {
    checkScheduleId(id);
    return this.#instance.schedules.delete(id);
  }

  /**
   * Sends a signal to a run: the oldest of its tasks that wait for this event and key is completed with the data. Where none does yet, the signal is
   * kept for the first that will.
   * @throws RuntimeError RUN_NOT_FOUND, RUN_ENDED, INVALID_SIGNAL, SIGNAL_CONFLICT, SIGNALS_FULL, NO_WAITS, INVALID_OPTION
   */
  async signal(runId: string, event: string, options: PlanloomSignalOptions = {}): Promise<SentSignal> {
    return signal(runId, event, { ...options, journal: await this.journal() });
  }

  /**
   * Plans, executes with tools and replans until there is an answer: the loop of Eino's plan-execute. A model or a function has each of the three
   * roles. The loop is kept in the journal as a run. @throws RuntimeError INVALID_OPTION where a role has neither a model nor a function
   */
  planExecute(
    input: LoopMessage | readonly LoopMessage[],
    options: PlanloomLoopOptions = {},
  ): Promise<PlanExecuteResult> {
    return this.#planExecute(input, options, () => {});
  }

  /** As `planExecute`, with its events as an async iterable; see `stream`. @throws PlanloomError OPTION at once */
  planExecuteStream(
    input: LoopMessage | readonly LoopMessage[],
    given: PlanloomLoopOptions & StreamOptions = {},
  ): RunStream<PlanExecuteResult> {
    checkOptions("`planExecuteStream`", given, { ...callChecks.planExecute, ...streamChecks });
    const { bufferSize, whenFull, ...options } = given;
    return streamOf({ bufferSize, whenFull }, (notify, pace) => this.#planExecute(input, { pace, ...options }, notify));
  }

  #planExecute(
    input: LoopMessage | readonly LoopMessage[],
    options: PlanloomLoopOptions,
    notify: (event: PlanloomEvent) => void,
  ): Promise<PlanExecuteResult> {
    return this.#instance.work.run("planExecute", options, callChecks.planExecute, async (signals) => {
      return planExecute(input, await this.#instance.wiring.ofLoop(options, signals, notify));
    });
  }

  /** Resumes a loop from the journal, under the same run id. @throws as `resume`; RuntimeError INVALID_OPTION for the run of a plan */
  resumePlanExecute(runId: string, options: PlanloomResumeLoopOptions = {}): Promise<PlanExecuteResult> {
    return this.#instance.work.run("resumePlanExecute", options, callChecks.resumePlanExecute, async (signals) => {
      return resumePlanExecute(runId, await this.#instance.wiring.ofResumedLoop(options, signals));
    });
  }

  /**
   * A new run that takes over the completed tasks of another, except `fromTask` and all that depends on it, and runs the rest again. The other
   * run is not changed. @throws as `resume`, RuntimeError INVALID_OPTION
   */
  fork(runId: string, fromTask: string, options: PlanloomForkOptions = {}): Promise<RunResult> {
    return this.#instance.work.run("fork", options, callChecks.fork, async (signals) => {
      return fork(runId, fromTask, await this.#instance.wiring.ofResumption(options, signals));
    });
  }

  /**
   * Puts new tasks in the place of marked ones, of single elements of a list (`fetch[42]`), or of what is within these (`out[0]/in[1]`), and checks that nothing else changes. Given a plan, it returns the new plan; the one handed in
   * is not changed. Given a run that no process executes now, it changes the run's plan in the journal, and `resume` continues with that; completed
   * tasks that consumed an output of a replaced task are run again.
   * @param planOrRun a plan, or a run's whole id.
   * @throws PlannerError REPLAN_INPUT for an unknown task, NO_VALID_REPLAN; RuntimeError RUN_NOT_FOUND, RUN_LEASED,
   *   REVISION_CONFLICT
   */
  replan(planOrRun: TaskData | string, options: PlanloomReplanOptions): Promise<ReplannedPlan> {
    return this.#instance.work.run("replan", options, callChecks.replan, async ({ signal }) => {
      const journal = typeof planOrRun === "string" ? await this.journal() : undefined;
      const recorded = journal && (await recordedPlan(planOrRun as string, { journal }));
      const plan = recorded?.plan ?? wholePlan(planOrRun as TaskData);
      const { llmData, ...marked } = options;
      const call = { ...marked, failures: recorded?.failures, outputs: recorded?.outputs, signal };
      const replanned = await replanPlan(plan, call, this.#instance.replanOptions(llmData));
      if (journal === undefined || recorded === undefined) return replanned;
      const { split, patch } = replanned;
      await reviseRun(recorded.run_id, split === undefined ? [patch] : [split, patch], { journal });
      return { ...replanned, run_id: recorded.run_id };
    });
  }

  /**
   * The events of one run, which may have ended or be run by another process; see `RunSubscription`. There may be any number of subscribers,
   * and none of them affects the run by subscribing or by stopping. `close` ends all subscriptions.
   * @param runId the run's whole id
   * @throws PlanloomError OPTION at once; RuntimeError RUN_NOT_FOUND, JOURNAL_* reject the iteration
   */
  subscribe(runId: string, options: SubscribeOptions = {}): RunSubscription {
    return subscribeTo(runId, () => this.journal(), options, this.#instance.work.closing);
  }

  /** The state of a run and of each of its tasks, as the journal has them now. @throws RuntimeError RUN_NOT_FOUND, JOURNAL_* */
  async runStatus(runId: string): Promise<RunStatusView> {
    return runStatus(runId, { journal: await this.journal() });
  }

  /** What this instance runs with: journal, controller, limits, and which calls people are asked about. Of secrets it gives the names only. */
  describe(): PlanloomDescription {
    const { model } = this.#instance.options;
    const kinds = Object.fromEntries(executionKinds.map((kind) => [kind, 0])) as Record<ExecutionKind, number>;
    for (const { kind } of this.resources) kinds[kind] += 1;
    return {
      ...describeOptions(this.#instance.options),
      controller: this.controller.name,
      ...(model !== undefined && { model: model.name }),
      resources: kinds,
      load: this.limits.load(),
    };
  }

  /**
   * Waits at most `drainMs` for running work to end, stops what still runs, waits for that, and closes the journal if this instance opened it.
   * Runs that have not finished by then end as `drained` or `shut_down`, never as `cancelled`: `resume` continues them, also after a restart.
   * New calls are refused at once. A second call of `close` waits for the first.
   * @throws PlanloomError OPTION
   */
  async close(options: CloseOptions = {}): Promise<void> {
    await this.#instance.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The journal of this instance. It is opened at the first call; `close` closes it if this instance opened it. */
  journal(): Promise<Journal> {
    return this.#instance.journal();
  }
}
