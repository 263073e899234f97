import { setTimeout as pause } from "node:timers/promises";
import type { WokenRun } from "planloom";
import { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { withJournal } from "./recorded-runs.ts";
import { type WakeOptions, wake, wokenLine } from "./resume-due.ts";

export interface SchedulerCommandOptions extends WakeOptions {
  /** Seconds between two looks. */
  readonly every?: number;
  /** Runs at once. */
  readonly runs?: number;
  readonly json?: boolean;
}

/** `planloom scheduler`: continues runs as they become due, until it is stopped. */
export async function scheduler(options: SchedulerCommandOptions, io: CliIo): Promise<number> {
  const { claimDueRuns, wakeRuns } = await import("planloom/runtime");
  const { every = 1, runs = 4, json, ...given } = options;
  const style = styleFor(io.stdout, io.env);
  const running = new Set<Promise<void>>();
  const say = (woken: WokenRun) => {
    if (json !== true) {
      io.stdout.write(`${new Date().toISOString()}  ${wokenLine(woken, style)}`);
      return;
    }
    const ended =
      "error" in woken ? { error: plainLine(String(woken.error)) } : { end_reason: woken.result.end_reason };
    io.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), run_id: woken.run_id, ...ended })}\n`);
  };
  if (json !== true) io.stdout.write(`Waking what is due, every ${every} s. Ctrl-C ends it.\n`);
  while (!io.signal.aborted) {
    const free = runs - running.size;
    const due = free > 0 ? ((await withJournal(io, (journal) => claimDueRuns({ journal, limit: free }))) ?? []) : [];
    for (const run of due) {
      const work = wakeRuns([run], 1, io.signal, (id, by) => wake(id, by, given, io)).then(([woken]) => {
        running.delete(work);
        if (woken !== undefined) say(woken);
      });
      running.add(work);
    }
    const isFull = due.length === free || free <= 0;
    const waited = pause(every * 1_000, undefined, { signal: io.signal }).catch(() => {});
    await Promise.race([waited, ...(isFull ? running : [])]);
  }
  await Promise.all(running);
  return ExitCode.INTERRUPTED;
}
