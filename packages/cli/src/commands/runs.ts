import { access } from "node:fs/promises";
import type { Journal, RunSummary, StoredRun, TaskRecord } from "planloom";
import { commandName } from "../command-name.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { journalFile } from "../home.ts";
import type { CliIo } from "../io.ts";

/** Opens the journal; `undefined` where nothing was ever run. */
export async function withJournal<T>(io: CliIo, use: (journal: Journal) => Promise<T>): Promise<T | undefined> {
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

/** The one run whose id starts with `prefix`. @throws RuntimeError RUN_AMBIGUOUS */
export async function findRun(prefix: string, io: CliIo): Promise<StoredRun | undefined> {
  const { RuntimeError, RuntimeErrorCode } = await import("planloom");
  try {
    return await withJournal(io, (journal) => journal.getRun(prefix));
  } catch (error) {
    if (error instanceof RuntimeError && error.code === RuntimeErrorCode.RUN_NOT_FOUND) return undefined;
    throw error;
  }
}

/** As `findRun`. @throws CliError NOT_FOUND */
export async function requireRun(prefix: string, io: CliIo): Promise<StoredRun> {
  const run = await findRun(prefix, io);
  if (run !== undefined) return run;
  throw new CliError(CliErrorCode.NOT_FOUND, `No run called ${JSON.stringify(prefix)} in ${journalFile(io)}.`, {
    hint: `${commandName(io)} list shows the runs.`,
    details: { name: prefix },
  });
}

/** Runs, newest first. */
export async function recentRuns(io: CliIo, limit: number): Promise<readonly RunSummary[]> {
  return (await withJournal(io, (journal) => journal.listRuns({ limit }))) ?? [];
}

/** What each task of a run gave. */
export async function taskRecords(runId: string, io: CliIo): Promise<ReadonlyMap<string, TaskRecord>> {
  const records = (await withJournal(io, (journal) => journal.getTasks(runId))) ?? [];
  return new Map(records.map((record) => [record.task_id, record]));
}
