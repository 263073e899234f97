import type { BehaviorController } from "@planloom/controller";
import {
  type ExecutionKind,
  type Executor,
  executionKinds,
  type PlanIssue,
  type Resource,
  type ScheduledGraphs,
  TaskData,
  type TaskDataInput,
  type TypedPlan,
} from "@planloom/plan";
import { type CreatePlanOptions, type PlanQuestion, replanWith } from "@planloom/planner";
import {
  type DryRunResult,
  dryRun,
  type EstimatedPlan,
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
import { defaultController } from "./default-controller.ts";
import { confirmSeen, confirmUnseen, describeOptions, type PlanloomDescription } from "./description.ts";
import { EventHub, type PlanloomEvent, type PlanloomEventType, type PlanloomListener } from "./events.ts";
import { executorsOf } from "./executors-of.ts";
import type { GroupedPlan } from "./grouping/grouped-plan.ts";
import type { PlanloomRunResult } from "./grouping/run-grouping.ts";
import { checkPlanloomOptions } from "./instance-checks.ts";
import { InstanceJournal } from "./instance-journal.ts";
import { sharedLimitsOf } from "./instance-limits.ts";
import { InstanceRuns, isSeen } from "./instance-runs.ts";
import { InstanceSchedules } from "./instance-schedules.ts";
import { instanceMemory, reuseOf } from "./memory/instance-memory.ts";
import type { PlanMemory } from "./memory/plan-memory.ts";
import { type CloseOptions, OpenWork } from "./open-work.ts";
import { PlanService } from "./plan-service.ts";
import { type PlanStream, planStreamOf } from "./plan-stream.ts";
import {
  type Goal,
  type OptimizeOptions,
  type PlanloomDryRunOptions,
  type PlanloomDueOptions,
  type PlanloomForkOptions,
  type PlanloomLoopOptions,
  type PlanloomOptions,
  type PlanloomReplanOptions,
  type PlanloomResumeLoopOptions,
  type PlanloomResumeOptions,
  type PlanloomRunOptions,
  type PlanloomSignalOptions,
  type PlanOptions,
  pickOptions,
} from "./planloom-options.ts";
import { planningClock } from "./planning-clock.ts";
import { type ReplannedPlan, replanPlan } from "./replan-plan.ts";
import { resourceList } from "./resource-list.ts";
import { type RunStream, type StreamOptions, streamOf } from "./run-stream.ts";
import { RunWiring } from "./run-wiring.ts";
import { runnablePlan, wholePlan } from "./runnable-plan.ts";
import type { SchedulerOptions } from "./scheduler.ts";
import { type Schedule, type ScheduleFire, type ScheduleOptions, scheduleChecks } from "./schedules/schedule.ts";
import { type RunSubscription, type SubscribeOptions, subscribeTo } from "./subscription.ts";
import { logEvents } from "./telemetry/log-events.ts";
import type { Logger } from "./telemetry/logger.ts";
import type { Telemetry, TelemetryCall } from "./telemetry/telemetry.ts";
import { watchedOptions } from "./telemetry/watched.ts";
import { planOfCall, type ToolCallOptions, type ToolCallResult } from "./tool-call.ts";
import { bindingOf } from "./worker-parts.ts";

/**
 * All stages wired together: a goal becomes a plan, a plan is run, a run gives results. Each stage is usable alone too; this class only
 * hands the output of one to the next and gathers their events. With `dispatch` a plan is grouped into subgraphs for that dispatcher before
 * it is run; without, its tasks start one by one as they become ready. `optimize(plan)` only groups.
 */
export class Planloom implements AsyncDisposable {
  /** Answers planning questions. */
  readonly controller: BehaviorController;
  /** Which calls of its runs a person confirms; undefined where its options do not say. */
  readonly confirm: PlanloomOptions["confirm"];
  /** What watches it, as its options have it. */
  readonly telemetry: Telemetry | undefined;
  /** Where it writes what happens, as its options have it. */
  readonly logger: Logger | undefined;
  readonly #forgetBudgets: (() => void) | undefined;
  readonly #options: PlanloomOptions;
  readonly #executors: readonly Executor[];
  readonly #all: () => readonly Resource[];
  readonly #planning: PlanService;
  readonly #wiring: RunWiring;
  readonly #runs: InstanceRuns;
  readonly #schedules: InstanceSchedules;
  readonly #events: EventHub;
  readonly #work: OpenWork;
  /** Limits, rates and budgets of all runs together, and how much of them is in use now. */
  readonly limits: SharedLimits;
  /** The plans of completed runs that can be reused, whether this instance reuses them (`memory`) or not. */
  readonly memory: PlanMemory;
  readonly #journal: InstanceJournal;

  /** @throws PlanloomError OPTION, PlannerError CONFIG, RuntimeError INVALID_DEFINITION, EmbeddedError for invalid options. */
  constructor(given: PlanloomOptions = {}) {
    checkPlanloomOptions(given);
    const options = watchedOptions(given);
    const { telemetry } = options;
    this.telemetry = telemetry;
    this.#work = new OpenWork(telemetry);
    this.#journal = new InstanceJournal(options.journal);
    this.#options = options;
    this.confirm = options.confirm;
    this.limits = sharedLimitsOf(options, () => this.#journal.openForLimits());
    this.#forgetBudgets = telemetry?.budgets?.(() => this.limits.budgetsLeft());
    const controller = options.controller ?? defaultController(options);
    this.controller = telemetry === undefined ? controller : telemetry.controller(controller);
    const wired = executorsOf(options);
    this.#executors = wired.executors;
    this.#all = resourceList(wired.executors);
    const { now, timeZone, planner } = options;
    this.memory = instanceMemory(options, () => this.journal());
    const memory = reuseOf(options.memory, this.memory);
    this.#planning = new PlanService({ ...wired, controller: this.controller, planner, memory, now, timeZone });
    this.logger = options.logger;
    this.#events = new EventHub(options.onListenerError, {
      telemetry: telemetry && ((event) => telemetry.event(event)),
      logger: options.logger && logEvents(options.logger),
    });
    const { onEvent } = this.#plannerOptions();
    const bind = bindingOf(options, this.controller, this.#all, onEvent);
    const replan = replanWith({ ...this.#plannerOptions(), resources: this.#all });
    this.#wiring = new RunWiring({
      options,
      executors: wired.executors,
      bind,
      replan: telemetry === undefined ? replan : telemetry.replan(replan),
      limits: this.limits,
      events: this.#events,
      journal: () => this.journal(),
    });
    this.#runs = new InstanceRuns({
      options,
      executors: wired.executors,
      resources: this.#all,
      planning: this.#planning,
      wiring: this.#wiring,
      journal: () => this.journal(),
      plan: (goal, given, notify) => this.#plan(goal, given, { notify }),
      emit: (event, notify) => this.#emit(event, notify),
    });
    this.#schedules = new InstanceSchedules({
      journal: () => this.journal(),
      wiring: this.#wiring,
      approval: this.#options.approval,
      run: (plan, given) => this.#run(plan, given, () => {}),
    });
  }

  /** What tasks can be planned for: tools, agents, models, workflows. */
  get resources(): readonly Resource[] {
    return this.#planning.resources;
  }

  /** Calls `listener` for every event of a type. If it throws, neither the work nor other listeners notice. */
  on<Type extends PlanloomEventType>(type: Type, listener: PlanloomListener<Type>): this {
    this.#events.on(type, listener);
    return this;
  }

  off<Type extends PlanloomEventType>(type: Type, listener: PlanloomListener<Type>): this {
    this.#events.off(type, listener);
    return this;
  }

  /**
   * Stage 1: a validated plan for a goal.
   * @throws PlannerError where no plan could be made from the goal, the resources and the answers of the controller, see `Planner.createPlan`.
   */
  plan(goal: Goal, options: PlanOptions = {}): Promise<TaskData> {
    return this.#work.run("plan", options, callChecks.plan, ({ signal }) => this.#plan(goal, { ...options, signal }));
  }

  /**
   * As `plan`, but a plan that lacks nothing but arguments is returned rather than refused: `metadata.questions` asks for them
   * (`PlanQuestion[]`, absent where no argument is missing). Nothing is run. `answer` completes the plan.
   * @throws as `plan`, except PlannerError OPEN_QUESTIONS
   */
  draft(goal: Goal, options: PlanOptions = {}): Promise<TaskData> {
    const onEvent = (event: PlanloomEvent) => this.#emit(event);
    return this.#work.run("draft", options, callChecks.plan, ({ signal }) =>
      this.#watched({ name: "plan" }, () => this.#planning.draft(goal, { ...options, signal }, { onEvent })),
    );
  }

  /** A question for each missing argument of the plan, in plan order. Empty where none is missing, and where something else is wrong with the plan. */
  questions(plan: TaskData): PlanQuestion[] {
    return this.#planning.questions(plan);
  }

  /**
   * The plan with arguments put in, by names such as `list_issues.owner`: those that `metadata.questions` asks for, and any others that the
   * tools take. The plan handed in is not changed. Once every question is answered the plan can be run; until then, `metadata.questions` of
   * the result has the others.
   * @param options.asText whether a person typed the values: texts are then read by the type of their argument. @default false
   * @throws PlannerError ANSWER_INVALID for an unknown name (with the nearest ones), for a value that does not fit, and for a credential
   *   that is given as text in place of `{"$secret": "NAME"}`
   */
  answer(
    plan: TaskData,
    answers: Readonly<Record<string, unknown>>,
    options: { readonly asText?: boolean } = {},
  ): TaskData {
    return this.#planning.answer(plan, answers, options);
  }

  /**
   * The plan with other tools for some of its tasks, `{"list_issues": "search_issues"}`: `metadata.choices` names the alternatives. The arguments of
   * such a task are bound again by the embedded planner, from the words that the task was planned for; `metadata.questions` asks for
   * arguments that the tool needs and the goal does not give. The plan handed in is not changed.
   * @throws PlannerError CHOICE_INVALID for an unknown task or tool (with the nearest names), and where the rest of the plan does not go with it
   */
  choose(plan: TaskData, tools: Readonly<Record<string, string>>): TaskData {
    return this.#planning.choose(plan, tools);
  }

  /** What is wrong with a plan, given the resources of this instance. It can be run if no issue has the severity `error`. */
  validate(plan: unknown): PlanIssue[] {
    return this.#planning.validate(plan);
  }

  /**
   * Groups a plan into subgraphs as a run would: for the environment of the dispatcher, where there is one. Nothing is run.
   * @param options.dispatch where the subgraphs would go. @default that of the instance
   * @throws PlanloomError OPTION; OptimizerError for a cycle or an unknown dependency
   */
  optimize(plan: TaskDataInput, options: OptimizeOptions = {}): Promise<GroupedPlan> {
    return this.#work.run("optimize", options, callChecks.optimize, ({ signal }) =>
      this.#runs.group(wholePlan(plan), options, signal),
    );
  }

  /**
   * The plan and its quotient as graphology graphs, grouped as by `optimize`: each node has its level, rank, slack, whether it is critical, and when it starts and ends in the prediction. The optimizers and the bench take
   * such graphs in place of plans.
   * @throws PlanloomError OPTION; OptimizerError as `optimize`; PlanError INVALID for an id that every object has (such as `constructor`)
   */
  async graph(plan: TaskDataInput, options: OptimizeOptions = {}): Promise<ScheduledGraphs> {
    checkOptions("`graph`", options, callChecks.optimize);
    const whole = wholePlan(plan);
    const { planGraphs } = await import("@planloom/optimizer");
    return planGraphs(whole, await this.optimize(whole, options));
  }

  /** What a run would do, when, and with which input. Nothing is executed, and no person is asked. @throws PlanloomError OPTION, RuntimeError */
  dryRun(plan: TaskDataInput, given: PlanloomDryRunOptions = {}): DryRunResult {
    checkOptions("`dryRun`", given, callChecks.dryRun);
    const { signal, ...options } = given;
    signal?.throwIfAborted();
    const defaults = pickOptions(this.#options, ["concurrency", "limits", "approval", "secrets"]);
    const confirm = options.confirm ?? this.confirm ?? (isSeen(plan) ? confirmSeen : confirmUnseen);
    return dryRun(plan, { ...defaults, ...options, confirm, executors: this.#executors });
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
    return this.#run(planOrGoal, options, () => {});
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
    return streamOf({ bufferSize, whenFull }, (notify, pace) => this.#run(planOrGoal, { pace, ...options }, notify));
  }

  /**
   * As `plan`, with each task as soon as a model has written it. When the stream is given to `run`, a task starts once it and all it needs are
   * complete and valid, while the rest is still being written. Tools that are not declared read-only, and all other kinds, wait for the whole plan.
   */
  planStream(goal: Goal, options: PlanOptions = {}): PlanStream {
    return planStreamOf((onTask) =>
      this.#work.run("planStream", options, callChecks.plan, ({ signal }) =>
        this.#plan(goal, { ...options, signal }, { onTask }),
      ),
    );
  }

  #run(
    given: TaskDataInput | Goal | PlanStream,
    options: PlanloomRunOptions,
    notify: (event: PlanloomEvent) => void,
  ): Promise<PlanloomRunResult> {
    return this.#work.run("run", options, callChecks.run, (signals) => this.#runs.run(given, options, signals, notify));
  }

  /**
   * The plan with the duration of each task that is best known: its own estimate, else what its resource took in the newest runs of the journal, else
   * what the resource itself says. `sources` counts them. The plan handed in is not changed.
   * @throws PlanloomError OPTION; RuntimeError JOURNAL_*; PlanError CALLBACK where an executor's `estimate` throws
   */
  estimate(plan: TaskDataInput, options: Pick<OptimizeOptions, "signal"> = {}): Promise<EstimatedPlan> {
    return this.#work.run("estimate", options, { signal: "signal" }, ({ signal }) =>
      this.#runs.estimate(wholePlan(plan), signal),
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
    return this.#work.run("callTool", options, callChecks.callTool, async (signals) => {
      const plan = runnablePlan(planOfCall(id, input), this.#planning);
      const given = { ...(await this.#wiring.ofCall(options, true, signals)), input };
      const { run_id, results } = await run(plan, given);
      return { ...results[0]!, run_id };
    });
  }

  /** Resumes a run from the journal; completed tasks are not run again. @throws RuntimeError RUN_NOT_FOUND, RUN_LEASED, … */
  resume(runId: string, options: PlanloomResumeOptions = {}): Promise<RunResult> {
    return this.#work.run("resume", options, callChecks.resume, async (signals) => {
      return resume(runId, await this.#wiring.ofResumption(options, signals));
    });
  }

  /**
   * Resumes the runs of the journal in which something is due: a time that a task waits for, a deadline, a signal. Each run is woken by one of the processes that
   * do so. @returns the runs that were woken, with how they ended then or why they could not be resumed
   * @throws RuntimeError NO_WAITS, JOURNAL_*
   */
  resumeDue(options: PlanloomDueOptions = {}): Promise<readonly WokenRun[]> {
    return this.#work.run("resumeDue", options, callChecks.resumeDue, (signals) =>
      this.#schedules.resumeDue(options, signals),
    );
  }

  /**
   * Wakes what is due in the journal, until `signal` is aborted or the instance is closed: a long-running `resumeDue`. There may be several of them on
   * one journal. @throws RuntimeError NO_WAITS, JOURNAL_*
   */
  scheduler(options: SchedulerOptions = {}): Promise<void> {
    return this.#work.run("scheduler", options, callChecks.scheduler, (signals) =>
      this.#schedules.scheduler(options, signals),
    );
  }

  /**
   * Runs a plan at the times of a cron pattern, wherever a scheduler runs on the journal (`scheduler`, `planloom scheduler`); each due time is run once.
   * @throws PlanloomError INVALID_PLAN, OPTION for a pattern or zone that cannot be read, or a journal that keeps no schedules
   */
  async schedule(given: TaskDataInput, options: ScheduleOptions): Promise<Schedule> {
    checkOptions("`schedule`", options, scheduleChecks);
    const plan = runnablePlan(given, this.#planning, options.variables);
    return this.#schedules.add(plan, options);
  }

  /** The schedules of the journal, the one that is due first at the front. */
  schedules(): Promise<readonly Schedule[]> {
    return this.#schedules.list();
  }

  /** What became of the due times of a schedule, the newest last; at most 200. @throws PlanloomError OPTION for an unknown id */
  scheduleHistory(id: string): Promise<readonly ScheduleFire[]> {
    return this.#schedules.history(id);
  }

  /** A paused schedule has no due times. @param paused false lets it continue. @throws PlanloomError OPTION for an unknown id */
  pauseSchedule(id: string, paused = true): Promise<Schedule> {
    return this.#schedules.pause(id, paused);
  }

  /** Its runs stay. @throws PlanloomError OPTION for an unknown id */
  deleteSchedule(id: string): Promise<void> {
    return this.#schedules.delete(id);
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
    return this.#work.run("planExecute", options, callChecks.planExecute, async (signals) => {
      return planExecute(input, await this.#wiring.ofLoop(options, signals, notify));
    });
  }

  /** Resumes a loop from the journal, under the same run id. @throws as `resume`; RuntimeError INVALID_OPTION for the run of a plan */
  resumePlanExecute(runId: string, options: PlanloomResumeLoopOptions = {}): Promise<PlanExecuteResult> {
    return this.#work.run("resumePlanExecute", options, callChecks.resumePlanExecute, async (signals) => {
      return resumePlanExecute(runId, await this.#wiring.ofResumedLoop(options, signals));
    });
  }

  /**
   * A new run that takes over the completed tasks of another, except `fromTask` and all that depends on it, and runs the rest again. The other
   * run is not changed. @throws as `resume`, RuntimeError INVALID_OPTION
   */
  fork(runId: string, fromTask: string, options: PlanloomForkOptions = {}): Promise<RunResult> {
    return this.#work.run("fork", options, callChecks.fork, async (signals) => {
      return fork(runId, fromTask, await this.#wiring.ofResumption(options, signals));
    });
  }

  /**
   * Puts new tasks in the place of marked ones, or of single elements of a list (`fetch[42]`), and checks that nothing else changes. Given a plan, it returns the new plan; the one handed in
   * is not changed. Given a run that no process executes now, it changes the run's plan in the journal, and `resume` continues with that; completed
   * tasks that consumed an output of a replaced task are run again.
   * @param planOrRun a plan, or a run's whole id.
   * @throws PlannerError REPLAN_INPUT for an unknown task, NO_VALID_REPLAN; RuntimeError RUN_NOT_FOUND, RUN_LEASED,
   *   REVISION_CONFLICT
   */
  replan(planOrRun: TaskData | string, options: PlanloomReplanOptions): Promise<ReplannedPlan> {
    return this.#work.run("replan", options, callChecks.replan, async ({ signal }) => {
      const journal = typeof planOrRun === "string" ? await this.journal() : undefined;
      const recorded = journal && (await recordedPlan(planOrRun as string, { journal }));
      const plan = recorded?.plan ?? TaskData.parse(planOrRun);
      const call = { ...options, failures: recorded?.failures ?? new Map(), signal };
      const replanned = await replanPlan(plan, call, { ...this.#plannerOptions(), resources: this.#all });
      if (journal === undefined || recorded === undefined) return replanned;
      // Should the process end between the two, the elements are tasks that do what they did.
      if (replanned.split !== undefined) await reviseRun(recorded.run_id, replanned.split, { journal });
      await reviseRun(recorded.run_id, replanned.patch, { journal });
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
    return subscribeTo(runId, () => this.journal(), options, this.#work.closing);
  }

  /** The state of a run and of each of its tasks, as the journal has them now. @throws RuntimeError RUN_NOT_FOUND, JOURNAL_* */
  async runStatus(runId: string): Promise<RunStatusView> {
    return runStatus(runId, { journal: await this.journal() });
  }

  /** What this instance runs with: journal, controller, limits, and which calls people are asked about. Of secrets it gives the names only. */
  describe(): PlanloomDescription {
    const { model } = this.#options;
    const kinds = Object.fromEntries(executionKinds.map((kind) => [kind, 0])) as Record<ExecutionKind, number>;
    for (const { kind } of this.resources) kinds[kind] += 1;
    return {
      ...describeOptions(this.#options),
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
    await this.#work.close(options);
    this.#forgetBudgets?.();
    await this.limits.close();
    await this.#journal.close();
    this.#events.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The journal of this instance. It is opened at the first call; `close` closes it if this instance opened it. */
  journal(): Promise<Journal> {
    return this.#journal.open();
  }

  #plan(
    goal: Goal,
    options: PlanOptions,
    { notify, onTask }: Pick<CreatePlanOptions, "onTask"> & { notify?: (event: PlanloomEvent) => void } = {},
  ): Promise<TaskData> {
    const onEvent = (event: PlanloomEvent) => this.#emit(event, notify);
    return this.#watched({ name: "plan" }, () =>
      this.#planning.plan(goal, options, { onEvent, ...(onTask === undefined ? {} : { onTask }) }),
    );
  }

  #watched<Value>(call: TelemetryCall, work: () => Promise<Value>): Promise<Value> {
    return this.telemetry === undefined ? work() : this.telemetry.call(call, work);
  }

  #emit(event: PlanloomEvent, notify?: (event: PlanloomEvent) => void): void {
    this.#events.emit(event);
    notify?.(event);
  }

  #plannerOptions() {
    return {
      ...planningClock(this.#options),
      ...this.#options.planner,
      controller: this.controller,
      onEvent: (event: PlanloomEvent) => this.#emit(event),
    };
  }
}
