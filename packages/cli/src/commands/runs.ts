import { access } from "node:fs/promises";
import type { Journal, RunRecord } from "planloom";
import { CliError, CliErrorCode } from "../errors.ts";
import { journalFile } from "../home.ts";
import type { CliIo } from "../io.ts";

/** Opens the journal for reading; `undefined` where nothing was ever run. */
async function withJournal<T>(io: CliIo, use: (journal: Journal) => T | Promise<T>): Promise<T | undefined> {
  const file = journalFile(io);
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (!exists) return undefined;
  const { SqliteJournal } = await import("planloom");
  const journal = await SqliteJournal.open(file);
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

/** The one run whose id starts with `prefix`. */
export async function findRun(prefix: string, io: CliIo): Promise<RunRecord | undefined> {
  const runs = await withJournal(io, (journal) => journal.listRuns());
  const fitting = (runs ?? []).filter((run) => run.run_id.startsWith(prefix));
  if (fitting.length > 1 && !fitting.some((run) => run.run_id === prefix)) {
    const candidates = fitting.slice(0, 10).map((run) => run.run_id);
    throw new CliError(CliErrorCode.AMBIGUOUS, `"${prefix}" fits ${fitting.length} runs: ${candidates.join(", ")}.`, {
      hint: "Give more characters of the id.",
      details: { candidates },
    });
  }
  return fitting.find((run) => run.run_id === prefix) ?? fitting[0];
}

/** Runs, newest first. */
export async function allRuns(io: CliIo): Promise<readonly RunRecord[]> {
  return (await withJournal(io, (journal) => journal.listRuns())) ?? [];
}

/** A run with its task records. */
export async function runDetails(runId: string, io: CliIo) {
  return withJournal(io, async (journal) => ({
    run: await journal.getRun(runId),
    tasks: await journal.listTasks(runId),
  }));
}
