import type { PlanView } from "@planloom/plan";
import { PriorityHeap } from "./priority-heap.ts";
import type { Quotient } from "./quotient.ts";

/** When the outputs of tasks are there, and which tasks are in which part. */
export interface Publications {
  readonly view: PlanView;
  readonly part: Int32Array;
  /** Milliseconds from the dispatch of its part on an executor of each class to the end of each task: `taskEndMs[kind][task]`. */
  readonly taskEndMs: readonly Float64Array[];
}

/**
 * Says when parts may be dispatched under pipelined dispatch: once every task of another part whose output their own tasks read has ended. That is known when the last of
 * these other parts is dispatched, since no part waits for anything once it runs. O((n + m) log parts) in all.
 */
export class PipelinedReleases {
  readonly #publications: Publications;
  readonly #graph: Quotient;
  /** Dependencies of each part's tasks in parts that were not dispatched. */
  readonly #waits: Int32Array;
  readonly #readyMs: Float64Array;
  readonly #coming = new PriorityHeap((left, right) => this.#readyMs[left]! < this.#readyMs[right]!);

  constructor(graph: Quotient, publications: Publications) {
    this.#graph = graph;
    this.#publications = publications;
    this.#waits = new Int32Array(graph.count);
    this.#readyMs = new Float64Array(graph.count);
    const { view, part } = publications;
    for (let v = 0; v < view.n; v++) {
      for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++)
        if (part[view.in[edge]!] !== part[v]) this.#waits[part[v]!]!++;
    }
  }

  /** The next moment at which a part is released; `Infinity` where none is known. */
  get nextMs(): number {
    const first = this.#coming.peek();
    return first === undefined ? Number.POSITIVE_INFINITY : this.#readyMs[first]!;
  }

  /** Takes out the parts that are released at this moment, the next one. */
  *take(now: number): Iterable<number> {
    while (this.nextMs === now) yield this.#coming.pop()!;
  }

  /** Notes that a part was dispatched on an executor of this class. */
  dispatched(p: number, kind: number, now: number): void {
    const { view, part, taskEndMs } = this.#publications;
    const { memberPtr, members } = this.#graph;
    for (let at = memberPtr[p]!; at < memberPtr[p + 1]!; at++) {
      const v = members[at]!;
      const published = now + taskEndMs[kind]![v]!;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const q = part[view.out[edge]!]!;
        if (q === p) continue;
        if (this.#readyMs[q]! < published) this.#readyMs[q] = published;
        if (--this.#waits[q]! === 0) this.#coming.push(q);
      }
    }
  }
}
