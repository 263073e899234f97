import { IssueCode, type PlanIssue } from "../issue.ts";
import { scanReferences } from "../references/collect-references.ts";
import { formatReference } from "../references/format-reference.ts";
import { wholeReference } from "../references/parse-template.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { compareNodes } from "./assignable.ts";
import { checkReferences, sourceFields } from "./check-references.ts";
import { aList, elementOf, itemsReference } from "./flow-types.ts";
import { issueAt } from "./literal-issues.ts";
import { givenBy } from "./reference-value.ts";
import { typeText } from "./schema-node.ts";
import { valueText } from "./value-text.ts";

/** `for_each` and `when` of one task: what their references name, and whether what is to be a list can be one. */
export function checkFlow(walk: ArgumentWalk): void {
  const { facts, references, task, issues } = walk;
  checkReferences(references.inFlow, undefined, walk);
  const { for_each } = facts.tasks[task]!;
  if (for_each === undefined) return;
  checkGiven(walk);
  const { items } = for_each;
  const place = { taskId: walk.taskId, path: [], pathText: "for_each.items", inField: true };
  const report = (problem: string, fields: Partial<PlanIssue>) => {
    issues.push(issueAt(place, IssueCode.TYPE_MISMATCH, problem, { expected: "array", ...fields }));
  };
  const reference = itemsReference({ for_each });
  if (reference === undefined) {
    // Of a malformed reference that is said already.
    if (typeof items === "string" && scanReferences(items).malformed.length === 0) {
      const problem = `expected one reference to a list, such as \${search.hits}, got ${valueText(items)}`;
      report(problem, { actual: "string" });
    }
    return;
  }
  const given = givenBy(reference, references.inFlow, walk);
  if (given === undefined) return;
  const text = formatReference(reference);
  if ("value" in given) {
    if (!Array.isArray(given.value))
      report(
        `expected a list, but the plan variable ${text} is ${valueText(given.value)}`,
        sourceFields(given.found, walk),
      );
    return;
  }
  if (compareNodes(given.node, aList).verdict !== "incompatible") return;
  const actual = typeText(given.node);
  report(`expected a list, but ${text} is ${actual}`, { ...sourceFields(given.found, walk), actual });
}

/** What is given for an element must have the type that the other elements give. */
function checkGiven(walk: ArgumentWalk): void {
  const { facts, references, task, taskId, issues } = walk;
  const { given } = facts.tasks[task]!.for_each!;
  const element = given && facts.outputs[task] && elementOf(facts.outputs[task]);
  if (given === undefined || element === undefined) return;
  for (const [index, value] of Object.entries(given)) {
    const reference = typeof value === "string" ? wholeReference(value) : undefined;
    const from = reference && givenBy(reference, references.inFlow, walk);
    if (from === undefined || "value" in from || compareNodes(from.node, element).verdict !== "incompatible") continue;
    const place = { taskId, path: [], pathText: `for_each.given.${index}`, inField: true };
    const [expected, actual] = [typeText(element), typeText(from.node)];
    const problem = `expected ${expected}, as the other elements give it, but ${formatReference(reference!)} is ${actual}`;
    issues.push(issueAt(place, IssueCode.TYPE_MISMATCH, problem, { expected, actual }));
  }
}
