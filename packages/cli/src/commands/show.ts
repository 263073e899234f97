import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan } from "../home.ts";
import type { CliIo } from "../io.ts";
import { findPlan } from "../target.ts";
import { duration, plainLine, styleFor } from "../terminal/style.ts";
import { renderValue } from "../terminal/table.ts";
import { headline, section } from "../views/heading.ts";
import { issueList, planPicture } from "../views/plan-view.ts";
import { planTitle } from "../views/results-view.ts";
import { findRun, runDetails } from "./runs.ts";
import { plannerNotes } from "./shared.ts";

/** `planloom show`: a saved plan or plan file, or a run with what each task gave. */
export async function show(name: string, options: { json?: boolean }, io: CliIo): Promise<number> {
  const run = await findRun(name, io);
  if (run !== undefined) {
    const plan = await findSavedPlan(io, name);
    if (plan !== undefined && plan.id !== name && run.run_id !== name) {
      const candidates = [run.run_id, plan.id];
      throw new CliError(CliErrorCode.AMBIGUOUS, `"${name}" fits a run and a plan: ${candidates.join(", ")}.`, {
        details: { candidates },
      });
    }
    return showRun(run.run_id, options.json === true, io);
  }
  const { plan, source } = await findPlan(name, io);
  if (options.json === true) {
    io.stdout.write(`${JSON.stringify(plan, null, 2)}\n`);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(headline(planTitle(plan), style) + planPicture(plan, style, source));
  const notes = plannerNotes(plan);
  if (notes.length > 0) io.stdout.write(`${section("Notes", "", style)}${issueList(notes, style)}`);
  return ExitCode.DONE;
}

async function showRun(runId: string, json: boolean, io: CliIo): Promise<number> {
  const details = await runDetails(runId, io);
  const run = details?.run;
  if (details === undefined || run === undefined) {
    throw new CliError(CliErrorCode.NOT_FOUND, `The run ${runId} is gone.`, { details: { name: runId } });
  }
  if (json) {
    io.stdout.write(`${JSON.stringify({ ...run, tasks: details.tasks }, null, 2)}\n`);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  const records = new Map(details.tasks.map((task) => [task.task_id, task]));
  io.stdout.write(headline(planTitle(run.plan), style));
  io.stdout.write(section("Run", `${run.run_id} · ${run.status} · started ${run.started_at}`, style));
  for (const task of run.plan.planned_tasks) {
    const record = records.get(task.task_id);
    const status = record?.status ?? "pending";
    const colour = status === "completed" ? "green" : status === "failed" ? "red" : "yellow";
    const time = record?.duration_ms === undefined ? "" : duration(record.duration_ms);
    io.stdout.write(
      `  ${style.paint("bold", plainLine(task.task_id))}  ${style.paint(colour, status)}  ${style.paint("dim", time)}\n`,
    );
    if (record?.error !== undefined) io.stdout.write(`    ${plainLine(record.error.message)}\n`);
    if (status === "completed") io.stdout.write(`${renderValue(record?.output, style, 4)}\n`);
  }
  if (run.status !== "completed") io.stdout.write(`\n  ${style.paint("dim", "$")} planloom resume ${run.run_id}\n`);
  return ExitCode.DONE;
}
