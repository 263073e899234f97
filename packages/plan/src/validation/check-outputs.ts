import { IssueCode, type PlanIssue } from "../issue.ts";
import { formatPath } from "../references/format-reference.ts";
import { nearestNames } from "./nearest-names.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { valueText } from "./value-text.ts";

/** Whether every output of the plan is that of one of its tasks. A result variable is not an id, and its task is the repair. O(tasks + outputs) */
export function checkOutputs(outputs: Readonly<Record<string, unknown>>, facts: PlanFacts): PlanIssue[] {
  return Object.entries(outputs).flatMap(([name, id]): PlanIssue[] => {
    if (typeof id !== "string" || facts.index.has(id) || facts.malformedIds.has(id)) return [];
    const meant = facts.resolveName(id);
    const candidates =
      typeof meant === "number"
        ? [facts.tasks[meant]!.task_id]
        : nearestNames(id, new Set(facts.tasks.slice(0, maxNames).map(({ task_id }) => task_id))).names;
    const hint = candidates[0] === undefined ? "" : `; did you mean ${valueText(candidates[0], 130)}?`;
    return [
      {
        code: IssueCode.UNKNOWN_REFERENCE,
        severity: "error",
        message: `Expected the plan's output ${valueText(name, 130)} to be the id of one of its tasks, got ${valueText(id, 130)}${hint === "" ? "." : hint}`,
        argument_path: formatPath([{ key: "outputs" }, { key: name }]),
        actual: id,
        ...(candidates.length > 0 && { repair: { operation: "replace", candidates } }),
      },
    ];
  });
}

/** Ids compared with one unknown id. */
const maxNames = 1000;
