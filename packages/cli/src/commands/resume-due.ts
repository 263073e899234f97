import type { RunResult } from "planloom";
import type { DueRun, WokenRun } from "planloom/runtime";
import { CliError } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { type JournaledSessionOptions, journaledSession } from "../journaled-session.ts";
import { type ConfirmOptions, confirmGiven } from "../options/confirm.ts";
import { turnGiven } from "../options/turn.ts";
import { openSession } from "../session.ts";
import { plainLine, type Style, styleFor } from "../terminal/style.ts";
import { requireRun, withJournal } from "./recorded-runs.ts";

export type WakeOptions = JournaledSessionOptions & ConfirmOptions;

/** `planloom resume --due`: continues every run in which a time or a signal has come. */
export async function resumeDue(options: WakeOptions & { readonly json?: boolean }, io: CliIo): Promise<number> {
  const { claimDueRuns, wakeRuns } = await import("planloom/runtime");
  const style = styleFor(io.stdout, io.env);
  const woken: WokenRun[] = [];
  for (;;) {
    const claimed = (await withJournal(io, (journal) => claimDueRuns({ journal, holdMs }))) ?? [];
    const due = claimed.filter(({ run_id }) => !woken.some((each) => each.run_id === run_id && "error" in each));
    if (due.length === 0 || io.signal.aborted) break;
    for (const each of await wakeRuns(due, runsAtOnce, io.signal, (id, by) => wake(id, by, options, io))) {
      woken.push(each);
      if (options.json !== true) io.stdout.write(wokenLine(each, style));
    }
  }
  const failed = woken.some((each) => "error" in each);
  if (options.json === true) writeJson(io, { woken: woken.map(asJson) });
  else if (woken.length === 0) io.stdout.write("Nothing is due.\n");
  if (io.signal.aborted) return ExitCode.INTERRUPTED;
  return failed ? ExitCode.FAILED : ExitCode.DONE;
}

/** Each run has a session of its own, with servers of its own. */
const runsAtOnce = 4;
/** A run that is refused, since its servers are not trusted say, can be asked for again at once. Two processes still wake a run once (`ifDueBy`). */
const holdMs = 2_000;

/** Resumes one run as it was begun, if something is due in it. @param ifDueBy absent for a run that was cut off, in which nothing need be due */
export async function wake(
  runId: DueRun["run_id"],
  ifDueBy: number | undefined,
  options: WakeOptions,
  io: CliIo,
): Promise<RunResult> {
  const record = await requireRun(runId, io);
  await using session = await openSession(await journaledSession(record.options.metadata, options, io), io, {
    journal: true,
  });
  const confirm = confirmGiven(options);
  return await session.planloom.resume(record.run_id, {
    ifDueBy,
    retryFailed: false,
    ...turnGiven(options),
    signal: io.signal,
    ...(confirm !== undefined && { confirm }),
    ...(options.allow !== undefined && { approval: { allow: options.allow } }),
  });
}

/** What became of a run that was woken, in one line. @param what could not be done with it, where there is an error */
export function wokenLine(woken: WokenRun, style: Style, what = "not resumed"): string {
  const name = style.paint("bold", plainLine(woken.run_id));
  if ("error" in woken) {
    const why = woken.error instanceof Error ? woken.error.message : String(woken.error);
    const hint = woken.error instanceof CliError ? woken.error.hint : undefined;
    const more = hint === undefined ? "" : `${style.paint("dim", `  ${plainLine(hint)}`)}\n`;
    return `${name}  ${style.paint("red", what)}: ${plainLine(why)}\n${more}`;
  }
  const { end_reason } = woken.result;
  const colour = end_reason === "completed" ? "green" : end_reason === "failed" ? "red" : "yellow";
  return `${name}  ${style.paint(colour, end_reason)}\n`;
}

function asJson(woken: WokenRun): Record<string, unknown> {
  const { run_id, due_at } = woken;
  const about = { run_id, due_at: new Date(due_at).toISOString() };
  if ("error" in woken) return { ...about, error: woken.error instanceof Error ? woken.error.message : "unknown" };
  return { ...about, end_reason: woken.result.end_reason };
}
