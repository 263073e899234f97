import type { EstimateData, ExecutionKind, Resource } from "@planloom/plan";
import type { TaskUsage } from "../journal/journal.ts";
import type { TaskError } from "../task-error.ts";
import { budgetUnits, nothing } from "./budget.ts";
import { charge, type Reservation, settle } from "./budget-ledger.ts";
import { meterSeconds } from "./seconds-meter.ts";

/** The right to make one call. What is told of its use is all since it began, each time. */
export interface CallPermit {
  /** Watches the time that is reserved; `stop` is called when no more is left. */
  meter(stop: () => void): void;
  /** Its slots are free from now on: the tasks of a nested plan count their own time, and ask for slots of their own. */
  lend(used: TaskUsage): void;
  /** The call is at its end. */
  settle(used: TaskUsage): void;
  /** It is at its end and will be made again: it counts then. What it used so far stays booked. */
  withdraw(used: TaskUsage): void;
}

/** A call that is about to be made elsewhere. Plain JSON. */
export interface AskedCall {
  readonly task_id: string;
  /** The task of the run's own plan that it is made for. */
  readonly outer_task_id: string;
  /** Not of the run's own plan, but of one nested in it. */
  readonly nested: boolean;
  readonly kind: ExecutionKind;
  readonly resource: Resource;
  readonly input: Readonly<Record<string, unknown>>;
  /** 1 for the first. */
  readonly attempt: number;
  /** What the executor expects it to use. */
  readonly estimate?: EstimateData;
}

export type CallAnswer =
  | { readonly type: "go"; readonly permit: CallPermit }
  /** Must not be made: the task fails. */
  | { readonly type: "blocked"; readonly error: TaskError }
  /** No budget is left for it, or the run was halted: the task is skipped. */
  | { readonly type: "refused"; readonly error: TaskError };

/** Whoever executes outside the run's process asks here before each call. */
export interface CallDesk {
  /** Resolves when the call may be made, or never will be. Rejects with the signal's reason. */
  ask(call: AskedCall, signal: AbortSignal): Promise<CallAnswer>;
  /** A value that inputs may take numbers from. */
  learn(value: unknown): void;
}

/** A permit by a reservation in accounts of this process. */
export function permitOf(reservation: Reservation, seconds: number | undefined): CallPermit {
  let stopMeter: (() => void) | undefined;
  let booked: TaskUsage | undefined;
  const book = (used: TaskUsage) => {
    stopMeter?.();
    if (booked === undefined) settle(reservation, used);
    else {
      const more = nothing();
      for (const unit of budgetUnits) more[unit] = used[unit] - booked[unit];
      for (const account of reservation.accounts) charge(account, more);
    }
    booked = used;
  };
  return {
    meter(stop) {
      if (seconds !== undefined && booked === undefined) stopMeter = meterSeconds(reservation, seconds, stop);
    },
    lend: book,
    settle: book,
    withdraw: book,
  };
}
