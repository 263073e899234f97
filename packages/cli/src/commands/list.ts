import type { StoredPlan } from "planloom";
import { planTitle } from "planloom/plan";
import { commandName } from "../command-name.ts";
import { ExitCode } from "../exit-code.ts";
import { planloomHome, planStore } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { type RunFilterOptions, readRunFilter } from "../options/run-filter.ts";
import { plainLine, type Style, styleFor } from "../terminal/style.ts";
import { renderRows } from "../terminal/table.ts";
import { section } from "../views/heading.ts";
import { withJournal } from "./recorded-runs.ts";

export interface ListCommandOptions extends RunFilterOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly json?: boolean;
  readonly waiting?: boolean;
}

const SHOWN = 20;
const LISTED = 1_000;

/** `planloom list`: saved plans and runs, newest first. */
export async function list(options: ListCommandOptions, io: CliIo): Promise<number> {
  if (options.waiting === true) return listWaiting(options, io);
  const { limit, cursor } = options;
  const conditions = readRunFilter(options);
  const filter = { ...conditions, ...(cursor !== undefined && { cursor }), limit: limit ?? LISTED };
  // Who asks for certain runs asks for no plans.
  const isAll = cursor === undefined && Object.keys(conditions).length === 0;
  const plans = isAll ? await (await planStore(io)).list() : [];
  const runs = (await withJournal(io, (journal) => journal.listRuns(filter))) ?? [];
  if (!isAll && runs.length === 0 && options.json !== true) {
    io.stdout.write("No run fits.\n");
    return ExitCode.DONE;
  }
  const shown = plans.slice(0, limit ?? (options.json === true ? LISTED : SHOWN));
  const titles = await Promise.all(shown.map(titleOf));
  if (options.json === true) {
    const saved = shown.map((plan, at) => ({
      task_id: plan.id,
      title: titles[at],
      file: plan.file,
      saved_at: new Date(plan.savedAt).toISOString(),
    }));
    writeJson(io, { plans: saved, runs });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  if (plans.length === 0 && runs.length === 0) {
    io.stdout.write(`Nothing saved in ${planloomHome(io)} yet. Try: ${commandName(io)} plan "…" --mcp FILE\n`);
    return ExitCode.DONE;
  }
  if (plans.length > 0) io.stdout.write(section("Plans", more(plans.length, limit), style));
  const planRows = shown.map(({ id, savedAt }, at) => [
    plainLine(id),
    plainLine(titles[at] ?? ""),
    when(new Date(savedAt).toISOString()),
  ]);
  if (plans.length > 0) io.stdout.write(`${renderRows(["id", "what", "saved (UTC)"], planRows, style, wholeIds)}\n`);
  if (runs.length > 0) io.stdout.write(section("Runs", limit === undefined ? more(runs.length) : "", style));
  const rows = runs
    .slice(0, limit ?? SHOWN)
    .map((run) => [
      plainLine(run.run_id),
      plainLine(run.title),
      paintStatus(run.status, style),
      `${run.completed}/${run.tasks}`,
      when(run.created_at),
    ]);
  if (runs.length > 0)
    io.stdout.write(`${renderRows(["id", "what", "status", "tasks", "started (UTC)"], rows, style, wholeIds)}\n`);
  return ExitCode.DONE;
}

/** `planloom list --waiting`: each call that a person is asked about, the newest run first. */
async function listWaiting(options: ListCommandOptions, io: CliIo): Promise<number> {
  const { waitingRuns } = await import("planloom/runtime");
  const { status: _, ...filter } = readRunFilter(options);
  const runs = (await withJournal(io, (journal) => waitingRuns({ journal, ...filter }))) ?? [];
  if (options.json === true) {
    const waiting = runs.map(({ run, calls, error }) => ({ ...run, calls, ...(error && { error: error.message }) }));
    writeJson(io, { waiting });
    return ExitCode.DONE;
  }
  const rows = runs.flatMap(({ run, calls, error }) => {
    const about = [plainLine(run.run_id), plainLine(run.title)];
    if (error !== undefined) return [[...about, "", plainLine(error.message), when(run.created_at)]];
    return calls.map(({ id, uid = "" }) => [...about, plainLine(id), plainLine(uid), when(run.created_at)]);
  });
  const style = styleFor(io.stdout, io.env);
  if (rows.length === 0) io.stdout.write("Nothing waits for a person.\n");
  else io.stdout.write(`${renderRows(["run", "what", "task", "calls", "started (UTC)"], rows, style, wholeIds)}\n`);
  return ExitCode.DONE;
}

/** The first column: ids are typed, so they are never cut. */
const wholeIds = { whole: new Set([0]) };

/** What a saved plan is called; `undefined` for a file that is not a plan any more, which is listed all the same. */
async function titleOf({ file = "" }: StoredPlan): Promise<string | undefined> {
  const { loadPlan } = await import("planloom/planning");
  return loadPlan(file).then(planTitle, () => undefined);
}

const more = (n: number, shown = SHOWN): string => (n > shown ? `newest ${shown} of ${n}` : "");
const when = (iso: string): string => iso.slice(0, 16).replace("T", " ");

function paintStatus(status: string, style: Style): string {
  if (status === "completed") return style.paint("green", status);
  return style.paint(status === "failed" ? "red" : "yellow", status);
}
