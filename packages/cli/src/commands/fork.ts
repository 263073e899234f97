import type { PlannerTask, TaskData } from "planloom";
import { planTitle } from "planloom/plan";
import { CliError, SharedErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";
import { type JournaledSessionOptions, journaledSession } from "../journaled-session.ts";
import { type BudgetOptions, budgetGiven } from "../options/budget.ts";
import { type ConfirmOptions, confirmGiven } from "../options/confirm.ts";
import { type TurnOptions, turnGiven } from "../options/turn.ts";
import { parseVariables } from "../options/variables.ts";
import { openSession, portableOptions, type Session } from "../session.ts";
import { didYouMean } from "../suggestion.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { headline, section } from "../views/heading.ts";
import { refuseInvalid } from "./make-plan.ts";
import { requireRun } from "./recorded-runs.ts";
import { report, withProgress } from "./run-report.ts";

export interface ForkCommandOptions extends JournaledSessionOptions, ConfirmOptions, TurnOptions, BudgetOptions {
  readonly set?: readonly string[];
  readonly json?: boolean;
}

/** `planloom fork`: a new run that keeps what another completed before a task, and runs the task and what depends on it again. */
export async function fork(prefix: string, taskId: string, options: ForkCommandOptions, io: CliIo): Promise<number> {
  const json = options.json === true;
  const run = await requireRun(prefix, io);
  const { planned_tasks } = run.plan;
  const { findPlace } = await import("planloom/plan");
  // Where the plan has the beginning of an address alone, the library says what is wrong.
  const task = findPlace(planned_tasks, taskId).steps.at(-1)?.task;
  if (task === undefined) {
    const known = planned_tasks.slice(0, 20).map(({ task_id }) => task_id);
    const meant = await didYouMean(
      taskId,
      planned_tasks.map(({ task_id }) => task_id),
    );
    throw new CliError(
      SharedErrorCode.TASK_NOT_FOUND,
      `Run ${run.run_id} has no task ${JSON.stringify(taskId)}.${meant}`,
      {
        hint: `It has ${known.join(", ")}.`,
        details: { name: taskId },
      },
    );
  }
  const { set, deadline: _, ...given } = options;
  const changed = set === undefined ? {} : { arguments: { ...task.arguments, ...parseVariables(set, "--set") } };
  const opened = await journaledSession(run.options.metadata, given, io);
  await using session = await openSession(opened, io, { journal: true });
  if (set !== undefined) checkArguments(run.plan, { ...task, ...changed }, session);
  const style = styleFor(io.stdout, io.env);
  if (!json) {
    io.stdout.write(headline(planTitle(run.plan), style));
    io.stdout.write(section("Run", `a fork of ${plainLine(run.run_id)}, again from ${plainLine(taskId)}`, style));
  }
  const confirm = confirmGiven(options);
  const result = await withProgress(run.plan, io, json, (onEvent) =>
    session.planloom.fork(run.run_id, taskId, {
      ...changed,
      ...turnGiven(options),
      ...budgetGiven(options),
      // Also of a run that a server began: it is resumed with the tools of this command line, not with the server's.
      metadata: { via: "cli", cli: portableOptions(opened, io) },
      signal: io.signal,
      onEvent,
      ...(options.onUnknown && { onUnknown: options.onUnknown }),
      ...(confirm !== undefined && { confirm }),
      ...(options.allow !== undefined && { approval: { allow: options.allow } }),
    }),
  );
  return report(result, { json, before: run.plan, session: opened, planloom: session.planloom }, io);
}

/** What was set must fit the tool, before anything is called. @throws CliError INVALID_PLAN */
function checkArguments(plan: TaskData, changed: PlannerTask, { planloom }: Session): void {
  const planned_tasks = plan.planned_tasks.map((task) => (task.task_id === changed.task_id ? changed : task));
  const issues = planloom.validate({ ...plan, planned_tasks }).filter(({ task_id }) => task_id === changed.task_id);
  // Elsewhere it is a warning; here a person has just typed it.
  refuseInvalid(issues.map((each) => (each.code === "unknown_argument" ? { ...each, severity: "error" } : each)));
}
