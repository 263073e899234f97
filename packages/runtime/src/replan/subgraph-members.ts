import type { PlanPatch } from "@planloom/plan";
import type { StoredRevision } from "./stored-revision.ts";

/** Subgraph of each task by id, where there is a grouping. Tasks that were replaced are in it too. */
export type SubgraphMembers = Map<string, string>;

/** @param subgraphs of the plan as it was begun, or as it is now */
export function subgraphMembers(
  subgraphs: readonly { readonly subgraph_id: string; readonly tasks: readonly { readonly task_id: string }[] }[] = [],
  revisions: readonly StoredRevision[] = [],
): SubgraphMembers {
  const members: SubgraphMembers = new Map();
  for (const { subgraph_id, tasks } of subgraphs) {
    for (const { task_id } of tasks) members.set(task_id, subgraph_id);
  }
  for (const { patch } of revisions) addMembers(members, patch);
  return members;
}

/** New tasks are in the subgraph of what they replace; in the place of tasks of several, in that of the first. */
export function addMembers(members: SubgraphMembers, { replacements, renewed }: PlanPatch): void {
  const follow = (task_id: string, heir: string): void => {
    const subgraph = members.get(task_id);
    if (subgraph !== undefined && !members.has(heir)) members.set(heir, subgraph);
  };
  for (const { task_id, replaced_by } of replacements) for (const heir of replaced_by) follow(task_id, heir);
  for (const { task_id, new_task_id } of renewed) follow(task_id, new_task_id);
}
