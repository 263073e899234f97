/** Which part every task is in: `part[v]` is in `[0, count)`, and no part is empty. Tasks count in plan order. */
export interface Partition {
  readonly part: Int32Array;
  readonly count: number;
  /**
   * The parts in the order in which they are to be dispatched, every part after those it depends on: the next one takes
   * the first free executor, and no later one overtakes it while it waits. If absent, the next part is a ready one with the longest
   * remaining path.
   */
  readonly order?: Int32Array;
  /**
   * The executor of each part, numbered from 0, class by class; only together with `order`, of which each executor then runs its own parts
   * without regard to the others. If absent, the dispatcher chooses. Streaming dispatch does not look at it.
   */
  readonly placement?: Int32Array;
  /** A makespan, in milliseconds, that the strategy has proved no valid partition of this plan can beat here. */
  readonly provedMs?: number;
}

/**
 * Numbers the parts `0, 1, …` in order of their first task in plan order, so that equal groupings are equal arrays.
 * `labels[v]` is any integer in `[0, labels.length)`. O(n).
 */
export function fromLabels(labels: Int32Array): Partition {
  const number = new Int32Array(labels.length).fill(-1);
  const part = new Int32Array(labels.length);
  let count = 0;
  for (let v = 0; v < labels.length; v++) {
    const label = labels[v]!;
    if (number[label] === -1) number[label] = count++;
    part[v] = number[label]!;
  }
  return { part, count };
}
