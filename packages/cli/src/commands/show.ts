import type { StoredRun, WaitingCall } from "planloom";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { findPlan } from "../target.ts";
import { count, duration, plainLine, styleFor } from "../terminal/style.ts";
import { renderValue } from "../terminal/table.ts";
import { askedView } from "../views/asked-view.ts";
import { errorTraceLines } from "../views/error-trace-view.ts";
import { headline, section } from "../views/heading.ts";
import { fileTitle, planTitle } from "../views/plan-title.ts";
import { issueList, planPicture } from "../views/plan-view.ts";
import { statusWord, worthShowing } from "../views/results-view.ts";
import { timeline } from "../views/timeline.ts";
import { findRun, recentRuns, taskRecords, withJournal } from "./runs.ts";
import { nextSteps, plannerNotes } from "./shared.ts";

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
    return showRun(run, options.json === true, io);
  }
  const { plan, source, reading } = await findPlan(name, io, "run, no ");
  if (options.json === true) {
    writeJson(io, plan);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(headline(fileTitle(plan, source), style) + planPicture(plan, style, source));
  const notes = [...plannerNotes(plan), ...reading.issues];
  if (notes.length > 0) io.stdout.write(`${section("Notes", "", style)}${issueList(notes, style)}`);
  return ExitCode.DONE;
}

async function showRun(run: StoredRun, json: boolean, io: CliIo): Promise<number> {
  const records = await taskRecords(run.run_id, io);
  const waiting = await questions(run, io);
  if (json) {
    writeJson(io, { ...run, tasks: [...records.values()], waiting });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(headline(planTitle(run.plan), style));
  const status = await statusOf(run, io);
  io.stdout.write(section("Run", `${run.run_id} · ${status} · started ${run.created_at}`, style));
  io.stdout.write(timeline(run.plan, records, style));
  if (run.first_plan !== undefined) {
    const { replanView } = await import("../views/replan-view.ts");
    io.stdout.write(replanView(run.first_plan, run, style));
  }
  io.stdout.write(section("Tasks", "", style));
  const shown = worthShowing(run.plan.planned_tasks, ({ task_id }) => records.get(task_id)?.status, MAX_TASKS);
  for (const task of shown) {
    const record = records.get(task.task_id);
    const ended = record?.status ?? "pending";
    const colour = ended === "completed" ? "green" : ended === "failed" ? "red" : "yellow";
    const attempts = record?.attempts ?? 0;
    const time = attempts === 0 ? "" : `  ${duration(record?.duration_ms ?? 0)}`;
    const tries = attempts > 1 ? ` in ${count(attempts, "attempt")}` : "";
    const name = style.paint("bold", plainLine(task.task_id));
    io.stdout.write(`  ${name}  ${style.paint(colour, statusWord(ended))}${style.paint("dim", time + tries)}\n`);
    if (record?.error !== undefined) {
      io.stdout.write(`    ${plainLine(record.error.message)}\n`);
      for (const line of errorTraceLines(record.error))
        io.stdout.write(style.paint("dim", `      ${plainLine(line)}\n`));
    }
    if (ended === "completed") io.stdout.write(`${renderValue(record?.output, style, 4)}\n`);
  }
  const rest = run.plan.planned_tasks.length - shown.length;
  if (rest > 0) io.stdout.write(style.paint("dim", `  … and ${rest} more tasks (--json has them all)\n`));
  if (waiting.length > 0) io.stdout.write(section("Waiting", "for approval", style));
  for (const call of waiting) {
    io.stdout.write(`  ${style.paint("bold", plainLine(call.id))}  ${style.paint("dim", plainLine(call.uid ?? ""))}\n`);
    io.stdout.write(askedView(call, style));
  }
  const approvals = waiting.slice(0, 3).map(({ id }) => ["approve", run.run_id, id]);
  const wayOn = [status === "running" ? "cancel" : "resume", run.run_id];
  if (status !== "completed") io.stdout.write(nextSteps([...approvals, wayOn], style, io));
  return ExitCode.DONE;
}

/** Of a run that stands as running: whether its process is still there. */
async function statusOf({ run_id, status }: StoredRun, io: CliIo): Promise<string> {
  if (status !== "running") return status;
  const recent = await recentRuns(io, 1_000);
  return recent.find((summary) => summary.run_id === run_id)?.status ?? status;
}

/** What people are asked. */
async function questions(run: StoredRun, io: CliIo): Promise<readonly WaitingCall[]> {
  const { waitingFor } = await import("planloom");
  return (await withJournal(io, (journal) => waitingFor(run.run_id, { journal }))) ?? [];
}

/** Tasks shown of a run. */
const MAX_TASKS = 60;
