import { checkOptions } from "../check-options.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import type { OptionChecks } from "../options/option-checks.ts";
import { newId as randomId } from "../records/new-id.ts";
import { PlannerTask, type PlannerTaskInput } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { renamedFlow } from "../references/flow-values.ts";
import { renameReferences } from "../references/map-references.ts";
import { valueText } from "../validation/value-text.ts";
import { freshIds } from "./fresh-ids.ts";
import { withProtection } from "./inherited-bounds.ts";
import { type PatchBase, reach, readPatchBase } from "./patch-base.ts";
import { gatherPatchFacts } from "./patch-facts.ts";
import { PlanPatch } from "./plan-patch.ts";
import { requiredProtection } from "./protection.ts";
import { visitReferredNames } from "./referred-names.ts";
import { planRevision, taskLineage } from "./revision.ts";

/** A new task and the tasks of the plan that it replaces. If its id is in use already, it gets another. */
export type ProposedTask = PlannerTaskInput & {
  readonly replaces: readonly string[];
  /** Those of `replaces` whose output this task gives from now on. @default decided by id, result variable, order */
  readonly gives_output_of?: readonly string[];
};

/** A change as its author proposes it: a controller, an optimizer or a person. */
export interface PatchProposal {
  readonly tasks: readonly ProposedTask[];
  /** Tasks with nothing in their place. */
  readonly drop?: readonly string[];
  readonly reason?: string;
}

export interface DraftPatchOptions {
  /** Makes the patch's id, and those of tasks without one. @default a random id of letters and digits */
  readonly newId?: () => string;
  /** @default the system's clock */
  readonly now?: () => Date;
}

/** What is checked of each option. */
export const draftPatchChecks = {
  newId: "function",
  now: "function",
} as const satisfies OptionChecks<DraftPatchOptions>;

export type DraftedPatch =
  | { readonly patch: PlanPatch; readonly issues: readonly [] }
  | { readonly patch?: undefined; readonly issues: readonly PlanIssue[] };

const started: ReadonlySet<PlannerTask["status"]> = new Set(["completed", "failed", "cancelled"]);

/**
 * Makes a patch of a proposal: gives unused ids and the lineage, points references among the new tasks the right way,
 * keeps the dependencies of what is replaced and what protects it (`requiredProtection`), chooses who gives its output, and lists the tasks that must run again because
 * they consumed it. Nothing is proved: `verifyPatch` does that. `plan` is a valid plan.
 * @throws PlanError OPTION
 */
export function draftPatch(plan: TaskData, proposal: PatchProposal, options: DraftPatchOptions = {}): DraftedPatch {
  checkOptions("`draftPatch`", options, draftPatchChecks);
  const { newId = randomId, now = () => new Date() } = options;
  const base = readPatchBase(plan);
  const time = now().toISOString();
  const issues = proposalIssues(base, proposal);
  if (issues.length > 0) return { issues };
  const give = freshIds(base);
  const tasks = proposal.tasks.map(({ replaces, gives_output_of, ...task }) => ({
    replaces: [...new Set(replaces)],
    gives: new Set(gives_output_of ?? []),
    wanted: task.task_id ?? newId(),
    task,
  }));
  const idOf = new Map(tasks.map(({ wanted }) => [wanted, give(wanted)]));
  const members = new Map<string, typeof tasks>();
  for (const task of tasks) for (const id of task.replaces) members.set(id, [...(members.get(id) ?? []), task]);
  for (const id of proposal.drop ?? []) if (!members.has(id)) members.set(id, []);

  const heirs = new Map<string, string>();
  for (const [id, own] of members) {
    const variable = base.tasks[base.index.get(id)!]!.result_variable;
    const chosen =
      own.find(({ gives }) => gives.has(id)) ??
      own.find(({ wanted }) => wanted === id) ??
      own.find(({ task }) => variable !== undefined && task.result_variable === variable) ??
      last(own);
    if (chosen !== undefined) heirs.set(id, idOf.get(chosen.wanted)!);
    else if (own.length > 1) {
      const names = own.slice(0, 5).map(({ wanted }) => valueText(wanted));
      const message = `Which of ${names.join(", ")} gives the output of ${valueText(id)} now? Put that task last, or name the output's task in \`gives_output_of\`.`;
      issues.push({ code: IssueCode.PATCH_BOUNDARY, severity: "error", message, task_id: id });
    }
  }
  if (issues.length > 0) return { issues };

  const rename = (name: string): string => {
    const own = idOf.get(name);
    if (own !== undefined) return own;
    const source = base.names.get(name);
    return (source !== undefined && heirs.get(base.tasks[source]!.task_id)) || name;
  };
  const added = tasks.map(({ task, wanted, replaces }): PlannerTask => {
    const parsed = PlannerTask.parse({ ...task, task_id: wanted });
    const first = replaces.includes(wanted) ? wanted : replaces[0]!;
    return {
      ...withVariable(parsed, base, heirs, idOf.get(wanted)!),
      task_id: idOf.get(wanted)!,
      main_task_id: taskLineage(base.tasks[base.index.get(first)!]!, plan),
      dependencies: [...new Set(parsed.dependencies.flatMap((id) => nameDependency(id, idOf, members)))],
      arguments: renameReferences(parsed.arguments, rename) as Record<string, unknown>,
      parameters: renameReferences(parsed.parameters, rename) as Record<string, unknown>,
      ...renamedFlow(parsed, rename),
      mark_replan: false,
      status: "pending",
      output: {},
      creation_time: time,
      last_update_time: time,
    };
  });
  const region = [...members.keys()].map((id) => base.index.get(id)!);
  const consumers = reach(base.referred.outPtr, base.referred.out, region);
  for (const task of region) consumers[task] = 0;
  const patch = PlanPatch.parse({
    patch_id: newId(),
    plan_id: plan.task_id,
    base: planRevision(plan),
    replacements: [...members].map(([task_id, own]) => ({
      task_id,
      replaced_by: own.map(({ wanted }) => idOf.get(wanted)!),
      output_from: heirs.get(task_id) ?? null,
    })),
    tasks: added,
    renewed: base.tasks
      .filter(({ status }, task) => consumers[task] === 1 && started.has(status))
      .map(({ task_id }) => ({ task_id, new_task_id: give(task_id) })),
    ...(proposal.reason !== undefined && { reason: proposal.reason }),
    creation_time: time,
  });
  const whole = { ...patch, tasks: keepDependencies(base, patch) };
  const required = requiredProtection(gatherPatchFacts(base, whole));
  const protectedTasks = whole.tasks.map((task) => withProtection(task, required.get(task.task_id)));
  return { patch: { ...whole, tasks: protectedTasks }, issues: [] };
}

function proposalIssues(base: PatchBase, { tasks, drop = [] }: PatchProposal): PlanIssue[] {
  const issues: PlanIssue[] = [];
  const report = (message: string, task_id?: string): void => {
    const about = task_id === undefined ? {} : { task_id };
    issues.push({ code: IssueCode.PATCH_REGION, severity: "error", message, ...about });
  };
  const seen = new Set<string>();
  const replaced = new Set<string>();
  for (const { task_id, replaces } of tasks) {
    const name = task_id === undefined ? "A new task" : `New task ${valueText(task_id)}`;
    if (task_id !== undefined && seen.has(task_id)) report(`${name} is listed twice.`, task_id);
    if (task_id !== undefined) seen.add(task_id);
    if (replaces.length === 0)
      report(`${name} replaces no task; list the tasks that it replaces in \`replaces\`.`, task_id);
    for (const id of replaces) {
      replaced.add(id);
      if (!base.index.has(id)) report(`${name} replaces ${valueText(id)}, which is not a task of the plan.`, task_id);
    }
  }
  for (const id of drop) {
    if (!base.index.has(id)) report(`${valueText(id)} cannot be dropped: it is not a task of the plan.`);
    if (replaced.has(id)) report(`${valueText(id)} is both dropped and replaced.`, id);
  }
  if (replaced.size + drop.length === 0) report("The proposal replaces and drops nothing.");
  return issues;
}

type Member = { readonly wanted: string; readonly task: PlannerTaskInput };

/** Returns the one task that none of the others waits for; `undefined` if there is not exactly one. */
function last<Each extends Member>(own: readonly Each[]): Each | undefined {
  const names = new Set(own.map(({ wanted }) => wanted));
  const waitedFor = new Set<string>();
  for (const { wanted, task } of own) {
    const visit = (name: string): void => {
      if (name !== wanted && names.has(name)) waitedFor.add(name);
    };
    for (const id of task.dependencies ?? []) visit(id);
    visitReferredNames(task.parameters, visit);
    visitReferredNames(task.arguments, visit);
    visitReferredNames([task.for_each, task.when, task.choose], visit);
  }
  const ends = own.filter(({ wanted }) => !waitedFor.has(wanted));
  return ends.length === 1 ? ends[0] : undefined;
}

/** Translates a declared dependency to the new ids: one on a replaced task becomes one on every task that replaces it. */
function nameDependency(
  id: string,
  idOf: ReadonlyMap<string, string>,
  members: ReadonlyMap<string, readonly Member[]>,
): readonly string[] {
  const own = idOf.get(id);
  if (own !== undefined) return [own];
  return members.get(id)?.map(({ wanted }) => idOf.get(wanted)!) ?? [id];
}

/** The task that now gives a replaced task's output takes over its variable name. */
function withVariable(task: PlannerTask, base: PatchBase, heirs: ReadonlyMap<string, string>, id: string): PlannerTask {
  if (task.result_variable !== undefined) return task;
  for (const [replaced, heir] of heirs) {
    const name = heir === id ? base.tasks[base.index.get(replaced)!]!.result_variable : undefined;
    if (name !== undefined) return { ...task, result_variable: name };
  }
  return task;
}

/** First tasks wait for what the replaced ones waited for, where they do not already. */
function keepDependencies(base: PatchBase, patch: PlanPatch): PlannerTask[] {
  const facts = gatherPatchFacts(base, patch);
  const more = new Map<string, Set<string>>();
  for (const [task, replacement] of facts.removed) {
    const members = new Set(replacement.replaced_by);
    for (const entry of facts.entries(replacement)) {
      const wanted = more.get(entry) ?? new Set<string>();
      more.set(entry, wanted);
      for (let edge = base.all.inPtr[task]!; edge < base.all.inPtr[task + 1]!; edge++) {
        for (const id of facts.after(base.all.in[edge]!)) if (!members.has(id)) wanted.add(id);
      }
    }
  }
  return patch.tasks.map((task) => {
    const ids = more.get(task.task_id);
    return ids === undefined ? task : { ...task, dependencies: [...new Set([...task.dependencies, ...ids])] };
  });
}
