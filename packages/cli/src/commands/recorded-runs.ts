import type { Journal, WaitingCall } from "planloom";
import type { RunSummary, StoredRun, TaskRecord, TaskStatusView, TaskWait } from "planloom/runtime";
import { commandName } from "../command-name.ts";
import { CliError, CliErrorCode, SharedErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";
import { type CliJournal, hasJournal, journalName, openJournal } from "../journals.ts";
import { knownIds } from "../known-ids.ts";
import { didYouMean } from "../suggestion.ts";
import { theOnlyOne } from "../the-only-one.ts";

/** Opens the journal, calls `use` and closes it. `undefined` if there is no journal, because nothing was ever run. */
export async function withJournal<T>(io: CliIo, use: (journal: CliJournal) => Promise<T>): Promise<T | undefined> {
  if (!(await hasJournal(io))) return undefined;
  const journal = await openJournal(io);
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

/** What people are asked in a run, with the answers that it has not gone on with. */
export async function callsAsked(runId: string, io: CliIo): Promise<readonly WaitingCall[]> {
  const { waitingFor } = await import("planloom/runtime");
  return (await withJournal(io, (journal) => waitingFor(runId, { journal }))) ?? [];
}

/** The one run whose id starts with `prefix`. @throws CliError AMBIGUOUS */
export async function findRun(prefix: string, io: CliIo): Promise<StoredRun | undefined> {
  return withJournal(io, async (journal) => {
    const id = await findRunId(prefix, journal);
    return id === undefined ? undefined : journal.getRun(id);
  });
}

async function findRunId(prefix: string, journal: CliJournal): Promise<string | undefined> {
  if (prefix === "") return undefined;
  const found = (await journal.findRuns(prefix)).map((id) => ({ id }));
  return theOnlyOne(prefix, found, "runs")?.id;
}

/** As `findRun`. @throws CliError NOT_FOUND */
export async function requireRun(prefix: string, io: CliIo): Promise<StoredRun> {
  return (await findRun(prefix, io)) ?? (await refuseUnknown(prefix, io));
}

/** As `requireRun`, where the run itself, which may be large, need not be read. @throws CliError NOT_FOUND, AMBIGUOUS */
export async function requireRunId(prefix: string, io: CliIo): Promise<string> {
  const id = await withJournal(io, (journal) => findRunId(prefix, journal));
  return id ?? (await refuseUnknown(prefix, io));
}

async function refuseUnknown(prefix: string, io: CliIo): Promise<never> {
  const meant = await didYouMean(
    prefix,
    (await knownIds(["runs"], io)).map(({ id }) => id),
  );
  const message = `No run called ${JSON.stringify(prefix)} in ${journalName(io)}.${meant}`;
  throw new CliError(SharedErrorCode.RUN_NOT_FOUND, message, {
    hint: `${commandName(io)} list shows the runs.`,
    details: { name: prefix },
  });
}

/**
 * The run to resume: the one whose id starts with `name`, otherwise the newest run of the plan that it names, a saved plan or
 * a file. @throws CliError NOT_FOUND, AMBIGUOUS
 */
export async function requireRunOf(name: string, io: CliIo): Promise<StoredRun> {
  const run = await findRun(name, io);
  if (run !== undefined) return run;
  const { findPlan } = await import("../target.ts");
  const { plan } = await findPlan(name, io, "run, no ");
  const planId = plan.task_id;
  const newest = await withJournal(io, async (journal) => {
    const [found] = await journal.listRuns({ planId, limit: 1 });
    return found && journal.getRun(found.run_id);
  });
  if (newest !== undefined) return newest;
  throw new CliError(CliErrorCode.NOT_FOUND, `The plan ${JSON.stringify(planId)} has not been run yet.`, {
    hint: `${commandName(io)} run ${name} runs it.`,
    details: { name: planId },
  });
}

/** Runs, newest first. */
export async function recentRuns(io: CliIo, limit: number): Promise<readonly RunSummary[]> {
  return (await withJournal(io, (journal) => journal.listRuns({ limit }))) ?? [];
}

/** How many elements have ended, of each task that is executed for each element of a list. */
export async function elementsOf(
  run: StoredRun,
  io: CliIo,
): Promise<ReadonlyMap<string, NonNullable<TaskStatusView["elements"]>>> {
  if (!run.plan.planned_tasks.some(({ for_each }) => for_each !== undefined)) return new Map();
  const { runStatus } = await import("planloom/runtime");
  const status = await withJournal(io, (journal) => runStatus(run.run_id, { journal }));
  const counted = (status?.tasks ?? []).flatMap(({ task_id, elements }) =>
    elements === undefined ? [] : [[task_id, elements] as const],
  );
  return new Map(counted);
}

/** What tasks wait for, by task: times and signals. */
export async function waitsOf(runId: string, io: CliIo): Promise<ReadonlyMap<string, readonly TaskWait[]>> {
  const kept = await withJournal(io, (journal) => journal.getWaits(runId));
  if (kept === undefined || kept.length === 0) return new Map();
  const { runStatus } = await import("planloom/runtime");
  const status = await withJournal(io, (journal) => runStatus(runId, { journal }));
  return new Map((status?.tasks ?? []).flatMap(({ task_id, waits }) => (waits ? [[task_id, waits] as const] : [])));
}

/** Ids of the waits whose signal is in the journal, though the run has not gone on with it. Each signal is for one of them. */
export async function signalledWaits(
  runId: string,
  waits: readonly TaskWait[],
  io: CliIo,
): Promise<ReadonlySet<string>> {
  if (!waits.some(({ event }) => event !== undefined)) return new Set();
  const signals = (await withJournal(io, async (journal) => journal.getSignals?.(runId))) ?? [];
  const open = signals.filter(({ taken_by }) => taken_by === undefined);
  const found = new Set<string>();
  for (const { id, event, key = "" } of waits) {
    const own = open.findIndex((signal) => signal.event === event && signal.key === key);
    if (own === -1) continue;
    open.splice(own, 1);
    found.add(id);
  }
  return found;
}

/** The calls of a run that were begun and have no result in the journal. */
export async function begunCalls(runId: string, io: CliIo): Promise<readonly BegunTask[]> {
  const pending = (await withJournal(io, (journal) => journal.getPendingUsage(runId))) ?? [];
  return pending.flatMap(({ path, task_id, begun }) => (begun === undefined ? [] : [{ path, task_id, ...begun }]));
}

/** A call of a task, with the ids of the tasks that this one is in. */
export type BegunTask = Pick<Pending, "path" | "task_id"> & NonNullable<Pending["begun"]>;

type Pending = Awaited<ReturnType<Journal["getPendingUsage"]>>[number];

/** The records of the tasks of a run, by task id. */
export async function taskRecords(runId: string, io: CliIo): Promise<ReadonlyMap<string, TaskRecord>> {
  const records = (await withJournal(io, (journal) => journal.getTasks(runId))) ?? [];
  return new Map(records.map((record) => [record.task_id, record]));
}
