import { writeFileSync } from "node:fs";
import { layeredDag, mulberry32 } from "../support/layered-dag.ts";

/** What every contender of the benches runs: plain data, one file for all. */
export interface DagFile {
  /** Parents of each task, which stand before it. */
  readonly parents: readonly (readonly number[])[];
  /** Milliseconds of each task; absent: they do nothing. */
  readonly durations?: readonly number[];
  /**
   * Instead of tasks one task that is executed for each element of a list of so many; with `inner`, for each of which it is executed again so many
   * times; with `tasks`, a chain of so many tasks for each.
   */
  readonly map?: { readonly elements: number; readonly inner?: number; readonly tasks?: number };
}

/** 1 to 3 parents in the layer above, seeded; layers of 50 up to 1,000 tasks, else of 100. */
export function noopDag(tasks: number): DagFile {
  return { parents: layeredDag({ tasks, width: tasks <= 1_000 ? 50 : 100, seed: 7 }) };
}

/** 1,000 tasks of which 90% take 1 to 10 ms and 10% take 90 to 100 ms, seeded; whole numbers, since timers cut fractions. */
export function timedDag(tasks = 1_000): DagFile {
  const random = mulberry32(8);
  const durations = Array.from({ length: tasks }, () =>
    random() < 0.9 ? 1 + Math.floor(10 * random()) : 90 + Math.floor(11 * random()),
  );
  return { ...noopDag(tasks), durations };
}

/** 200 tasks of unequal length, as `timedDag`, in layers of 40, seeded. */
export function unequalDag(): DagFile {
  const random = mulberry32(2);
  const parents = layeredDag({ tasks: 200, width: 40, seed: 2 });
  const durations = parents.map(() =>
    random() < 0.9 ? 1 + Math.floor(10 * random()) : 90 + Math.floor(11 * random()),
  );
  return { parents, durations };
}

export function writeDag(file: string, dag: DagFile): void {
  writeFileSync(file, JSON.stringify(dag));
}

/** max(longest path, work / concurrency) of the given durations, in milliseconds. */
export function boundOf({ parents, durations = [] }: DagFile, concurrency: number): number {
  const ends: number[] = [];
  for (const [task, above] of parents.entries()) {
    ends[task] = (durations[task] ?? 0) + above.reduce((latest, parent) => Math.max(latest, ends[parent] ?? 0), 0);
  }
  const work = durations.reduce((sum, ms) => sum + ms, 0);
  return Math.max(
    ends.reduce((most, end) => Math.max(most, end), 0),
    work / concurrency,
  );
}
