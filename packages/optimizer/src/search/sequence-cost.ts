import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import { taskSequence } from "../task-sequence.ts";

/**
 * Makespan of a sequence of parts on equal executors under atomic or pipelined dispatch: one part after the other takes an executor,
 * the one that is free last of those that are free in time, else the one that is free first. `slot[v]` is the place of v's
 * part in the sequence; no edge goes back. Buffers are kept, so one instance serves a whole search. O(n + m + parts · k).
 */
export class SequenceCost {
  readonly #view: PlanView;
  readonly #overhead: number;
  readonly #free: Float64Array;
  readonly #limited: boolean;
  readonly #load: Float64Array;
  readonly #release: Float64Array;
  /** Under pipelined dispatch: the order in which the tasks of a part run. */
  readonly #sequence: Int32Array | undefined;
  readonly #size: Int32Array;
  readonly #pointer: Int32Array;
  readonly #tasks: Int32Array;
  /** Start of each slot's part; read it after `makespan`. */
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
  /** Parts that hold a task. */
  dispatches = 0;

  constructor(
    view: PlanView,
    { executors, overheadMs, semantics }: Pick<ExecutionEnvironment, "executors" | "overheadMs" | "semantics">,
  ) {
    const slots = view.n + 1;
    this.#view = view;
    this.#overhead = overheadMs;
    this.#limited = executors < view.n;
    this.#free = new Float64Array(this.#limited ? executors : 0);
    this.#load = new Float64Array(slots);
    this.#release = new Float64Array(slots);
    this.#sequence = semantics === "pipelined" ? taskSequence(view) : undefined;
    this.#size = new Int32Array(slots);
    this.#pointer = new Int32Array(slots + 1);
    this.#tasks = new Int32Array(view.n);
    this.startMs = new Float64Array(slots);
    this.endMs = new Float64Array(slots);
  }

  /** @param slot values in [0, n]. */
  makespan(slot: Int32Array): number {
    const { n, work, outPtr, out } = this.#view;
    const load = this.#load.fill(0);
    const release = this.#release.fill(0);
    const size = this.#size.fill(0);
    const pointer = this.#pointer;
    const sequence = this.#sequence;
    for (let v = 0; v < n; v++) {
      const s = slot[v]!;
      load[s]! += work[v]!;
      size[s]!++;
    }
    pointer[0] = 0;
    for (let s = 0; s <= n; s++) pointer[s + 1] = pointer[s]! + size[s]!;
    for (let at = n - 1; at >= 0; at--) {
      const v = sequence === undefined ? at : sequence[at]!;
      const s = slot[v]!;
      size[s]!--;
      this.#tasks[pointer[s]! + size[s]!] = v;
    }
    this.#free.fill(0);
    this.dispatches = 0;
    let makespan = 0;
    for (let s = 0; s <= n; s++) {
      const from = pointer[s]!;
      const to = pointer[s + 1]!;
      if (from === to) continue;
      this.dispatches++;
      const start = this.#limited ? this.#take(release[s]!, load[s]!) : release[s]!;
      const end = start + this.#overhead + load[s]!;
      this.startMs[s] = start;
      this.endMs[s] = end;
      if (end > makespan) makespan = end;
      let published = end;
      let done = 0;
      for (let at = from; at < to; at++) {
        const v = this.#tasks[at]!;
        if (sequence !== undefined) {
          done += work[v]!;
          published = start + (done + this.#overhead);
        }
        for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
          const target = slot[out[edge]!]!;
          if (target !== s && release[target]! < published) release[target] = published;
        }
      }
    }
    return makespan;
  }

  #take(release: number, load: number): number {
    const free = this.#free;
    let first = 0;
    let fitting = -1;
    for (let at = 0; at < free.length; at++) {
      const time = free[at]!;
      if (time <= release && (fitting === -1 || time > free[fitting]!)) fitting = at;
      if (time < free[first]!) first = at;
    }
    const chosen = fitting === -1 ? first : fitting;
    const start = Math.max(free[chosen]!, release);
    free[chosen] = start + this.#overhead + load;
    return start;
  }
}
