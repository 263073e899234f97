import type { PlanView } from "@planloom/plan";
import type { Partition } from "../partition.ts";
import { maxNamedTasks, type RepairStep } from "./repair-step.ts";

export interface ReadCandidate {
  /** A label for every task, in `[0, labelCount)`. Missing tasks have one of their own. */
  readonly labels: Int32Array;
  readonly labelCount: number;
  readonly missing: readonly number[];
  /** The candidate, if it was a partition with nothing to put right so far. */
  readonly given: Partition | undefined;
}

/** Reads a partition or a model's groups, and puts right what can be seen without the edges. O(n + m), plus what is dropped. */
export function readCandidate(view: PlanView, candidate: unknown, log: RepairStep[]): ReadCandidate {
  try {
    const { part, count, order, groups } = Object(candidate) as Record<string, unknown>;
    if (isList(part) && part.length === view.n)
      return readPart(view, part, { count, order }, candidate as Partition, log);
    const list = Array.isArray(candidate) ? candidate : groups;
    if (Array.isArray(list)) return readGroups(view, list, log);
  } catch {
    // A getter or proxy that throws is as unreadable as any other value.
    log.length = 0;
  }
  log.push({ code: "unreadable", message: "The candidate is not a grouping.", tasks: [], total: 0 });
  return finish(view, new Int32Array(view.n).fill(-1), 0, [], undefined);
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || value instanceof Int32Array;
}

function readPart(
  view: PlanView,
  part: ArrayLike<unknown>,
  { count, order }: Record<string, unknown>,
  candidate: Partition,
  log: RepairStep[],
): ReadCandidate {
  const { n } = view;
  const labels = new Int32Array(n).fill(-1);
  /** Numbers from n on can only be wrong, so they may be slow. */
  const small = new Int32Array(n).fill(-1);
  const large = new Map<number, number>();
  let labelCount = 0;
  const limit = typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : 0;
  let whole = limit <= n;
  for (let v = 0; v < n; v++) {
    const p = part[v];
    if (typeof p !== "number" || !Number.isInteger(p) || p < 0) {
      whole = false;
      continue;
    }
    let label = p < n ? small[p]! : (large.get(p) ?? -1);
    if (label === -1) {
      label = labelCount++;
      if (p < n) small[p] = label;
      else large.set(p, label);
      if (p >= limit) whole = false;
    }
    labels[v] = label;
  }
  if (limit > labelCount) {
    const total = limit - labelCount;
    log.push({ code: "empty-group", message: `${total} group(s) held no task.`, tasks: [], total });
  }
  const kept = whole && limit === labelCount && order === undefined && part instanceof Int32Array;
  return finish(view, labels, labelCount, log, kept ? candidate : undefined);
}

function readGroups(view: PlanView, groups: readonly unknown[], log: RepairStep[]): ReadCandidate {
  const labels = new Int32Array(view.n).fill(-1);
  const unknown: string[] = [];
  let unknownTotal = 0;
  let empty = 0;
  let labelCount = 0;
  /** Every further group that names a task, in order. */
  const copies = new Map<number, number[]>();
  for (const group of groups) {
    const { taskIds, task_ids, tasks } = Object(group) as Record<string, unknown>;
    const ids = [taskIds, task_ids, tasks, group].find(Array.isArray) as readonly unknown[] | undefined;
    let held = false;
    for (const id of ids ?? []) {
      const v = typeof id === "string" ? view.indexOf(id) : typeof id === "number" ? view.indexOf(String(id)) : -1;
      if (v === -1) {
        if (unknownTotal++ < maxNamedTasks) unknown.push(typeof id === "string" ? id.slice(0, 80) : typeof id);
        continue;
      }
      if (labels[v] === -1) labels[v] = labelCount;
      else if (labels[v] !== labelCount) copies.set(v, [...(copies.get(v) ?? []), labelCount]);
      held = true;
    }
    if (held) labelCount++;
    else empty++;
  }
  if (unknownTotal > 0) {
    log.push({
      code: "unknown-task",
      message: `${unknownTotal} id(s) belong to no task.`,
      tasks: unknown,
      total: unknownTotal,
    });
  }
  if (empty > 0) log.push({ code: "empty-group", message: `${empty} group(s) held no task.`, tasks: [], total: empty });
  if (copies.size > 0) {
    for (const [v, others] of copies) labels[v] = mostNeighbours(view, labels, v, others);
    const tasks = Array.from(copies.keys(), (v) => view.ids[v]!).slice(0, maxNamedTasks);
    log.push({
      code: "duplicate-task",
      message: `${copies.size} task(s) were in several groups.`,
      tasks,
      total: copies.size,
    });
  }
  return finish(view, labels, labelCount, log, undefined);
}

/** The first of the groups among those that hold most neighbours of v. */
function mostNeighbours(view: PlanView, labels: Int32Array, v: number, others: readonly number[]): number {
  const held = new Map<number, number>([labels[v]!, ...others].map((label) => [label, 0]));
  const see = (u: number) => {
    const count = held.get(labels[u]!);
    if (count !== undefined) held.set(labels[u]!, count + 1);
  };
  for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) see(view.in[edge]!);
  for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) see(view.out[edge]!);
  let best = labels[v]!;
  for (const [label, count] of held) if (count > held.get(best)!) best = label;
  return best;
}

function finish(
  view: PlanView,
  labels: Int32Array,
  labelCount: number,
  log: RepairStep[],
  given: Partition | undefined,
): ReadCandidate {
  // A group whose tasks are all in other groups leaves a gap; without gaps there are at most as many labels as tasks.
  const number = new Int32Array(labelCount).fill(-1);
  let used = 0;
  const missing: number[] = [];
  for (let v = 0; v < view.n; v++) {
    const label = labels[v]!;
    if (label === -1) missing.push(v);
    else {
      if (number[label] === -1) number[label] = used++;
      labels[v] = number[label]!;
    }
  }
  missing.forEach((v, at) => {
    labels[v] = used + at;
  });
  if (missing.length > 0) {
    const tasks = missing.slice(0, maxNamedTasks).map((v) => view.ids[v]!);
    log.push({
      code: "missing-task",
      message: `${missing.length} task(s) were in no group.`,
      tasks,
      total: missing.length,
    });
  }
  return { labels, labelCount: used + missing.length, missing, given };
}
