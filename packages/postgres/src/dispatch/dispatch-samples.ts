import type { DispatchCosts } from "@planloom/runtime";
import { costsOf } from "@planloom/runtime/journal-parts";

/** One subgraph that was dispatched: how long that took, and how much of it its tasks did. */
export interface DispatchSample {
  /** From handing it over to having its reply, in milliseconds. */
  readonly totalMs: number;
  /** Of that, all of its tasks together. */
  readonly taskMs: number;
  readonly tasks: number;
}

/** The last ones count: a machine that was busy may be idle now. */
const keptSamples = 128;
/** What executors cost each other changes little where tasks are longer, in milliseconds. */
export const longestTaskMs = 20;

/** What dispatches took, of the last ones, by how long their tasks took on average. */
export class DispatchSamples {
  readonly #samples: (DispatchSample & { readonly at: number })[] = [];
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(sample: DispatchSample): void {
    this.#samples.push({ ...sample, at: this.#now() });
    if (this.#samples.length > keptSamples) this.#samples.shift();
  }

  /** Samples of the last `maxAgeMs` whose tasks took about as long: executors get in each other's way the more, the shorter their tasks are. */
  near(taskMs: number, maxAgeMs: number): DispatchSample[] {
    const oldest = this.#now() - maxAgeMs;
    const wanted = Math.min(taskMs, longestTaskMs);
    const isNear = ({ taskMs: own, tasks }: DispatchSample) => {
      const mean = Math.min(own / tasks, longestTaskMs);
      return mean <= 2 * wanted + 1 && wanted <= 2 * mean + 1;
    };
    return this.#samples.filter((sample) => sample.at >= oldest && isNear(sample));
  }
}

/** Whether there are enough samples of few tasks, and of many: without either nobody can say what of it is the dispatch and what the tasks. */
export function isConclusive(samples: readonly DispatchSample[]): boolean {
  const few = samples.filter(({ tasks }) => tasks === 1).length;
  const many = samples.filter(({ tasks }) => tasks >= 8).length;
  return few >= 4 && many >= 4;
}

/**
 * What a dispatch costs and what a task in it: the line through the samples whose squared distances are least, neither below 0. O(n log n).
 * @param samples at least one
 */
export function fittedCosts(samples: readonly DispatchSample[]): DispatchCosts {
  const extras = samples.map(({ totalMs, taskMs }) => Math.max(0, totalMs - taskMs));
  const counts = samples.map(({ tasks }) => tasks);
  const [meanCount, meanExtra] = [mean(counts), mean(extras)];
  let [shared, spread] = [0, 0];
  for (const [at, count] of counts.entries()) {
    shared += (count - meanCount) * (extras[at]! - meanExtra);
    spread += (count - meanCount) ** 2;
  }
  const slope = spread === 0 ? 0 : shared / spread;
  // Not more than all of it, nor less than nothing.
  const taskOverheadMs = Math.min(Math.max(0, slope), meanExtra / Math.max(1, meanCount));
  const rest = extras.map((extra, at) => Math.max(0, extra - taskOverheadMs * counts[at]!));
  return { ...costsOf(rest), overheadMeanMs: mean(rest), taskOverheadMs };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
