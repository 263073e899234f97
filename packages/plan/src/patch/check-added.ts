import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import { inputName } from "../references/task-names.ts";
import { valueText } from "../validation/value-text.ts";
import type { PatchFacts } from "./patch-facts.ts";
import { retiredTasks, taskLineage } from "./revision.ts";

/**
 * New names are new: no id of this plan or of an earlier revision comes back, and no name is taken that means
 * something already. New tasks have not run, replace a task and have its lineage.
 */
export function checkAdded(facts: PatchFacts): PlanIssue[] {
  const { base, patch, removed, added } = facts;
  const issues: PlanIssue[] = [];
  const report = (code: IssueCode, task_id: string, message: string): void => {
    issues.push({ code, severity: "error", message, task_id });
  };
  const taken = new Set<string>([inputName, ...retiredTasks(base.plan)]);
  for (const { main_task_id } of base.tasks) if (main_task_id !== base.plan.task_id) taken.add(main_task_id);
  const freed = new Set<string>();
  for (const task of removed.keys()) {
    const name = base.tasks[task]!.result_variable;
    if (name !== undefined && !base.index.has(name)) freed.add(name);
  }
  const variables = base.plan.variables ?? {};
  const given = new Set<string>();
  const claim = (name: string, task_id: string, isId: boolean): void => {
    const text = valueText(name, 130);
    const used = base.names.has(name) && (isId || !freed.has(name));
    if (given.has(name)) report(IssueCode.DUPLICATE_TASK, task_id, `The patch gives the name ${text} twice.`);
    else if (used || taken.has(name)) {
      report(
        IssueCode.DUPLICATE_TASK,
        task_id,
        `Expected a name that was never used in this plan, got ${text}. Use another name.`,
      );
    } else if (base.otherNames.has(name) || Object.hasOwn(variables, name)) {
      const message = `The name ${text} already means something else in this plan, and tasks outside the region refer to it. Use another name.`;
      report(IssueCode.NAME_COLLISION, task_id, message);
    }
    given.add(name);
  };
  for (const { task_id, result_variable } of patch.tasks) {
    claim(task_id, task_id, true);
    if (result_variable !== undefined && result_variable !== task_id) claim(result_variable, task_id, false);
  }
  for (const { new_task_id } of patch.renewed) claim(new_task_id, new_task_id, true);

  const lineages = new Map<string, Set<string>>();
  for (const [task, { task_id, replaced_by }] of removed) {
    const lineage = taskLineage(base.tasks[task]!, base.plan);
    for (const id of new Set(replaced_by)) {
      if (!added.has(id)) {
        const message = `Task ${valueText(task_id)} is replaced by ${valueText(id)}, which is not a task of the patch.`;
        report(IssueCode.PATCH_TASK, task_id, message);
        continue;
      }
      const known = lineages.get(id);
      if (known === undefined) lineages.set(id, new Set([lineage]));
      else known.add(lineage);
    }
  }
  for (const { task_id, main_task_id, status, output, mark_replan } of patch.tasks) {
    const id = valueText(task_id, 130);
    const own = lineages.get(task_id);
    if (own === undefined) {
      report(IssueCode.PATCH_REGION, task_id, `Task ${id} does not replace any of the replaced tasks.`);
    } else if (!own.has(main_task_id)) {
      const expected = [...own].slice(0, 5).map((lineage) => valueText(lineage));
      const message = `Expected \`main_task_id\` of task ${id} to be ${expected.join(" or ")}, got ${valueText(main_task_id)}.`;
      report(IssueCode.PATCH_TASK, task_id, message);
    }
    if (status !== "pending" || mark_replan || !isRecord(output) || Object.keys(output).length > 0) {
      const message = `Expected new task ${id} to be pending, without output and not marked.`;
      report(IssueCode.PATCH_TASK, task_id, message);
    }
  }
  return issues;
}
