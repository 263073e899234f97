import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { PlanStore, StoredPlan, TaskData } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";
import { theOnlyOne } from "./the-only-one.ts";

/** `PLANLOOM_HOME`, or `~/.planloom`. */
export function planloomHome(io: CliIo): string {
  const set = io.env.PLANLOOM_HOME;
  return set !== undefined && set !== "" ? resolve(io.cwd, set) : join(userHome(io), ".planloom");
}

/** The user's home: `HOME` where it is an absolute path, else what the system has. @throws CliError CONFIG where neither is one */
export function userHome(io: CliIo): string {
  for (const folder of [io.env.HOME, systemHome()]) if (folder !== undefined && isAbsolute(folder)) return folder;
  throw new CliError(CliErrorCode.CONFIG, "This user has no home folder.", {
    hint: "Set HOME, or PLANLOOM_HOME for plans and journal, to an absolute folder.",
  });
}

function systemHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // A user id that the system does not know, as in containers.
    return undefined;
  }
}

export const journalFile = (io: CliIo): string => join(planloomHome(io), "journal.sqlite");

/** Saved plans. The folder is made when the first is saved. */
export async function planStore(io: CliIo): Promise<Required<PlanStore>> {
  const { folderPlans } = await import("planloom/planning");
  return folderPlans(join(planloomHome(io), "plans"));
}

/**
 * Saves `plan` under its id, atomically, and returns the file.
 * @param options.base the revision that the plan of this id must still be at, where there is one
 * @throws CliError CONFIG where the folder cannot be made; PlanloomError PLAN_CONFLICT
 */
export async function savePlanAtHome(
  io: CliIo,
  plan: TaskData,
  options: { readonly base?: string } = {},
): Promise<string> {
  try {
    const { file = "" } = await (await planStore(io)).save(plan, { ...options, signal: io.signal });
    return file;
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw new CliError(CliErrorCode.CONFIG, `Cannot save the plan in ${planloomHome(io)}: ${cause.message}.`, {
      hint: "Set PLANLOOM_HOME to a folder that can be written.",
      details: { folder: planloomHome(io) },
      cause,
    });
  }
}

/** The one saved plan whose id starts with `prefix`; `undefined` where none does. @throws CliError AMBIGUOUS */
export async function findSavedPlan(io: CliIo, prefix: string): Promise<StoredPlan | undefined> {
  return theOnlyOne(prefix, await (await planStore(io)).find(prefix), "saved plans");
}
