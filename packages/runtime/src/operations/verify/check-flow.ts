import { effectiveDependencies, type PlannerTask, type ReferenceLookup } from "@planloom/plan";
import type { Journal, NestedRecord, StoredRun, TaskRecord } from "../../journal/journal.ts";
import { planVersions } from "../../ports/stored-revision.ts";
import type { VerifyProblem } from "../verify-problem.ts";
import { checkBranches, type RecordedFlow } from "./check-branches.ts";
import { checkLists } from "./check-lists.ts";
import { checkSignals, checkWaits } from "./check-waits.ts";

/**
 * Whether lists, branches, waits and signals of a run are what its plan asks for by what the journal says. Tasks of which the plan's changes have left several versions
 * are not looked at.
 * @param nested records of nested tasks; those of elements are compared with their lists
 */
export async function checkFlow(
  journal: Journal,
  run: StoredRun,
  given: ReadonlyMap<string, TaskRecord>,
  nested: readonly NestedRecord[],
): Promise<VerifyProblem[]> {
  const tasks = run.plan.planned_tasks;
  if (!tasks.some(hasFlow)) return [];
  const changed = changedTasks(run);
  const same = tasks.filter(({ task_id }) => !changed.has(task_id));
  const records = await withLists(journal, run, same, given);
  const flow: RecordedFlow = { run, tasks: same, records, lookup: lookupOf(run, records) };
  const dependencies = effectiveDependencies(run.plan).filter((_, number) => !changed.has(tasks[number]!.task_id));
  const waitsForSignals = tasks.some(({ wait }) => wait?.event !== undefined);
  const signals = waitsForSignals ? await journal.getSignals?.(run.run_id) : undefined;
  return [
    ...checkLists(flow, nested),
    ...(await checkBranches(flow)),
    ...checkWaits(flow, dependencies),
    ...(signals === undefined ? [] : checkSignals(flow, nested, signals)),
  ];
}

function hasFlow({ for_each, when, choose, wait }: PlannerTask): boolean {
  return for_each !== undefined || when !== undefined || choose !== undefined || wait !== undefined;
}

/** Ids of tasks whose lists, conditions or waits are not the same in all versions of the plan. */
function changedTasks({ run_id, first_plan, revisions = [] }: StoredRun): ReadonlySet<string> {
  const changed = new Set<string>();
  if (first_plan === undefined) return changed;
  const seen = new Map<string, string>();
  for (const { planned_tasks } of planVersions(run_id, first_plan, revisions)) {
    for (const { task_id, for_each, when, choose, wait } of planned_tasks) {
      const text = JSON.stringify([for_each, when, choose, wait]);
      if (seen.has(task_id) && seen.get(task_id) !== text) changed.add(task_id);
      seen.set(task_id, text);
    }
  }
  return changed;
}

/** Outputs of lists are read also where they are large. */
async function withLists(
  journal: Journal,
  run: StoredRun,
  tasks: readonly PlannerTask[],
  records: ReadonlyMap<string, TaskRecord>,
): Promise<ReadonlyMap<string, TaskRecord>> {
  const all = new Map(records);
  for (const { task_id, for_each } of tasks) {
    const record = records.get(task_id);
    if (for_each === undefined || record?.output_bytes === undefined || record.output !== undefined) continue;
    all.set(task_id, { ...record, output: await journal.getOutput?.(run.run_id, task_id) });
  }
  return all;
}

/** Values by name, from the records. Throws for one that is not there, as it is large, so that it is not taken for an absent one. */
function lookupOf({ plan, options }: StoredRun, records: ReadonlyMap<string, TaskRecord>): ReferenceLookup {
  const tasks = new Map<string, PlannerTask>();
  for (const task of plan.planned_tasks) {
    tasks.set(task.task_id, task);
    if (task.result_variable !== undefined && !tasks.has(task.result_variable)) tasks.set(task.result_variable, task);
  }
  const variables = options.variables ?? plan.variables ?? {};
  return (name) => {
    const task = tasks.get(name);
    const record = task && records.get(task.task_id);
    if (record?.status === "completed") {
      if (record.output_bytes !== undefined && record.output === undefined)
        throw new Error(`The output of "${name}" is not read.`);
      return { found: true, value: record.output };
    }
    if (task !== undefined && record === undefined && task.status === "completed")
      return { found: true, value: task.output };
    if (task !== undefined) return { found: false };
    if (Object.hasOwn(variables, name)) return { found: true, value: variables[name] };
    return name === "input" ? { found: true, value: options.input ?? {} } : { found: false };
  };
}
