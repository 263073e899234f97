import { type Adjacency, buildAdjacency } from "../graph/adjacency.ts";
import { EdgeList } from "../graph/edge-list.ts";
import { IdIndex } from "../graph/id-index.ts";
import { topologicalOrder } from "../graph/topological-order.ts";
import { isRecord } from "../json.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { flowValues, hasFlowValues } from "../references/flow-values.ts";
import { inputName } from "../references/task-names.ts";
import { visitNamePlaces } from "./referred-names.ts";

/** Numbers of tasks by name. */
export interface TaskLookup {
  get(name: string): number | undefined;
  has(name: string): boolean;
}

/** What of a plan a patch is checked against and applied to. Tasks are numbers in plan order; edge u -> v: v comes after u. */
export interface PatchBase {
  readonly plan: TaskData;
  readonly tasks: readonly PlannerTask[];
  /** Number of the task by id. */
  readonly index: TaskLookup;
  /** Number of the task by id or result variable. */
  readonly names: TaskLookup;
  /** Names referred to that no task has. */
  readonly otherNames: ReadonlySet<string>;
  /** v refers to u's output. */
  readonly referred: Adjacency;
  /** The same, and declared dependencies. */
  readonly all: Adjacency;
  /** Of `all`. */
  readonly order: { readonly topo: Int32Array; readonly ordered: number };
  /** Ids given twice. */
  readonly duplicates: readonly string[];
  /** Names that mean more than one thing. */
  readonly collisions: readonly string[];
  /** Dependencies that are not tasks: `[task, dependency]`. */
  readonly unknown: readonly (readonly [string, string])[];
}

/** Reads a plan whose tasks `isUsable`. Linear in it: one look at every argument. */
export function readPatchBase(plan: TaskData): PatchBase {
  const tasks = plan.planned_tasks;
  const n = tasks.length;
  const { index, names, within, duplicates, collisions } = readNames(tasks);
  for (const name of [inputName, ...Object.keys(plan.variables ?? {})]) if (names.has(name)) collisions.push(name);
  const otherNames = new Set<string>();
  const unknown: [string, string][] = [];
  const declared = new EdgeList(n);
  const referred = new EdgeList(n * 2);
  let reader = 0;
  const visit = (text: string, start: number, end: number): void => {
    const source = within(text, start, end);
    if (source === -1) otherNames.add(text.slice(start, end));
    else referred.add(source, reader);
  };
  for (let task = 0; task < n; task++) {
    const { task_id, dependencies, arguments: values, parameters } = tasks[task]!;
    for (let i = 0; i < dependencies.length; i++) {
      const source = index.get(dependencies[i]!);
      if (source === undefined) unknown.push([task_id, dependencies[i]!]);
      else declared.add(source, task);
    }
    reader = task;
    visitNamePlaces(parameters, visit);
    visitNamePlaces(values, visit);
    if (hasFlowValues(tasks[task]!)) visitNamePlaces(flowValues(tasks[task]!), visit);
  }
  const one = declared.columns();
  const other = referred.columns();
  const byReference = buildAdjacency(n, other.from, other.to);
  const all =
    one.from.length === 0 ? byReference : buildAdjacency(n, joined(one.from, other.from), joined(one.to, other.to));
  return {
    plan,
    tasks,
    index,
    names,
    otherNames,
    referred: byReference,
    all,
    order: topologicalOrder(all),
    duplicates,
    collisions,
    unknown,
  };
}

/** Who has which name. Of several tasks with one name an id goes before a result variable, then the first task. */
function readNames(tasks: readonly PlannerTask[]) {
  const n = tasks.length;
  const entries: string[] = [];
  for (let task = 0; task < n; task++) entries.push(tasks[task]!.task_id);
  // Entries from n on are result variables, and these their tasks.
  const owners: number[] = [];
  for (let task = 0; task < n; task++) {
    const { task_id, result_variable } = tasks[task]!;
    if (result_variable === undefined || result_variable === task_id) continue;
    entries.push(result_variable);
    owners.push(task);
  }
  const duplicates: string[] = [];
  const collisions: string[] = [];
  const table = new IdIndex(entries, (entry) => (entry < n ? duplicates : collisions).push(entries[entry]!));
  const taskOf = (entry: number): number => (entry < n ? entry : owners[entry - n]!);
  const lookup = (limit: number): TaskLookup => ({
    get(name) {
      const entry = table.indexOf(name);
      return entry === -1 || entry >= limit ? undefined : taskOf(entry);
    },
    has(name) {
      const entry = table.indexOf(name);
      return entry !== -1 && entry < limit;
    },
  });
  const within = (text: string, start: number, end: number): number => taskOf(table.indexOfWithin(text, start, end));
  return { index: lookup(n), names: lookup(entries.length), within, duplicates, collisions };
}

/** Everything that can be reached from `start` along the rows, the start itself left out unless it is reached again. */
export function reach(pointer: Int32Array, neighbours: Int32Array, start: Iterable<number>): Uint8Array {
  const seen = new Uint8Array(pointer.length - 1);
  const pending = [...start];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (let edge = pointer[at]!; edge < pointer[at + 1]!; edge++) {
      const next = neighbours[edge]!;
      if (seen[next] === 1) continue;
      seen[next] = 1;
      pending.push(next);
    }
  }
  return seen;
}

/** The fields that reading needs are there. */
export function isUsable(task: unknown): task is PlannerTask {
  return (
    isRecord(task) &&
    typeof task.task_id === "string" &&
    typeof task.main_task_id === "string" &&
    typeof task.status === "string" &&
    (task.result_variable === undefined || typeof task.result_variable === "string") &&
    isRecord(task.arguments) &&
    isRecord(task.parameters) &&
    Array.isArray(task.dependencies) &&
    task.dependencies.every((id) => typeof id === "string")
  );
}

function joined(left: Int32Array, right: Int32Array): Int32Array {
  const both = new Int32Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
