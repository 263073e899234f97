import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { collectSecrets } from "../references/secret-object.ts";
import { resourcePin } from "../resource-pin.ts";
import { valueText } from "../validation/value-text.ts";
import type { PatchFacts } from "./patch-facts.ts";

/** What a new task must have at least because of the task that it replaces. An absent field requires nothing. */
export interface Protection {
  approval?: "required";
  on_failure?: "halt";
  timeout_ms?: number;
  retry?: NonNullable<PlannerTask["retry"]>;
}

/**
 * What protects a task belongs to it, whichever resource executes it: a gate, a halt on failure, bounds of time and of attempts. What
 * takes its place inherits them; where nothing does, the gate moves on to what comes after it. A new task that makes a call
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
  if (!base.tasks.some(({ approval }) => approval === "required")) return required;
  for (const [task, { replaced_by }] of removed) {
    if (replaced_by.length > 0 || base.tasks[task]!.approval !== "required") continue;
    for (const id of followersOf(task, facts)) of(id).approval = "required";
  }
  for (const id of gatedCalls(facts, required)) of(id).approval = "required";
  return required;
}

/** The task with what it must have; the same object where it has that. */
export function withProtection(task: PlannerTask, required: Protection | undefined): PlannerTask {
  if (required === undefined || missing(task, required) === undefined) return task;
  const { approval, on_failure, timeout_ms, retry } = required;
  return {
    ...task,
    ...(approval !== undefined && { approval }),
    ...(on_failure !== undefined && { on_failure }),
    ...(timeout_ms !== undefined && { timeout_ms: Math.min(timeout_ms, task.timeout_ms ?? timeout_ms) }),
    ...(retry !== undefined && !isBound(task.retry, retry) && { retry }),
  };
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
    for (const { name } of collectSecrets(task.arguments)) {
      known ??= secretsNamed(facts.base.tasks);
      if (known.has(secretKey(task, name))) continue;
      const message = `New task ${id} names the secret ${valueText(name)}, which no task of the plan names for this resource.`;
      report(task.task_id, message);
    }
  }
  return issues;
}

function isProtected({ approval, on_failure, timeout_ms, retry }: PlannerTask): boolean {
  return approval !== undefined || on_failure === "halt" || timeout_ms !== undefined || retry !== undefined;
}

/** Takes the strictest protection of each sort where a task replaces several. */
function inherit(protection: Protection, { approval, on_failure, timeout_ms, retry }: PlannerTask): void {
  if (approval === "required") protection.approval = approval;
  if (on_failure === "halt") protection.on_failure = on_failure;
  if (timeout_ms !== undefined) protection.timeout_ms = Math.min(timeout_ms, protection.timeout_ms ?? timeout_ms);
  if (retry !== undefined && !isBound(protection.retry, retry)) protection.retry = retry;
}

function isBound(own: PlannerTask["retry"], { max_attempts }: NonNullable<PlannerTask["retry"]>): boolean {
  return own !== undefined && own.max_attempts <= max_attempts;
}

/** In words, the first thing that the task lacks. */
function missing(task: PlannerTask, { approval, on_failure, timeout_ms, retry }: Protection): string | undefined {
  if (approval === "required" && task.approval !== "required") return '`approval: "required"`';
  if (on_failure === "halt" && task.on_failure !== "halt") return '`on_failure: "halt"`';
  if (timeout_ms !== undefined && !(task.timeout_ms !== undefined && task.timeout_ms <= timeout_ms))
    return `\`timeout_ms\` of at most ${timeout_ms}`;
  if (retry !== undefined && !isBound(task.retry, retry))
    return `\`retry.max_attempts\` of at most ${retry.max_attempts}`;
  return undefined;
}

/** Ids in the new plan of what came after a dropped task: directly, or after others that were dropped with it. */
function followersOf(dropped: number, { base, removed, renewed, added }: PatchFacts): string[] {
  const found: string[] = [];
  const queue = [dropped];
  const seen = new Set(queue);
  for (const task of queue) {
    for (let edge = base.all.outPtr[task]!; edge < base.all.outPtr[task + 1]!; edge++) {
      const next = base.all.out[edge]!;
      if (seen.has(next)) continue;
      seen.add(next);
      const replacement = removed.get(next);
      if (replacement === undefined) found.push(renewed.get(next) ?? base.tasks[next]!.task_id);
      else if (replacement.replaced_by.length === 0) queue.push(next);
      else for (const id of replacement.replaced_by) if (added.has(id)) found.push(id);
    }
  }
  return found;
}

/** New tasks without a gate that call, or may later be bound to, what the plan calls only behind gates. */
function gatedCalls(facts: PatchFacts, required: ReadonlyMap<string, Protection>): string[] {
  const { base, removed, added, dependencies } = facts;
  const behind = new Uint8Array(base.tasks.length);
  const { topo, ordered } = base.order;
  for (let place = 0; place < ordered; place++) {
    const task = topo[place]!;
    let guarded = base.tasks[task]!.approval === "required";
    for (let edge = base.all.inPtr[task]!; edge < base.all.inPtr[task + 1]! && !guarded; edge++)
      guarded = behind[base.all.in[edge]!] === 1;
    behind[task] = guarded ? 1 : 0;
  }
  /** Whether a resource is called behind gates alone. */
  const guardedOnly = new Map<string, boolean>();
  let replacesGuarded = false;
  for (const [task, planned] of base.tasks.entries()) {
    if (removed.has(task) && behind[task] === 1) replacesGuarded = true;
    const name = callName(planned);
    if (name !== undefined) guardedOnly.set(name, (guardedOnly.get(name) ?? true) && behind[task] === 1);
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
      const own = task.approval === "required" || required.get(id)?.approval === "required";
      const sources = own ? [] : [...(dependencies.get(id) ?? [])];
      const open = visited.has(id) ? [] : sources.filter((source) => !known.has(source));
      visited.add(id);
      if (open.length > 0) for (const source of open) stack.push(source);
      else known.set(id, own || sources.some((source) => known.get(source) === true));
    }
    return known.get(start) === true;
  };
  const found: string[] = [];
  for (const task of added.values()) {
    const name = callName(task);
    // Stage 2 may choose anything for a task that names no resource.
    const suspect = name === undefined ? replacesGuarded : guardedOnly.get(name) === true;
    if (suspect && !isBehind(task.task_id)) found.push(task.task_id);
  }
  return found;
}

/** Tasks may write `server/tool` or `tool`. */
function callName(task: PlannerTask): string | undefined {
  return resourcePin(task).uid?.split("/").at(-1);
}

function secretsNamed(tasks: readonly PlannerTask[]): ReadonlySet<string> {
  return new Set(tasks.flatMap((task) => collectSecrets(task.arguments).map(({ name }) => secretKey(task, name))));
}

function secretKey(task: PlannerTask, name: string): string {
  return `${name} ${callName(task) ?? ""}`;
}
