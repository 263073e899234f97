import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import type { FoundReference } from "../references/collect-references.ts";
import { formatPath } from "../references/format-reference.ts";
import type { PathSegment } from "../references/reference.ts";
import { referenceObjectText } from "../references/reference-object.ts";
import { compareNodes } from "./assignable.ts";
import { checkReferences, outputText } from "./check-references.ts";
import { issueAt, literalIssues, missingArgument, unknownArgument } from "./literal-issues.ts";
import type { PlanFacts } from "./plan-facts.ts";
import type { Repairs } from "./repairs.ts";
import { type NodeAtPath, nodeAtPath } from "./schema-at-path.ts";
import { flatten, ownTypes, type SchemaNode, typeOfValue, typeText } from "./schema-node.ts";
import type { ValidationOptions } from "./validate-plan.ts";

/** What the walk through one task's arguments carries along. */
export interface ArgumentWalk {
  readonly task: number;
  readonly taskId: string;
  readonly facts: PlanFacts;
  readonly repairs: Repairs;
  readonly options: ValidationOptions;
  readonly issues: PlanIssue[];
}

/**
 * The arguments of a task against its resource's input schema. Parts without references are checked as literals, parts
 * with references by the types of what they refer to. With `convertor_code` the arguments are not yet the input, so only
 * the references themselves are checked.
 */
export function checkArguments(walk: ArgumentWalk): void {
  const { facts, task } = walk;
  const { arguments: values, convertor_code } = facts.tasks[task]!;
  const { inArguments, malformed } = facts.references[task]!;
  const typing = facts.typings[task];
  const input = convertor_code ? undefined : typing?.input;
  if (inArguments.length === 0 && malformed.length === 0) {
    if (input) checkLiteralArguments(values, input, walk);
    return;
  }
  const byPath = new Map<string, FoundReference[]>();
  for (const found of inArguments) {
    const list = byPath.get(found.argument_path);
    if (list) list.push(found);
    else byPath.set(found.argument_path, [found]);
  }
  if (!input) {
    for (const list of byPath.values()) checkReferences(list, undefined, [], walk);
    return;
  }
  // Too deep to walk, as `malformed` says.
  if (malformed.some(({ text }) => text === "")) return;
  const holders = new Set<unknown>();
  markHolders(values, holders);
  walkMembers(values, input, [], byPath, holders, walk);
}

function checkLiteralArguments(values: Record<string, unknown>, input: SchemaNode, walk: ArgumentWalk): void {
  const { taskId } = walk;
  for (const issue of literalIssues(values, input, { taskId, path: [] })) walk.issues.push(graded(issue, input, walk));
  for (const key of Object.keys(values)) {
    if (isKnown(input, key)) continue;
    if (flatten(input).additional === false) continue;
    walk.issues.push(unknownArgument({ taskId, path: [] }, key, input, walk.options.unknownArguments ?? "warning"));
  }
}

/** A missing argument gets the sources that could fill it, and the severity that the caller wants. */
function graded(issue: PlanIssue, input: SchemaNode, walk: ArgumentWalk): PlanIssue {
  if (issue.code !== IssueCode.MISSING_ARGUMENT || issue.argument_path === undefined) return issue;
  return gradedMissing(issue, nodeAtPath(input, [{ key: issue.argument_path }]), issue.argument_path, walk);
}

function gradedMissing(issue: PlanIssue, target: NodeAtPath, name: string, walk: ArgumentWalk): PlanIssue {
  const severity = walk.options.missingArguments ?? "error";
  if (issue.repair || target.found !== "yes") return { ...issue, severity };
  const repair = walk.repairs.sourceRepair("add", { task: walk.task, target: target.node, name });
  return { ...issue, severity, ...(repair && { repair }) };
}

function isKnown(node: SchemaNode, key: string): boolean {
  return flatten(node).properties.has(key) || nodeAtPath(node, [{ key }]).found !== "no";
}

/** The members of an object or array that holds references somewhere inside. */
function walkMembers(
  value: unknown,
  node: SchemaNode,
  path: readonly PathSegment[],
  byPath: ReadonlyMap<string, readonly FoundReference[]>,
  holders: ReadonlySet<unknown>,
  walk: ArgumentWalk,
): void {
  const container = Array.isArray(value) ? anArray : anObject;
  if (compareNodes(container, node).verdict === "incompatible") {
    const [expected, actual] = [typeText(node), typeOfValue(value)];
    walk.issues.push(
      issueAt({ taskId: walk.taskId, path }, IssueCode.INVALID_ARGUMENT, `expected ${expected}, got ${actual}`, {
        expected,
        actual,
      }),
    );
    return;
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      const at = nodeAtPath(node, [{ index }]);
      walkValue(item, at.found === "yes" ? at.node : undefined, [...path, { index }], byPath, holders, walk);
    });
    return;
  }
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    const member = value[key];
    const at = nodeAtPath(node, [{ key }]);
    const inner = [...path, { key }];
    if (at.found === "no") reportUnknown(member, key, node, path, byPath, holders, walk);
    walkValue(member, at.found === "yes" ? at.node : undefined, inner, byPath, holders, walk);
  }
  if (ownTypes(flatten(node))?.has("object")) reportMissing(value, node, path, walk);
}

function walkValue(
  value: unknown,
  node: SchemaNode | undefined,
  path: readonly PathSegment[],
  byPath: ReadonlyMap<string, readonly FoundReference[]>,
  holders: ReadonlySet<unknown>,
  walk: ArgumentWalk,
): void {
  const isContainer = typeof value === "object" && value !== null;
  if (isContainer ? referenceObjectText(value) !== undefined : typeof value === "string" && value.includes("${")) {
    const references = byPath.get(formatPath(path));
    if (references) checkReferences(references, node, path, walk);
    else if (node && !isContainer && isEscapedText(path, walk)) addLiteral(value, node, path, walk);
    return;
  }
  if (isContainer && holders.has(value)) {
    walkMembers(value, node ?? anything, path, byPath, holders, walk);
    return;
  }
  if (node) addLiteral(value, node, path, walk);
}

/** Text whose `${` are all escaped is a literal; malformed text has its own issue. */
function isEscapedText(path: readonly PathSegment[], { facts, task }: ArgumentWalk): boolean {
  const place = formatPath(path);
  return !facts.references[task]!.malformed.some(({ argument_path }) => argument_path === place);
}

function addLiteral(value: unknown, node: SchemaNode, path: readonly PathSegment[], walk: ArgumentWalk): void {
  for (const issue of literalIssues(value, node, { taskId: walk.taskId, path })) walk.issues.push(issue);
}

/** A name the resource does not know: one issue a reference in its value, so that each source is named; else one. */
function reportUnknown(
  member: unknown,
  key: string,
  node: SchemaNode,
  path: readonly PathSegment[],
  byPath: ReadonlyMap<string, readonly FoundReference[]>,
  holders: ReadonlySet<unknown>,
  walk: ArgumentWalk,
): void {
  const place = { taskId: walk.taskId, path };
  const severity = flatten(node).additional === false ? "error" : (walk.options.unknownArguments ?? "warning");
  const prefix = formatPath([...path, { key }]);
  const isLeaf = !holders.has(member);
  const inside = isLeaf
    ? (byPath.get(prefix) ?? [])
    : [...byPath].flatMap(([at, found]) => (at.startsWith(prefix) ? found : []));
  if (inside.length === 0) {
    walk.issues.push(unknownArgument(place, key, node, severity));
    return;
  }
  for (const { reference } of inside) {
    const extra = { from_task_id: sourceId(reference.name, walk.facts), output_path: outputText(reference) };
    walk.issues.push(unknownArgument(place, key, node, severity, extra));
  }
}

function sourceId(name: string, facts: PlanFacts): string {
  const source = facts.resolveName(name);
  return typeof source === "number" ? facts.tasks[source]!.task_id : name;
}

function reportMissing(
  value: Record<string, unknown>,
  node: SchemaNode,
  path: readonly PathSegment[],
  walk: ArgumentWalk,
): void {
  for (const key of flatten(node).required) {
    if (Object.hasOwn(value, key) && value[key] !== undefined) continue;
    const issue = missingArgument({ taskId: walk.taskId, path }, key, node);
    walk.issues.push(gradedMissing(issue, nodeAtPath(node, [{ key }]), key, walk));
  }
}

/** Marks each object and array that holds `${` text or a reference object somewhere inside. */
function markHolders(value: unknown, holders: Set<unknown>): boolean {
  if (typeof value === "string") return value.includes("${");
  if (typeof value !== "object" || value === null) return false;
  if (referenceObjectText(value) !== undefined) return true;
  let holds = false;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (markHolders(member, holders)) holds = true;
  }
  if (holds) holders.add(value);
  return holds;
}

const anObject: SchemaNode = { schema: { type: "object" }, root: true };
const anArray: SchemaNode = { schema: { type: "array" }, root: true };
const anything: SchemaNode = { schema: {}, root: true };
