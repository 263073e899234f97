import { commandName } from "../command-name.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import type { CliJournal } from "../journals.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { renderRows } from "../terminal/table.ts";
import { requireRun, withJournal } from "./recorded-runs.ts";

const shownRows = 20;

/** `planloom memory list`: the goals whose plans can be reused, newest first. */
export async function list(
  { tenant, limit, json = false }: { readonly tenant?: string; readonly limit?: number; readonly json?: boolean },
  io: CliIo,
): Promise<number> {
  const found = (await withJournal(io, async (journal) => (await memoryOf(journal)).list({ tenant }))) ?? [];
  const all = found.map(({ id, goal, tasks, madeAt }) => {
    return {
      run_id: id,
      goal,
      planned_at: madeAt,
      tools: tasks.map(({ tool_id, agent_id }) => tool_id ?? agent_id ?? ""),
    };
  });
  if (json) {
    writeJson(io, { plans: all.slice(0, limit) });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  if (all.length === 0) {
    io.stdout.write(
      `Nothing is remembered yet: ${commandName(io)} run "…" --memory reuses the plans of completed runs.\n`,
    );
    return ExitCode.DONE;
  }
  const rows = all
    .slice(0, limit ?? shownRows)
    .map(({ run_id, goal, planned_at, tools }) => [
      plainLine(run_id),
      plainLine(goal),
      plainLine(tools.filter((tool) => tool !== "").join(", ")),
      planned_at.slice(0, 16).replace("T", " "),
    ]);
  io.stdout.write(`${renderRows(["run", "goal", "calls", "planned (UTC)"], rows, style, { whole: new Set([0]) })}\n`);
  if (all.length > rows.length) io.stdout.write(`… and ${all.length - rows.length} more: --limit N\n`);
  return ExitCode.DONE;
}

/** `planloom memory forget RUN`: all names are looked up before anything is deleted. */
export async function forget(
  names: readonly string[],
  { json = false }: { readonly json?: boolean },
  io: CliIo,
): Promise<number> {
  const ids: string[] = [];
  for (const name of names) ids.push((await requireRun(name, io)).run_id);
  await withJournal(io, async (journal) => {
    const memory = await memoryOf(journal);
    for (const id of new Set(ids)) await memory.forget(id);
  });
  if (json) writeJson(io, { forgotten: ids });
  else for (const id of ids) io.stdout.write(`${plainLine(id)}  forgotten, and its run deleted\n`);
  return ExitCode.DONE;
}

async function memoryOf(journal: CliJournal) {
  const { PlanMemory } = await import("planloom/planning");
  return new PlanMemory({ journal: async () => journal });
}
