import { IssueCode, type PlanIssue, type Repair } from "../issue.ts";
import { isRecord } from "../json.ts";
import { indexName, localNames } from "../references/flow-values.ts";
import { formatPath, formatReference } from "../references/format-reference.ts";
import { readPath } from "../references/read-path.ts";
import type { PathSegment, Reference } from "../references/reference.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { compareNodes } from "./assignable.ts";
import { selfDependency } from "./check-graph.ts";
import { issueAt, type ValuePlace } from "./literal-issues.ts";
import type { OwnValue, ResolvedReference } from "./plan-facts.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import { flatten, type SchemaNode, typeText } from "./schema-node.ts";
import { listText, valueText } from "./value-text.ts";

/**
 * The references at one place of the arguments: whether what they name exists, whether its output has the path, and
 * whether its type fits `target`, the schema of the place (absent: anything goes).
 */
export function checkReferences(
  found: readonly ResolvedReference[],
  target: SchemaNode | undefined,
  walk: ArgumentWalk,
): void {
  const before = walk.issues.length;
  for (const each of found) checkReference(each, target, walk);
  const [first] = found;
  // A value with text around its references is text, also if they refer to other types.
  if (!target || !first || first.whole || walk.issues.length > before) return;
  if (compareNodes(aString, target).verdict !== "incompatible") return;
  const expected = typeText(target);
  walk.issues.push(
    issueAt(
      walk,
      IssueCode.TYPE_MISMATCH,
      `expected ${expected}, got text around ${formatReference(first.reference)}, which is always a string`,
      { ...sourceFields(first, walk), expected, actual: "string" },
    ),
  );
}

function checkReference(found: ResolvedReference, target: SchemaNode | undefined, walk: ArgumentWalk): void {
  const { reference, source } = found;
  if (source === "opaque") return;
  if (source === undefined) {
    walk.issues.push(unknownReference(found, target, walk));
    return;
  }
  if (source === "variable") {
    checkVariable(found, target, walk);
    return;
  }
  if (source === walk.task && found.argument_path === "retry_until.condition") {
    const own = `output${reference.path.length === 0 ? "" : `.${outputText(reference)}`}`;
    const problem = `names the task itself, ${formatReference(reference)}: its output is \`${own}\` there`;
    const repair: Repair = { operation: "replace", candidates: [own] };
    walk.issues.push(
      issueAt(placeOf(found, walk), IssueCode.SELF_DEPENDENCY, problem, { ...sourceFields(found, walk), repair }),
    );
    return;
  }
  if (source === walk.task) {
    walk.issues.push(selfDependency(walk.taskId, found.argument_path));
    return;
  }
  const output = typeof source === "object" ? source.node : walk.facts.outputs[source];
  if (!output) return;
  const given = nodeAtPath(output, reference.path);
  if (given.found === "unknown") return;
  if (given.found === "no") {
    walk.issues.push(unknownOutput(found, source, output, target, walk));
    return;
  }
  if (!found.whole || !target) return;
  const { verdict, reason } = compareNodes(given.node, target);
  if (verdict !== "incompatible") return;
  const [expected, actual] = [typeText(target), typeText(given.node)];
  const from = typeof source === "number" ? { from: source } : {};
  const sourced = walk.repairs.sourceRepair("replace", { task: walk.task, target, ...from, ...nameOf(walk.path) });
  const takesText = compareNodes(aString, target).verdict !== "incompatible" && mayBeText(given.node, target);
  const asText = { $text: formatReference(reference) };
  const repair: Repair | undefined = takesText
    ? { operation: "replace", candidates: [asText, ...(sourced?.candidates ?? [])].slice(0, 10) }
    : sourced;
  walk.issues.push(
    issueAt(
      placeOf(found, walk),
      IssueCode.TYPE_MISMATCH,
      `expected ${expected}, but ${formatReference(reference)} is ${actual}${reason ? ` (${reason})` : ""}`,
      { ...sourceFields(found, walk), expected, actual, ...(repair && { repair }) },
    ),
  );
}

/** Whether a value written as text may be one of those that the target lists, where it lists any: 1 may be "1", and is never "open". */
function mayBeText(given: SchemaNode, target: SchemaNode): boolean {
  const { values } = flatten(target);
  return values === undefined || values.some((value) => typeof value === "string" && isTextOf(value, given));
}

function isTextOf(text: string, given: SchemaNode): boolean {
  try {
    const written: SchemaNode = { schema: { const: JSON.parse(text) }, root: true };
    return compareNodes(written, given).verdict !== "incompatible";
  } catch {
    return false;
  }
}

function unknownReference(found: ResolvedReference, target: SchemaNode | undefined, walk: ArgumentWalk): PlanIssue {
  const { reference } = found;
  const near = walk.repairs.nearestTask(reference.name, walk.task);
  const renamed = near.likely ? [formatReference({ ...reference, name: near.likely })] : [];
  const sources = walk.repairs.sources({ task: walk.task, ...(target && { target }), ...nameOf(walk.path) });
  const candidates = [...new Set([...renamed, ...sources])].slice(0, 10);
  const hint = near.likely
    ? `; did you mean ${valueText(near.likely, 130)}?`
    : isOfElement(reference.name, walk)
      ? ". It is of a list: it means something in a task with `for_each`, and in what that executes for each element."
      : ". Declare it among the variables of the plan, or run the plan with a value for it.";
  return issueAt(
    placeOf(found, walk),
    IssueCode.UNKNOWN_REFERENCE,
    `${formatReference(reference)} names ${valueText(reference.name, 130)}, which is not a task, result or variable${hint}`,
    {
      ...sourceFields(found, walk),
      ...(candidates.length > 0 && { repair: { operation: "replace", candidates } }),
    },
  );
}

/** Whether the name is that of an element, or of its place, in some list. */
function isOfElement(name: string, { facts }: ArgumentWalk): boolean {
  if (name === "item" || name === indexName) return true;
  return facts.tasks.some((task) => task.for_each !== undefined && localNames(task).has(name));
}

function unknownOutput(
  found: ResolvedReference,
  source: number | OwnValue,
  output: SchemaNode,
  target: SchemaNode | undefined,
  walk: ArgumentWalk,
): PlanIssue {
  const { reference } = found;
  const last = reference.path.findLast((segment) => "key" in segment);
  const name = last && "key" in last ? { name: last.key } : nameOf(walk.path);
  const candidates =
    typeof source === "object"
      ? []
      : walk.repairs.sources({
          task: walk.task,
          from: source,
          path: reference.path,
          ...(target && { target }),
          ...name,
        });
  const known = candidates.length > 0 ? `; it could be ${listText(candidates, 5)}` : "";
  return {
    ...issueAt(
      placeOf(found, walk),
      IssueCode.UNKNOWN_OUTPUT,
      `${formatReference(reference)}: ${ownerText(source, walk)} (${typeText(output)}) has no "${outputText(reference)}"${otherGivers(last, source, walk)}${known}`,
      {
        ...sourceFields(found, walk),
        ...(candidates.length > 0 && { repair: { operation: "replace", candidates } }),
      },
    ),
    // With `?` an absent value is null by the author's own word.
    severity: reference.optional ? "warning" : "error",
  };
}

/** More resources than these that give a field of some name say nothing. */
const maxGivers = 2;

/** `, which "find_lyrics" gives`: the one or two other tools that have the field in their output, so that one of them was meant. */
function otherGivers(
  last: PathSegment | undefined,
  source: number | OwnValue,
  { facts, repairs }: ArgumentWalk,
): string {
  if (last === undefined || !("key" in last) || typeof source === "object") return "";
  const tools = facts.catalogue?.ofKind("tool") ?? [];
  if (!repairs.spend(tools.length)) return "";
  const own = facts.tasks[source]!.tool_id;
  const givers = tools.filter(({ id, output_schema: schema }) => id !== own && hasField(schema, last.key));
  return givers.length === 0 || givers.length > maxGivers
    ? ""
    : `, which ${givers.map(({ id }) => valueText(id, 130)).join(" and ")} ${givers.length === 1 ? "gives" : "give"}`;
}

/** Of the output, or of the elements of a list. */
function hasField(schema: unknown, name: string): boolean {
  const parts = isRecord(schema) ? [schema, schema.items] : [];
  return parts.some((part) => isRecord(part) && isRecord(part.properties) && Object.hasOwn(part.properties, name));
}

function ownerText(source: number | OwnValue, { facts }: ArgumentWalk): string {
  return typeof source === "object" ? "an element" : `the output of ${valueText(facts.tasks[source]!.task_id, 130)}`;
}

/** Plan variables have a value already; a run may override it, so a misfit is only a warning. */
function checkVariable(found: ResolvedReference, target: SchemaNode | undefined, walk: ArgumentWalk): void {
  const { reference } = found;
  const place = placeOf(found, walk);
  const read = readPath(walk.facts.variables[reference.name], reference.path, { optional: reference.optional });
  if (!read.found) {
    if (reference.optional) return;
    const problem = `${formatReference(reference)}: the plan variable has no "${read.at}"`;
    const fields = sourceFields(found, walk);
    walk.issues.push({ ...issueAt(place, IssueCode.UNKNOWN_OUTPUT, problem, fields), severity: "warning" });
    return;
  }
  if (!target || !found.whole) return;
  const given: SchemaNode = { schema: { const: read.value }, root: true };
  if (compareNodes(given, target).verdict !== "incompatible") return;
  const [expected, actual] = [typeText(target), typeText(given)];
  const problem = `expected ${expected}, but the plan variable ${formatReference(reference)} is ${actual}`;
  const fields = { ...sourceFields(found, walk), expected, actual };
  walk.issues.push({ ...issueAt(place, IssueCode.TYPE_MISMATCH, problem, fields), severity: "warning" });
}

/** Outside of a typed walk the walk has no path of its own. */
function placeOf({ argument_path, inField }: ResolvedReference, { taskId, path }: ArgumentWalk): ValuePlace {
  return { taskId, path, pathText: argument_path, inField };
}

export function sourceFields(
  { reference, source }: ResolvedReference,
  { facts }: ArgumentWalk,
): Pick<PlanIssue, "from_task_id" | "output_path"> {
  return {
    from_task_id: typeof source === "number" ? facts.tasks[source]!.task_id : reference.name,
    output_path: outputText(reference),
  };
}

function outputText(reference: Reference): string {
  return formatPath(reference.path);
}

function nameOf(path: readonly PathSegment[]): { name?: string } {
  const last = path.findLast((segment) => "key" in segment);
  return last && "key" in last ? { name: last.key } : {};
}

const aString: SchemaNode = { schema: { type: "string" }, root: true };
