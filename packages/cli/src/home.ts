import { mkdir, readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { TaskData } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";

/** Ids as file names: nothing that could leave the folder, whatever a plan file claims to be called. */
const SAFE_ID = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** `PLANLOOM_HOME`, or `~/.planloom`. */
export function planloomHome(io: CliIo): string {
  const set = io.env.PLANLOOM_HOME;
  return set !== undefined && set !== "" ? resolve(io.cwd, set) : join(io.env.HOME ?? homedir(), ".planloom");
}

export const journalFile = (io: CliIo): string => join(planloomHome(io), "journal.sqlite");

function planFile(io: CliIo, id: string): string {
  if (!SAFE_ID.test(id)) {
    throw new CliError(
      CliErrorCode.USAGE,
      `Expected a plan id of letters, digits, "_", "-" and ".", got ${JSON.stringify(id)}.`,
    );
  }
  return join(planloomHome(io), "plans", `${id}.json`);
}

/** Saves `plan` under its id, atomically, and returns the file. */
export async function savePlanAtHome(io: CliIo, plan: TaskData): Promise<string> {
  const { savePlan } = await import("planloom");
  const file = planFile(io, plan.task_id);
  await mkdir(join(planloomHome(io), "plans"), { recursive: true });
  await savePlan(plan, file, { signal: io.signal });
  return file;
}

export interface SavedPlan {
  readonly id: string;
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
}

/** Saved plans, newest first. */
export async function savedPlans(io: CliIo): Promise<SavedPlan[]> {
  const folder = join(planloomHome(io), "plans");
  const names = await readdir(folder).catch(() => [] as string[]);
  const plans = await Promise.all(
    names
      .filter((name) => name.endsWith(".json"))
      .map(async (name) => {
        const file = join(folder, name);
        return { id: name.slice(0, -".json".length), file, savedAt: (await stat(file)).mtimeMs };
      }),
  );
  return plans.sort((a, b) => b.savedAt - a.savedAt || a.id.localeCompare(b.id));
}

/** The one saved plan whose id starts with `prefix`; `undefined` where none does. */
export async function findSavedPlan(io: CliIo, prefix: string): Promise<SavedPlan | undefined> {
  if (!SAFE_ID.test(prefix)) return undefined;
  const fitting = (await savedPlans(io)).filter((plan) => plan.id.startsWith(prefix));
  const exact = fitting.find((plan) => plan.id === prefix);
  if (exact !== undefined || fitting.length === 1) return exact ?? fitting[0];
  if (fitting.length === 0) return undefined;
  const candidates = fitting.slice(0, 10).map((plan) => plan.id);
  throw new CliError(CliErrorCode.AMBIGUOUS, `"${prefix}" fits ${fitting.length} plans: ${candidates.join(", ")}.`, {
    hint: "Give more characters of the id.",
    details: { candidates },
  });
}
