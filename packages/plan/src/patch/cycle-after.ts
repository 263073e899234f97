import type { PatchFacts } from "./patch-facts.ts";

const unseen = 0;
const open = 1;
const closed = 2;

/**
 * Ids along a cycle of the plan after a patch, each needing the next, the first one again at the end. The plan before has an
 * order, and what stays of it cannot form a cycle: every cycle goes through a new task, or a task that reads something else
 * now. So only what comes after these is searched, depth first: O(tasks and edges after the patch).
 */
export function cycleAfter(facts: PatchFacts): string[] | undefined {
  const { base, removed, renewed, added } = facts;
  const n = base.tasks.length;
  const ids = [...added.keys()];
  const number = new Map<string, number>(ids.map((id, at) => [id, n + at]));
  for (const [task, id] of renewed) number.set(id, task);
  const more = new Map<number, number[]>();
  const starts = new Set<number>();
  /** `to` comes after `id`, where it did not before. */
  const connect = (id: string, to: number): void => {
    const from = number.get(id) ?? base.index.get(id);
    if (from === undefined) return;
    const own = more.get(from);
    if (own === undefined) more.set(from, [to]);
    else if (own.at(-1) !== to) own.push(to);
    starts.add(to);
  };
  for (const [id, dependencies] of facts.dependencies) {
    for (const dependency of dependencies) connect(dependency, number.get(id)!);
  }
  const followers = new Set<number>();
  for (const [task, { replaced_by, output_from }] of removed) {
    const { outPtr, out } = base.referred;
    for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) {
      const reader = out[edge]!;
      if (removed.has(reader)) continue;
      if (output_from !== null) connect(output_from, reader);
      if (replaced_by.length === 0) for (const id of facts.after(task)) connect(id, reader);
    }
    for (let edge = base.all.outPtr[task]!; edge < base.all.outPtr[task + 1]!; edge++)
      followers.add(base.all.out[edge]!);
  }
  for (const follower of followers) {
    if (removed.has(follower)) continue;
    for (const dependency of base.tasks[follower]!.dependencies) {
      const task = base.index.get(dependency);
      if (task !== undefined && removed.has(task)) for (const id of facts.after(task)) connect(id, follower);
    }
  }
  const next = (task: number, place: number): number | undefined => {
    const first = task < n ? base.all.outPtr[task]! : 0;
    const kept = task < n ? base.all.outPtr[task + 1]! - first : 0;
    return place < kept ? base.all.out[first + place] : more.get(task)?.[place - kept];
  };
  const path = findCycle(n + ids.length, starts, next, (task) => removed.has(task));
  return path?.reverse().map((task) => (task >= n ? ids[task - n]! : (renewed.get(task) ?? base.tasks[task]!.task_id)));
}

/** A cycle that can be reached from `starts`, along its edges, the first number again at the end. No recursion. */
function findCycle(
  n: number,
  starts: Iterable<number>,
  next: (from: number, place: number) => number | undefined,
  isLeftOut: (task: number) => boolean,
): number[] | undefined {
  const state = new Uint8Array(n);
  const places = new Int32Array(n);
  for (const start of starts) {
    if (state[start] !== unseen) continue;
    const path = [start];
    state[start] = open;
    while (path.length > 0) {
      const task = path.at(-1)!;
      const target = next(task, places[task]!++);
      if (target === undefined) {
        state[task] = closed;
        path.pop();
      } else if (isLeftOut(target) || state[target] === closed) continue;
      else if (state[target] === open) return [...path.slice(path.indexOf(target)), target];
      else {
        state[target] = open;
        path.push(target);
      }
    }
  }
  return undefined;
}
