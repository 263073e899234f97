import type { BehaviorController } from "@planloom/controller";
import type { Executor, Resource, TaskData, TaskDataInput } from "@planloom/plan";
import type { CreatePlanOptions } from "@planloom/planner";
import type { Journal, SharedLimits } from "@planloom/runtime";
import { callChecks } from "./call-checks.ts";
import { defaultController } from "./default-controller.ts";
import { EventHub, type PlanloomEvent } from "./events.ts";
import { executorsOf } from "./executors-of.ts";
import type { PlanloomRunResult } from "./grouping/run-grouping.ts";
import { checkPlanloomOptions } from "./instance-checks.ts";
import { InstanceJournal } from "./instance-journal.ts";
import { sharedLimitsOf } from "./instance-limits.ts";
import { InstanceRuns, type NotifyOf } from "./instance-runs.ts";
import { InstanceSchedules } from "./instance-schedules.ts";
import { instanceMemory, reuseOf } from "./memory/instance-memory.ts";
import type { PlanMemory } from "./memory/plan-memory.ts";
import { type CloseOptions, OpenWork } from "./open-work.ts";
import { PlanService } from "./plan-service.ts";
import type { PlanStream } from "./plan-stream.ts";
import type { Goal, PlanloomOptions, PlanloomRunOptions, PlanOptions } from "./planloom-options.ts";
import { withLlmData } from "./planner-settings.ts";
import { planningClock } from "./planning-clock.ts";
import { replanInRun } from "./replan-in-run.ts";
import { resourceList } from "./resource-list.ts";
import { RunWiring, type Stages } from "./run-wiring.ts";
import { logEvents } from "./telemetry/log-events.ts";
import type { TelemetryCall } from "./telemetry/telemetry.ts";
import { watchedOptions } from "./telemetry/watched.ts";
import { bindingOf } from "./worker-parts.ts";

/** What a `Planloom` is made of: the stages, with what they share and who hands what to whom. */
export class Instance {
  readonly options: PlanloomOptions;
  readonly work: OpenWork;
  readonly controller: BehaviorController;
  readonly executors: readonly Executor[];
  readonly resources: () => readonly Resource[];
  readonly limits: SharedLimits;
  readonly memory: PlanMemory;
  readonly planning: PlanService;
  readonly events: EventHub;
  readonly wiring: RunWiring;
  readonly runs: InstanceRuns;
  readonly schedules: InstanceSchedules;
  readonly #journal: InstanceJournal;
  readonly #forgetBudgets: (() => void) | undefined;

  /** @throws PlanloomError OPTION, PlannerError CONFIG, RuntimeError INVALID_DEFINITION, EmbeddedError for invalid options. */
  constructor(given: PlanloomOptions) {
    checkPlanloomOptions(given);
    const options = watchedOptions(given);
    const { telemetry, logger } = options;
    this.options = options;
    this.work = new OpenWork(telemetry);
    this.#journal = new InstanceJournal(options.journal);
    this.limits = sharedLimitsOf(options, () => this.#journal.openForLimits());
    this.#forgetBudgets = telemetry?.budgets?.(() => this.limits.budgetsLeft());
    const controller = defaultController(options);
    this.controller = telemetry === undefined ? controller : telemetry.controller(controller);
    const wired = executorsOf(options);
    const { executors } = wired;
    this.executors = executors;
    this.resources = resourceList(executors);
    const journal = () => this.journal();
    this.memory = instanceMemory(options, journal);
    const { now, timeZone, planner } = options;
    const memory = reuseOf(options.memory, this.memory);
    this.planning = new PlanService({ ...wired, controller: this.controller, planner, memory, now, timeZone });
    this.events = new EventHub(options.onListenerError, {
      telemetry: telemetry && ((event) => telemetry.event(event)),
      logger: logger && logEvents(logger),
    });
    this.wiring = new RunWiring({
      options,
      executors,
      stages: (llmData) => this.#stages(llmData),
      limits: this.limits,
      events: this.events,
      journal,
    });
    this.runs = new InstanceRuns({
      options,
      executors,
      resources: this.resources,
      planning: this.planning,
      wiring: this.wiring,
      journal,
      plan: (goal, given, notify) => this.plan(goal, given, { notify }),
      emit: (event, notify) => this.emit(event, notify),
    });
    this.schedules = new InstanceSchedules({
      journal,
      wiring: this.wiring,
      approval: options.approval,
      run: (plan, given) => this.run(plan, given, () => {}),
    });
  }

  /** Opens the journal at the first call. */
  journal(): Promise<Journal> {
    return this.#journal.open();
  }

  /** Plans a goal, as `Planloom.plan` says. @param hooks.notify gets the events of this call, beside the listeners */
  plan(
    goal: Goal,
    options: PlanOptions,
    { notify, onTask }: Pick<CreatePlanOptions, "onTask"> & { notify?: NotifyOf } = {},
  ): Promise<TaskData> {
    const onEvent = (event: PlanloomEvent) => this.emit(event, notify);
    const hooks = { onEvent, ...(onTask !== undefined && { onTask }) };
    return this.watched({ name: "plan" }, () => this.planning.plan(goal, options, hooks));
  }

  /** Runs a plan, a goal or a plan that is still written, as `Planloom.run` says. @param notify gets the events of this call */
  run(
    given: TaskDataInput | Goal | PlanStream,
    options: PlanloomRunOptions,
    notify: NotifyOf,
  ): Promise<PlanloomRunResult> {
    return this.work.run("run", options, callChecks.run, (signals) => this.runs.run(given, options, signals, notify));
  }

  /** Does `work` as a call that telemetry sees. */
  watched<Value>(call: TelemetryCall, work: () => Promise<Value>): Promise<Value> {
    const { telemetry } = this.options;
    return telemetry === undefined ? work() : telemetry.call(call, work);
  }

  emit(event: PlanloomEvent, notify?: NotifyOf): void {
    this.events.emit(event);
    notify?.(event);
  }

  /** Stage 2 and replanning as functions for a run. @param llmData of the run, over that of the instance */
  #stages(llmData: PlanOptions["llmData"]): Stages {
    const { options, controller, resources } = this;
    const planner = withLlmData(options.planner, llmData);
    const bind = bindingOf({ ...options, planner }, controller, resources, (event) => this.emit(event));
    const replan = replanInRun(this.replanOptions(llmData));
    return { bind, replan: options.telemetry === undefined ? replan : options.telemetry.replan(replan) };
  }

  /** What replanning needs of an instance. @param llmData over that of the instance */
  replanOptions(llmData?: PlanOptions["llmData"]) {
    return {
      ...planningClock(this.options),
      ...withLlmData(this.options.planner, llmData),
      controller: this.controller,
      onEvent: (event: PlanloomEvent) => this.emit(event),
      resources: this.resources,
    };
  }

  /** As `Planloom.close` says. */
  async close(options: CloseOptions): Promise<void> {
    await this.work.close(options);
    this.#forgetBudgets?.();
    await this.limits.close();
    await this.#journal.close();
    this.events.clear();
  }
}
