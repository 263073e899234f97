import type { SkipCause } from "../core/core-event.ts";
import type { Limits } from "../core/limits.ts";
import type { UnavailableStep } from "../input/prepare-step.ts";
import { type StopReason, stopReasonOf, stopSentence } from "../stop-reason.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { PlanChanges } from "./plan-changes.ts";
import type { Reporter } from "./reporter.ts";
import { heldBy, stalledError } from "./stalled-error.ts";
import type { TaskTable } from "./task-table.ts";

/** Why tasks were skipped on their own account, as the core calls it. */
export const skipCauses: Readonly<Record<string, SkipCause>> = {
  TASK_BUDGET: "budget",
  TASK_STALLED: "stalled",
  TASK_DENIED: "denied",
};

const leftOutCodes: ReadonlySet<string> = new Set([
  TaskErrorCode.NOT_MET,
  TaskErrorCode.DEADLINE,
  TaskErrorCode.DEPENDENCY,
]);

/**
 * Whether a task that was skipped with this error was left out as its plan says: its condition is false, its deadline lets it be skipped, or what
 * it would have given was left out so within an element.
 */
export const isLeftOut = ({ code }: TaskError): boolean => leftOutCodes.has(code);

/** Why a task was skipped for its own sake, as the core calls it; undefined where its resource is unavailable, say. */
export const skipCauseOf = (error: TaskError): SkipCause | undefined =>
  isLeftOut(error) ? "left-out" : skipCauses[error.code];

/** Ends tasks: writes to the journal and notifies listeners first, then the core. Knows whether the run was cancelled, and why. */
export class TaskEnds {
  readonly #loop: CoreLoop;
  readonly #reporter: Reporter;
  readonly #table: TaskTable;
  readonly #replanning: PlanChanges | undefined;
  #cancelled = false;
  #stopping = false;
  #cancelReason: unknown;

  constructor(loop: CoreLoop, reporter: Reporter, table: TaskTable, replanning: PlanChanges | undefined) {
    this.#loop = loop;
    this.#reporter = reporter;
    this.#table = table;
    this.#replanning = replanning;
  }

  /** Nothing more is to start. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Running calls were asked to stop. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Why the run was cancelled. */
  get reason(): unknown {
    return this.#cancelReason;
  }

  /** How the run ends where it was stopped. */
  get stopReason(): StopReason {
    return this.#stopping ? stopReasonOf(this.#cancelReason) : "drained";
  }

  /** From now on tasks stop because the run was cancelled; running ones, too, unless they may end by themselves. */
  cancel(reason: unknown, { drain }: { readonly drain: boolean }): void {
    if (this.#stopping || (drain && this.#cancelled)) return;
    this.#cancelled = true;
    this.#stopping = !drain;
    this.#cancelReason = reason;
  }

  /** @param bytes size of the output as JSON. */
  complete(task: number, output: unknown, bytes: number): void {
    const committed = () => {
      const { outputs, inputBytes } = this.#table;
      outputs.committed(task, bytes, inputBytes.get(task) ?? 0);
      this.#replanning?.completing(task);
      this.#loop.feed({ type: "completed", task });
      this.#replanning?.ended(task);
    };
    // What was not recorded did not happen: a resumed run does it again.
    const refused = () => this.stop(task, false);
    this.#reporter.completed(task, output, committed, refused);
  }

  fail(task: number, error: TaskError): void {
    const held = this.#replanning?.failed(task, error) ?? false;
    this.#reporter.failed(task, error);
    this.#loop.feed({ type: "failed", task, held });
    this.#replanning?.ended(task);
  }

  /** It waited for a limit whose slots are all abandoned: it fails as it did before, or is skipped if it never began. */
  stall(task: number, group: number, limits: Limits): void {
    const before = this.#table.errors[task];
    if (before === undefined) this.refuse(task, stalledError(limits, group));
    else
      this.fail(task, {
        ...before,
        message: `${before.message} It was not tried again, since ${heldBy(limits, group)}.`,
      });
  }

  /** No budget is left for it, a person said no to something in it, the run was halted, or the plan leaves it out: it is skipped. */
  refuse(task: number, error: TaskError): void {
    const cause = skipCauseOf(error);
    this.#reporter.refused(task, error);
    this.#loop.feed({ type: "unavailable", task, ...(cause !== undefined && { cause }) });
    this.#replanning?.ended(task);
  }

  unavailable(task: number, { unavailable, kind, uid }: UnavailableStep): void {
    this.#table.uids[task] = uid;
    const error = taskError(TaskErrorCode.UNAVAILABLE, unavailable, { kind, uid });
    if (this.#replanning?.failed(task, error)) {
      this.#reporter.failed(task, error);
      this.#loop.feed({ type: "failed", task, held: true });
    } else {
      this.#reporter.refused(task, error);
      this.#loop.feed({ type: "unavailable", task });
    }
    this.#replanning?.ended(task);
  }

  stop(task: number, abandoned: boolean): void {
    this.#table.errors[task] = this.cancelError(abandoned);
    this.#loop.feed({ type: "stopped", task });
    this.#replanning?.ended(task);
  }

  cancelError(abandoned: boolean): TaskError {
    const ending = abandoned ? " The task ignored its signal and was abandoned." : "";
    const message = `${stopSentence(this.stopReason, this.#cancelReason)}.${ending}`;
    return taskError(TaskErrorCode.CANCELLED, message, abandoned ? { abandoned } : {});
  }
}
