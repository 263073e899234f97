import { setTimeout as pause } from "node:timers/promises";
import type { RunResult } from "planloom";
import type { WokenRun } from "planloom/runtime";
import type { DueFire, Schedules } from "planloom/schedules";
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

/** `planloom scheduler`: continues runs as they become due, and begins those of schedules, until it is stopped. */
export async function scheduler(options: SchedulerCommandOptions, io: CliIo): Promise<number> {
  const { claimDueRuns, wakeRuns } = await import("planloom/runtime");
  const { Schedules } = await import("planloom/schedules");
  const { every = 1, runs = 4, json, ...given } = options;
  const style = styleFor(io.stdout, io.env);
  const running = new Set<Promise<void>>();
  const say = (woken: WokenRun) => {
    if (json === true) io.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...asJson(woken) })}\n`);
    else io.stdout.write(`${new Date().toISOString()}  ${wokenLine(woken, style)}`);
  };
  const hold = (work: Promise<WokenRun | undefined>) => {
    const held = work.then((woken) => {
      running.delete(held);
      if (woken !== undefined) say(woken);
    });
    running.add(held);
  };
  if (json !== true) io.stdout.write(`Waking what is due, every ${every} s. Ctrl-C ends it.\n`);
  const journal = await openJournal(io);
  const schedules = await Schedules.open(journal);
  try {
    while (!io.signal.aborted) {
      for (const fire of await schedules.claim()) hold(begin(fire, given, io, schedules));
      const free = runs - running.size;
      const due = free > 0 ? await claimDueRuns({ journal, limit: free }) : [];
      for (const run of due)
        hold(wakeRuns([run], 1, io.signal, (id, by) => wake(id, by, given, io)).then(([woken]) => woken));
      const isFull = due.length === free || free <= 0;
      const waited = pause(every * 1_000, undefined, { signal: io.signal }).catch(() => {});
      await Promise.race([waited, ...(isFull ? running : [])]);
    }
    await Promise.all(running);
  } finally {
    await schedules.close();
    await journal.close();
  }
  return ExitCode.INTERRUPTED;
}

/** Begins the run of a due time, in a session as the schedule was made in. */
async function begin(
  fire: DueFire,
  options: WakeOptions,
  io: CliIo,
  schedules: Schedules,
): Promise<WokenRun | undefined> {
  const about = { run_id: fire.run_id, due_at: Date.parse(fire.due_at) };
  try {
    const result = await schedules.run(fire, (due, begun) => start(due, begun, options, io));
    return result === undefined ? undefined : { ...about, result };
  } catch (error) {
    return { ...about, error };
  }
}

async function start(
  { plan, run_id, schedule, due_at }: DueFire,
  begun: () => void,
  options: WakeOptions,
  io: CliIo,
): Promise<RunResult> {
  await using session = await openSession(await journaledSession(schedule.metadata, options, io), io, {
    journal: true,
  });
  const confirm = confirmGiven(options);
  return await session.planloom.run(plan, {
    runId: run_id,
    variables: schedule.variables,
    metadata: { ...schedule.metadata, schedule: schedule.schedule_id, due_at },
    signal: io.signal,
    onEvent: begun,
    ...(confirm !== undefined && { confirm }),
  });
}

function asJson(woken: WokenRun): Record<string, unknown> {
  const { run_id } = woken;
  if ("error" in woken) return { run_id, error: woken.error instanceof Error ? woken.error.message : "unknown" };
  return { run_id, end_reason: woken.result.end_reason };
}
