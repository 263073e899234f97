import { resolve } from "node:path";
import { type ReplannedPlan, savePlan, type TaskData } from "planloom";
import { findPlace, planRevision, renderDiff } from "planloom/plan";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan, savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { type JournaledSessionOptions, journaledSession, wordsToGiveAgain } from "../journaled-session.ts";
import { openSession } from "../session.ts";
import { findPlan } from "../target.ts";
import { plainLine, type Style, styleFor } from "../terminal/style.ts";
import { nextSteps } from "./next-steps.ts";
import { findRun } from "./recorded-runs.ts";

export interface ReplanCommandOptions extends JournaledSessionOptions {
  readonly mark?: readonly string[];
  readonly note?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * `planloom replan`: new tasks in the place of the marked ones, and of nothing else; what changed is shown. A saved plan keeps
 * its id and gets a new revision; with `--out` it stays as it is. The plan of a run is changed in the journal, for `resume`.
 */
export async function replan(name: string, options: ReplanCommandOptions, io: CliIo): Promise<number> {
  const run = (await findSavedPlan(io, name)) === undefined ? await findRun(name, io) : undefined;
  const before = run?.plan ?? (await findPlan(name, io, "run, no ")).plan;
  checkMarks(before, options.mark ?? []);
  if (run !== undefined && options.out !== undefined) {
    throw new CliError(CliErrorCode.USAGE, "--out writes a plan; the plan of a run is changed in the journal.", {
      hint: "Leave --out away.",
      details: { option: "--out" },
    });
  }
  const opened = run === undefined ? options : await journaledSession(run.options.metadata, options, io);
  await using session = await openSession(opened, io, { journal: run !== undefined });
  const style = styleFor(io.stdout, io.env);
  if (options.json !== true) for (const note of session.notes) io.stderr.write(`${note}\n`);
  const { planloom, controller } = session;
  if (options.note !== undefined && controller.deterministic === true) {
    io.stderr.write(`--note is for a model: ${controller.name} does not read it.\n`);
  }
  const call = { mark: options.mark, note: options.note, signal: io.signal };
  const replanned = await planloom.replan(run?.run_id ?? before, call);
  const file = run === undefined ? await save(before, replanned.plan, options.out, io) : undefined;
  if (options.json === true) {
    writeJson(io, replanned);
    return ExitCode.DONE;
  }
  io.stdout.write(changeView(replanned, style));
  if (file === undefined) {
    const { run_id } = replanned;
    io.stdout.write(
      `\nThe plan of run ${style.paint("bold", plainLine(run_id ?? ""))} is changed; what was done is kept.\n`,
    );
    io.stdout.write(nextSteps([["resume", run_id ?? "", ...(await wordsToGiveAgain(opened, io))]], style, io));
  } else {
    io.stdout.write(
      `\nSaved as ${style.paint("bold", plainLine(replanned.plan.task_id))} ${style.paint("dim", `(${file})`)}\n`,
    );
  }
  return ExitCode.DONE;
}

function changeView({ diff, patch }: ReplannedPlan, style: Style): string {
  const reason = patch.reason === undefined ? "" : `${style.paint("dim", plainLine(patch.reason))}\n`;
  return renderDiff(diff, { unicode: style.unicode }) + reason;
}

/** A plan of the store is replaced only while it is the one that was read. */
async function save(before: TaskData, plan: TaskData, out: string | undefined, io: CliIo): Promise<string> {
  if (out === undefined) return savePlanAtHome(io, plan, { base: planRevision(before) });
  const file = resolve(io.cwd, out);
  await savePlan(plan, file, { signal: io.signal });
  return file;
}

function checkMarks(plan: TaskData, ids: readonly string[]): void {
  const known = new Set(plan.planned_tasks.map(({ task_id }) => task_id));
  const strange = ids.filter((id) => !known.has(id) && findPlace(plan.planned_tasks, id).rest !== "");
  if (strange.length > 0) {
    const names = [...known].slice(0, 20).join(", ");
    const inner = strange.length === 1 ? tasksAround(plan, strange[0]!) : undefined;
    throw new CliError(CliErrorCode.USAGE, `The plan has no task ${strange.join(", ")}.`, {
      hint: inner ?? `Its tasks: ${names}${known.size > 20 ? ", …" : ""}`,
    });
  }
  if (ids.length > 0 || plan.planned_tasks.some(({ mark_replan }) => mark_replan)) return;
  throw new CliError(CliErrorCode.USAGE, "No task is marked.", { hint: "Mark the tasks to replace: --mark ID." });
}

/** What is there where an address names an element and nothing within it, or is written otherwise (`out[0].in`, `out/in`). */
function tasksAround(plan: TaskData, address: string): string | undefined {
  const meant = [address.replaceAll("].", "]/"), address.replaceAll(/([^\]])[./]/g, "$1[0]/")];
  const found = meant.find((each) => findPlace(plan.planned_tasks, each).rest === "");
  if (found !== undefined) return `What is within an element is named as ${found}.`;
  const { steps } = findPlace(plan.planned_tasks, address);
  const inner = steps.at(-1)?.index === undefined ? undefined : steps.at(-1)?.task.for_each?.tasks;
  return (
    inner && `Within an element of ${steps.at(-1)!.task.task_id}: ${inner.map(({ task_id }) => task_id).join(", ")}`
  );
}
