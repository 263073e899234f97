import { checkOptions } from "../check-options.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { EdgeList } from "../graph/edge-list.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import type { OptionChecks } from "../options/option-checks.ts";
import type { Resource, ResourceCatalogue } from "../ports/resource.ts";
import { hasInnerTasks, isDecidedByConditions } from "../references/inner-tasks.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { checkArguments } from "./check-arguments.ts";
import { checkBranches } from "./check-branches.ts";
import { checkConditionNames } from "./check-condition-names.ts";
import { checkConditionTypes } from "./check-condition-types.ts";
import { checkExpressions } from "./check-expressions.ts";
import { checkFlow } from "./check-flow.ts";
import { checkGraph } from "./check-graph.ts";
import { checkInnerIds } from "./check-inner-ids.ts";
import { checkOutputs } from "./check-outputs.ts";
import { checkParameters } from "./check-parameters.ts";
import { checkReferences } from "./check-references.ts";
import { checkCatalogue, checkResource } from "./check-resources.ts";
import { checkSecrets, checkVariableSecrets } from "./check-secrets.ts";
import { variableDepthIssues } from "./check-variables.ts";
import { checkWait } from "./check-wait.ts";
import { choiceFault, firstCallField } from "./flow-faults.ts";
import { issueAt } from "./literal-issues.ts";
import { gatherFacts, innerFacts, orderOf, type PlanFacts, readReferences, type TaskReferences } from "./plan-facts.ts";
import { prototypeKeys } from "./prototype-keys.ts";
import { readStructure } from "./read-structure.ts";
import { Repairs } from "./repairs.ts";
import { resourceCatalogue } from "./resource-catalogue.ts";
import { keptUnreadIssues, unreadFields, unreadIssue } from "./unread-fields.ts";
import type { ValidationOptions } from "./validation-options.ts";
import { valueText } from "./value-text.ts";

const checks = {
  unknownArguments: ["warning", "error"],
  missingArguments: ["warning", "error"],
  secrets: "texts",
} as const satisfies OptionChecks<ValidationOptions>;

/**
 * Everything that is wrong with a plan, as values; never throws, for any plan. A plan without an issue of
 * severity `error` can be run.
 *
 * Order: the plan's structure, fields that nothing reads, broken resources, the graph, then task by task in plan order.
 * Without `resources`, existence and schemas are not checked. Linear in the plan: 10,000 tasks
 * with 30,000 references take about 0.1 s.
 * @param resources what tasks may use; schemas are read once per resource object.
 * @throws PlanError OPTION
 */
export function validatePlan(
  plan: unknown,
  resources?: readonly Resource[] | ResourceCatalogue,
  options: ValidationOptions = {},
): PlanIssue[] {
  checkOptions("`validatePlan`", options, checks);
  checkKindOf(resources);
  try {
    return check(plan, resources, options);
  } catch (error) {
    // Values that are not JSON (getters that throw, proxies, bottomless nesting) end here.
    const reason = error instanceof Error ? error.message : valueText(error);
    return [
      {
        code: IssueCode.SCHEMA,
        severity: "error",
        message: `Expected a plan as plain JSON; it cannot be read: ${reason}.`,
      },
    ];
  }
}

function check(
  plan: unknown,
  resources: readonly Resource[] | ResourceCatalogue | undefined,
  options: ValidationOptions,
): PlanIssue[] {
  const catalogue = isCatalogue(resources) ? resources : resources && resourceCatalogue(resources);
  const structure = readStructure(plan);
  const facts = gatherFacts(structure, catalogue);
  const repairs = new Repairs(facts);
  const listed = isRecord(plan) && Array.isArray(plan.planned_tasks) ? plan.planned_tasks : [];
  const unread = unreadFields(plan, listed).map((field) => unreadIssue(field, "error"));
  const issues = [
    ...structure.issues,
    ...prototypeKeys(plan),
    ...unread,
    ...(isRecord(plan) ? keptUnreadIssues(plan.metadata) : []),
  ];
  if (facts.tasks.length === 0 && structure.issues.length === 0) {
    const message = "Expected a plan of at least one task, got none.";
    issues.push({ code: IssueCode.PLAN_EMPTY, severity: "error", message, argument_path: "planned_tasks" });
  }
  for (const issue of checkCatalogue(facts)) issues.push(issue);
  for (const issue of checkVariableSecrets(facts)) issues.push(issue);
  for (const issue of variableDepthIssues(facts.variables)) issues.push(issue);
  checkTasks(facts, repairs, options, issues, 1);
  for (const issue of checkOutputs(structure.outputs, facts)) issues.push(issue);
  return issues;
}

/** @param depth of tasks that are executed for each element of a list within another */
function checkTasks(
  facts: PlanFacts,
  repairs: Repairs,
  options: ValidationOptions,
  issues: PlanIssue[],
  depth: number,
): void {
  // The tasks come first because their references are the graph's edges; the graph's issues are listed first.
  const edges = new EdgeList(facts.tasks.length * 2);
  const taskIssues: PlanIssue[] = [];
  for (let task = 0; task < facts.tasks.length; task++) {
    checkTask(task, readReferences(task, facts, edges), facts, repairs, options, taskIssues);
    if (facts.tasks[task]!.for_each?.tasks !== undefined) checkInner(task, facts, options, taskIssues, depth);
  }
  const order = orderOf(edges, facts.tasks.length);
  for (const issue of checkGraph(facts, order, repairs)) issues.push(issue);
  for (const issue of checkInnerIds(facts)) issues.push(issue);
  for (const issue of checkBranches(facts, order)) issues.push(issue);
  for (const issue of taskIssues) issues.push(issue);
}

/** The tasks that are executed for each element of a list, as a plan of their own that sees the names around it. */
function checkInner(
  task: number,
  facts: PlanFacts,
  options: ValidationOptions,
  issues: PlanIssue[],
  depth: number,
): void {
  const { task_id, for_each } = facts.tasks[task]!;
  const owner = valueText(task_id, 130);
  const report = (message: string, argument_path: string) =>
    issues.push({ code: IssueCode.SCHEMA, severity: "error", message, task_id, argument_path });
  if (depth > maxForEachDepth) {
    report(`Expected \`for_each\` at most ${maxForEachDepth} deep in one another, got more.`, "for_each.tasks");
    return;
  }
  const own = firstCallField(facts.tasks[task]!);
  if (own !== undefined)
    report(
      `Task ${owner} has \`${own}\` and \`for_each.tasks\`: for each element its tasks are executed, and not the task itself.`,
      own,
    );
  const inner = innerFacts(task, facts);
  const { result } = for_each!;
  if (result !== undefined && typeof inner.resolveName(result) !== "number")
    report(
      `\`for_each.result\` of task ${owner} is ${valueText(result)}, which is none of its tasks.`,
      "for_each.result",
    );
  const found: PlanIssue[] = [];
  checkTasks(inner, new Repairs(inner), options, found, depth + 1);
  for (const issue of found) {
    issues.push({ ...issue, within: task_id, message: `In the elements of ${owner}: ${issue.message}` });
  }
}

/** Deeper nesting is refused: lists within lists multiply. */
const maxForEachDepth = 8;

function checkTask(
  task: number,
  references: TaskReferences,
  facts: PlanFacts,
  repairs: Repairs,
  options: ValidationOptions,
  issues: PlanIssue[],
): void {
  const planned = facts.tasks[task]!;
  const taskId = planned.task_id;
  const fault = choiceFault(planned);
  if (fault !== undefined) {
    const { message, field } = fault;
    issues.push({ code: IssueCode.SCHEMA, severity: "error", message, task_id: taskId, argument_path: field });
  }
  // Other tasks are executed in its place for each element, or nothing is.
  const callsNothing = hasInnerTasks(planned) || isDecidedByConditions(planned) || planned.wait !== undefined;
  if (!callsNothing) for (const issue of checkResource(task, facts, repairs)) issues.push(issue);
  for (const issue of checkParameters(task, facts)) issues.push(issue);
  const { malformed, inParameters } = references;
  for (const { argument_path, text, message, inField } of malformed) {
    const place = { taskId, path: [], pathText: argument_path, inField };
    issues.push(issueAt(place, IssueCode.REFERENCE_SYNTAX, message, { actual: valueText(text) }));
  }
  const walk: ArgumentWalk = { task, taskId, references, facts, repairs, options, issues, path: [] };
  if (inParameters.length > 0) checkReferences(inParameters, undefined, walk);
  checkArguments(walk);
  checkFlow(walk);
  for (const issue of checkExpressions(planned)) issues.push(issue);
  checkConditionNames(walk);
  checkConditionTypes(walk);
  checkWait(walk);
  for (const issue of checkSecrets(task, facts, options.secrets)) issues.push(issue);
}

/** @throws PlanError OPTION for options or tools in the place of resources, which would look like a fault of the plan */
function checkKindOf(resources: unknown): void {
  if (Array.isArray(resources)) {
    const isNamed = (each: unknown) => isRecord(each) && typeof each.id === "string" && typeof each.kind === "string";
    const place = resources.findIndex((each) => !isNamed(each));
    if (place === -1) return;
    const hint = isRecord(resources[place]?.resource) ? " Give its `resource`." : "";
    const message = `Expected resource ${place} of \`validatePlan\` to be an object with a \`kind\` and an \`id\`, got ${valueText(resources[place])}.${hint}`;
    throw new PlanError(PlanErrorCode.OPTION, message, { details: { option: "resources" } });
  }
  if (!resources || typeof (resources as ResourceCatalogue).find === "function") return;
  const message = `Expected the second argument of \`validatePlan\` to be a list of resources or a catalogue, got ${valueText(resources)}. Options are its third.`;
  throw new PlanError(PlanErrorCode.OPTION, message, { details: { option: "resources" } });
}

function isCatalogue(resources: readonly Resource[] | ResourceCatalogue | undefined): resources is ResourceCatalogue {
  return resources !== undefined && !Array.isArray(resources);
}
