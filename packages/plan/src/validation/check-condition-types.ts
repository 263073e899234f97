import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { formatReference } from "../references/format-reference.ts";
import { wholeReference } from "../references/parse-template.ts";
import type { Reference } from "../references/reference.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { compareNodes } from "./assignable.ts";
import { conditionSource } from "./check-expressions.ts";
import { sourceFields } from "./check-references.ts";
import { aFlag } from "./flow-types.ts";
import { issueAt } from "./literal-issues.ts";
import { readExpression } from "./read-expression.ts";
import { givenBy } from "./reference-value.ts";
import { typeText } from "./schema-node.ts";
import { valueText } from "./value-text.ts";

/** The conditions of a task, each with its place in the task. */
export function conditionsOf({ when, choose, retry_until }: PlannerTask): {
  readonly condition: string;
  readonly pathText: string;
}[] {
  if (!when && !choose && !retry_until) return [];
  const own = [
    { condition: when?.condition, pathText: "when.condition" },
    ...(choose?.branches ?? []).map(({ condition }, number) => ({
      condition,
      pathText: `choose.branches[${number}].condition`,
    })),
    { condition: retry_until?.condition, pathText: "retry_until.condition" },
  ];
  return own.flatMap(({ condition, pathText }) => (condition === undefined ? [] : [{ condition, pathText }]));
}

/**
 * Whether conditions may give true or false. One that surely gives a number, a text or a list fails its task when it is asked, since nothing is taken for
 * true or false in its place.
 */
export function checkConditionTypes(walk: ArgumentWalk): void {
  for (const { condition, pathText } of conditionsOf(walk.facts.tasks[walk.task]!)) {
    const reference = wholeReference(condition);
    const fault = reference === undefined ? faultOfExpression(condition) : faultOfReference(reference, walk);
    if (fault === undefined) continue;
    const place = { taskId: walk.taskId, path: [], pathText, inField: true };
    const { problem, ...fields } = fault;
    walk.issues.push(issueAt(place, IssueCode.TYPE_MISMATCH, problem, { expected: "boolean", ...fields }));
  }
}

type Fault = Partial<PlanIssue> & { readonly problem: string };

const remedy = "Compare it (`… > 0`, `… = 'done'`), or write `$boolean(…)` around it";

function faultOfExpression(condition: string): Fault | undefined {
  const source = conditionSource(condition);
  const { gives = [] } = source === undefined ? {} : readExpression(source);
  if (gives.length === 0) return undefined;
  const actual = gives.join(" or ");
  return { problem: `expected true or false, but ${valueText(condition)} gives ${actual}. ${remedy}`, actual };
}

function faultOfReference(reference: Reference, walk: ArgumentWalk): Fault | undefined {
  const given = givenBy(reference, walk.references.inFlow, walk);
  if (given === undefined) return undefined;
  const text = formatReference(reference);
  const fields = sourceFields(given.found, walk);
  if ("value" in given) {
    if (typeof given.value === "boolean") return undefined;
    return { problem: `expected true or false, but the plan variable ${text} is ${valueText(given.value)}`, ...fields };
  }
  if (compareNodes(given.node, aFlag).verdict !== "incompatible") return undefined;
  const actual = typeText(given.node);
  return { problem: `expected true or false, but ${text} is ${actual}. ${remedy}`, ...fields, actual };
}
