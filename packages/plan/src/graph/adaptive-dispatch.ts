import type { PlanView } from "./plan-view.ts";

/** A plan whose tasks are dispatched in subgraphs, at one moment of a run or of a simulation. */
export interface DispatchMoment {
  readonly view: PlanView;
  /** Number of each task's subgraph. */
  readonly part: ArrayLike<number>;
  /** True for a task that is completed. */
  isDone(task: number): boolean;
  /** How long a subgraph is expected to run still, in milliseconds: `Infinity` where it was not dispatched yet. */
  leftMs(part: number): number;
}

/**
 * The tasks of a subgraph that waits for others which could start now, dependencies first: all that they need is completed, or is among them.
 * Empty where there are none, where nothing else is in the subgraph, or where it is not expected to wait longer than `patienceMs`. O(tasks and their dependencies).
 * @param members tasks of the subgraph that are not completed, each after those it depends on.
 */
export function startableTasks(
  { view, part, isDone, leftMs }: DispatchMoment,
  members: readonly number[],
  patienceMs: number,
): number[] {
  const first: number[] = [];
  const starts = new Set<number>();
  let waitMs = 0;
  for (const task of members) {
    let free = true;
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      const source = view.in[edge]!;
      if (starts.has(source) || isDone(source)) continue;
      free = false;
      if (part[source] !== part[task]) waitMs = Math.max(waitMs, leftMs(part[source]!));
    }
    if (!free) continue;
    starts.add(task);
    first.push(task);
  }
  return first.length < members.length && waitMs > patienceMs ? first : [];
}

/**
 * About half of a subgraph, by work, that has nothing to do with the other half, dependencies first: where an executor would else be idle, each goes to one of its own.
 * Empty where the tasks hang together, or where either half takes less than `leastMs`. O(tasks and their dependents).
 * @param members tasks of the subgraph that are not completed, each after those it depends on.
 */
export function independentHalf(view: PlanView, members: readonly number[], leastMs: number): number[] {
  const place = new Map(members.map((task, at) => [task, at]));
  const root = members.map((_, at) => at);
  const find = (at: number): number => {
    let top = at;
    while (root[top] !== top) top = root[top]!;
    root[at] = top;
    return top;
  };
  for (const [at, task] of members.entries()) {
    for (let edge = view.outPtr[task]!; edge < view.outPtr[task + 1]!; edge++) {
      const other = place.get(view.out[edge]!);
      if (other !== undefined) root[find(other)] = find(at);
    }
  }
  const pieces = new Map<number, { readonly tasks: number[]; work: number }>();
  for (const [at, task] of members.entries()) {
    const top = find(at);
    const piece = pieces.get(top) ?? { tasks: [], work: 0 };
    piece.tasks.push(task);
    piece.work += view.work[task]!;
    pieces.set(top, piece);
  }
  if (pieces.size < 2) return [];
  const moved: number[] = [];
  let [stays, goes] = [0, 0];
  for (const { tasks, work } of [...pieces.values()].sort((one, two) => two.work - one.work)) {
    if (stays <= goes) stays += work;
    else {
      goes += work;
      moved.push(...tasks);
    }
  }
  return Math.min(stays, goes) < leastMs ? [] : moved.sort((one, two) => place.get(one)! - place.get(two)!);
}

/**
 * How much longer work is expected to take that has taken `elapsedMs`: what is left of its estimate; once that is over half as long again, since the longer something has taken,
 * the longer it may still take, as with log-normal durations.
 */
export function expectedLeftMs(estimateMs: number, elapsedMs: number): number {
  return elapsedMs < estimateMs ? estimateMs - elapsedMs : elapsedMs / 2;
}
