import type { RunResult } from "planloom";
import type { WokenRun } from "planloom/runtime";
import type { DueFire } from "planloom/schedules";
import { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { journaledSession } from "../journaled-session.ts";
import { openJournal } from "../journals.ts";
import { confirmGiven } from "../options/confirm.ts";
import { openSession } from "../session.ts";
import { styleFor } from "../terminal/style.ts";
import { type WakeOptions, wake, wokenLine } from "./resume-due.ts";

export interface SchedulerCommandOptions extends WakeOptions {
  /** Seconds between two looks. */
  readonly every?: number;
  /** Runs at once. */
  readonly runs?: number;
  readonly json?: boolean;
}

/**
 * `planloom scheduler`: continues runs as they become due, begins those of schedules, and continues those of schedules that another process
 * left unfinished, until it is stopped.
 */
export async function scheduler(options: SchedulerCommandOptions, io: CliIo): Promise<number> {
  const { runScheduler, Schedules } = await import("planloom/schedules");
  const { every = 1, runs = 4, json, ...given } = options;
  const style = styleFor(io.stdout, io.env);
  /** Runs of schedules that are about to begin. */
  const beginning = new Set<string>();
  const notify = (woken: WokenRun) => {
    const what = beginning.delete(woken.run_id) ? "not begun" : "not resumed";
    if (json === true) io.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...asJson(woken) })}\n`);
    else io.stdout.write(`${new Date().toISOString()}  ${wokenLine(woken, style, what)}`);
  };
  if (json !== true) io.stdout.write(`Waking what is due, every ${every} s. Ctrl-C ends it.\n`);
  const journal = await openJournal(io);
  const schedules = await Schedules.open(journal);
  try {
    const { signal } = io;
    await runScheduler(
      { everyMs: every * 1_000, runsAtOnce: runs },
      {
        journal,
        signal,
        schedules,
        resume: (runId, by) => wake(runId, by, given, io),
        start: (fire, begun) => {
          beginning.add(fire.run_id);
          const hasBegun = () => {
            beginning.delete(fire.run_id);
            begun();
          };
          return start(fire, hasBegun, given, io);
        },
        notify,
      },
    );
  } finally {
    await schedules.close();
    await journal.close();
  }
  return ExitCode.INTERRUPTED;
}

/** Begins the run of a due time, in a session as the schedule was made in. */
async function start(
  { plan, run_id, schedule, due_at }: DueFire,
  begun: () => void,
  options: WakeOptions,
  io: CliIo,
): Promise<RunResult> {
  const { approvalOf } = await import("planloom/schedules");
  await using session = await openSession(await journaledSession(schedule.metadata, options, io), io, {
    journal: true,
  });
  const confirm = confirmGiven(options);
  const { allow } = options;
  const given = { ...(allow !== undefined && { approval: { allow } }), ...(confirm !== undefined && { confirm }) };
  return await session.planloom.run(plan, {
    runId: run_id,
    variables: schedule.variables,
    metadata: { ...schedule.metadata, schedule: schedule.schedule_id, due_at },
    signal: io.signal,
    onEvent: begun,
    ...approvalOf(schedule, given, session.wired.approval),
  });
}

function asJson(woken: WokenRun): Record<string, unknown> {
  const { run_id } = woken;
  if ("error" in woken) return { run_id, error: woken.error instanceof Error ? woken.error.message : "unknown" };
  return { run_id, end_reason: woken.result.end_reason };
}
