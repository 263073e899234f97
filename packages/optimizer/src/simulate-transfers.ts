import type { PlanView } from "@planloom/plan";
import { RateGate } from "./dispatch-rate.ts";
import { type ExecutionEnvironment, executorClasses } from "./environment.ts";
import type { PartDurations } from "./part-durations.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";
import type { SubgraphSchedule } from "./schedule.ts";
import type { ClassSchedule } from "./simulate-classes.ts";

/** What a part reads from another one. */
export interface Arrival {
  readonly part: number;
  readonly bytes: number;
}

/** Milliseconds that outputs of that many bytes take to another executor. @param from its class, and `to` that of the other */
export function transferMs(environment: ExecutionEnvironment, bytes: number, from: number, to: number): number {
  const { latencyMs = 0, bytesPerMs = Number.POSITIVE_INFINITY, rates } = environment;
  return latencyMs + bytes / (rates?.[from]?.[to] ?? bytesPerMs);
}

/** The executors of one class that have run a part, the one that is free first on top. */
class UsedExecutors {
  readonly freeMs: number[] = [];
  readonly #count: number;
  /** Entries `(free, executor)`, of which only the latest of an executor counts. */
  readonly #entries: { freeMs: number; executor: number }[] = [];
  readonly #heap = new PriorityHeap((left, right) => {
    const [one, other] = [this.#entries[left]!, this.#entries[right]!];
    return one.freeMs < other.freeMs || (one.freeMs === other.freeMs && one.executor < other.executor);
  });

  constructor(count: number) {
    this.#count = count;
  }

  /** The executor that has been free for longest; one that was never used has been so from the beginning. */
  first(): number {
    for (let top = this.#heap.peek(); top !== undefined; top = this.#heap.peek()) {
      const { freeMs, executor } = this.#entries[top]!;
      if (this.freeMs[executor] !== freeMs) this.#heap.pop();
      else return freeMs > 0 && this.freeMs.length < this.#count ? this.freeMs.length : executor;
    }
    return this.freeMs.length;
  }

  use(executor: number, untilMs: number): void {
    this.freeMs[executor] = untilMs;
    this.#heap.push(this.#entries.push({ freeMs: untilMs, executor }) - 1);
  }
}

/**
 * Atomic dispatch where outputs take time to travel: what was dispatched without travel (`simulateClasses`) is dispatched in the same
 * sequence on the same classes, each part no earlier than there and on the executor of its class where it starts first. So the makespan
 * approaches that without travel as travel goes to nothing, and parts whose outputs are on their way are overtaken on other executors.
 * An output is there at once on the executor that made it. O((n + m) log n).
 * @param base what happens without travel; with an order, none overtakes another here either.
 */
export function simulateTransfers(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  base: ClassSchedule,
  realMs: PartDurations,
): SubgraphSchedule {
  const startMs = new Float64Array(partition.count);
  const endMs = new Float64Array(partition.count);
  const ranOn = new Int32Array(partition.count);
  const arrivals = incoming(view, partition);
  const used = executorClasses(environment).map(({ count }) => new UsedExecutors(count));
  const gate = new RateGate(environment.dispatchRate);
  let clock = 0;
  for (const p of base.sequence) {
    const kind = base.kind[p]!;
    const executors = used[kind]!;
    const from = arrivals[p]!;
    const earliest = Math.max(base.startMs[p]!, gate.opensMs, partition.order === undefined ? 0 : clock);
    let best = -1;
    let bestStart = Number.POSITIVE_INFINITY;
    const look = (executor: number) => {
      let start = Math.max(earliest, executors.freeMs[executor] ?? 0);
      for (const { part, bytes } of from) {
        const near = ranOn[part] === executor && base.kind[part] === kind;
        start = Math.max(start, endMs[part]! + (near ? 0 : transferMs(environment, bytes, base.kind[part]!, kind)));
      }
      const free = (own: number) => executors.freeMs[own] ?? 0;
      const better =
        start < bestStart ||
        (start === bestStart && (free(executor) < free(best) || (free(executor) === free(best) && executor < best)));
      if (!better) return;
      best = executor;
      bestStart = start;
    };
    // On all others it starts no earlier than on the one that is free first.
    look(executors.first());
    for (const { part } of from) if (base.kind[part] === kind) look(ranOn[part]!);
    startMs[p] = bestStart;
    endMs[p] = bestStart + realMs[kind]![p]!;
    ranOn[p] = best;
    executors.use(best, endMs[p]!);
    clock = bestStart;
    gate.begin(bestStart);
  }
  return { startMs, endMs, kind: base.kind };
}

/** What every part reads from which other: each producer's output counted once a reading part. */
export function incoming(view: PlanView, { part, count }: Partition): Arrival[][] {
  const bytes: Map<number, number>[] = Array.from({ length: count }, () => new Map());
  const sentTo = new Int32Array(count).fill(-1);
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = part[view.out[edge]!]!;
      if (target === part[v] || sentTo[target] === v) continue;
      sentTo[target] = v;
      bytes[target]!.set(part[v]!, (bytes[target]!.get(part[v]!) ?? 0) + view.outBytes[v]!);
    }
  }
  return bytes.map((each) => [...each].map(([source, sum]) => ({ part: source, bytes: sum })));
}
