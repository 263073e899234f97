import { upwardRanks } from "@planloom/plan";
import type { RunState } from "../core/run-state.ts";
import { isTerminal } from "../core/task-state.ts";
import type { Budget } from "../ports/amounts.ts";
import type { TaskTable } from "../task-execution/task-table.ts";

export interface ForecastOptions {
  /** Tasks at once. */
  readonly concurrency: number;
  readonly deadlineMs: number;
  readonly budget: Budget | undefined;
}

type Unit = "calls" | "tokens" | "cost";
const units: readonly Unit[] = ["calls", "tokens", "cost"];

/**
 * When a run will be done and what it will have spent, by the estimates of the tasks that have not ended: elapsed time plus
 * the longer of the longest remaining path and remaining work / concurrency; what was spent plus estimates. It is made again for
 * each revision; O(log n) for each task that ends.
 */
export class Forecast {
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #options: ForecastOptions;
  readonly #ranks: Float64Array;
  /** Tasks by longest remaining path. */
  readonly #byRank: Uint32Array;
  readonly #left: Record<Unit, number> = { calls: 0, tokens: 0, cost: 0 };
  readonly #spent: Record<Unit, number> = { calls: 0, tokens: 0, cost: 0 };
  readonly #counted: Uint8Array;
  #leftMs = 0;
  #next = 0;

  constructor(state: RunState, table: TaskTable, options: ForecastOptions) {
    this.#state = state;
    this.#table = table;
    this.#options = options;
    const { view } = state;
    this.#ranks = upwardRanks(view);
    const ranks = this.#ranks;
    this.#byRank = Uint32Array.from({ length: view.n }, (_, task) => task).sort((a, b) => ranks[b]! - ranks[a]!);
    this.#counted = new Uint8Array(view.n);
    for (let task = 0; task < view.n; task++) {
      if (isTerminal(state.state[task]!)) this.#count(task);
      else this.#expect(task, 1);
    }
  }

  /** A task ended. */
  ended(task: number): void {
    if (task >= this.#counted.length || this.#counted[task] === 1) return;
    this.#expect(task, -1);
    this.#count(task);
  }

  /** What will not hold, in words. @param nowMs since the run began */
  deadlineMissed(nowMs: number): string | undefined {
    const { deadlineMs, concurrency } = this.#options;
    if (deadlineMs === Number.POSITIVE_INFINITY) return undefined;
    while (this.#next < this.#byRank.length && this.#counted[this.#byRank[this.#next]!] === 1) this.#next++;
    const path = this.#next < this.#byRank.length ? this.#ranks[this.#byRank[this.#next]!]! : 0;
    const doneMs = nowMs + Math.max(path, this.#leftMs / concurrency);
    if (doneMs <= deadlineMs) return undefined;
    return `By estimate the run is done after ${Math.round(doneMs)} ms; it should be after ${deadlineMs} ms.`;
  }

  budgetMissed(): string | undefined {
    const { budget } = this.#options;
    for (const unit of units) {
      const limit = budget?.[unit];
      const total = this.#spent[unit] + this.#left[unit];
      if (limit !== undefined && total > limit) {
        return `By estimate the run needs ${round(total)} ${unit}; its budget is ${limit}.`;
      }
    }
    return undefined;
  }

  #expect(task: number, sign: 1 | -1): void {
    const { estimate_data } = this.#table.tasks[task]!;
    this.#leftMs += sign * this.#state.view.work[task]!;
    this.#left.calls += sign;
    this.#left.tokens += sign * (estimate_data?.tokens ?? 0);
    this.#left.cost += sign * (estimate_data?.cost ?? 0);
  }

  #count(task: number): void {
    this.#counted[task] = 1;
    const used = this.#table.usage.get(task);
    for (const unit of units) this.#spent[unit] += used?.[unit] ?? 0;
  }
}

function round(amount: number): number {
  return Math.round(amount * 1_000) / 1_000;
}
