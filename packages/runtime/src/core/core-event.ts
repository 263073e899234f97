import type { Revision } from "./revision.ts";

/** What happened. `task` is its number in the plan view. */
export type CoreEvent =
  /** The task ended in an earlier session of the run, and is not executed again. Only before `begin`. */
  | ({ readonly type: "recorded"; readonly task: number } & RecordedEnd)
  | { readonly type: "begin" }
  /** Stage 2 chose a resource whose limit was not known before; the task runs and asks to execute. */
  | { readonly type: "bound"; readonly task: number; readonly resourceGroup: number }
  /** The task only waits for a nested run now: its slots are free for that run's tasks. */
  | { readonly type: "lent"; readonly task: number }
  /** The attempt ignored its signal and still runs: its slots stay taken, while the task continues without it. */
  | { readonly type: "abandoned"; readonly task: number }
  /** An abandoned attempt has ended. Also after the run's end. */
  | { readonly type: "settled"; readonly task: number }
  | { readonly type: "completed"; readonly task: number }
  /** An attempt failed and another one is to follow. */
  | { readonly type: "retrying"; readonly task: number }
  /** The time of the next attempt has come. */
  | { readonly type: "due"; readonly task: number }
  /** The task failed for good. `held`: a replan is to replace it, so what depends on it waits. */
  | { readonly type: "failed"; readonly task: number; readonly held?: boolean }
  /**
   * The task cannot be executed now: it and all that depend on it are skipped. `budget`: nothing is left that it could
   * spend; `denied`: a person said no to something in it; `stalled`: abandoned attempts hold all slots of a limit; `left-out`: the plan says so
   * (a condition, a deadline), which loses no element of a list; without a cause its resource is unavailable (no model, say).
   */
  | { readonly type: "unavailable"; readonly task: number; readonly cause?: SkipCause }
  /** The attempt that was commanded may not begin yet (a rate, a budget); it does not count. `due` follows. */
  | { readonly type: "postponed"; readonly task: number }
  /** The task turns out to need a person's approval; the attempt that was commanded does not count. */
  | { readonly type: "gate"; readonly task: number }
  /** Reply to `ask`: there is no answer yet. The run may end meanwhile. */
  | { readonly type: "waits"; readonly task: number }
  /** A person said yes; before `begin` too. */
  | { readonly type: "approved"; readonly task: number }
  /** A person said no: the task and all that depend on it are skipped. */
  | { readonly type: "denied"; readonly task: number }
  /** The running task waits for a time or a signal; the attempt that was commanded does not count. The run may end meanwhile. */
  | { readonly type: "sleep"; readonly task: number }
  /** The time or the signal has come: the task starts again. */
  | { readonly type: "wake"; readonly task: number }
  /** No call of a started task is made, since nothing more starts in its list. */
  | { readonly type: "dropped"; readonly task: number }
  /** A running task ended because the run was cancelled. */
  | { readonly type: "stopped"; readonly task: number }
  /** Nothing more starts. With `drain`, running tasks may end, and the run counts as cancelled only where something was left. */
  | { readonly type: "cancel"; readonly drain?: boolean }
  /** A replan may replace these tasks; before `begin` too. Those that run are not to be among them. */
  | { readonly type: "hold"; readonly tasks: readonly number[] }
  /** They stay as they are; a failed one takes effect now. */
  | { readonly type: "release"; readonly tasks: readonly number[] }
  /** The plan is another one from now on. */
  | { readonly type: "revise"; readonly revision: Revision }
  /** A waiting task need not wait for the end of what it depends on: all that it needs of it is there. */
  | { readonly type: "supplied"; readonly task: number }
  /** Another run that shares the limits freed a slot. */
  | { readonly type: "poke" };

/** Why a task was skipped for its own sake. */
export type SkipCause = "budget" | "denied" | "stalled" | "left-out";

/** How a task ended: completed where nothing is said. */
export type RecordedEnd =
  | { readonly as?: "completed" | "failed" }
  /** For its own sake, as `unavailable` says. */
  | { readonly as: "skipped"; readonly cause?: SkipCause | undefined }
  /** Because of that task. Where it turns out not to have failed or been skipped itself, this one has not ended. */
  | { readonly as: "skipped"; readonly because: number };

/** A command to the shell. */
export type Command =
  /** Start an attempt (the first, or after `retrying` and `due`). */
  | { readonly type: "start"; readonly task: number; readonly attempt: number }
  /** Answer to `bound`: continue with the call. Without it, the task was parked and a `start` of the same attempt follows. */
  | { readonly type: "execute"; readonly task: number }
  /** The task has no slots and never gets any, since all slots of its limit `group` are abandoned: feed `failed` or `unavailable`. */
  | { readonly type: "stall"; readonly task: number; readonly group: number }
  /** Wait, then feed `due`. */
  | { readonly type: "delay"; readonly task: number; readonly attempt: number }
  /** The task will not run because of `because`, whose failure or absence it cannot do without. */
  | { readonly type: "skip"; readonly task: number; readonly because: number }
  /** The task is skipped no longer: what it was skipped because of has been replaced, or is tried again. */
  | { readonly type: "reopen"; readonly task: number }
  | { readonly type: "cancel"; readonly task: number }
  /** From now on the number means this element of the list; what is known of the one before is forgotten. A `start` may follow. */
  | { readonly type: "element"; readonly task: number; readonly index: number }
  /** The element that the number means has ended as `state` (`TaskState`); it is sent before the number means another. */
  | { readonly type: "element-end"; readonly task: number; readonly index: number; readonly state: number }
  /** Ask a person. Answered by `waits`, `approved` or `denied`; after `waits` one of the others may follow at any time. */
  | { readonly type: "ask"; readonly task: number }
  /** Nothing runs, and every task is terminal, waits behind a gate or sleeps. */
  | { readonly type: "finish"; readonly endReason: CoreEndReason };

export type CoreEndReason =
  | "completed"
  | "failed"
  | "cancelled"
  | "waiting_approval"
  | "waiting"
  | "budget"
  | "denied"
  | "stalled";
