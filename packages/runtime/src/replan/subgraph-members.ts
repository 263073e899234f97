import type { PlanPatch, SubGraph } from "@planloom/plan";
import type { StoredSubgraph } from "../journal/journal.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";

/** Subgraph of each task by id, where there is a grouping. Tasks that were replaced are in it too. */
export type SubgraphMembers = Map<string, string>;

/**
 * @param groupings of the plan as it was begun, or as it is now; a later one goes before
 * @param revisions what was changed since it was begun
 */
export function subgraphMembers(
  groupings: readonly (Pick<StoredSubgraph, "subgraph_id" | "task_ids"> | SubGraph)[],
  revisions: readonly StoredRevision[] = [],
): SubgraphMembers {
  const members: SubgraphMembers = new Map();
  for (const { subgraph_id, ...group } of groupings) {
    const ids = "task_ids" in group ? group.task_ids : group.tasks.map(({ task_id }) => task_id);
    for (const id of ids) members.set(id, subgraph_id);
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
