import { canonicalJson } from "../hashes/canonical-json.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import type { Resource, ResourceCatalogue } from "../ports/resource.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { flowValues, hasFlowValues, renamedFlow } from "../references/flow-values.ts";
import { renameReferences } from "../references/map-references.ts";
import { resourcePin } from "../resource-pin.ts";
import { resourceCatalogue } from "../validation/resource-catalogue.ts";
import { valueText } from "../validation/value-text.ts";
import type { PatchFacts } from "./patch-facts.ts";
import { visitReferredNames } from "./referred-names.ts";
import type { RewrittenPlan } from "./rewrite-plan.ts";

/**
 * No call is made more often than in the plan before, and none that is new more than once: a new task may not do again
 * what a task outside the region does or has done. A call is a pinned resource with its arguments, after the same tasks.
 * Repeating one that only reads, or has the same effect twice, is merely wasteful.
 */
export function checkCalls(
  facts: PatchFacts,
  after: RewrittenPlan,
  options: { readonly resources?: readonly Resource[] | ResourceCatalogue },
): PlanIssue[] {
  const { base, removed, renewed, added } = facts;
  const catalogue = catalogueOf(options.resources);
  /** What new tasks call, by uid, then kind. */
  const called = new Map<string, Map<string, Called>>();
  for (const task of added.values()) {
    const { kind, uid } = resourcePin(task);
    if (kind === undefined || uid === undefined) continue;
    const kinds = called.get(uid) ?? new Map<string, Called>();
    called.set(uid, kinds);
    const resource = catalogue?.find(kind, uid);
    const harmless = resource?.read_only === true || resource?.idempotent === true;
    const known = kinds.get(kind) ?? { pin: `${kind} ${uid}`, harmless, shapes: new Set() };
    kinds.set(kind, known);
    known.shapes.add(shapeOf(task));
  }
  if (called.size === 0) return [];
  const calledBy = (task: PlannerTask): Called | undefined => {
    // Most tasks are tools of another name; for them nothing need be put together.
    if (task.execution_type === "tool" && task.tool_id && !called.has(task.tool_id)) return undefined;
    const { kind = "", uid = "" } = resourcePin(task);
    const known = called.get(uid)?.get(kind);
    return known?.shapes.has(shapeOf(task)) ? known : undefined;
  };
  /** What an old name refers to after the patch. */
  const now = (name: string): string => {
    const task = base.names.get(name);
    if (task === undefined) return facts.resolve(name) ?? name;
    return removed.get(task)?.output_from ?? renewed.get(task) ?? base.tasks[task]!.task_id;
  };
  const before = new Map<string, number>();
  const counts = new Map<string, number>();
  const kept = new Map<string, string>();
  for (let number = 0; number < base.tasks.length; number++) {
    const task = base.tasks[number]!;
    const known = calledBy(task);
    if (known === undefined) continue;
    const declared = task.dependencies.flatMap((id) => {
      const source = base.index.get(id);
      return source === undefined ? [] : facts.after(source);
    });
    const call = callText(task, known.pin, now, declared);
    before.set(call, (before.get(call) ?? 0) + 1);
    if (removed.has(number)) continue;
    counts.set(call, (counts.get(call) ?? 0) + 1);
    kept.set(call, (after.rewritten.get(number) ?? task).task_id);
  }
  const issues: PlanIssue[] = [];
  for (const task of added.values()) {
    const known = calledBy(task);
    if (known === undefined) continue;
    const call = callText(task, known.pin, (name) => facts.resolve(name) ?? name, task.dependencies);
    const count = (counts.get(call) ?? 0) + 1;
    counts.set(call, count);
    if (count <= Math.max(1, before.get(call) ?? 0)) {
      if (!kept.has(call)) kept.set(call, task.task_id);
      continue;
    }
    const twin = kept.get(call) ?? "another task";
    issues.push({
      code: IssueCode.TASK_REPEATED,
      severity: known.harmless ? "warning" : "error",
      message: `New task ${valueText(task.task_id, 130)} makes the same call as ${valueText(twin, 130)}; refer to the output of that task instead.`,
      task_id: task.task_id,
      from_task_id: twin,
    });
  }
  return issues;
}

interface Called {
  readonly pin: string;
  readonly harmless: boolean;
  readonly shapes: Set<number>;
}

/** A key that is equal for equal calls, also if their arguments are in another order. Few other calls share it, so few need a closer comparison. */
function shapeOf({ arguments: values }: PlannerTask): number {
  const keys = Object.keys(values);
  let shape = keys.length;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const value = values[key];
    let own = 1;
    if (typeof value === "number") own = value | 0;
    else if (typeof value === "boolean") own = value ? 2 : 3;
    // References are other texts for the same call.
    else if (typeof value === "string" && !value.includes("${")) own = 4 + value.length;
    shape = (shape + Math.imul(own, 31 + key.length)) | 0;
  }
  return shape;
}

function callText(
  task: PlannerTask,
  pin: string,
  rename: (name: string) => string,
  declared: readonly string[],
): string {
  const dependencies = new Set(declared);
  const visit = (name: string): void => {
    dependencies.add(rename(name));
  };
  visitReferredNames(task.parameters, visit);
  visitReferredNames(task.arguments, visit);
  if (hasFlowValues(task)) visitReferredNames(flowValues(task), visit);
  const { arguments: values, parameters, convertor_code, instructions } = task;
  return canonicalJson({
    pin,
    values: renameReferences(values, rename),
    parameters: renameReferences(parameters, rename),
    ...renamedFlow(task, rename),
    convertor_code,
    // A tool is called with arguments alone; to the others the words are input.
    words: pin.startsWith("tool ") ? null : [task.description, instructions],
    dependencies: [...dependencies].sort(),
  });
}

export function catalogueOf(
  resources: readonly Resource[] | ResourceCatalogue | undefined,
): ResourceCatalogue | undefined {
  if (resources === undefined) return undefined;
  return "find" in resources && "all" in resources ? resources : resourceCatalogue(resources as readonly Resource[]);
}
