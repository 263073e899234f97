import { IssueCode, type PlanIssue } from "../issue.ts";
import type { Choose } from "../records/control-flow.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { hasFlowValues, readElementId } from "../references/flow-values.ts";
import { formatReference } from "../references/format-reference.ts";
import { wholeReference } from "../references/parse-template.ts";
import type { PlanFacts, PlanOrder } from "./plan-facts.ts";
import { valueText } from "./value-text.ts";

/**
 * What is wrong with branches: tasks and branches that can never run, decisions without an else, references to what may have been
 * skipped, and ids that could be taken for elements of another task. O(tasks + edges).
 */
export function checkBranches(facts: PlanFacts, order: PlanOrder): PlanIssue[] {
  const { tasks } = facts;
  if (!tasks.some((task) => hasFlowValues(task) || task.join !== undefined)) return [];
  return [...elementIds(facts), ...withoutElse(facts), ...neverRun(facts, order), ...skippedSources(facts, order)];
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

/** Where no condition is true and no else is named, the task fails. */
function withoutElse({ tasks }: PlanFacts): PlanIssue[] {
  return tasks.flatMap(({ task_id, choose }) => {
    if (choose === undefined || choose.else !== undefined) return [];
    if (choose.branches.some(({ condition }) => condition === undefined || isAlways("true", condition))) return [];
    const message = `Task ${valueText(task_id, 130)} fails where none of its conditions is true. Name the branch for everything else in \`choose.else\`.`;
    return [{ code: IssueCode.NO_ELSE, severity: "warning" as const, message, task_id, argument_path: "choose.else" }];
  });
}

/** A condition that is `true` or `false` as it is written. */
function isAlways(value: "true" | "false", condition: string): boolean {
  return condition.replaceAll(/^[\s(]+|[\s)]+$/g, "") === value;
}

/** Why each branch of a decision that can never be chosen cannot, by name. */
function deadBranches({ branches, else: otherwise }: Choose): ReadonlyMap<string, string> {
  const dead = new Map<string, string>();
  const seen = new Map<string, string>();
  let always: string | undefined;
  for (const { name, condition } of branches) {
    if (condition === undefined) continue;
    const twin = seen.get(condition.trim());
    if (always !== undefined) dead.set(name, `branch ${valueText(always)} before it is always chosen`);
    else if (isAlways("false", condition)) dead.set(name, "its condition is always false");
    else if (twin !== undefined) dead.set(name, `branch ${valueText(twin)} before it has the same condition`);
    else if (isAlways("true", condition)) always = name;
    seen.set(condition.trim(), name);
  }
  if (always !== undefined && otherwise !== undefined)
    dead.set(otherwise, `branch ${valueText(always)} before it is always chosen`);
  return dead;
}

/** The decision and the branch that a condition asks for, where it is nothing but `${route.refund}`, or `${route.refund?} = true`. */
function branchAsked(task: PlannerTask, facts: PlanFacts): { decider: number; name: string } | undefined {
  const reference = task.when && wholeReference(task.when.condition.trim().replace(/\s*=\s*true$/, ""));
  if (reference === undefined) return undefined;
  const decider = facts.resolveName(reference.name);
  const [segment, ...more] = reference.path;
  if (typeof decider !== "number" || facts.tasks[decider]!.choose === undefined) return undefined;
  if (segment === undefined || !("key" in segment) || more.length > 0) return undefined;
  return { decider, name: segment.key };
}

/** Most decisions that a task is known to hang on; further ones are not compared, so that the cost stays linear. */
const mostDecisions = 32;

/** Branches that are never chosen, conditions that are `false` as they are written, and all that cannot do without such a task. */
function neverRun(facts: PlanFacts, { graph, topo, ordered }: PlanOrder): PlanIssue[] {
  const { tasks } = facts;
  const because = new Int32Array(tasks.length).fill(-1);
  const dead = new Map<number, ReadonlyMap<string, string>>();
  /** Of each task, the branch that must be chosen of each decision for it to run. */
  const needed: (ReadonlyMap<number, string> | undefined)[] = [];
  const issues: PlanIssue[] = [];
  const nameOf = (number: number) => valueText(tasks[number]!.task_id, 130);
  const report = (number: number, what: string, why: string, argument_path: string) => {
    const message = `${what} can never ${what.startsWith("Branch") ? "be chosen" : "run"}: ${why}.`;
    const { task_id } = tasks[number]!;
    issues.push({ code: IssueCode.NEVER_RUNS, severity: "warning", message, task_id, argument_path });
  };
  for (const [number, { choose }] of tasks.entries()) {
    if (choose === undefined) continue;
    const found = deadBranches(choose);
    dead.set(number, found);
    for (const [name, why] of found) {
      const at = choose.branches.findIndex((branch) => branch.name === name);
      const path = at === -1 ? "choose.else" : `choose.branches[${at}]`;
      report(number, `Branch ${valueText(name)} of task ${nameOf(number)}`, why, path);
    }
  }
  for (let place = 0; place < ordered; place++) {
    const number = topo[place]!;
    const task = tasks[number]!;
    const sources = graph.in.subarray(graph.inPtr[number]!, graph.inPtr[number + 1]!);
    const cut = sources.filter((source) => because[source] !== -1);
    const join = task.join ?? "all";
    const isCut =
      join === "all" ? cut.length > 0 : join === "any" && sources.length > 0 && cut.length === sources.length;
    const asked = branchAsked(task, facts);
    const whyOwn = ownReason(task, asked, asked && dead.get(asked.decider), nameOf);
    if (whyOwn !== undefined || isCut) {
      because[number] = whyOwn === undefined ? because[cut[0]!]! : number;
      const why = whyOwn ?? `it needs task ${nameOf(because[number]!)}, which can never run`;
      report(number, `Task ${nameOf(number)}`, why, whyOwn === undefined ? "dependencies" : "when.condition");
      continue;
    }
    const { held, clash } = decisions(join === "all" ? sources : [], needed, asked);
    needed[number] = held;
    if (clash === undefined) continue;
    because[number] = number;
    const [decider, one, other] = clash;
    const why = `it needs the branches ${valueText(one)} and ${valueText(other)} of task ${nameOf(decider)}, of which one alone is chosen`;
    report(number, `Task ${nameOf(number)}`, why, "dependencies");
  }
  return issues;
}

function ownReason(
  task: PlannerTask,
  asked: { readonly decider: number; readonly name: string } | undefined,
  dead: ReadonlyMap<string, string> | undefined,
  nameOf: (number: number) => string,
): string | undefined {
  if (task.when !== undefined && isAlways("false", task.when.condition)) return "its condition is always false";
  if (asked === undefined || dead?.has(asked.name) !== true) return undefined;
  return `branch ${valueText(asked.name)} of task ${nameOf(asked.decider)} can never be chosen`;
}

/** What must be chosen for a task to run that needs all of `sources`; `clash` where no decision can be both. */
function decisions(
  sources: Iterable<number>,
  needed: readonly (ReadonlyMap<number, string> | undefined)[],
  asked: { readonly decider: number; readonly name: string } | undefined,
): {
  readonly held: ReadonlyMap<number, string> | undefined;
  readonly clash: readonly [decider: number, one: string, other: string] | undefined;
} {
  let held: ReadonlyMap<number, string> | undefined;
  let own: Map<number, string> | undefined;
  let clash: readonly [number, string, string] | undefined;
  const add = (decider: number, name: string) => {
    const known = held?.get(decider);
    if (known !== undefined && known !== name) clash ??= [decider, known, name];
    if (known !== undefined || (held?.size ?? 0) >= mostDecisions) return;
    // Shared between tasks until one needs more.
    own ??= new Map(held);
    own.set(decider, name);
    held = own;
  };
  for (const source of sources) {
    const before = needed[source];
    if (before === undefined || before === held) continue;
    if (held === undefined) held = before;
    else for (const [decider, name] of before) add(decider, name);
  }
  if (asked !== undefined) add(asked.decider, asked.name);
  return { held, clash };
}

/** A task that is skipped where what it waits for does not come in time. */
function skipsLate({ wait, retry_until }: PlannerTask): boolean {
  return (wait ?? retry_until)?.on_deadline === "skip";
}

/** The branches, by the number of the decision, without which a task is skipped; undefined where it may be skipped for another reason. */
type Needs = ReadonlyMap<number, string> | undefined;

/** Branches that are chosen wherever a task runs: the one that its condition asks for, and those that this decision needs. */
function assured(asked: ReturnType<typeof branchAsked>, needs: readonly Needs[]): ReadonlyMap<number, string> {
  if (asked === undefined) return none;
  return new Map([...(needs[asked.decider] ?? none), [asked.decider, asked.name]]);
}

const none: ReadonlyMap<number, string> = new Map();

/** What a task needs that was found to need `sources`, of which it can do without none (`all`), or without any. */
function needsOf(
  task: PlannerTask,
  sources: Int32Array,
  needs: readonly Needs[],
  asked: ReturnType<typeof branchAsked>,
): Needs {
  if (skipsLate(task) || (task.when !== undefined && asked === undefined)) return undefined;
  const own = assured(asked, needs);
  const { join = "all" } = task;
  if (join === "none_failed") return own;
  const isSure = (source: number) => needs[source]?.size === 0;
  if (join === "any") return sources.length === 0 || sources.some(isSure) ? own : undefined;
  if (sources.every(isSure)) return own;
  if (sources.some((source) => needs[source] === undefined)) return undefined;
  const merged = new Map(own);
  for (const source of sources) {
    for (const [decider, name] of needs[source]!) {
      const known = merged.get(decider);
      // It needs two branches of one decision, and never runs.
      if (known !== undefined && known !== name) return undefined;
      merged.set(decider, name);
    }
  }
  return merged.size > mostDecisions ? undefined : merged;
}

/** A task that starts without some of its dependencies must say what it reads instead of their outputs. */
function skippedSources(facts: PlanFacts, { graph, topo, ordered }: PlanOrder): PlanIssue[] {
  const { tasks } = facts;
  const needs: Needs[] = [];
  const issues: PlanIssue[] = [];
  for (let place = 0; place < ordered; place++) {
    const number = topo[place]!;
    const task = tasks[number]!;
    const { join = "all" } = task;
    const sources = graph.in.subarray(graph.inPtr[number]!, graph.inPtr[number + 1]!);
    const asked = branchAsked(task, facts);
    needs[number] = needsOf(task, sources, needs, asked);
    if (join === "all" || sources.length === 0) continue;
    const ofBranch = assured(asked, needs);
    const maySkip = (source: number, chosen: ReadonlyMap<number, string>) => {
      const needed = needs[source];
      return needed === undefined || [...needed].some(([decider, name]) => chosen.get(decider) !== name);
    };
    for (const { reference, source, argument_path } of facts.referencesOf(number)) {
      if (typeof source !== "number" || reference.optional) continue;
      // What the condition itself refers to is read before it is known whether the branch was chosen.
      const isSkippable = maySkip(source, argument_path === "when.condition" ? none : ofBranch);
      if (!isSkippable && !(join === "any" && sources.length > 1)) continue;
      const name = valueText(tasks[source]!.task_id, 130);
      const why = isSkippable ? "may have been skipped" : "may not have been completed";
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
