import { FaultLog, notify, type TaskData } from "@planloom/plan";
import {
  type ApprovalOptions,
  claimDueRuns,
  type Journal,
  type RunResult,
  resume,
  type WokenRun,
  wakeRuns,
} from "@planloom/runtime";
import type { PlanloomRunResult } from "./grouping/run-grouping.ts";
import type { WorkSignals } from "./open-work.ts";
import {
  type PlanloomDueOptions,
  type PlanloomResumeOptions,
  type PlanloomRunOptions,
  pickOptions,
} from "./planloom-options.ts";
import type { RunWiring } from "./run-wiring.ts";
import { runScheduler, type SchedulerOptions } from "./scheduler.ts";
import { approvalOf } from "./schedules/approval-of.ts";
import type { Schedule, ScheduleFire, ScheduleOptions } from "./schedules/schedule.ts";
import { Schedules } from "./schedules/schedules.ts";

/** What the work that is due needs of an instance. */
export interface InstanceSchedulesParts {
  readonly journal: () => Promise<Journal>;
  readonly wiring: RunWiring;
  /** The approvals of the instance. */
  readonly approval: ApprovalOptions | undefined;
  /** Runs a plan as `Planloom.run` does. */
  run(plan: TaskData, options: PlanloomRunOptions): Promise<PlanloomRunResult>;
}

/** What becomes due in the journal of an instance: runs that wait for a time or a signal, and the times of schedules. */
export class InstanceSchedules {
  readonly #parts: InstanceSchedulesParts;

  constructor(parts: InstanceSchedulesParts) {
    this.#parts = parts;
  }

  /** Resumes the runs in which something is due, as `Planloom.resumeDue` says. */
  async resumeDue(options: PlanloomDueOptions, signals: WorkSignals): Promise<readonly WokenRun[]> {
    const { limit, withMetadata, runsAtOnce = 4, ...given } = options;
    const due = await claimDueRuns({ journal: await this.#parts.journal(), limit, withMetadata });
    return wakeRuns(due, runsAtOnce, signals.signal, (runId, ifDueBy) =>
      this.#resume(runId, { ...given, ifDueBy }, signals),
    );
  }

  /** Wakes what is due until its signal is aborted, as `Planloom.scheduler` says. */
  async scheduler(options: SchedulerOptions, signals: WorkSignals): Promise<void> {
    const { everyMs, runsAtOnce, withMetadata, onWoken, ...given } = options;
    const faults = new FaultLog();
    const journal = await this.#parts.journal();
    const schedules = journal.openLimits && (await Schedules.open(journal));
    const running = runScheduler(
      { everyMs, runsAtOnce, withMetadata },
      {
        journal,
        schedules,
        signal: AbortSignal.any([signals.signal, signals.drain]),
        start: ({ plan, run_id, schedule, due_at }, begun) =>
          this.#parts.run(plan, {
            runId: run_id,
            variables: schedule.variables,
            metadata: { ...schedule.metadata, schedule: schedule.schedule_id, due_at },
            onEvent: begun,
            ...pickOptions(given, ["secrets"]),
            ...approvalOf(schedule, given, this.#parts.approval),
          }),
        resume: (runId, ifDueBy) => this.#resume(runId, { ...given, ifDueBy, retryFailed: false }, signals),
        notify: (woken) => {
          if (onWoken !== undefined) notify(onWoken, woken, (error) => faults.report("onWoken", error));
        },
      },
    );
    await running.finally(() => schedules?.close());
  }

  add(plan: TaskData, options: ScheduleOptions): Promise<Schedule> {
    return this.#use((schedules) => schedules.add(plan, options));
  }

  list(): Promise<readonly Schedule[]> {
    return this.#use((schedules) => schedules.list());
  }

  history(id: string): Promise<readonly ScheduleFire[]> {
    return this.#use((schedules) => schedules.history(id));
  }

  pause(id: string, paused: boolean): Promise<Schedule> {
    return this.#use((schedules) => schedules.pause(id, paused));
  }

  delete(id: string): Promise<void> {
    return this.#use((schedules) => schedules.delete(id));
  }

  async #resume(runId: string, options: PlanloomResumeOptions, signals: WorkSignals): Promise<RunResult> {
    return resume(runId, await this.#parts.wiring.ofResumption(options, signals));
  }

  async #use<Value>(use: (schedules: Schedules) => Promise<Value>): Promise<Value> {
    const schedules = await Schedules.open(await this.#parts.journal());
    try {
      return await use(schedules);
    } finally {
      await schedules.close();
    }
  }
}
