import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { hasInnerTasks, withInnerTasks } from "../references/inner-tasks.ts";
import { collectSecrets } from "../references/secret-object.ts";
import { valueText } from "../validation/value-text.ts";
import { callName, callsOfTask } from "./calls-of-task.ts";
import { isJoin } from "./how-tasks-end.ts";
import { hasGate, inherit, isProtected, missing, type Protection } from "./inherited-bounds.ts";
import { behindLostGates } from "./lost-gates.ts";
import type { PatchBase } from "./patch-base.ts";
import type { PatchFacts } from "./patch-facts.ts";

/**
 * What protects a task belongs to it, whichever resource executes it: a gate, a halt on failure, bounds of time and of attempts. What
 * takes its place inherits them; where nothing does, or where what does may end without a question, the gate moves on to what comes after it. A new task that makes a call
 * which the plan makes behind a gate alone gets that gate, unless it is behind one itself. Linear in the plan.
 * @returns by id of the new plan: what each new task, and each task that follows a dropped one, must have
 */
export function requiredProtection(facts: PatchFacts): ReadonlyMap<string, Protection> {
  const required = new Map<string, Protection>();
  const of = (id: string): Protection => {
    const known = required.get(id) ?? {};
    required.set(id, known);
    return known;
  };
  const { base, removed, added } = facts;
  for (const [task, { replaced_by }] of removed) {
    const before = base.tasks[task]!;
    for (const id of replaced_by) if (added.has(id) && isProtected(before)) inherit(of(id), before);
  }
  if (!base.tasks.some(hasGate)) return required;
  for (const id of behindLostGates(facts)) of(id).approval = "required";
  for (const id of gatedCalls(facts, required)) of(id).approval = "required";
  return required;
}

/** New tasks that lack what protected those they replace, or name secrets that the same call did not name before. */
export function checkProtection(facts: PatchFacts): PlanIssue[] {
  const required = requiredProtection(facts);
  const issues: PlanIssue[] = [];
  const report = (task_id: string, message: string): void => {
    issues.push({ code: IssueCode.PATCH_PROTECTION, severity: "error", message, task_id });
  };
  let known: ReadonlySet<string> | undefined;
  for (const task of facts.added.values()) {
    const id = valueText(task.task_id, 130);
    const lack = missing(task, required.get(task.task_id) ?? {});
    if (lack !== undefined)
      report(task.task_id, `Expected new task ${id} to have ${lack}, as the task that it replaces has.`);
    for (const each of withInnerTasks([task])) {
      for (const { name } of collectSecrets(each.arguments)) {
        known ??= secretsNamed(facts.base.tasks);
        if (known.has(secretKey(each, name))) continue;
        const message = `New task ${id} names the secret ${valueText(name)}, which no task of the plan names for this resource.`;
        report(task.task_id, message);
      }
    }
  }
  return issues;
}

/** New tasks without a gate that call, or may later be bound to, what the plan calls only behind gates. */
function gatedCalls(facts: PatchFacts, required: ReadonlyMap<string, Protection>): string[] {
  const { base, removed, added, dependencies } = facts;
  const behind = afterTasks(base, ({ approval }) => approval === "required");
  // A gate within a list holds back what follows the list. As no element may come to it, what is new is not behind it.
  const afterGate = afterTasks(base, hasGate);
  /** Whether a resource is called behind gates alone. */
  const guardedOnly = new Map<string, boolean>();
  let replacesGuarded = false;
  for (const [task, planned] of base.tasks.entries()) {
    if (removed.has(task) && afterGate[task] === 1) replacesGuarded = true;
    // A gate of the list's own holds back those of its tasks that come after it, and no others.
    const before = base.all.in.subarray(base.all.inPtr[task]!, base.all.inPtr[task + 1]!);
    const isAfter = hasInnerTasks(planned) ? before.some((each) => afterGate[each] === 1) : afterGate[task] === 1;
    for (const { name, gated } of callsOfTask(planned))
      if (name !== undefined) guardedOnly.set(name, (guardedOnly.get(name) ?? true) && (isAfter || gated));
  }
  const known = new Map<string, boolean>();
  const isBehind = (start: string): boolean => {
    // Depth first, without recursion; a cycle is found elsewhere.
    const stack = [start];
    const visited = new Set<string>();
    while (stack.length > 0) {
      const id = stack.at(-1)!;
      if (known.has(id)) {
        stack.pop();
        continue;
      }
      const task = added.get(id);
      if (task === undefined) {
        const number = base.index.get(id);
        known.set(id, number !== undefined && behind[number] === 1);
        continue;
      }
      // A list may have no element to ask about, and a task with `join` may run though what it comes after was skipped.
      const isGated = task.approval === "required" || required.get(id)?.approval === "required";
      const own = isGated && task.for_each === undefined;
      const sources = own || isJoin(task) ? [] : [...(dependencies.get(id) ?? [])];
      const open = visited.has(id) ? [] : sources.filter((source) => !known.has(source));
      visited.add(id);
      if (open.length > 0) for (const source of open) stack.push(source);
      else known.set(id, own || sources.some((source) => known.get(source) === true));
    }
    return known.get(start) === true;
  };
  const found: string[] = [];
  for (const task of added.values()) {
    // Stage 2 may choose anything for a task that names no resource.
    const isSuspect = callsOfTask(task).some(
      ({ name, gated }) => !gated && (name === undefined ? replacesGuarded : guardedOnly.get(name) === true),
    );
    if (isSuspect && !isBehind(task.task_id)) found.push(task.task_id);
  }
  return found;
}

/** 1 for each task for which this holds, or that comes after such a task. */
function afterTasks(base: PatchBase, holds: (task: PlannerTask) => boolean): Uint8Array {
  const { topo, ordered } = base.order;
  const { inPtr, in: sources } = base.all;
  const found = new Uint8Array(base.tasks.length);
  for (let place = 0; place < ordered; place++) {
    const task = topo[place]!;
    let holdsHere = holds(base.tasks[task]!);
    for (let edge = inPtr[task]!; edge < inPtr[task + 1]! && !holdsHere; edge++)
      holdsHere = found[sources[edge]!] === 1;
    found[task] = holdsHere ? 1 : 0;
  }
  return found;
}

function secretsNamed(tasks: readonly PlannerTask[]): ReadonlySet<string> {
  const all = withInnerTasks(tasks);
  return new Set(all.flatMap((task) => collectSecrets(task.arguments).map(({ name }) => secretKey(task, name))));
}

function secretKey(task: PlannerTask, name: string): string {
  return `${name} ${callName(task) ?? ""}`;
}
