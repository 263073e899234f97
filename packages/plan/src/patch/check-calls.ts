import { canonicalJson } from "../hashes/canonical-json.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import type { Resource, ResourceCatalogue } from "../ports/resource.ts";
import type { PlannerTask } from "../records/planner-task.ts";
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
  const pins = new Map<string, { harmless: boolean }>();
  const shapes = new Set<string>();
  const uids = new Set<string>();
  const catalogue = catalogueOf(options.resources);
  for (const task of added.values()) {
    const { kind, uid } = resourcePin(task);
    if (kind === undefined || uid === undefined) continue;
    const resource = catalogue?.find(kind, uid);
    uids.add(uid);
    shapes.add(shapeOf(task, `${kind} ${uid}`));
    pins.set(`${kind} ${uid}`, { harmless: resource?.read_only === true || resource?.idempotent === true });
  }
  if (pins.size === 0) return [];
  /** What an old name stands for after the patch. */
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
    // Most tasks are tools of another name; for them nothing need be put together.
    if (task.execution_type === "tool" && task.tool_id && !uids.has(task.tool_id)) continue;
    const pin = pinOf(task);
    if (pin === undefined || !pins.has(pin) || !shapes.has(shapeOf(task, pin))) continue;
    const declared = task.dependencies.flatMap((id) => {
      const source = base.index.get(id);
      return source === undefined ? [] : facts.after(source);
    });
    const call = callText(task, pin, now, declared);
    before.set(call, (before.get(call) ?? 0) + 1);
    if (removed.has(number)) continue;
    counts.set(call, (counts.get(call) ?? 0) + 1);
    kept.set(call, (after.rewritten.get(number) ?? task).task_id);
  }
  const issues: PlanIssue[] = [];
  for (const task of added.values()) {
    const pin = pinOf(task);
    if (pin === undefined) continue;
    const call = callText(task, pin, (name) => facts.resolve(name) ?? name, task.dependencies);
    const count = (counts.get(call) ?? 0) + 1;
    counts.set(call, count);
    if (count <= Math.max(1, before.get(call) ?? 0)) {
      if (!kept.has(call)) kept.set(call, task.task_id);
      continue;
    }
    const twin = kept.get(call) ?? "another task";
    issues.push({
      code: IssueCode.TASK_REPEATED,
      severity: pins.get(pin)?.harmless === true ? "warning" : "error",
      message: `New task ${valueText(task.task_id, 130)} does again what ${valueText(twin, 130)} does; refer to its output instead.`,
      task_id: task.task_id,
      from_task_id: twin,
    });
  }
  return issues;
}

function pinOf(task: PlannerTask): string | undefined {
  const { kind, uid } = resourcePin(task);
  return kind === undefined || uid === undefined ? undefined : `${kind} ${uid}`;
}

/** Equal for equal calls, and cheap: few tasks besides the new ones need a closer look. */
function shapeOf(task: PlannerTask, pin: string): string {
  let shape = pin;
  for (const key of Object.keys(task.arguments).sort()) {
    const value = task.arguments[key];
    const isLiteral = typeof value === "number" || typeof value === "boolean" || value === null;
    shape += isLiteral ? `\n${key}=${value}` : `\n${key}`;
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
  const { arguments: values, parameters, convertor_code, instructions } = task;
  return canonicalJson({
    pin,
    values: renameReferences(values, rename),
    parameters: renameReferences(parameters, rename),
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
