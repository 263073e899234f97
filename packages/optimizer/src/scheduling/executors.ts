/**
 * The timetables of `count` equal executors. A task may go into a gap between two others (insertion). Finding the place
 * on one executor costs a step per gap, and gaps are few when tasks come in the order of a good priority.
 */
export class Executors {
  readonly count: number;
  /** When each executor's last task ends. */
  readonly freeMs: Float64Array;
  readonly #gaps: { from: number; to: number }[][];

  constructor(count: number) {
    this.count = count;
    this.freeMs = new Float64Array(count);
    this.#gaps = Array.from({ length: count }, () => []);
  }

  /** The earliest time from `readyMs` on when `executor` has `lengthMs` free. */
  earliest(executor: number, readyMs: number, lengthMs: number): number {
    for (const { from, to } of this.#gaps[executor]!) {
      const start = Math.max(from, readyMs);
      if (start + lengthMs <= to) return start;
    }
    return Math.max(this.freeMs[executor]!, readyMs);
  }

  reserve(executor: number, startMs: number, endMs: number): void {
    const gaps = this.#gaps[executor]!;
    const free = this.freeMs[executor]!;
    if (startMs >= free) {
      if (startMs > free) gaps.push({ from: free, to: startMs });
      this.freeMs[executor] = endMs;
      return;
    }
    const at = gaps.findIndex(({ from, to }) => from <= startMs && endMs <= to);
    const gap = gaps[at]!;
    const rest = [
      { from: gap.from, to: startMs },
      { from: endMs, to: gap.to },
    ].filter(({ from, to }) => to > from);
    gaps.splice(at, 1, ...rest);
  }
}
