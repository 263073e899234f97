import type { EstimateData, ExecutionKind, Resource } from "@planloom/plan";
import type { BegunCall, TaskUsage } from "../journal/journal.ts";
import { budgetUnits, nothing } from "../ports/amounts.ts";
import { charge, type Reservation, raise, settle } from "../shared-limits/budget-accounts.ts";
import type { SharedRun } from "../shared-limits/shared-run.ts";
import type { Slot } from "../shared-limits/slot.ts";
import type { TaskError } from "../task-error.ts";
import { meterSeconds } from "./seconds-meter.ts";

/** The right to make one call. Its use is reported as the total since the call began, each time. */
export interface CallPermit {
  /** Watches the time that is reserved; `stop` is called when no more is left. */
  meter(stop: () => void): void;
  /** What it used so far; false when that is more than there is, and it has to stop. */
  note(used: TaskUsage): boolean;
  /** Its slots are free from now on: the tasks of a nested plan count their own time, and ask for slots of their own. */
  lend(used: TaskUsage): void;
  /** The call is at its end. */
  settle(used: TaskUsage): void;
  /** The call ended and will be retried; it is counted on the retry. What it used so far stays counted. */
  withdraw(used: TaskUsage): void;
  /**
   * Ends a call whose process is gone, so that nobody knows what it used: all that was reserved for it counts.
   * @returns the note about it, where a person must be asked before it is made again
   */
  lose?(): BegunCall | undefined;
  /** Executes `work` as part of the call: runs that it begins do not wait for the call's own slot. */
  within?<Value>(work: () => Value): Value;
  /** Call it before `settle` if the call ignored its signal and still runs. @returns what to call when it has ended */
  abandon?(): () => void;
}

/** A call that is about to be made elsewhere. Plain JSON. */
export interface AskedCall {
  /** Present for a model call of Stage 2, absent for a call of the executor. */
  readonly purpose?: "bind";
  readonly task_id: string;
  /** Ids of the tasks it is nested in, and what records hold for there, as of `PendingUsage`. */
  readonly path: readonly string[];
  readonly scope?: string;
  /** The usage of the task so far. */
  readonly used?: TaskUsage;
  /** The task of the run's own plan that it is made for. */
  readonly outer_task_id: string;
  /** Whether the task belongs to a nested plan rather than to the run's own. */
  readonly nested: boolean;
  readonly kind: ExecutionKind;
  readonly resource: Resource;
  readonly input: Readonly<Record<string, unknown>>;
  /** 1 for the first. */
  readonly attempt: number;
  /** The time limit of an attempt that the task itself names, in milliseconds. */
  readonly timeout_ms?: number;
  /** The executor's estimate. */
  readonly estimate?: EstimateData;
  /** The estimate in the plan; see `BudgetOptions.trustPlanEstimates`. */
  readonly planned?: EstimateData;
}

export type CallAnswer =
  | { readonly type: "go"; readonly permit: CallPermit }
  /** Must not be made: the task fails. */
  | { readonly type: "blocked"; readonly error: TaskError }
  /** No budget is left for it, or the run was halted: the task is skipped. */
  | { readonly type: "refused"; readonly error: TaskError };

/** Gives permits to code that executes tasks outside the process of the run. That code asks before each call. */
export interface CallPermitSource {
  /** Resolves when the call may be made, or never will be. Rejects with the signal's reason. */
  ask(call: AskedCall, signal: AbortSignal): Promise<CallAnswer>;
  /** A value that inputs may take numbers from. */
  learn(value: unknown): void;
}

/** A permit by a reservation in accounts of this process. */
export function permitOf(reservation: Reservation, seconds: number | undefined): CallPermit {
  let stopMeter: (() => void) | undefined;
  let recorded: TaskUsage | undefined;
  const recordMore = (used: TaskUsage) => {
    record(used);
    return reservation.accounts.every(({ limit, spent }) => budgetUnits.every((unit) => spent[unit] <= limit[unit]));
  };
  const record = (used: TaskUsage) => {
    stopMeter?.();
    if (recorded === undefined) settle(reservation, used);
    else {
      const more = nothing();
      for (const unit of budgetUnits) more[unit] = used[unit] - recorded[unit];
      for (const account of reservation.accounts) charge(account, more);
    }
    recorded = used;
  };
  return {
    note: (used) => (recorded === undefined ? raise(reservation, used) : recordMore(used)),
    meter(stop) {
      if (seconds !== undefined && recorded === undefined) stopMeter = meterSeconds(reservation, seconds, stop);
    },
    lend: record,
    settle: record,
    withdraw: record,
  };
}

/** The right to a call that takes a slot among several runs. A class, as there is one for every call. */
export class SlotPermit implements CallPermit {
  readonly #slot: Slot;
  readonly #shared: SharedRun;
  readonly #inner: CallPermit | undefined;

  /** @param inner of what was reserved for it in budgets */
  constructor(slot: Slot, shared: SharedRun, inner: CallPermit | undefined) {
    this.#slot = slot;
    this.#shared = shared;
    this.#inner = inner;
  }

  note(used: TaskUsage): boolean {
    return this.#inner?.note(used) ?? true;
  }

  meter(stop: () => void): void {
    this.#inner?.meter(stop);
  }

  lend(used: TaskUsage): void {
    this.#inner?.lend(used);
    this.#slot.release();
  }

  settle(used: TaskUsage): void {
    this.#inner?.settle(used);
    this.#slot.release();
  }

  withdraw(used: TaskUsage): void {
    this.#inner?.withdraw(used);
    this.#slot.release();
  }

  within<Value>(work: () => Value): Value {
    return this.#slot.within(work);
  }

  abandon(): () => void {
    return this.#shared.abandon(this.#slot);
  }
}

/** The amounts of a reservation, of each unit the largest in any of its accounts; one call where nothing is reserved. */
export function reservedBy(reservation: Reservation | undefined): TaskUsage {
  const most = nothing();
  for (const amounts of reservation?.reserved ?? []) {
    for (const unit of budgetUnits) most[unit] = Math.max(most[unit], amounts[unit]);
  }
  return { ...most, calls: Math.max(1, most.calls) };
}
