import { IssueCode, type Repair } from "../issue.ts";
import { localNames } from "../references/flow-values.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { compareNodes } from "./assignable.ts";
import { conditionsOf } from "./check-condition-types.ts";
import { conditionSource } from "./check-expressions.ts";
import { aList } from "./flow-types.ts";
import { issueAt } from "./literal-issues.ts";
import { nearestNames } from "./nearest-names.ts";
import { type RootName, readExpression } from "./read-expression.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import { flatten, type SchemaNode, typeText } from "./schema-node.ts";
import { listText, valueText } from "./value-text.ts";

/** What a condition of `retry_until` may name beside references. */
const polled: ReadonlySet<string> = new Set(["output", "polls"]);
const none: ReadonlySet<string> = new Set();

/**
 * The names that the conditions of a task read beside references. JSONata takes a name that is not there for nothing, so that `order.total > 10` in place of
 * `${order.total} > 10` would skip its task each time, and `status = 'done'` in place of `output.status = 'done'` would repeat its call without end.
 */
export function checkConditionNames(walk: ArgumentWalk): void {
  const task = walk.facts.tasks[walk.task]!;
  for (const { condition, pathText } of conditionsOf(task))
    checkNames(condition, pathText, pathText === "retry_until.condition" ? polled : none, walk);
}

function checkNames(condition: string, pathText: string, known: ReadonlySet<string>, walk: ArgumentWalk): void {
  const source = conditionSource(condition);
  if (source === undefined) return;
  const place = { taskId: walk.taskId, path: [], pathText, inField: true };
  for (const root of readExpression(source).names) {
    if (!known.has(root.name)) {
      const { problem, candidates } = unknownName(root, known, walk);
      const repair: Repair = { operation: "replace", candidates };
      const given = { actual: textOf(root), ...(candidates.length > 0 && { repair }) };
      walk.issues.push(issueAt(place, IssueCode.UNKNOWN_REFERENCE, problem, given));
    } else if (root.name === "output") {
      const missing = missingIn(walk.facts.typings[walk.task]?.output, root.path);
      if (missing === undefined) continue;
      const candidates = missing.fields.map((field) => textOf({ ...root, path: [...missing.before, field] }));
      const repair: Repair = { operation: "replace", candidates };
      const could = candidates.length === 0 ? "" : `; it could be ${listText(candidates, 5)}`;
      const problem = `names \`${textOf(root)}\`, and ${textOf({ ...root, path: missing.before })} (${typeText(missing.node)}) has no ${valueText(missing.field)}${could}`;
      const given = { actual: textOf(root), ...(candidates.length > 0 && { repair }) };
      walk.issues.push(issueAt(place, IssueCode.UNKNOWN_OUTPUT, problem, given));
    }
  }
}

function unknownName(
  root: RootName,
  known: ReadonlySet<string>,
  { facts, task }: ArgumentWalk,
): { readonly problem: string; readonly candidates: readonly string[] } {
  const text = textOf(root);
  if (known.size > 0) {
    const candidate = `output.${text}`;
    const problem = `names \`${text}\`, which is nothing there: it reads \`output\` and \`polls\`. Write \`${candidate}\``;
    return { problem, candidates: [candidate] };
  }
  const planned = facts.tasks[task]!;
  const isLocal = planned.for_each !== undefined && localNames(planned).has(root.name);
  const candidates = isLocal || facts.resolveName(root.name) !== undefined ? [`\${${text}}`] : [];
  const problem = `names \`${text}\`, which is nothing there: a condition reads values by references, such as ${candidates[0] ?? "${task.field}"}, and texts are within quotes`;
  return { problem, candidates };
}

interface MissingField {
  readonly before: readonly string[];
  readonly node: SchemaNode;
  readonly field: string;
  /** The fields that there are, the likeliest first. */
  readonly fields: readonly string[];
}

/** The first field of a path that a value of the schema cannot have. JSONata reads fields of the elements of a list, so that nothing is said from a list on. */
function missingIn(output: SchemaNode | undefined, path: readonly string[]): MissingField | undefined {
  let node = output;
  for (const [place, field] of path.entries()) {
    if (node === undefined || compareNodes(aList, node).verdict !== "incompatible") return undefined;
    const at = nodeAtPath(node, [{ key: field }]);
    if (at.found === "no") {
      const names = [...flatten(node).properties.keys()];
      const fields = [...new Set([...nearestNames(field, new Set(names)).names, ...names])].slice(0, 10);
      return { before: path.slice(0, place), node, field, fields };
    }
    node = at.found === "yes" ? at.node : undefined;
  }
  return undefined;
}

function textOf({ name, path }: RootName): string {
  return [name, ...path].map((part) => (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(part) ? part : `\`${part}\``)).join(".");
}
