import { checkOptions } from "../check-options.ts";
import { cycleAmong } from "../graph/find-cycle.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import type { OptionChecks } from "../options/option-checks.ts";
import type { Resource, ResourceCatalogue } from "../ports/resource.ts";
import { TaskData } from "../records/task-data.ts";
import { formatPath } from "../references/format-reference.ts";
import { readStructure } from "../validation/read-structure.ts";
import { valueText } from "../validation/value-text.ts";
import { checkAdded } from "./check-added.ts";
import { checkBoundary } from "./check-boundary.ts";
import { checkCalls } from "./check-calls.ts";
import { checkDataflow } from "./check-dataflow.ts";
import { checkOrder } from "./check-order.ts";
import { checkRegion } from "./check-region.ts";
import { isUsable, type PatchBase, readPatchBase } from "./patch-base.ts";
import { gatherPatchFacts } from "./patch-facts.ts";
import { PlanPatch } from "./plan-patch.ts";
import { checkProtection } from "./protection.ts";
import { type RewrittenPlan, rewritePlan } from "./rewrite-plan.ts";

export interface VerifyPatchOptions {
  /** What tasks may use. Without, nothing is asked about resources, nor about what they take and give. */
  readonly resources?: readonly Resource[] | ResourceCatalogue;
  /** Ids of the tasks that may be replaced. @default all that the patch replaces */
  readonly region?: readonly string[];
  /**
   * What new tasks may read or wait for, in addition to one another: `upstream`, the tasks that the region came after already;
   * `any`, everything that does not come after the region. @default "upstream"
   */
  readonly inputs?: "upstream" | "any";
  /** As for `validatePlan`. @default "error" */
  readonly missingArguments?: "warning" | "error";
}

/** What is checked of each option. */
export const verifyPatchChecks = {
  resources: { either: ["list", "object"] },
  region: "texts",
  inputs: ["upstream", "any"],
  missingArguments: ["warning", "error"],
} as const satisfies OptionChecks<VerifyPatchOptions>;

/**
 * Everything that is wrong with a patch, as values; never throws, for any plan and patch. Without an issue of severity
 * `error`, the plan after it is acyclic; every task outside the region does what it did (its definition hash is equal, and
 * its content hash unless it comes after a replaced task); what comes into the region and what its consumers read is kept;
 * nothing that is done outside is undone, but for the renewed tasks the patch lists; no id comes back and no call is made
 * more often; gates, halts, bounds and secrets of what is replaced are inherited; new tasks are valid, arguments and dataflow included.
 *
 * Linear in plan and patch: a few tasks of a plan of 10,000 take as long as reading the plan's references once.
 * @throws PlanError OPTION
 */
export function verifyPatch(plan: unknown, patch: unknown, options: VerifyPatchOptions = {}): PlanIssue[] {
  checkOptions("`verifyPatch`", options, verifyPatchChecks);
  return examinePatch(plan, patch, options).issues;
}

export interface ExaminedPatch {
  readonly issues: PlanIssue[];
  /** The plan after the patch; absent where plan or patch cannot be read. */
  readonly after?: RewrittenPlan;
}

/** The same, with the plan that was looked at. */
export function examinePatch(plan: unknown, patch: unknown, options: VerifyPatchOptions = {}): ExaminedPatch {
  try {
    return examine(plan, patch, options);
  } catch (error) {
    // Values that are not JSON (getters that throw, proxies, bottomless nesting) end here.
    const reason = error instanceof Error ? error.message : valueText(error);
    const message = `Expected a plan and a patch as plain JSON; they cannot be read: ${reason}.`;
    return { issues: [{ code: IssueCode.SCHEMA, severity: "error", message }] };
  }
}

function examine(plan: unknown, patch: unknown, options: VerifyPatchOptions): ExaminedPatch {
  const read = PlanPatch.safeParse(patch);
  if (!read.success) {
    const issues = read.error.issues.slice(0, 50).map(({ path, message }): PlanIssue => {
      const place = formatPath(path.map((key) => (typeof key === "number" ? { index: key } : { key: String(key) })));
      const text = `Patch: expected \`${place || "it"}\` to be valid: ${message}.`;
      return { code: IssueCode.SCHEMA, severity: "error", message: text, argument_path: place };
    });
    return { issues };
  }
  const usable = usablePlan(plan);
  if ("issues" in usable) return usable;
  const base = readPatchBase(usable.plan);
  const broken = planIssues(base);
  if (broken.length > 0) return { issues: broken };
  const facts = gatherPatchFacts(base, read.data);
  const issues = [...checkRegion(facts, options), ...checkAdded(facts), ...checkProtection(facts)];
  if (facts.tooMany) {
    const message = "The dropped tasks hand on too many dependencies; drop fewer at once.";
    issues.push({ code: IssueCode.PATCH_BOUNDARY, severity: "error", message });
    return { issues };
  }
  issues.push(...checkBoundary(facts, options));
  // What follows reads the plan after the patch, which means something only if the patch is about this plan.
  if (issues.some(({ severity }) => severity === "error")) return { issues };
  const after = rewritePlan(facts);
  if (after.plan.planned_tasks.length === 0) {
    const message = "Nothing is left of the plan with this patch; a plan has at least one task.";
    issues.push({ code: IssueCode.PLAN_EMPTY, severity: "error", message });
  }
  issues.push(
    ...checkOrder(facts, after),
    ...checkCalls(facts, after, options),
    ...checkDataflow(facts, after, options),
  );
  return { issues, after };
}

function usablePlan(plan: unknown): { plan: TaskData } | { issues: PlanIssue[] } {
  if (isRecord(plan) && Array.isArray(plan.planned_tasks) && plan.planned_tasks.every(isUsable)) {
    // Only the tasks are many; the rest goes through the schema.
    const rest = TaskData.safeParse({ ...plan, planned_tasks: [] });
    if (rest.success) return { plan: { ...rest.data, planned_tasks: plan.planned_tasks } };
  }
  const { issues } = readStructure(plan);
  return issues.length > 0 ? { issues: [...issues] } : { plan: TaskData.parse(plan) };
}

/** A patch is proved against a plan that is in order itself. */
function planIssues(base: PatchBase): PlanIssue[] {
  const issues: PlanIssue[] = [];
  for (const id of base.duplicates) {
    const message = `Expected task ids of the plan to be unique, got ${valueText(id)} more than once.`;
    issues.push({ code: IssueCode.DUPLICATE_TASK, severity: "error", message, task_id: id });
  }
  for (const name of base.collisions) {
    const message = `Expected each name of the plan to mean one thing, but ${valueText(name)} means several.`;
    issues.push({ code: IssueCode.NAME_COLLISION, severity: "error", message, actual: name });
  }
  for (const [task_id, dependency] of base.unknown) {
    const message = `Task ${valueText(task_id)} depends on ${valueText(dependency)}, which is not a task of the plan.`;
    issues.push({ code: IssueCode.UNKNOWN_DEPENDENCY, severity: "error", message, task_id, from_task_id: dependency });
  }
  const { topo, ordered } = base.order;
  if (ordered < base.tasks.length) {
    const path = cycleAmong(base.all, topo, ordered).map((task) => base.tasks[task]!.task_id);
    const message = `The plan's own tasks form a cycle: ${path.slice(0, 12).join(" -> ")}.`;
    issues.push({ code: IssueCode.CYCLE, severity: "error", message, task_id: path[0]!, actual: path.join(" -> ") });
  }
  return issues.slice(0, 100);
}
