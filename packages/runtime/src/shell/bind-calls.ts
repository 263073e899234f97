import type { BindOptions, RecordedCall } from "@planloom/plan";
import { nothing } from "../admission/budget.ts";
import { type CallPermit, permitOf, reservedBy } from "../admission/call-permit.ts";
import { woken } from "../admission/wait-queue.ts";
import type { TaskUsage } from "../journal/journal.ts";
import { type TaskError, TaskErrorCode, TaskFailure } from "../task-error.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskLedger } from "./task-ledger.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** The model calls of Stage 2 for one task: reserved in the budgets before, booked after, and kept in the journal. */
export class BindCalls {
  readonly #parts: ShellParts;
  readonly #task: number;
  readonly #ledger: TaskLedger;
  readonly #usage: UsageCounter;
  readonly #signal: () => AbortSignal;
  readonly #permits: CallPermit[] = [];
  #closed = false;
  /** Model calls that were made. */
  made = 0;
  /** Why Stage 2 may not go on. */
  refused: TaskError | undefined;

  constructor(parts: ShellParts, task: number, ledger: TaskLedger, usage: UsageCounter, signal: () => AbortSignal) {
    this.#parts = parts;
    this.#task = task;
    this.#ledger = ledger;
    this.#usage = usage;
    this.#signal = signal;
  }

  readonly hooks: Required<Pick<BindOptions, "beforeCall" | "onCall">> = {
    beforeCall: async () => {
      if (this.refused !== undefined) throw failureOf(this.refused);
      if (!this.#parts.admission.countsUsage && this.#parts.callDesk === undefined) return;
      const permit = await this.#ask();
      if (this.#closed) {
        permit?.settle(nothing());
        throw new Error("Stage 2 is at its end.");
      }
      if (permit !== undefined) this.#permits.push(permit);
    },
    onCall: (call) => {
      this.made++;
      const used = usedBy(call);
      this.#permits.shift()?.settle(used);
      this.#ledger.addUsage(this.#task, used);
      this.#usage.addCall(call.usage ?? {});
      this.#ledger.record(this.#task, "bind", call);
    },
  };

  /** Stage 2 is at its end: what was reserved for calls that it did not make after all is given back. */
  close(): void {
    this.#closed = true;
    for (const permit of this.#permits.splice(0)) permit.settle(nothing());
  }

  async #ask(): Promise<CallPermit | undefined> {
    const { admission, callDesk, outerTaskId, table, settings } = this.#parts;
    const { task_id } = table.tasks[this.#task]!;
    const outer = outerTaskId ?? task_id;
    const signal = this.#signal();
    if (callDesk !== undefined) {
      const answer = await callDesk.ask(this.#ledger.asBindCall(this.#task, outer, settings.bindEstimate), signal);
      if (answer.type === "go") return answer.permit;
      this.refused = answer.error;
      throw failureOf(answer.error);
    }
    for (;;) {
      signal.throwIfAborted();
      const answer = admission.admitModelCall(outer, settings.bindEstimate);
      if (answer.type === "go") {
        await this.#ledger.begin(this.#task, reservedBy(answer.reservation));
        return answer.reservation && permitOf(answer.reservation, undefined);
      }
      if (answer.type !== "wait") {
        this.refused = answer.error;
        throw failureOf(answer.error);
      }
      await woken(answer.wait, signal);
    }
  }
}

function usedBy({ usage = {}, latencyMs }: RecordedCall): TaskUsage {
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return { calls: 1, tokens, cost: usage.cost ?? 0, seconds: latencyMs / 1_000 };
}

function failureOf({ message, details }: TaskError): TaskFailure {
  return new TaskFailure(TaskErrorCode.BUDGET, message, { retryable: false, ...(details && { details }) });
}
