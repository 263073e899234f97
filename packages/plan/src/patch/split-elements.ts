import { checkOptions } from "../check-options.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { elementId, elementNames, readElementId } from "../references/flow-values.ts";
import { formatReference } from "../references/format-reference.ts";
import { mayLeaveElementsOut } from "../references/left-out-elements.ts";
import { wholeReference } from "../references/parse-template.ts";
import type { PathSegment, Reference } from "../references/reference.ts";
import { tasksOfPlan } from "../references/task-names.ts";
import { findPlace } from "../references/task-place.ts";
import { itemsReference } from "../validation/flow-types.ts";
import { valueText } from "../validation/value-text.ts";
import { type DraftPatchOptions, draftPatch, draftPatchChecks, type ProposedTask } from "./draft-patch.ts";
import { withElementFilledIn } from "./fill-in-element.ts";
import { knownItems } from "./known-items.ts";
import type { PlanPatch } from "./plan-patch.ts";

/** The patch that makes tasks of elements, and the id of each element's task; else what is wrong. */
export type SplitElements =
  | {
      /** Absent where each of the elements is a task of its own already. */
      readonly patch?: PlanPatch;
      /** The task that gives an element's output from now on, by the element's id. */
      readonly tasks: ReadonlyMap<string, string>;
      readonly issues: readonly [];
    }
  | { readonly patch?: undefined; readonly tasks?: undefined; readonly issues: readonly PlanIssue[] };

/**
 * Makes a patch that takes elements (`fetch[42]`) out of their lists, as tasks of the plan that do the same: so one element is replaced,
 * approved, given other arguments or done again as any task is. The list is replaced by one that takes the outputs of these tasks
 * (`for_each.given`) and continues with what the other elements have completed (`for_each.continues`).
 *
 * An element of a list that executes several tasks, tolerates failures, or asks a condition about its elements becomes a list of one
 * element, so that all of that still holds for it.
 * @param elements ids of elements
 * @throws PlanError OPTION, INVALID
 */
export function splitElements(
  plan: TaskData,
  elements: readonly string[],
  options: DraftPatchOptions = {},
): SplitElements {
  checkOptions("`splitElements`", options, draftPatchChecks);
  const byId = new Map(tasksOfPlan(plan).map((task) => [task.task_id, task]));
  const issues: PlanIssue[] = [];
  const tasks = new Map<string, string>();
  const places = new Map<string, number[]>();
  for (const id of new Set(elements)) {
    const element = readElementId(id);
    const list = element && byId.get(element.taskId);
    const refuse = (message: string) => issues.push({ code: IssueCode.PATCH_REGION, severity: "error", message });
    if (element === undefined || list?.for_each === undefined) {
      const why = whyNotSplit(plan, id);
      refuse(why ?? `Expected ${valueText(id, 130)} to be an element of a task with \`for_each\`, as "fetch[42]" is.`);
      continue;
    }
    const own = list.for_each.given?.[element.index];
    const task = typeof own === "string" ? wholeReference(own) : undefined;
    const length = lengthOf(plan, list);
    if (task !== undefined && byId.has(task.name)) tasks.set(id, task.name);
    else if (length !== undefined && element.index >= length)
      refuse(`Element ${valueText(id, 130)} is not there: the list of task ${valueText(list.task_id)} has ${length}.`);
    else places.set(list.task_id, [...(places.get(list.task_id) ?? []), element.index]);
  }
  if (issues.length > 0) return { issues };
  if (places.size === 0) return { tasks, issues: [] };

  const taken = new Set(plan.planned_tasks.flatMap(({ task_id, result_variable }) => [task_id, result_variable]));
  const proposed: ProposedTask[] = [];
  const wanted = new Map<string, { readonly list: string; readonly number: number }>();
  for (const [id, indexes] of places) {
    const list = byId.get(id)!;
    const given: Record<string, unknown> = { ...list.for_each!.given };
    for (const [number, index] of indexes.entries()) {
      const task_id = freeName(`${id}_${index}`, taken);
      const made = elementTask(list, index, task_id);
      if (made === undefined) {
        const message = `Element "${id}[${index}]" cannot be a task of its own: its item in \`for_each.items\` of task ${valueText(id)} cannot be named by a reference. Replace the whole list.`;
        return { issues: [{ code: IssueCode.PATCH_REGION, severity: "error", message, task_id: id }] };
      }
      given[index] = made.output;
      proposed.push({ ...made.task, replaces: [id] });
      wanted.set(`${id}[${index}]`, { list: id, number });
    }
    const continues = [...(list.for_each!.continues ?? []), id];
    proposed.push({
      ...list,
      for_each: { ...list.for_each!, given, continues },
      replaces: [id],
      gives_output_of: [id],
    });
  }
  const names = [...wanted.keys()];
  const reason = `${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}: ${names.length === 1 ? "a task of its own" : "tasks of their own"} from here on; the other elements stay.`;
  const drafted = draftPatch(plan, { tasks: proposed, reason }, options);
  if (drafted.patch === undefined) return { issues: drafted.issues };
  const replacements = new Map(drafted.patch.replacements.map(({ task_id, replaced_by }) => [task_id, replaced_by]));
  for (const [element, { list, number }] of wanted) tasks.set(element, replacements.get(list)![number]!);
  return { patch: drafted.patch, tasks, issues: [] };
}

/** The task that does what the list does for one element, and the reference to the element's output. Undefined where nothing names the item. */
function elementTask(
  list: PlannerTask,
  index: number,
  task_id: string,
): { readonly task: PlannerTask; readonly output: string } | undefined {
  const { for_each, result_variable: _, ...rest } = list;
  const { given: __, continues: ___, concurrency: ____, items: _____, ...each } = for_each!;
  const item = itemAt(list, index);
  if (item === undefined) return undefined;
  const estimate = list.estimate_data && { ...list.estimate_data, items: undefined };
  const base = { ...rest, task_id, estimate_data: estimate };
  const names = elementNames(list);
  const isPlain =
    each.tasks === undefined &&
    (each.on_failure === undefined || each.on_failure === "all") &&
    !mayLeaveElementsOut(list);
  const filled =
    isPlain && "reference" in item
      ? withElementFilledIn(base, { itemName: names[0]!, item: item.reference, index })
      : undefined;
  if (filled !== undefined)
    return { task: filled, output: formatReference({ name: task_id, path: [], optional: false }) };
  const one = {
    ...base,
    for_each: { ...each, items: ["reference" in item ? formatReference(item.reference) : item.value] },
  };
  return {
    task: withElementFilledIn(one, { index }),
    output: formatReference({ name: task_id, path: [{ index: 0 }], optional: false }),
  };
}

/** The item at a place of the list: a reference to it, or the item as the plan has it. */
function itemAt(
  list: PlannerTask,
  index: number,
): { readonly reference: Reference } | { readonly value: unknown } | undefined {
  const { items } = list.for_each!;
  if (Array.isArray(items)) {
    const value: unknown = items[index];
    const reference = typeof value === "string" ? wholeReference(value) : undefined;
    return reference === undefined ? { value } : { reference };
  }
  const reference = itemsReference(list);
  if (reference === undefined) return undefined;
  // A list of the same field of several (`hits.*.url`): that field of one of them.
  const mapped = reference.path.findIndex((segment) => "map" in segment);
  const path: PathSegment[] = [...reference.path];
  if (mapped === -1) path.push({ index });
  else path[mapped] = { index };
  return { reference: { ...reference, path } };
}

/** How many elements there are, as far as the plan says. */
function lengthOf(plan: TaskData, list: PlannerTask): number | undefined {
  const { items } = list.for_each!;
  if (Array.isArray(items)) return items.length;
  if (list.status === "completed" && Array.isArray(list.output)) return list.output.length;
  return knownItems(plan, list)?.length;
}

function freeName(stem: string, taken: Set<string | undefined>): string {
  let name = stem.slice(0, 120);
  for (let number = 2; taken.has(name); number++) name = `${stem.slice(0, 120)}_${number}`;
  taken.add(name);
  return name;
}

/** True for an id such as `fetch[42]` where `fetch` is a task of the plan with `for_each`. */
export function isElementOf(plan: Pick<TaskData, "planned_tasks">, id: string): boolean {
  const element = readElementId(id);
  if (element === undefined || plan.planned_tasks.some(({ task_id }) => task_id === id)) return false;
  const list = plan.planned_tasks.find(({ task_id }) => task_id === element.taskId);
  return list?.for_each !== undefined;
}

/** Why an address within an element (`out[0]/in[1]`) is refused; undefined for any other id. */
function whyNotSplit(plan: Pick<TaskData, "planned_tasks">, id: string): string | undefined {
  const { steps, rest } = findPlace(plan.planned_tasks, id);
  const [first] = steps;
  if (rest !== "" || steps.length < 2 || first === undefined) return undefined;
  const element = elementId(first.task.task_id, first.index!);
  return `${valueText(id, 130)} is within the element "${element}", which becomes a task as a whole. Expected "${element}"; what is within it is replaced alone by \`replan\` and \`markTasks\`.`;
}
