import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";

/**
 * Executor time of a part that grows task by task, in a topological order: `(overhead + work) · (2 - chance that all its
 * tasks succeed)`, repetitions counted to first order. `Infinity` beyond a limit of the environment, where it stays.
 */
export class GrowingPart {
  readonly #view: PlanView;
  readonly #environment: ExecutionEnvironment;
  /** Part that last read each output, and that each task is in, by `#serial`. */
  readonly #readIn: Int32Array;
  #serial = 0;
  #work = 0;
  #success = 1;
  #tokens = 0;
  #bytes = 0;
  #size = 0;
  #affinity = -1;
  #mixed = false;

  constructor(view: PlanView, environment: ExecutionEnvironment) {
    this.#view = view;
    this.#environment = environment;
    this.#readIn = new Int32Array(view.n).fill(-1);
    this.clear();
  }

  clear(): void {
    this.#serial++;
    this.#work = 0;
    this.#success = 1;
    this.#tokens = this.#environment.baseTokens ?? 0;
    this.#bytes = 0;
    this.#size = 0;
    this.#affinity = -1;
    this.#mixed = false;
  }

  /** Adds a task whose dependencies are in the part or in parts before it. */
  add(v: number): void {
    const { work, failProb, tokens, outTokens, outBytes, affinity, inPtr } = this.#view;
    this.#work += work[v]!;
    this.#success *= 1 - failProb[v]!;
    this.#tokens += tokens[v]!;
    this.#bytes += outBytes[v]!;
    this.#size++;
    this.#mixed ||= this.#affinity !== -1 && this.#affinity !== affinity[v];
    this.#affinity = affinity[v]!;
    this.#readIn[v] = this.#serial;
    for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) {
      const u = this.#view.in[edge]!;
      if (this.#readIn[u] === this.#serial) continue;
      this.#readIn[u] = this.#serial;
      this.#tokens += outTokens[u]!;
      this.#bytes += outBytes[u]!;
    }
  }

  cost(): number {
    const { overheadMs, contextTokens, memoryBytes, maxTasks, affinity } = this.#environment;
    const beyond =
      this.#tokens > (contextTokens ?? Number.POSITIVE_INFINITY) ||
      this.#bytes > (memoryBytes ?? Number.POSITIVE_INFINITY) ||
      this.#size > (maxTasks ?? Number.POSITIVE_INFINITY) ||
      (affinity === "hard" && this.#mixed);
    return beyond ? Number.POSITIVE_INFINITY : (overheadMs + this.#work) * (2 - this.#success);
  }
}
