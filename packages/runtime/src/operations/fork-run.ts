import { checksWithout, collectReferences, newId, type OptionChecks, planView, readElementId } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { registry } from "../executors/registry.ts";
import type { Journal, StoredRun } from "../journal/journal.ts";
import { asOwner, type LeaseOwner } from "../journal/lease.ts";
import { loadRun } from "../journal/load-run.ts";
import { checkNamedResources } from "../named-resources.ts";
import { type ResumeOptions, resume, resumeOptionChecks } from "../resume.ts";
import type { RunResult } from "../run-result.ts";
import { readSettings } from "../run-settings.ts";
import { missingSecrets, requireSecrets } from "../secrets/check-plan-secrets.ts";
import { storedClaim, withStoredOptions } from "../stored-options.ts";
import { begunCalls } from "../task-execution/begun-calls.ts";

export type ForkOptions = Omit<ResumeOptions, "ifDueBy"> & {
  /** Of the new run. @default a random id */
  readonly runId?: string | undefined;
  /** Replaces the arguments of `fromTask`. @default as they are */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of the metadata of the new run that replace those of the old one. @default none */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
};

/** What is checked of each option. */
export const forkChecks = {
  ...checksWithout(resumeOptionChecks, "ifDueBy"),
  runId: "name",
  arguments: "object",
  metadata: "object",
} as const satisfies OptionChecks<ForkOptions>;

/**
 * Begins a new run that keeps what `runId` completed, except for `fromTask` and all that depends on it, and runs the rest.
 * The old run is not touched, and may even be running. Its metadata names the old run as `forked_from`.
 * @param runId the run's whole id.
 * @returns as `resume`; kept tasks are marked `recorded`.
 * @param fromTask a task, or an element of one with `for_each` (`fetch[42]`), whose other elements are kept then.
 * @throws RuntimeError TASK_NOT_FOUND for a task that the plan does not have; RUN_NOT_FOUND, RUN_EXISTS, and as `resume`.
 */
export async function fork(runId: string, fromTask: string, options: ForkOptions): Promise<RunResult> {
  const { runId: newRunId = newId(), arguments: replaced, metadata, ...resumeOptions } = options;
  checkOptions("`fork`", options, forkChecks);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const old = await loadRun(journal, runId);
  const element = elementOf(old.plan, fromTask);
  const again = descendants(old.plan, element?.taskId ?? fromTask);
  if (element !== undefined && replaced !== undefined) {
    throw new RuntimeError(
      RuntimeErrorCode.INVALID_OPTION,
      `Expected no \`arguments\` with the element "${fromTask}": all elements have the arguments of task "${element.taskId}". Fork from that task to replace them.`,
      { details: { option: "arguments" } },
    );
  }
  const given = element && givenBy(old.plan, element);
  if (given !== undefined) {
    throw new RuntimeError(
      RuntimeErrorCode.INVALID_OPTION,
      `Expected \`fromTask\` to be executed by its list, got "${fromTask}", whose output is given by ${given}. Fork from there.`,
      { details: { option: "fromTask" } },
    );
  }
  if (again.size === 0) {
    throw new RuntimeError(
      RuntimeErrorCode.TASK_NOT_FOUND,
      `Expected \`fromTask\` to be a task of run "${old.run_id}", got "${fromTask}".`,
      { details: { option: "fromTask", run_id: old.run_id, task_id: fromTask } },
    );
  }
  const length = element && (await lengthOf(journal, old, element.taskId));
  if (element !== undefined && length !== undefined && element.index >= length) {
    throw new RuntimeError(
      RuntimeErrorCode.TASK_NOT_FOUND,
      `Expected \`fromTask\` to be an element of run "${old.run_id}", got "${fromTask}": the list of task "${element.taskId}" has ${length}.`,
      { details: { option: "fromTask", run_id: old.run_id, task_id: fromTask } },
    );
  }
  // Before the new run is written.
  await resumeOptions.shared?.checkRoom(resumeOptions.tenant ?? old.options.tenant);
  readSettings(withStoredOptions(resumeOptions, old));
  checkNamedResources(resumeOptions, registry(options.executors));
  checkNamedResources({ ...options.atLeast, executors: options.executors }, registry(options.executors));
  const rerun = old.plan.planned_tasks.filter(({ task_id }) => again.has(task_id));
  const changed = rerun.map((task) => ({
    ...task,
    ...(task.task_id === fromTask && replaced && { arguments: { ...replaced } }),
  }));
  requireSecrets(missingSecrets(changed, options.secrets), options.secrets);
  const now = new Date().toISOString();
  const forked: StoredRun = {
    run_id: newRunId,
    plan: {
      ...old.plan,
      planned_tasks: old.plan.planned_tasks.map((task) => ({
        ...task,
        ...(again.has(task.task_id) && task.status !== "pending" && { status: "pending" as const, output: {} }),
        ...(task.task_id === fromTask && replaced !== undefined && { arguments: { ...replaced } }),
      })),
    },
    options: {
      ...old.options,
      ...storedClaim(resumeOptions),
      metadata: { ...old.options.metadata, ...metadata, forked_from: { run_id: old.run_id, task_id: fromTask } },
    },
    status: "running",
    created_at: now,
    updated_at: now,
  };
  await asOwner((owner) => copyRun(journal, old.run_id, forked, again, element && fromTask, owner));
  return resume(newRunId, resumeOptions);
}

/** Writes the new run with what it keeps; it can be resumed from then on, also after a crash. */
async function copyRun(
  journal: Journal,
  oldId: string,
  forked: StoredRun,
  again: ReadonlySet<string>,
  element: string | undefined,
  owner: LeaseOwner,
): Promise<void> {
  const kept = (await journal.getTasks(oldId)).filter(
    ({ task_id, status }) => status === "completed" && !again.has(task_id),
  );
  await journal.createRun(forked, owner);
  // Times are those of another run's session.
  await journal.record(
    forked.run_id,
    owner,
    kept.map(({ timing: _, usage: __, ...record }) => record),
  );
  // What earlier lists completed counts for a list that continues with them.
  const dropped = new Set(again);
  const own = new Set<string>();
  for (const { task_id, for_each } of forked.plan.planned_tasks) {
    if (!again.has(task_id)) continue;
    for (const id of for_each?.continues ?? []) dropped.add(id);
    if (element === undefined || readElementId(element)?.taskId !== task_id) continue;
    for (const id of [task_id, ...(for_each?.continues ?? [])]) own.add(id);
  }
  const nested = (await journal.getNestedTasks(oldId)).filter(
    ({ path, record }) => !dropped.has(path[0] ?? "") || isOtherElement(path, record.task_id, element, own),
  );
  if (nested.length > 0) {
    const completed = nested.filter(({ record }) => record.status === "completed");
    await journal.recordNested(
      forked.run_id,
      owner,
      completed.map(({ record: { timing: _, usage: __, ...record }, ...place }) => ({ ...place, record })),
    );
  }
  await copyBegun(journal, oldId, forked.run_id, again, owner);
  await journal.endRun(forked.run_id, owner, "shut_down");
}

/** Calls of the old run whose outcome is unknown, which stays unknown in the new one. */
async function copyBegun(
  journal: Journal,
  oldId: string,
  newId: string,
  again: ReadonlySet<string>,
  owner: LeaseOwner,
): Promise<void> {
  const places = begunCalls(
    await journal.getTasks(oldId),
    await journal.getNestedTasks(oldId),
    await journal.getPendingUsage(oldId),
  );
  const usage = { calls: 0, tokens: 0, cost: 0, seconds: 0 };
  // What is run again from here on was asked for.
  const kept = places.filter(({ path, task_id }) => !again.has(path[0] ?? task_id));
  if (kept.length > 0)
    await journal.beginCalls(
      newId,
      owner,
      kept.map((place) => ({ ...place, usage })),
    );
}

/** The element that an id names; undefined for the id of a task. */
function elementOf({ planned_tasks }: StoredRun["plan"], id: string): ReturnType<typeof readElementId> {
  if (planned_tasks.some(({ task_id }) => task_id === id)) return undefined;
  const element = readElementId(id);
  const task = planned_tasks.find(({ task_id }) => task_id === element?.taskId);
  return task?.for_each === undefined ? undefined : element;
}

/** How many elements a list of the run has; undefined where it has not ended and the plan does not say it. */
async function lengthOf(journal: Journal, { run_id, plan }: StoredRun, taskId: string): Promise<number | undefined> {
  const record = (await journal.getTasks(run_id)).find(({ task_id }) => task_id === taskId);
  const total = record?.error?.details?.total;
  if (typeof total === "number") return total;
  const items = plan.planned_tasks.find(({ task_id }) => task_id === taskId)?.for_each?.items;
  return [record?.output, items].find(Array.isArray)?.length;
}

/** In words, what gives the output of an element that its list does not execute. */
function givenBy(
  { planned_tasks }: StoredRun["plan"],
  { taskId, index }: { readonly taskId: string; readonly index: number },
): string | undefined {
  const given = planned_tasks.find(({ task_id }) => task_id === taskId)?.for_each?.given;
  if (given === undefined || !Object.hasOwn(given, index)) return undefined;
  const [found] = collectReferences(given[index]);
  return found === undefined ? "the plan itself" : `task "${found.reference.name}"`;
}

/**
 * Where one element is executed again, the others of its list, and what is in them, are kept.
 * @param lists ids of the element's list, and of those that it continues with
 */
function isOtherElement(
  path: readonly string[],
  taskId: string,
  element: string | undefined,
  lists: ReadonlySet<string>,
): boolean {
  if (element === undefined) return false;
  const [task = "", own = ""] = [...path, taskId];
  const place = readElementId(own);
  return lists.has(task) && place?.taskId === task && place.index !== readElementId(element)?.index;
}

/** The task and everything that depends on it, by id; empty when there is no such task. */
function descendants(plan: StoredRun["plan"], taskId: string): Set<string> {
  const view = planView(plan);
  const start = view.indexOf(taskId);
  const reached = new Set<number>(start === -1 ? [] : [start]);
  // A Set is walked in the order of insertion, additions included.
  for (const task of reached) {
    for (let edge = view.outPtr[task] ?? 0; edge < (view.outPtr[task + 1] ?? 0); edge++) {
      reached.add(view.out[edge] ?? 0);
    }
  }
  return new Set([...reached].map((task) => view.ids[task] ?? ""));
}
