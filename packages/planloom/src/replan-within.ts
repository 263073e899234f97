import {
  applyPatch,
  collectReferences,
  collectSecrets,
  type DraftPatchOptions,
  elementId,
  elementNames,
  escapeReferences,
  type ForEach,
  findPlace,
  knownItems,
  localNames,
  PlannerTask,
  type PlanPatch,
  type ProposedTask,
  planView,
  readElementId,
  referringValues,
  splitElements,
  TaskData,
} from "@planloom/plan";

/** What is marked within elements: by element (`out[0]`), the addresses within it (`in[1]`). */
export type MarksWithin = ReadonlyMap<string, readonly string[]>;

/** Addresses of what is within elements of a plan's lists (`out[0]/in[1]`); all others are left out. */
export function marksWithin({ planned_tasks }: Pick<TaskData, "planned_tasks">, marks: readonly string[]): MarksWithin {
  const found = new Map<string, string[]>();
  for (const mark of new Set(marks)) {
    const { steps, rest } = findPlace(planned_tasks, mark);
    const [first] = steps;
    if (rest !== "" || steps.length < 2 || first === undefined) continue;
    const element = elementId(first.task.task_id, first.index!);
    found.set(element, [...(found.get(element) ?? []), mark.slice(element.length + 1)]);
  }
  return found;
}

/** An element whose tasks are a plan of their own while some of them are replaced. */
export interface ElementPlan {
  readonly element: string;
  /** Its tasks, with what the run has completed of them. */
  readonly plan: TaskData;
  /** Of values by address those that are within the element, by their addresses in it. */
  within<Value>(values: ReadonlyMap<string, Value>): Map<string, Value>;
  /** What takes the place of the task that executes the element. @param after `plan` with `patches` applied */
  changed(after: TaskData, patches: readonly PlanPatch[]): ProposedTask;
}

/** Elements that have become tasks of their own, so that what is within them can be replaced. */
export type OpenedElements =
  | { readonly elements: readonly ElementPlan[]; readonly base: TaskData; readonly split?: PlanPatch }
  | { readonly elements?: undefined; readonly fault: string };

/**
 * Makes a list of one element of each element in which something is to be replaced (`splitElements`), and a plan of the tasks of that element. A list
 * that has one element already is taken as it is.
 */
export function openElements(
  before: TaskData,
  ids: readonly string[],
  outputs: ReadonlyMap<string, unknown>,
  draft: DraftPatchOptions,
): OpenedElements {
  const single = new Set(ids.filter((id) => isOnlyElement(before, id)));
  const toSplit = ids.filter((id) => !single.has(id));
  const split = toSplit.length === 0 ? undefined : splitElements(before, toSplit, draft);
  if (split?.issues.length) return { fault: split.issues[0]!.message };
  const base = split?.patch === undefined ? before : applyPatch(before, split.patch, { inputs: "any" });
  const elements: ElementPlan[] = [];
  for (const element of ids) {
    const taskId = split?.tasks?.get(element) ?? readElementId(element)!.taskId;
    const list = base.planned_tasks.find(({ task_id }) => task_id === taskId)!;
    if (list.for_each?.tasks === undefined) {
      return {
        fault: `"${element}" is executed by task "${taskId}" now, which has no tasks within it. Mark "${taskId}"`,
      };
    }
    const listBefore = before.planned_tasks.find(({ task_id }) => task_id === readElementId(element)!.taskId)!;
    elements.push(elementPlan(base, element, list, listBefore, outputs));
  }
  return { elements, base, ...(split?.patch !== undefined && { split: split.patch }) };
}

/** True for the element of a list that is written out and has one element, as `splitElements` writes it. */
function isOnlyElement({ planned_tasks }: TaskData, id: string): boolean {
  const { taskId, index } = readElementId(id)!;
  const items = planned_tasks.find(({ task_id }) => task_id === taskId)?.for_each?.items;
  return Array.isArray(items) && items.length === 1 && index === 0;
}

/**
 * @param list executes the element in the plan `base`. @param before executed it so far, and has `element` among its elements
 * @param outputs by address
 */
function elementPlan(
  base: TaskData,
  element: string,
  list: PlannerTask,
  before: PlannerTask,
  outputs: ReadonlyMap<string, unknown>,
): ElementPlan {
  const { result: _, ...each } = list.for_each!;
  // What earlier lists completed of it counts, as far as the later ones did not do it again.
  const { index } = readElementId(element)!;
  const names = [...(before.for_each!.continues ?? []), before.task_id].map((id) => `${elementId(id, index)}/`);
  const within = <Value>(values: ReadonlyMap<string, Value>) => {
    const found = new Map<string, Value>();
    for (const name of names)
      for (const [id, value] of values) if (id.startsWith(name)) found.set(id.slice(name.length), value);
    return found;
  };
  const own = within(outputs);
  const tasks = each.tasks!.map((task) =>
    own.has(task.task_id) ? { ...task, status: "completed" as const, output: own.get(task.task_id) } : task,
  );
  const { plan, isStandIn } = planOfTasks(base, list, tasks);
  return {
    element,
    plan,
    within,
    changed(after, patches) {
      const left = after.planned_tasks
        .filter(({ task_id }) => !isStandIn(task_id))
        .map((task) => withGiven({ ...task, dependencies: task.dependencies.filter((id) => !isStandIn(id)) }, own));
      const { result, tasks } = withOutputOf(list.for_each!, left, patches);
      return {
        ...list,
        for_each: { ...each, tasks, ...(result !== undefined && { result }) },
        replaces: [list.task_id],
        gives_output_of: [list.task_id],
      };
    },
  };
}

/** A list that continues with another: what that completed is given, since nothing is found of it in the place that the list has from now on. */
function withGiven(task: PlannerTask, outputs: ReadonlyMap<string, unknown>): PlannerTask {
  if (task.for_each?.continues === undefined) return task;
  const { continues, ...each } = task.for_each;
  const given: Record<string, unknown> = {};
  for (const id of continues) {
    for (const [address, output] of outputs) {
      const element = readElementId(address);
      // An object that reads as a reference or a secret cannot be written as a value: its element is executed again.
      if (element?.taskId === id && isPlainValue(output)) given[element.index] = escapeReferences(output);
    }
  }
  return { ...task, for_each: { ...each, given: { ...given, ...each.given } } };
}

/**
 * The tasks of an element as a plan. The element itself, and each task of the plan around that they read, is a task with the output known so
 * far; new tasks get no names of the plan around.
 */
function planOfTasks(
  around: TaskData,
  list: PlannerTask,
  tasks: readonly PlannerTask[],
): { readonly plan: TaskData; isStandIn(id: string): boolean } {
  const own = new Set(tasks.flatMap(({ task_id, result_variable }) => [task_id, result_variable ?? task_id]));
  const read = new Set<string>();
  for (const task of tasks) {
    const local = localNames(task);
    for (const { reference } of collectReferences(referringValues(task)))
      if (!local.has(reference.name) && !own.has(reference.name)) read.add(reference.name);
  }
  read.delete("input");
  const variables = around.variables ?? {};
  for (const name of Object.keys(variables)) read.delete(name);
  const byName = new Map(
    around.planned_tasks.flatMap((task) => [
      ...(task.result_variable === undefined ? [] : [[task.result_variable, task] as const]),
      [task.task_id, task] as const,
    ]),
  );
  const [itemName] = elementNames(list);
  const standIns = [...read].map((name) => {
    const task = name === itemName ? undefined : byName.get(name);
    const description = name === itemName ? "The element of the list" : "A task outside of the element";
    if (task === undefined) {
      const [item] = name === itemName ? (knownItems(around, list) ?? []) : [];
      return PlannerTask.parse({
        task_id: name,
        description,
        ...(item !== undefined && { status: "completed", output: item }),
      });
    }
    const {
      for_each: _,
      when: __,
      join: ___,
      choose: ____,
      retry_until: _____,
      wait: ______,
      result_variable: _______,
      ...rest
    } = task;
    return { ...rest, task_id: name, dependencies: [] };
  });
  const standInIds = new Set(standIns.map(({ task_id }) => task_id));
  const plan: TaskData = {
    ...TaskData.parse({ task_id: list.task_id, ...(around.variables !== undefined && { variables }) }),
    metadata: { retired_tasks: [...byName.keys()].filter((name) => !standInIds.has(name)) },
    planned_tasks: [...standIns, ...tasks],
  };
  return { plan, isStandIn: (id) => standInIds.has(id) };
}

/**
 * Keeps what an element gives: the output of the task that replaces the one which gave it; where several tasks gave an object of their outputs, the names in it.
 */
function withOutputOf(
  { result, tasks = [] }: ForEach,
  after: readonly PlannerTask[],
  patches: readonly PlanPatch[],
): { readonly tasks: PlannerTask[]; readonly result: string | undefined } {
  if (result !== undefined) {
    const isId = tasks.some(({ task_id }) => task_id === result);
    return { tasks: [...after], result: isId ? heirOf(result, patches) : result };
  }
  const { n, ids, outPtr } = planView(tasks);
  const sinks = Array.from({ length: n }, (_, task) => task).filter((task) => outPtr[task] === outPtr[task + 1]);
  if (sinks.length === 1) return { tasks: [...after], result: heirOf(ids[sinks[0]!]!, patches) };
  const names = new Map(sinks.map((task) => [heirOf(ids[task]!, patches), tasks[task]!.result_variable ?? ids[task]!]));
  const named = after.map((task) => {
    const name = names.get(task.task_id);
    return name === undefined || name === (task.result_variable ?? task.task_id)
      ? task
      : { ...task, result_variable: name };
  });
  return { tasks: named, result: undefined };
}

function isPlainValue(value: unknown): boolean {
  const escaped = escapeReferences(value);
  return collectReferences(escaped).length === 0 && collectSecrets(escaped).length === 0;
}

/** The task that gives the output of a task once patches have replaced it. */
function heirOf(id: string, patches: readonly PlanPatch[]): string {
  return patches.reduce((heir, { replacements, renewed }) => {
    const renewal = renewed.find(({ task_id }) => task_id === heir)?.new_task_id;
    return renewal ?? replacements.find(({ task_id }) => task_id === heir)?.output_from ?? heir;
  }, id);
}
