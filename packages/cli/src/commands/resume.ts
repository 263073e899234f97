import { planTitle } from "planloom/plan";
import { askWhileWaiting } from "../confirmation.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";
import { type JournaledSessionOptions, journaledSession } from "../journaled-session.ts";
import { type BudgetOptions, budgetGiven } from "../options/budget.ts";
import { type ConfirmOptions, confirmGiven } from "../options/confirm.ts";
import { type TurnOptions, turnGiven } from "../options/turn.ts";
import { openSession } from "../session.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { headline, section } from "../views/heading.ts";
import { requireRunOf } from "./recorded-runs.ts";
import { report, resumeHere, withProgress } from "./run-report.ts";

/** `planloom resume`: continues a recorded run, or the newest one of a plan; completed tasks are not run again. */
export async function resume(
  name: string | undefined,
  options: JournaledSessionOptions &
    ConfirmOptions &
    TurnOptions &
    BudgetOptions & { json?: boolean; maxRounds?: number; due?: boolean; retryFailed?: boolean },
  io: CliIo,
): Promise<number> {
  if (options.due === true) {
    if (name !== undefined) throw new CliError(CliErrorCode.USAGE, "Expected a run or --due, got both.");
    const { due: _, priority, weight, deadline, retryFailed, budget, ...rest } = options;
    if (retryFailed !== undefined) {
      const message = "Expected --retry-failed with one run, got --due, which leaves failed tasks as they are.";
      throw new CliError(CliErrorCode.USAGE, message);
    }
    if (budget !== undefined)
      throw new CliError(
        CliErrorCode.USAGE,
        "Expected --budget with one run, got --due, which resumes each with its own.",
      );
    if (priority !== undefined || weight !== undefined || deadline !== undefined) {
      const message =
        "Expected --priority, --weight and --deadline with one run, got --due, which resumes each run with its own.";
      throw new CliError(CliErrorCode.USAGE, message);
    }
    return (await import("./resume-due.ts")).resumeDue(rest, io);
  }
  if (name === undefined) {
    const message = "Expected the id of a run, or --due for every run in which something is due.";
    throw new CliError(CliErrorCode.USAGE, message);
  }
  const json = options.json === true;
  const record = await requireRunOf(name, io);
  const merged = await journaledSession(record.options.metadata, options, io);
  await using session = await openSession(merged, io, { journal: true });
  const style = styleFor(io.stdout, io.env);
  if (!json) {
    io.stdout.write(headline(planTitle(record.plan), style));
    io.stdout.write(section("Run", `resuming ${plainLine(record.run_id)}`, style));
  }
  const { metadata } = record.options;
  if ((metadata as { mode?: unknown } | undefined)?.mode === "plan-execute") {
    if (options.budget !== undefined)
      throw new CliError(CliErrorCode.USAGE, "Expected --budget with a run of one plan, got a loop, which takes none.");
    return await (await import("./loop.ts")).resumeLoop(
      session,
      record.run_id,
      metadata,
      { ...merged, ...options },
      io,
    );
  }
  const confirm = confirmGiven(options);
  const first = await withProgress(record.plan, io, json, (onEvent) =>
    session.planloom.resume(record.run_id, {
      signal: io.signal,
      onEvent,
      ...(options.onUnknown && { onUnknown: options.onUnknown }),
      ...(options.retryFailed !== undefined && { retryFailed: options.retryFailed }),
      ...(confirm !== undefined && { confirm }),
      ...turnGiven(options),
      ...budgetGiven(options),
      ...(options.allow !== undefined && { approval: { allow: options.allow } }),
    }),
  );
  const resumeRun = () => resumeHere(record.run_id, record.plan, session, io);
  const result = json ? first : await askWhileWaiting(first, session, io, resumeRun);
  return report(
    result,
    { json, before: record.first_plan ?? record.plan, session: merged, planloom: session.planloom },
    io,
  );
}
