import { type OptionChecks, timerMs } from "@planloom/plan";
import {
  claimDueRuns,
  type Journal,
  type RunFilter,
  type RunResult,
  RuntimeError,
  RuntimeErrorCode,
  resumableStatuses,
  type WokenRun,
  wakeRuns,
} from "@planloom/runtime";
import { checkOptions } from "./check-options.ts";
import type { PlanloomResumeOptions } from "./planloom-options.ts";
import { QueuedFires } from "./schedules/queued-fires.ts";
import type { DueFire } from "./schedules/schedule.ts";
import type { CutOffRun, Schedules } from "./schedules/schedules.ts";

export interface SchedulerOptions extends Pick<PlanloomResumeOptions, "secrets" | "approval" | "confirm" | "signal"> {
  /** How often the journal is asked what is due, in milliseconds. @default 1_000 */
  readonly everyMs?: number | undefined;
  /** How many runs are executed at once. @default 4 */
  readonly runsAtOnce?: number | undefined;
  /**
   * Fields of metadata with the values that they must have: runs and schedules without them are left for other processes, whose tools they may need.
   * @default any run and any schedule
   */
  readonly withMetadata?: RunFilter["metadata"];
  /** Called with each run that was woken or begun by a schedule, once it has ended or waits again, or with why it could not be. */
  readonly onWoken?: ((woken: WokenRun) => unknown) | undefined;
}

/** The checks of the options of a scheduler, but of those that a resumption has, too. */
export const ownSchedulerChecks = {
  everyMs: "positive",
  runsAtOnce: "count",
  withMetadata: "object",
  onWoken: "function",
} as const satisfies OptionChecks<Pick<SchedulerOptions, "everyMs" | "runsAtOnce" | "withMetadata" | "onWoken">>;

const { onWoken: _, ...loopChecks } = ownSchedulerChecks;

/** How often runs of schedules are looked for that another process left unfinished, in milliseconds: as long as a silent lease holds. */
const cutOffEveryMs = 30_000;

const stopped: ReadonlySet<string> = new Set(resumableStatuses);

/** What a scheduler works with. */
export interface SchedulerParts {
  readonly journal: Journal;
  /** Ends the scheduler; what it has begun is waited for. */
  readonly signal: AbortSignal;
  /** Absent where the journal keeps none. */
  readonly schedules: Schedules | undefined;
  /** @param ifDueBy absent for a run that was cut off, which is continued although nothing is due in it */
  resume(runId: string, ifDueBy?: number): Promise<RunResult>;
  /** Runs the plan of a schedule. */
  start(fire: DueFire, begun: () => void): Promise<RunResult>;
  notify(woken: WokenRun): void;
}

/** Wakes what is due, until its signal is aborted. Resolves when nothing of it runs any more. @throws PlanloomError OPTION; RuntimeError JOURNAL_*, NO_WAITS */
export async function runScheduler(
  options: Pick<SchedulerOptions, "everyMs" | "runsAtOnce" | "withMetadata">,
  { journal, signal, schedules, resume, start, notify }: SchedulerParts,
): Promise<void> {
  checkOptions("`runScheduler`", options, loopChecks);
  const { everyMs = 1_000, runsAtOnce = 4, withMetadata } = options;
  const running = new Set<Promise<void>>();
  // What cannot be resumed here is tried once: it is a fault for people, who hear of it by `notify`.
  const tried = new Set<string>();
  const wake = (run: Awaited<ReturnType<typeof claimDueRuns>>[number], how: typeof resume = resume) => {
    const work = wakeRuns([run], 1, signal, how).then(([woken]) => {
      running.delete(work);
      // One that another process had, or that waits now, may be cut off again; one that somebody stopped is left to them.
      if (woken === undefined || ("result" in woken && !stopped.has(woken.result.end_reason))) tried.delete(run.run_id);
      if (woken !== undefined) notify(woken);
    });
    running.add(work);
  };
  const takeUp = async (runId: string) => {
    if (await schedules!.isCutOff(runId)) return resume(runId);
    throw new RuntimeError(RuntimeErrorCode.NOT_DUE, `Run "${runId}" was taken up by another process.`);
  };
  const fires = schedules && new QueuedFires(schedules, (due) => fire(due));
  const fire = (due: DueFire) => {
    const { run_id } = due;
    const due_at = Date.parse(due.due_at);
    const work = schedules!
      .run(due, start)
      .then(
        (result) => result && notify({ run_id, due_at, result }),
        (error: unknown) => notify({ run_id, due_at, error }),
      )
      .finally(() => running.delete(work));
    running.add(work);
    return work;
  };
  let cutOff: CutOffRun[] = [];
  let lookAt = 0;
  let isTurnOfFires = true;
  const room = () => Math.max(0, runsAtOnce - running.size);
  try {
    while (!signal.aborted) {
      if (schedules !== undefined && performance.now() >= lookAt) {
        cutOff = (await schedules.cutOff(withMetadata)).filter(({ run_id }) => !tried.has(run_id));
        lookAt = performance.now() + cutOffEveryMs;
      }
      if (schedules !== undefined) await fires?.add(await schedules.claim(undefined, withMetadata));
      // Neither due times nor runs that are woken keep the others waiting for as long as there are some.
      if (isTurnOfFires) fires?.begin(room());
      isTurnOfFires = !isTurnOfFires;
      for (const run of cutOff.splice(0, room())) {
        tried.add(run.run_id);
        wake(run, takeUp);
      }
      const free = room();
      const due = free > 0 ? await claimDueRuns({ journal, limit: free, withMetadata }) : [];
      for (const run of due) wake(run);
      if (!signal.aborted) fires?.begin(room());
      // Where there was more than there is room for, the next is looked for as soon as there is room.
      const isFull = due.length === free || cutOff.length > 0 || (fires !== undefined && fires.size > 0);
      const over = new AbortController();
      await Promise.race([pause(everyMs, AbortSignal.any([signal, over.signal])), ...(isFull ? running : [])]);
      over.abort();
    }
  } finally {
    await Promise.all(running);
  }
}

/** Resolves after so many milliseconds, or when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, timerMs(ms));
    signal.addEventListener("abort", end, { once: true });
  });
}
