import { RuntimeError } from "../errors.ts";
import type { BegunCall } from "../journal/journal.ts";
import { tryAgainWithin } from "../nested-keeping.ts";
import { type TaskError, TaskErrorCode, TaskFailure, taskError, taskErrorFrom } from "../task-error.ts";
import type { WorkOutcome } from "../task-execution/timed-work.ts";
import type { UsageCounter } from "../task-execution/usage-counter.ts";
import type { AtomicParts } from "./atomic-parts.ts";
import type { CutOff, Spans } from "./cut-off.ts";
import { judgeOverdue } from "./judge-overdue.ts";
import type { OpenDispatch } from "./open-dispatch.ts";
import type { OverdueCall } from "./overdue-calls.ts";
import type { DispatchReply } from "./port/dispatcher.ts";
import { isDispatchReply } from "./read-message.ts";
import { asReport, type TaskRecords } from "./task-records.ts";

/** A dispatch of a subgraph that has begun. */
export interface Dispatched {
  readonly subgraph: number;
  readonly open: readonly number[];
  /** Milliseconds since the run began. */
  readonly startedMs: number;
  /** Of the answers that were known then. */
  readonly version: number;
  readonly dispatch: OpenDispatch;
  /** How long the dispatcher gave no sign, in milliseconds; set where that was too long. Later messages of it are ignored. */
  silentMs?: number;
}

/** What it needs to know of the shell. */
interface Shell {
  subgraphId(subgraph: number): string;
  isCancelled(): boolean;
}

/**
 * What became of the tasks of a dispatch: their results, or why there are none. Where a call hung and its worker was ended, the attempts that
 * were made are kept for the next dispatch of what is left.
 */
export class DispatchOutcomes {
  readonly #parts: AtomicParts;
  readonly #records: TaskRecords;
  readonly #usage: UsageCounter;
  readonly #shell: Shell;
  /** Attempts of open tasks in dispatches that were ended, by task id. */
  readonly #earlier = new Map<string, Spans>();

  constructor(parts: AtomicParts, records: TaskRecords, usage: UsageCounter, shell: Shell) {
    this.#parts = parts;
    this.#records = records;
    this.#usage = usage;
    this.#shell = shell;
  }

  /** The attempts that these tasks had in dispatches that were ended; tasks without any are left out. */
  earlierAttempts(ids: readonly string[]): ReadonlyMap<string, Spans> {
    return new Map(ids.flatMap((id) => (this.#earlier.has(id) ? [[id, this.#earlier.get(id)!] as const] : [])));
  }

  /**
   * Writes down what became of the tasks of a dispatch that has ended.
   * @returns set where what is left is to be dispatched again, after so many milliseconds
   */
  async record(dispatched: Dispatched, outcome: WorkOutcome): Promise<{ readonly pauseMs: number } | undefined> {
    const { open, startedMs, dispatch } = dispatched;
    const records = this.#records;
    // Without a reply these notes are all that says what was called.
    if (outcome.type !== "value" || !isDispatchReply(outcome.value))
      this.#usage.add({ attempts: dispatch.calls, input_tokens: 0, output_tokens: 0 });
    if (dispatched.silentMs !== undefined) {
      const why = `The dispatcher reported nothing about it for ${dispatched.silentMs} ms (dispatchTimeoutMs, or the limits of its tasks together).`;
      this.#failLeft(dispatched, why, { timeout_ms: dispatched.silentMs });
    } else if (outcome.type === "value" && !isDispatchReply(outcome.value)) {
      this.#failLeft(dispatched, "The dispatcher did not answer with a reply.");
    } else if (outcome.type === "value") {
      const cut = this.#shell.isCancelled() ? undefined : dispatch.overdue;
      const { results, usage, waits, task_usage = {} } = outcome.value as DispatchReply;
      this.#usage.add(usage);
      const ids = new Set(open.map((task) => this.#parts.table.tasks[task]!.task_id));
      if (waits !== undefined) {
        this.#parts.host.waits.adopt(ids, waits);
        dispatch.noteRepeated(waits);
      }
      const byId = new Map(results.map((result) => [result.task_id, result]));
      // Tasks are in an order in which dependencies come first.
      for (const task of open) {
        const { task_id } = this.#parts.table.tasks[task]!;
        const result = byId.get(task_id);
        const spent = Object.hasOwn(task_usage, task_id) ? task_usage[task_id] : undefined;
        // A journal that refuses has cancelled the run.
        if (result !== undefined && !(cut !== undefined && result.status === "cancelled"))
          await records.take(task, asReport(result, spent), startedMs).catch(() => {});
      }
      if (cut !== undefined) {
        return this.#recover(dispatched, cut);
      }
      if (records.waiting(open).length === 0) this.#failLeft(dispatched, "No result came back for it.");
    } else if (!this.#shell.isCancelled() && dispatch.overdue !== undefined && isStopped(outcome)) {
      return this.#recover(dispatched, dispatch.overdue);
    } else if (!this.#shell.isCancelled()) {
      const thrown = outcome.type === "thrown" ? outcome.thrown : new Error("The dispatcher stopped.");
      const { message } = taskErrorFrom(thrown);
      this.#failLeft(dispatched, message, detailsOf(thrown));
    }
    return undefined;
  }

  /** The worker of the subgraph hung in a call and was ended: the task of that call took too long, and the rest continues in another worker. */
  #recover({ open, subgraph, startedMs, dispatch }: Dispatched, overdue: OverdueCall): { readonly pauseMs: number } {
    const { table, settings, startedAt } = this.#parts;
    let pauseMs = 0;
    for (const task of this.#records.open(open)) {
      const planned = table.tasks[task]!;
      const { task_id } = planned;
      const cut = dispatch.cutOff(task_id);
      if (task_id === overdue.call.outer_task_id) {
        const leftMs = settings.totalTimeoutMs - (performance.now() - startedAt - (cut.seen[0]?.[0] ?? 0));
        const { error, retryInMs } = judgeOverdue(overdue, this.#parts, { ...cut, task: planned, leftMs });
        if (retryInMs === undefined) {
          this.#records.cutOff(task, cut, error, startedMs);
          continue;
        }
        this.#records.retrying(task, cut.attempts, error, retryInMs);
        tryAgainWithin(this.#parts.lostTasks, [task_id]);
        pauseMs = retryInMs;
      } else if (cut.inCall) {
        this.#records.cutOff(
          task,
          cut,
          this.#cutOffError(subgraph, "Its executor was ended, since another call hung.", begunOf(cut)),
          startedMs,
        );
        continue;
      }
      if (cut.usage !== undefined) table.usage.set(task, cut.usage);
      if (cut.seen.length > 0) this.#earlier.set(task_id, cut.seen);
    }
    return { pauseMs };
  }

  /** Only tasks that could start fail; the others are skipped because of them. */
  #failLeft(
    { open, subgraph, startedMs, dispatch }: Dispatched,
    why: string,
    details: Readonly<Record<string, unknown>> = {},
  ): void {
    if (this.#shell.isCancelled()) return;
    for (const task of open) {
      const cut = dispatch.cutOff(this.#parts.table.tasks[task]!.task_id);
      this.#records.cutOff(task, cut, this.#cutOffError(subgraph, why, { ...details, ...begunOf(cut) }), startedMs);
    }
  }

  #cutOffError(subgraph: number, why: string, details: Readonly<Record<string, unknown>>): TaskError {
    const subgraph_id = this.#shell.subgraphId(subgraph);
    const message = `Subgraph "${subgraph_id}" was not executed by the ${this.#parts.dispatcher.name} dispatcher: ${why}`;
    return taskError(TaskErrorCode.DISPATCH, message, { subgraph_id, ...details });
  }
}

/** What an error of the dispatcher says beside its message. */
function detailsOf(thrown: unknown): Readonly<Record<string, unknown>> {
  if (thrown instanceof TaskFailure) return thrown.details;
  return thrown instanceof RuntimeError ? { problem: thrown.code, ...thrown.details } : {};
}

/** Notes that the outcome of a call is unknown, since its executor was gone while it was under way. */
function begunOf({ begun }: CutOff): { readonly begun?: BegunCall } {
  return begun === undefined ? {} : { begun };
}

/** True when the work stopped when its signal was aborted, so that the rest of it may be executed elsewhere. */
function isStopped(outcome: WorkOutcome): boolean {
  return outcome.type === "stopped" && !outcome.abandoned;
}
