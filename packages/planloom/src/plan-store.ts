import { lstat, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { loadPlan, makeFolder, planRevision, savePlan, type TaskData } from "@planloom/plan";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import { withFileLock } from "./file-lock.ts";

/** A saved plan in a list. */
export interface StoredPlan {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
  /** Absent for stores without files. */
  readonly file?: string;
}

export interface StorePlanOptions {
  readonly signal?: AbortSignal;
  readonly base?: string;
  /** Refuses to replace: a saved plan of this id is PLAN_CONFLICT. @default false */
  readonly isNew?: boolean;
}

/** Where plans are kept under their ids. Ids are whole: a part of an id is never taken for one. */
export interface PlanStore {
  /**
   * Replaces a plan of the same id. With `base`, only while the one that is there is at this revision (`planRevision`): of two
   * changes made from one revision the second is refused with PLAN_CONFLICT. PLAN_ID for an id that cannot be kept.
   */
  save(plan: TaskData, options?: StorePlanOptions): Promise<StoredPlan>;
  /** PLAN_NOT_FOUND, and `PlanError` for a file that is not a plan any more. */
  load(id: string, options?: { readonly signal?: AbortSignal }): Promise<TaskData>;
  /** Newest first. */
  list(): Promise<readonly StoredPlan[]>;
  /** Plans whose ids start with `prefix`, newest first, for a person who types the beginning of one; an exact id alone. */
  find?(prefix: string): Promise<readonly StoredPlan[]>;
  /** PLAN_NOT_FOUND. @returns the id */
  delete(id: string): Promise<string>;
}

/** Ids as file names: nothing that could leave the folder, for any id of a plan. */
const safeId = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const ending = ".json";

/** Plans as `<folder>/<id>.json`, written atomically; the folder is made, for its owner alone, when the first is saved. */
export function folderPlans(folder: string): Required<PlanStore> {
  const list = async (): Promise<StoredPlan[]> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    // A link could lead out of the folder, and a pipe is never read to its end.
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const files = await withoutStates(folder, names.filter(isPlanFile));
    const plans = await Promise.all(
      files.map(async (name) => {
        const file = join(folder, name);
        const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.NaN }));
        return { id: idOf(name), savedAt: mtimeMs, file };
      }),
    );
    // A plan that was deleted between the two calls is left out.
    return plans.filter(({ savedAt }) => !Number.isNaN(savedAt)).sort(newestFirst);
  };
  const fileOf = async (id: string): Promise<string> => {
    const found = (await list()).find((plan) => plan.id === id);
    if (found?.file === undefined) throw planNotFound(id, await list());
    return found.file;
  };
  return {
    list,
    find: async (prefix) => startingWith(prefix, await list()),
    async save(plan, options = {}) {
      if (!safeId.test(plan.task_id)) {
        const got = JSON.stringify(plan.task_id);
        throw new PlanloomError(
          PlanloomErrorCode.PLAN_ID,
          `Expected a plan id of at most 128 letters, digits, "_", "-" and ".", got ${got}.`,
          { details: { id: plan.task_id } },
        );
      }
      const { base, isNew, ...saving } = options;
      const file = join(folder, plan.task_id + ending);
      await makeFolder(folder, { mode: 0o700 });
      await refuseOther(file, plan.task_id);
      if (base === undefined && !isNew) await savePlan(plan, file, saving);
      else {
        const replace = async () => {
          if (isNew && (await isThere(file))) throw savedAlready(plan.task_id);
          if (base !== undefined) checkBase(plan.task_id, base, await revisionIn(file));
          await savePlan(plan, file, saving);
        };
        await withFileLock(file, replace, saving);
      }
      return { id: plan.task_id, savedAt: (await stat(file)).mtimeMs, file };
    },
    load: async (id, options = {}) => loadPlan(await fileOf(id), options),
    async delete(id) {
      await rm(await fileOf(id), { force: true });
      return id;
    },
  };
}

/** What is written goes into the folder, not where something in it leads. @throws PlanloomError PLAN_ID */
async function refuseOther(file: string, id: string): Promise<void> {
  const there = await lstat(file).catch(() => undefined);
  if (there === undefined || there.isFile()) return;
  const message = `Expected a file for the plan ${JSON.stringify(id)}, but ${file} is a link, a folder or a device. Remove it, or give the plan another id.`;
  throw new PlanloomError(PlanloomErrorCode.PLAN_ID, message, { details: { id, file } });
}

/** `undefined` without a plan. */
async function revisionIn(file: string): Promise<string | undefined> {
  return (await isThere(file)) ? planRevision(await loadPlan(file)) : undefined;
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function savedAlready(id: string): PlanloomError {
  const message = `A plan called ${JSON.stringify(id)} is saved already. Give the new one another id, or change that one (PUT /plans/ID over HTTP).`;
  return new PlanloomError(PlanloomErrorCode.PLAN_CONFLICT, message, { details: { id } });
}

/** @throws PlanloomError PLAN_CONFLICT */
function checkBase(id: string, expected: string, actual: string | undefined): void {
  if (actual === undefined || actual === expected) return;
  const name = (revision: string) => (revision === "" ? "the plan as it was first" : `revision "${revision}"`);
  const message = `The saved plan ${id} was changed in the meantime: it is at ${name(actual)}, but this change was made for ${name(expected)}. Load the current plan and try again.`;
  throw new PlanloomError(PlanloomErrorCode.PLAN_CONFLICT, message, { details: { id, expected, actual } });
}

function isPlanFile(name: string): boolean {
  return name.endsWith(ending) && safeId.test(idOf(name));
}

function idOf(name: string): string {
  return name.slice(0, -ending.length);
}

/** A folder that mcp-cli used has `<id>_state.json` beside `<id>.json`: no plan, unless a plan is really called so. */
async function withoutStates(folder: string, names: readonly string[]): Promise<string[]> {
  const states = new Set(names.map((name) => `${idOf(name)}_state${ending}`));
  const kept = await Promise.all(
    names.map(async (name) => {
      const isState =
        states.has(name) &&
        (await loadPlan(join(folder, name)).then(
          () => false,
          () => true,
        ));
      return isState ? [] : [name];
    }),
  );
  return kept.flat();
}

/** A store in memory. It keeps and returns copies. */
export function memoryPlans(): Required<PlanStore> {
  const plans = new Map<string, { readonly plan: TaskData; readonly stored: StoredPlan }>();
  const list = async () => [...plans.values()].map(({ stored }) => stored).reverse();
  return {
    list,
    find: async (prefix) => startingWith(prefix, await list()),
    async save(plan, { base, isNew } = {}) {
      const there = plans.get(plan.task_id);
      if (isNew && there !== undefined) throw savedAlready(plan.task_id);
      if (base !== undefined && there !== undefined) checkBase(plan.task_id, base, planRevision(there.plan));
      const stored = { id: plan.task_id, savedAt: Date.now() };
      plans.delete(stored.id);
      plans.set(stored.id, { plan: structuredClone(plan), stored });
      return stored;
    },
    async load(id) {
      const found = plans.get(id);
      if (found === undefined) throw planNotFound(id, await list());
      return structuredClone(found.plan);
    },
    async delete(id) {
      if (!plans.delete(id)) throw planNotFound(id, await list());
      return id;
    },
  };
}

function startingWith(prefix: string, plans: readonly StoredPlan[]): StoredPlan[] {
  const fitting = prefix === "" ? [] : plans.filter(({ id }) => id.startsWith(prefix));
  const exact = fitting.filter(({ id }) => id === prefix);
  return exact.length > 0 ? exact : fitting;
}

/** The error for an unknown id. It names the ids that begin with it. */
function planNotFound(id: string, plans: readonly StoredPlan[]): PlanloomError {
  const candidates = startingWith(id, plans)
    .slice(0, 10)
    .map((plan) => plan.id);
  const hint = candidates.length === 0 ? "" : ` Give the whole id; these start with it: ${candidates.join(", ")}.`;
  const message = `No saved plan is called ${JSON.stringify(id)}.${hint}`;
  return new PlanloomError(PlanloomErrorCode.PLAN_NOT_FOUND, message, { details: { id, candidates } });
}

function newestFirst(a: StoredPlan, b: StoredPlan): number {
  return b.savedAt - a.savedAt || a.id.localeCompare(b.id);
}
