import type { Choose } from "../records/control-flow.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { deadlineValue } from "../references/flow-values.ts";
import { mayLeaveElementsOut } from "../references/left-out-elements.ts";
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

/** What a task gives, where one call of its resource gives `called`: with `for_each` a list, with `choose` what was chosen. */
export function outputOfTask(task: PlannerTask, called: SchemaNode | undefined): SchemaNode | undefined {
  const { for_each, choose } = task;
  if (choose !== undefined && for_each === undefined) return decisionOf(choose, called);
  const output = outputOfOne(task, called);
  if (for_each === undefined) return output;
  // Tasks of its own have other outputs, and failed and skipped elements leave values of another type.
  const { tasks, failed_as, on_failure } = for_each;
  const isWhole = on_failure !== "collect" && !mayLeaveElementsOut(task);
  const known = tasks === undefined && failed_as !== "error" && isWhole;
  return known && output !== undefined ? listOf(output) : aList;
}

/** `{"chosen": "refund", "refund": true, "review": false}`, with the `answer` of a resource that decides. */
function decisionOf(choose: Choose, answer: SchemaNode | undefined): SchemaNode {
  const names = branchNames(choose);
  const flags = Object.fromEntries(names.map((name) => [name, { type: "boolean" }]));
  const given = choose.branches[0]?.condition === undefined ? { answer: answer?.schema ?? {} } : {};
  const properties = { chosen: { type: "string", enum: names }, ...flags, ...given };
  const schema = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
  return { schema, root: answer?.root ?? true };
}

/** The names of the branches, that of the else last. */
export function branchNames({ branches, else: otherwise }: Choose): string[] {
  const names = branches.map(({ name }) => name);
  return otherwise === undefined ? names : [...names, otherwise];
}

/** Without the list: what a wait, or a call that is made until a condition holds, gives. */
function outputOfOne({ wait, retry_until }: PlannerTask, called: SchemaNode | undefined): SchemaNode | undefined {
  // Once the deadline has passed, the output is a value of the plan's own, of any type.
  if (deadlineValue(wait ?? retry_until ?? {}) !== undefined) return undefined;
  if (wait === undefined) return called;
  if (wait.event === undefined) return aWaitedTime;
  return wait.schema && { schema: wait.schema, root: wait.schema };
}

const aWaitedTime: SchemaNode = {
  schema: {
    type: "object",
    properties: { waited_until: { type: "string", format: "date-time" } },
    required: ["waited_until"],
    additionalProperties: false,
  },
  root: true,
};

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
export const aFlag: SchemaNode = { schema: { type: "boolean" }, root: true };
