import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import { referenceObjectText, textObjectTemplate } from "../references/reference-object.ts";
import { resolveReferences } from "../references/resolve-references.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { compareNodes } from "./assignable.ts";
import { checkReferences, sourceFields } from "./check-references.ts";
import { issueAt, literalIssues, missingArgument, unknownArgument } from "./literal-issues.ts";
import { ReferenceCursor } from "./reference-cursor.ts";
import { type NodeAtPath, nodeAtPath } from "./schema-at-path.ts";
import { flatten, ownTypes, type SchemaNode, typeOfValue, typeText } from "./schema-node.ts";

/**
 * The arguments of a task against its resource's input schema. Parts without references are checked as literals, parts
 * with references by the types of what they refer to. With `convertor_code` the arguments are not yet the input, so only
 * the references themselves are checked.
 */
export function checkArguments(walk: ArgumentWalk): void {
  const { facts, task } = walk;
  const { arguments: values, convertor_code } = facts.tasks[task]!;
  const { inArguments, malformed } = walk.references;
  const input = convertor_code ? undefined : facts.typings[task]?.input;
  if (!input) {
    checkReferences(inArguments, undefined, walk);
  } else if (inArguments.length === 0 && malformed.length === 0) {
    checkLiteralArguments(values, input, walk);
  } else if (!malformed.some(({ text }) => text === "")) {
    walkMembers(values, input, new ReferenceCursor(inArguments, malformed), walk);
  }
  // Otherwise the arguments are too deep to walk, as their own issue says.
}

function checkLiteralArguments(values: Record<string, unknown>, input: SchemaNode, walk: ArgumentWalk): void {
  const { taskId } = walk;
  for (const issue of literalIssues(asResolved(values), input, { taskId, path: [] }))
    walk.issues.push(graded(issue, input, walk));
  for (const key of Object.keys(values)) {
    if (isKnown(input, key)) continue;
    if (flatten(input).additional === false) continue;
    walk.issues.push(unknownArgument({ taskId, path: [] }, key, input, values, walk.options.unknownArguments));
  }
}

/** What the executor will see of a value without references: escapes undone, `{"$text": …}` as its text. */
function asResolved(value: unknown): unknown {
  const isPlain = typeof value === "string" ? !value.includes("${") : typeof value !== "object";
  return isPlain ? value : resolveReferences(value, nothingFound);
}
const nothingFound = () => ({ found: false });

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
function walkMembers(value: unknown, node: SchemaNode, cursor: ReferenceCursor, walk: ArgumentWalk): void {
  const { path } = walk;
  const isArray = Array.isArray(value);
  const flat = flatten(node);
  const plain = ownTypes(flat)?.has(isArray ? "array" : "object") === true && flat.unions.length === 0;
  if (!plain && compareNodes(isArray ? anArray : anObject, node).verdict === "incompatible") {
    const [expected, actual] = [typeText(node), typeOfValue(value)];
    const problem = `expected ${expected}, got ${actual}`;
    walk.issues.push(issueAt(walk, IssueCode.INVALID_ARGUMENT, problem, { expected, actual }));
    checkReferences(cursor.takeWithin(path), undefined, walk);
    return;
  }
  if (isArray) {
    for (let index = 0; index < value.length; index++) {
      const at = nodeAtPath(node, [{ index }]);
      path.push({ index });
      walkValue(value[index], at.found === "yes" ? at.node : undefined, cursor, walk);
      path.pop();
    }
    return;
  }
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    let property = flat.properties.get(key);
    if (!property) {
      const at = nodeAtPath(node, [{ key }]);
      if (at.found === "no") reportUnknown(key, value, node, cursor, walk);
      if (at.found === "yes") property = at.node;
    }
    path.push({ key });
    walkValue(member, property, cursor, walk);
    path.pop();
  }
  if (plain || ownTypes(flat)?.has("object")) reportMissing(value, node, walk);
}

function walkValue(value: unknown, node: SchemaNode | undefined, cursor: ReferenceCursor, walk: ArgumentWalk): void {
  const { path } = walk;
  const isContainer = typeof value === "object" && value !== null;
  const isReference = isContainer
    ? (referenceObjectText(value) ?? textObjectTemplate(value)) !== undefined
    : typeof value === "string" && value.includes("${");
  if (isReference) {
    const references = cursor.take(path);
    if (references.length > 0) checkReferences(references, node, walk);
    else if (node && !cursor.isMalformed(path)) addLiteral(value, node, walk);
    return;
  }
  if (isContainer && cursor.holdsReferences(path)) {
    walkMembers(value, node ?? anything, cursor, walk);
    return;
  }
  if (node) addLiteral(value, node, walk);
}

function addLiteral(value: unknown, node: SchemaNode, walk: ArgumentWalk): void {
  for (const issue of literalIssues(asResolved(value), node, walk)) walk.issues.push(issue);
}

/** A name the resource does not know: one issue a reference in its value, so that each source is named; else one. */
function reportUnknown(
  key: string,
  given: Record<string, unknown>,
  node: SchemaNode,
  cursor: ReferenceCursor,
  walk: ArgumentWalk,
): void {
  const severity = flatten(node).additional === false ? "error" : walk.options.unknownArguments;
  const inside = cursor.within([...walk.path, { key }]);
  if (inside.length === 0) {
    walk.issues.push(unknownArgument(walk, key, node, given, severity));
    return;
  }
  for (const found of inside) {
    const extra = sourceFields(found, walk);
    walk.issues.push(unknownArgument(walk, key, node, given, severity, extra));
  }
}

function reportMissing(value: Record<string, unknown>, node: SchemaNode, walk: ArgumentWalk): void {
  for (const key of flatten(node).required) {
    if (Object.hasOwn(value, key) && value[key] !== undefined) continue;
    const issue = missingArgument(walk, key, node);
    walk.issues.push(gradedMissing(issue, nodeAtPath(node, [{ key }]), key, walk));
  }
}

const anObject: SchemaNode = { schema: { type: "object" }, root: true };
const anArray: SchemaNode = { schema: { type: "array" }, root: true };
const anything: SchemaNode = { schema: {}, root: true };
