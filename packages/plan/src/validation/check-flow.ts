import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { readElementId } from "../references/flow-values.ts";
import { formatReference } from "../references/format-reference.ts";
import { readPath } from "../references/read-path.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { compareNodes } from "./assignable.ts";
import { checkReferences, sourceFields } from "./check-references.ts";
import { aList, itemsReference } from "./flow-types.ts";
import { issueAt } from "./literal-issues.ts";
import type { PlanFacts, PlanOrder } from "./plan-facts.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import { typeText } from "./schema-node.ts";
import { valueText } from "./value-text.ts";

/** `for_each` and `when` of one task: what their references name, and whether what is to be a list can be one. */
export function checkFlow(walk: ArgumentWalk): void {
  const { facts, references, task, issues } = walk;
  if (references.inFlow.length > 0) checkReferences(references.inFlow, undefined, walk);
  const { for_each } = facts.tasks[task]!;
  if (for_each === undefined) return;
  const { items } = for_each;
  const place = { taskId: walk.taskId, path: [], pathText: "for_each.items" };
  const report = (problem: string, fields: Partial<PlanIssue>) => {
    issues.push(issueAt(place, IssueCode.TYPE_MISMATCH, problem, { expected: "array", ...fields }));
  };
  const reference = itemsReference({ for_each });
  if (reference === undefined) {
    if (typeof items === "string") {
      const problem = `expected one reference to a list, such as \${search.hits}, got ${valueText(items)}`;
      report(problem, { actual: "string" });
    }
    return;
  }
  const found = references.inFlow.find((each) => each.reference.name === reference.name);
  const source = found?.source;
  if (found === undefined) return;
  const text = formatReference(reference);
  if (source === "variable") {
    const read = readPath(facts.variables[reference.name], reference.path, { optional: reference.optional });
    if (read.found && !Array.isArray(read.value))
      report(`expected a list, but the plan variable ${text} is ${valueText(read.value)}`, sourceFields(found, walk));
    return;
  }
  const output =
    typeof source === "number" ? facts.outputs[source] : typeof source === "object" ? source.node : undefined;
  const given = output && nodeAtPath(output, reference.path);
  if (given?.found !== "yes" || compareNodes(given.node, aList).verdict !== "incompatible") return;
  const actual = typeText(given.node);
  report(`expected a list, but ${text} is ${actual}`, { ...sourceFields(found, walk), actual });
}

/**
 * What is wrong with branches: tasks that can never run, references to what may have been skipped, and ids that could be taken for
 * elements of another task. O(tasks + edges).
 */
export function checkBranches(facts: PlanFacts, order: PlanOrder): PlanIssue[] {
  const { tasks } = facts;
  if (!tasks.some(({ for_each, when, join }) => for_each !== undefined || when !== undefined || join !== undefined))
    return [];
  return [...elementIds(facts), ...neverRun(tasks, order), ...skippedSources(facts, order)];
}

/** `fetch[3]` is an element where `fetch` has `for_each`, so that no task can have this id. */
function elementIds({ tasks, index }: PlanFacts): PlanIssue[] {
  return tasks.flatMap(({ task_id }) => {
    const element = readElementId(task_id);
    const owner = element && index.get(element.taskId);
    if (element === undefined || owner === undefined || tasks[owner]!.for_each === undefined) return [];
    const message = `Task ${valueText(task_id, 130)} has the id of an element of task ${valueText(element.taskId, 130)}, which has \`for_each\`. Rename one of them.`;
    return [{ code: IssueCode.NAME_COLLISION, severity: "error" as const, message, task_id, actual: task_id }];
  });
}

/** A condition that is `false` as it is written, and all that cannot do without such a task. */
function neverRun(tasks: readonly PlannerTask[], { graph, topo, ordered }: PlanOrder): PlanIssue[] {
  const because = new Int32Array(tasks.length).fill(-1);
  const issues: PlanIssue[] = [];
  for (let place = 0; place < ordered; place++) {
    const number = topo[place]!;
    const task = tasks[number]!;
    const sources = graph.in.subarray(graph.inPtr[number]!, graph.inPtr[number + 1]!);
    const dead = sources.filter((source) => because[source] !== -1);
    const join = task.join ?? "all";
    const isCut =
      join === "all" ? dead.length > 0 : join === "any" && sources.length > 0 && dead.length === sources.length;
    const isFalse = task.when !== undefined && /^[\s(]*false[\s)]*$/.test(task.when.condition);
    if (!isCut && !isFalse) continue;
    because[number] = isFalse ? number : because[dead[0]!]!;
    const why = isFalse
      ? "its condition is always false"
      : `it needs task ${valueText(tasks[because[number]!]!.task_id, 130)}, whose condition is always false`;
    issues.push({
      code: IssueCode.NEVER_RUNS,
      severity: "warning",
      message: `Task ${valueText(task.task_id, 130)} can never run: ${why}.`,
      task_id: task.task_id,
      argument_path: isFalse ? "when.condition" : "dependencies",
    });
  }
  return issues;
}

/** A task that starts without some of its dependencies must say what it reads instead of their outputs. */
function skippedSources(facts: PlanFacts, { graph, topo, ordered }: PlanOrder): PlanIssue[] {
  const { tasks } = facts;
  const maySkip = new Uint8Array(tasks.length);
  const issues: PlanIssue[] = [];
  for (let place = 0; place < ordered; place++) {
    const number = topo[place]!;
    const task = tasks[number]!;
    const { join = "all" } = task;
    const sources = graph.in.subarray(graph.inPtr[number]!, graph.inPtr[number + 1]!);
    const skippable = sources.filter((source) => maySkip[source] === 1);
    const cut =
      join === "all"
        ? skippable.length > 0
        : join === "any" && skippable.length === sources.length && sources.length > 0;
    if (task.when !== undefined || cut) maySkip[number] = 1;
    if (join === "all" || sources.length === 0) continue;
    for (const { reference, source, argument_path } of facts.referencesOf(number)) {
      if (typeof source !== "number" || reference.optional) continue;
      const isAbsent = maySkip[source] === 1 || (join === "any" && sources.length > 1);
      if (!isAbsent) continue;
      const name = valueText(tasks[source]!.task_id, 130);
      const why = maySkip[source] === 1 ? "may have been skipped" : "may not have been completed";
      const way = formatReference({ ...reference, optional: true });
      issues.push({
        code: IssueCode.MAY_BE_SKIPPED,
        severity: "error",
        message: `Task ${valueText(task.task_id, 130)}: \`${argument_path}\` refers to task ${name}, which ${why} when this task starts (\`join: "${join}"\`). Write ${way} to get null then.`,
        task_id: task.task_id,
        argument_path,
        from_task_id: tasks[source]!.task_id,
        repair: { operation: "replace", candidates: [way] },
      });
    }
  }
  return issues;
}
