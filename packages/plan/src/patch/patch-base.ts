import { type Adjacency, buildAdjacency } from "../graph/adjacency.ts";
import { EdgeList } from "../graph/edge-list.ts";
import { isRecord } from "../json.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { inputName } from "../references/task-names.ts";
import { visitReferredNames } from "./referred-names.ts";

/** An edge list with its rows in both directions. Edge u -> v: v comes after u. */
export interface Edges extends Adjacency {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** What of a plan a patch is checked against and applied to. Tasks are numbers in plan order. */
export interface PatchBase {
  readonly plan: TaskData;
  readonly tasks: readonly PlannerTask[];
  readonly index: ReadonlyMap<string, number>;
  /** Number of the task by id or result variable. */
  readonly names: ReadonlyMap<string, number>;
  /** Names referred to that no task has. */
  readonly otherNames: ReadonlySet<string>;
  /** How many edges of `all` are declared dependencies; they come first, those of references after them. */
  readonly declaredEdges: number;
  /** v refers to u's output. */
  readonly referred: Edges;
  /** Both. */
  readonly all: Edges;
  /** Ids given twice. */
  readonly duplicates: readonly string[];
  /** Names that stand for more than one thing. */
  readonly collisions: readonly string[];
  /** Dependencies that are no task: `[task, dependency]`. */
  readonly unknown: readonly (readonly [string, string])[];
}

/** Reads a plan whose tasks `isUsable`. Linear in it: one look at every argument. */
export function readPatchBase(plan: TaskData): PatchBase {
  const tasks = plan.planned_tasks;
  const index = new Map<string, number>();
  const duplicates: string[] = [];
  for (let task = 0; task < tasks.length; task++) {
    const id = tasks[task]!.task_id;
    if (index.has(id)) duplicates.push(id);
    else index.set(id, task);
  }
  // A copy only where there are further names.
  let names = index;
  const collisions: string[] = [];
  for (let task = 0; task < tasks.length; task++) {
    const name = tasks[task]!.result_variable;
    if (name === undefined) continue;
    if (names === index) names = new Map(index);
    if (!names.has(name)) names.set(name, task);
    else if (names.get(name) !== task) collisions.push(name);
  }
  for (const name of [inputName, ...Object.keys(plan.variables ?? {})]) if (names.has(name)) collisions.push(name);
  const otherNames = new Set<string>();
  const unknown: [string, string][] = [];
  const declared = new EdgeList(tasks.length);
  const referred = new EdgeList(tasks.length * 2);
  let reader = 0;
  const visit = (name: string): void => {
    const source = names.get(name);
    if (source === undefined) otherNames.add(name);
    else referred.add(source, reader);
  };
  for (let task = 0; task < tasks.length; task++) {
    const { task_id, dependencies, arguments: values, parameters } = tasks[task]!;
    for (let i = 0; i < dependencies.length; i++) {
      const source = index.get(dependencies[i]!);
      if (source === undefined) unknown.push([task_id, dependencies[i]!]);
      else declared.add(source, task);
    }
    reader = task;
    visitReferredNames(parameters, visit);
    visitReferredNames(values, visit);
  }
  const n = tasks.length;
  const one = declared.columns();
  const other = rows(n, referred.columns());
  const both = { from: joined(one.from, other.from), to: joined(one.to, other.to) };
  return {
    plan,
    tasks,
    index,
    names,
    otherNames,
    declaredEdges: one.from.length,
    referred: other,
    all: rows(n, both),
    duplicates,
    collisions,
    unknown,
  };
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

function rows(n: number, columns: { from: Int32Array; to: Int32Array }): Edges {
  return { ...columns, ...buildAdjacency(n, columns.from, columns.to) };
}

function joined(left: Int32Array, right: Int32Array): Int32Array {
  const both = new Int32Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
