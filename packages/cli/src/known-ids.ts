import { planStore } from "./home.ts";
import type { CliIo } from "./io.ts";
import { hasJournal, openJournal } from "./journals.ts";

/** How many runs are looked at: the newest are those that people name. */
const newestRuns = 500;

/** What a name can mean: plans that are saved, runs, or both; each newest first. */
export type IdKind = "plans" | "runs";

/** A plan or a run that a person can name, with words to recognise it by. */
export interface KnownId {
  readonly id: string;
  readonly about: string;
}

/** The ids that there are of some kinds. One that cannot be read gives none: they only help, beside what a command says. */
export async function knownIds(kinds: readonly IdKind[], io: CliIo): Promise<readonly KnownId[]> {
  const lists = await Promise.all(kinds.map((kind) => (kind === "plans" ? savedPlans(io) : runs(io)).catch(() => [])));
  return lists.flat();
}

async function savedPlans(io: CliIo): Promise<KnownId[]> {
  return (await (await planStore(io)).list()).map(({ id }) => ({ id, about: "saved plan" }));
}

async function runs(io: CliIo): Promise<KnownId[]> {
  if (!(await hasJournal(io))) return [];
  const journal = await openJournal(io);
  try {
    const newest = await journal.listRuns({ limit: newestRuns });
    return newest.map(({ run_id, title, status }) => ({ id: run_id, about: `run, ${status}: ${title}` }));
  } finally {
    await journal.close();
  }
}
