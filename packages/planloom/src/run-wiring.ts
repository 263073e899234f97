import type { Bind, Executor } from "@planloom/plan";
import type { Journal, LoopEvent, Replan, RunEvent, SharedLimits } from "@planloom/runtime";
import { confirmSeen, confirmUnseen } from "./description.ts";
import type { EventHub, PlanloomEvent } from "./events.ts";
import { limitsOfResumption, limitsOfRun } from "./instance-limits.ts";
import type { WorkSignals } from "./open-work.ts";
import {
  limitsRuns,
  type PlanloomForkOptions,
  type PlanloomLoopOptions,
  type PlanloomOptions,
  type PlanloomResumeLoopOptions,
  type PlanloomResumeOptions,
  type PlanloomRunOptions,
  type PlanOptions,
  pickOptions,
  runDefaults,
  strictestDefaults,
  unkeptDefaults,
} from "./planloom-options.ts";

/** Stage 2 and replanning, as functions that a run is handed. */
export interface Stages {
  readonly bind: Bind;
  readonly replan: Replan;
}

/** The parts of an instance that all of its runs use. */
export interface RunWiringParts {
  readonly options: PlanloomOptions;
  readonly executors: readonly Executor[];
  /** Stage 2 and replanning. @param llmData of the run, over that of the instance */
  stages(llmData: PlanOptions["llmData"]): Stages;
  readonly limits: SharedLimits;
  readonly events: EventHub;
  readonly journal: () => Promise<Journal>;
}

/** Hears each event of one call, after the listeners of the instance. */
type Notify = (event: PlanloomEvent) => void;

/**
 * How runs are wired: from the options of an instance and those of a call to what the runtime takes. It starts nothing; limits of a call
 * narrow those of the instance, all other options of a call override them.
 */
export class RunWiring {
  readonly #parts: RunWiringParts;
  readonly #ownStages: Stages;

  constructor(parts: RunWiringParts) {
    this.#parts = parts;
    this.#ownStages = parts.stages(undefined);
  }

  #stages(llmData: PlanOptions["llmData"]): Stages {
    return llmData === undefined ? this.#ownStages : this.#parts.stages(llmData);
  }

  /** For a run of a plan. @param isUnseen whether no person can have seen the plan, so that more calls are confirmed */
  async ofRun(
    { llmData, ...given }: Omit<PlanloomRunOptions, "context" | "instructions" | "candidates" | "dispatch">,
    isUnseen: boolean,
    signals: WorkSignals,
    notify: Notify,
  ) {
    return { ...(await this.ofCall(given, isUnseen, signals, notify)), ...this.#stages(llmData) };
  }

  /** The same without `bind` and `replan`, which a call of one tool does without. */
  async ofCall(
    {
      onEvent,
      checkpoint = true,
      ...given
    }: Omit<PlanloomRunOptions, "context" | "instructions" | "llmData" | "candidates" | "dispatch">,
    isUnseen: boolean,
    signals: WorkSignals,
    notify?: Notify,
  ) {
    const { options, executors, journal } = this.#parts;
    return {
      ...this.#runDefaults(),
      ...given,
      confirm: given.confirm ?? options.confirm ?? (isUnseen ? confirmUnseen : confirmSeen),
      ...limitsOfRun(options, given),
      shared: this.shared(given.tenant),
      executors,
      ...(checkpoint && { journal: await journal() }),
      onEvent: this.#listenerOf(onEvent, notify),
      ...signals,
    };
  }

  /** The options of a run that is resumed from the journal, or forked from a run there. */
  async ofResumption<Options extends PlanloomResumeOptions | PlanloomForkOptions>(
    options: Options,
    signals: WorkSignals,
  ) {
    const { onEvent, llmData, ...given } = options;
    const { dispatch } = this.#parts.options;
    const { executors, journal } = this.#parts;
    return {
      ...this.#resumeDefaults(),
      // Only a run whose subgraphs were dispatched looks at it.
      ...(dispatch !== undefined && { dispatcher: dispatch.to }),
      ...given,
      ...limitsOfResumption(this.#parts.options, given),
      shared: this.shared(options.tenant),
      executors,
      ...this.#stages(llmData),
      journal: await journal(),
      ...signals,
      onEvent: this.#listenerOf(onEvent),
    };
  }

  /** For a plan-execute loop. */
  async ofLoop(given: PlanloomLoopOptions, signals: WorkSignals, notify: Notify) {
    const { options } = this.#parts;
    return {
      ...this.#runDefaults(),
      ...given,
      ...limitsOfRun(options, given),
      confirm: given.confirm ?? options.confirm ?? confirmUnseen,
      ...(await this.#ofAnyLoop(given, signals, notify)),
    };
  }

  /** The options of a loop that is resumed from the journal. */
  async ofResumedLoop(given: PlanloomResumeLoopOptions, signals: WorkSignals) {
    return {
      ...this.#resumeDefaults(),
      ...given,
      ...limitsOfResumption(this.#parts.options, given),
      ...(await this.#ofAnyLoop(given, signals)),
    };
  }

  /** The limits of all runs; undefined where the run has no shared limit, so that it does no work for them. */
  shared(tenant: unknown): SharedLimits | undefined {
    return limitsRuns(this.#parts.options) || tenant !== undefined ? this.#parts.limits : undefined;
  }

  async #ofAnyLoop(
    {
      model = this.#parts.options.model,
      now = this.#parts.options.now,
      timeZone = this.#parts.options.timeZone,
      ...given
    }: PlanloomResumeLoopOptions,
    signals: WorkSignals,
    notify?: Notify,
  ) {
    const { events, executors, journal } = this.#parts;
    const { tenant, onEvent, onRunEvent } = given;
    return {
      model,
      now,
      timeZone,
      shared: this.shared(tenant),
      executors,
      journal: await journal(),
      ...signals,
      onRunEvent: this.#listenerOf(onRunEvent, notify, "onRunEvent"),
      onEvent: (event: LoopEvent) => {
        this.#emit(event, notify);
        if (onEvent !== undefined) events.notify("onEvent", onEvent, event);
      },
    };
  }

  #listenerOf(onEvent: PlanloomRunOptions["onEvent"], notify?: Notify, name = "onEvent"): (event: RunEvent) => void {
    return (event) => {
      this.#emit(event, notify);
      if (onEvent !== undefined) this.#parts.events.notify(name, onEvent, event);
    };
  }

  #emit(event: PlanloomEvent, notify?: Notify): void {
    this.#parts.events.emit(event);
    notify?.(event);
  }

  /** The options of this instance for its runs. Options of a call override them. */
  #runDefaults() {
    return pickOptions(this.#parts.options, [...runDefaults, ...unkeptDefaults]);
  }

  /**
   * The same for a run from the journal, which has options of its own: of each option that both have, the stricter holds. Options that the
   * journal does not keep are given again.
   */
  #resumeDefaults() {
    const { replanPolicy: { check } = {} } = this.#parts.options;
    return {
      ...pickOptions(this.#parts.options, unkeptDefaults),
      atLeast: { ...pickOptions(this.#parts.options, strictestDefaults), ...limitsOfRun(this.#parts.options, {}) },
      ...(check && { replanPolicy: { check } }),
    };
  }
}
