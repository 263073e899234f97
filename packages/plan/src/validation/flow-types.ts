import type { PlannerTask } from "../records/planner-task.ts";
import { parseReference } from "../references/parse-reference.ts";
import { wholeReference } from "../references/parse-template.ts";
import type { Reference } from "../references/reference.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import type { SchemaNode } from "./schema-node.ts";

/** The schema of a list whose elements are of the schema `node`. */
export function listOf({ schema, root }: SchemaNode): SchemaNode {
  return { schema: { type: "array", items: schema }, root };
}

/** The schema of an element of a list of the schema `node`; undefined where it is not known. */
export function elementOf(node: SchemaNode): SchemaNode | undefined {
  const at = nodeAtPath(node, [{ index: 0 }]);
  return at.found === "yes" ? at.node : undefined;
}

/** What a task gives, where one call of its resource gives `output`: with `for_each` a list. */
export function outputOfTask(task: PlannerTask, output: SchemaNode | undefined): SchemaNode | undefined {
  const { for_each } = task;
  if (for_each === undefined) return output;
  // Tasks of its own have outputs of their own, and errors in the places of failed elements are of another type.
  const known = for_each.tasks === undefined && for_each.failed_as !== "error" && for_each.on_failure !== "collect";
  return known && output !== undefined ? listOf(output) : aList;
}

/** The reference that is the whole of `for_each.items`; undefined for a list that is written out, and for malformed text. */
export function itemsReference(task: Pick<PlannerTask, "for_each">): Reference | undefined {
  const items = task.for_each?.items;
  if (typeof items === "string") return wholeReference(items);
  if (items === undefined || Array.isArray(items)) return undefined;
  try {
    return parseReference(items.$ref);
  } catch {
    return undefined;
  }
}

export const aList: SchemaNode = { schema: { type: "array" }, root: true };
