import { resourcePin } from "@planloom/plan";
import { advance } from "../core/advance.ts";
import type { CoreEvent } from "../core/core-event.ts";
import type { RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import type { EndReason } from "../events.ts";
import type { AskedQuestion, TaskUsage } from "../journal/journal.ts";
import { waitingCalls } from "../journal/waiting-call.ts";
import { elementGroups } from "../make-limits.ts";
import type { TaskResult } from "../run-result.ts";
import { type StopReason, stopSentence } from "../stop-reason.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import type { Reporter } from "../task-execution/reporter.ts";
import type { ShellParts } from "../task-execution/shell-parts.ts";
import { skipCauses } from "../task-execution/task-ends.ts";
import { forgetEnd } from "../task-execution/task-table.ts";
import type { CutOff } from "./cut-off.ts";
import type { TaskReport } from "./port/dispatcher.ts";

/**
 * What became of each task of a run whose subgraphs are executed elsewhere: it is written to the journal, to events and to a
 * core in which a task's `start` means no more than that all it depends on is completed.
 */
export class TaskRecords {
  readonly #parts: ShellParts;
  readonly #state: RunState;
  readonly #reporter: Reporter;
  readonly #onEnded: (task: number) => void;
  /** On their way into the journal. */
  readonly #writing = new Map<number, Promise<void>>();
  readonly #reportedWaits = new Map<number, string>();
  #cancelReason: unknown;
  #cancelled = false;
  #stop: StopReason = "cancelled";
  #endReason: EndReason | undefined;

  /** @param onEnded called with a task that has ended, completed or not */
  constructor(parts: ShellParts, reporter: Reporter, onEnded: (task: number) => void) {
    this.#parts = parts;
    this.#state = parts.state;
    this.#reporter = reporter;
    this.#onEnded = onEnded;
  }

  /** Undefined while tasks are open. */
  get endReason(): EndReason | undefined {
    return this.#endReason;
  }

  /** A failure keeps anything more from starting, or nothing is left that could. */
  get isHalted(): boolean {
    const { phase, open } = this.#state;
    return !this.#cancelled && (phase === "draining" || (phase === "ended" && open === 0));
  }

  begin(): void {
    this.#advance({ type: "begin" });
  }

  /** How the run ends where it was stopped. */
  get stopReason(): StopReason {
    return this.#stop;
  }

  cancel(reason: unknown, stop: StopReason): void {
    this.#cancelled = true;
    this.#cancelReason = reason;
    this.#stop = stop;
    if (this.#state.phase !== "new") this.#advance({ type: "cancel", drain: stop === "drained" });
  }

  /** Ends tasks that will not be reported any more: those of subgraphs that were never dispatched, or wait behind one that is suspended. */
  close(): void {
    for (let task = 0; task < this.#state.view.n; task++) {
      if (this.#state.state[task] !== TaskState.RUNNING) continue;
      if (this.#cancelled) this.#noteCancelled(task);
      this.#advance({ type: this.#cancelled ? "stopped" : "postponed", task });
    }
  }

  /** Those of `tasks` that are still to be executed. */
  open(tasks: readonly number[]): number[] {
    return tasks.filter((task) => !isTerminal(this.#state.state[task]!));
  }

  /** Those of `tasks` that wait for a person, a time or a signal. */
  waiting(tasks: readonly number[]): number[] {
    return tasks.filter((task) => this.#isGated(task) || this.#isAsleep(task));
  }

  /** What people are asked about a task that waits: itself, or what is within it. */
  questions(task: number): readonly { readonly id: string; readonly content_hash: string }[] {
    if (!this.#isGated(task)) return [];
    const within = waitingCalls(this.#parts.table.errors[task]);
    if (within.length > 0) return within;
    const id = this.#parts.table.tasks[task]!.task_id;
    return [{ id, content_hash: this.#parts.table.questions.get(task)?.content_hash ?? "" }];
  }

  /** Ids of what a task waits for that nobody is asked about: itself, or what is within it. */
  waits(task: number): string[] {
    const within = waitingCalls(this.#parts.table.errors[task]);
    if (within.length > 0) return within.flatMap(({ id, wait }) => (wait === undefined ? [] : [id]));
    return this.#isAsleep(task) ? [this.#parts.table.tasks[task]!.task_id] : [];
  }

  /** An answer, a time or a signal came: the task is executed again, and waits again if it was for another task. */
  reopen(task: number): void {
    if (this.#isGated(task)) this.#advance({ type: "approved", task });
    if (!this.#isAsleep(task)) return;
    this.#parts.table.waits.end(task);
    this.#parts.table.sleeping.delete(task);
    this.#advance({ type: "wake", task });
  }

  #isGated(task: number): boolean {
    return this.#state.state[task] === TaskState.GATED;
  }

  #isAsleep(task: number): boolean {
    return this.#state.state[task] === TaskState.ASLEEP;
  }

  /**
   * Takes the report of how a task ended. A report that is known already is ignored. Completions may be reported together: a task may follow those that it depends on
   * while these are still on their way into the journal.
   * @param sinceMs when its subgraph was dispatched, milliseconds since the run began.
   * @returns resolves when it is in the journal; rejects when it cannot be.
   */
  async take(task: number, report: TaskReport, sinceMs: number): Promise<void> {
    this.reopen(task);
    const writing = this.#writing.get(task);
    if (writing !== undefined) return writing;
    const { result } = report;
    const before = this.#state.state[task] === TaskState.RUNNING ? [] : this.#beingWritten(task);
    if (before === undefined || (before.length > 0 && result.status !== "completed")) return;
    this.#fill(task, report, sinceMs);
    if (result.status === "completed") {
      const output = result.output ?? null;
      const completing = this.#complete(task, output, before).finally(() => this.#writing.delete(task));
      this.#writing.set(task, completing);
      await completing;
    } else this.#takeOther(task, report);
  }

  /** Resolves when what was taken of `tasks` is in the journal, or was refused: until then they still count as running. */
  async written(tasks: readonly number[]): Promise<void> {
    if (this.#writing.size > 0) await Promise.allSettled(tasks.map((task) => this.#writing.get(task)));
  }

  /** @param before resolve when what it depends on has been completed */
  async #complete(task: number, output: unknown, before: readonly Promise<void>[]): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const refused = () => reject(new Error("The journal could not record it."));
      this.#reporter.completed(task, output, resolve, refused);
    });
    if (before.length > 0) await Promise.all(before);
    this.#advance({ type: "completed", task });
  }

  /** What a task waits for, where all of it is completed or on its way into the journal as such; undefined otherwise. */
  #beingWritten(task: number): Promise<void>[] | undefined {
    const { view, state } = this.#state;
    if (state[task] !== TaskState.WAITING) return undefined;
    const writing: Promise<void>[] = [];
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      const dependency = view.in[edge]!;
      const completing = this.#writing.get(dependency);
      if (completing !== undefined) writing.push(completing);
      else if (state[dependency] !== TaskState.COMPLETED) return undefined;
    }
    return writing;
  }

  fail(task: number, error: TaskError): void {
    if (this.#state.state[task] !== TaskState.RUNNING) return;
    this.#reporter.failed(task, error);
    this.#advance({ type: "failed", task });
  }

  /**
   * Ends a task whose executor is gone, and which will not be reported any more: it failed, after the attempts that were seen to begin, or is
   * skipped where `error` says so.
   * @param startedMs when its subgraph was dispatched, milliseconds since the run began.
   */
  cutOff(
    task: number,
    { attempts, uid, usage, spans = [] }: Pick<CutOff, "attempts" | "uid" | "usage" | "spans">,
    error: TaskError,
    startedMs: number,
  ): void {
    if (this.#state.state[task] !== TaskState.RUNNING) return;
    const [first, last] = [spans[0], spans.at(-1)];
    if (first !== undefined && last !== undefined) {
      const { task_id } = this.#parts.table.tasks[task]!;
      const duration_ms = spans.reduce((sum, [start, end]) => sum + end - start, 0);
      const ran = { attempts, started_ms: first[0], duration_ms, ...(uid !== undefined && { uid }) };
      const result = { task_id, status: "failed" as const, ...ran };
      this.#fill(task, { result, spans, ...(usage !== undefined && { usage }) }, startedMs);
    }
    if (skipCauses[error.code] === undefined) this.fail(task, error);
    else this.#skip(task, error);
  }

  /** Another attempt follows, in another dispatch. */
  retrying(task: number, attempts: number, error: TaskError, delayMs: number): void {
    this.#parts.table.errors[task] = error;
    this.#state.attempts[task] = attempts;
    this.#reporter.retrying(task, delayMs);
  }

  /** A failure halted the run before the task's subgraph was dispatched. */
  skipHalted(task: number): void {
    if (this.#state.state[task] !== TaskState.RUNNING) return;
    this.#reporter.refused(task, taskError(TaskErrorCode.HALTED, "The run was halted because a task failed."));
    this.#advance({ type: "unavailable", task });
  }

  #takeOther(task: number, report: TaskReport): void {
    const { table, approvals } = this.#parts;
    const { status, error: given } = report.result;
    const error = given ?? taskError(TaskErrorCode.FAILED, "It failed without a reason.");
    switch (status) {
      case "failed":
        this.fail(task, error);
        break;
      case "skipped":
        this.#skip(task, error);
        break;
      case "waiting_approval":
        table.errors[task] = given;
        this.#noteQuestion(task, report);
        this.#reporter.waiting(task, approvals.contentHash(task));
        // The core does not get that the question was asked: only the shell of the subgraphs knows when nothing else runs.
        this.#advance({ type: "gate", task });
        break;
      case "waiting":
        this.#sleep(task, report.result);
        break;
      default:
        if (this.#cancelled) this.#advance({ type: "stopped", task });
        else this.fail(task, taskError(TaskErrorCode.DISPATCH, `It came back as ${status}.`));
    }
  }

  /** What it waits for is kept apart from its record. There is one event for each wait. */
  #sleep(task: number, { error, wait }: TaskResult): void {
    const { table, host } = this.#parts;
    table.errors[task] = error;
    const within = waitingCalls(error);
    const ids = within.length > 0 ? within.map(({ id }) => id) : [table.tasks[task]!.task_id];
    if (!ids.every((id) => host.waits.has(id))) {
      const message = "It came back as waiting, and `waits` of the reply does not say for what.";
      this.fail(task, taskError(TaskErrorCode.DISPATCH, message));
      return;
    }
    if (wait !== undefined) {
      table.sleeping.set(task, wait);
      const text = JSON.stringify(wait);
      if (this.#reportedWaits.get(task) !== text) this.#reporter.sleeps(task, wait);
      this.#reportedWaits.set(task, text);
    }
    table.waits.begin(task, "time");
    this.#advance({ type: "sleep", task });
  }

  #skip(task: number, error: TaskError): void {
    const cause = skipCauses[error.code];
    this.#reporter.refused(task, error);
    this.#advance({ type: "unavailable", task, ...(cause !== undefined && { cause }) });
  }

  /** What a person is asked is kept: once approved, exactly that is executed, wherever the subgraph is dispatched to then. */
  #noteQuestion(task: number, { result, question, asked_hash }: TaskReport): void {
    const { uid, input, task_id } = result;
    const asked = question ?? this.#questionOf(task, result);
    if (asked === undefined || uid === undefined || input === undefined) return;
    this.#parts.table.questions.set(task, { ...asked, uid, input });
    this.#parts.earlier.set(task_id, {
      task_id,
      uid,
      input,
      question: asked,
      ...(asked_hash !== undefined && { asked_hash }),
    });
  }

  /** For a dispatcher that reports only in its reply that a task waits. */
  #questionOf(task: number, { content_hash, uid }: TaskResult): AskedQuestion | undefined {
    if (content_hash === undefined || uid === undefined) return undefined;
    const { approvals, table, registry } = this.#parts;
    const kind = resourcePin(table.tasks[task]!).kind ?? registry.catalogue.kindsOf(uid)[0];
    return kind && { content_hash, planned_hash: approvals.contentHash(task), kind };
  }

  /** Takes over times and usage of a task from its report. */
  #fill(task: number, { result, usage, asked_hash, spans, slot_ms, path_ms }: TaskReport, sinceMs: number): void {
    const { table, registry } = this.#parts;
    const { uid, attempts, started_ms, duration_ms, input, plan } = result;
    if (usage !== undefined) table.usage.set(task, usage);
    table.uids[task] = uid;
    if (result.elements !== undefined) table.elements.set(task, { counts: result.elements });
    if (result.cached === true) table.cached.add(task);
    if (asked_hash !== undefined) table.askedHashes.set(task, asked_hash);
    const kinds = uid === undefined ? [] : registry.catalogue.kindsOf(uid);
    const entry = kinds[0] && registry.find(kinds[0], uid!);
    if (entry !== undefined && kinds[0] !== undefined && input !== undefined && !isWaiting(result.status)) {
      const step = { uid: entry.resource.id, input_data: { ...input }, ...(plan !== undefined && { plan }) };
      table.prepared[task] = { ...entry, kind: kinds[0], step, task: table.tasks[task]! };
    }
    if (attempts === 0) return;
    table.startedMs[task] = sinceMs + started_ms;
    table.durationMs[task] = duration_ms;
    table.slotMs[task] = slot_ms ?? duration_ms;
    if (path_ms !== undefined) {
      table.longestMs.set(task, path_ms);
      table.listGroups.set(task, elementGroups(table.tasks[task]!, this.#state.limits, registry));
    }
    this.#state.attempts[task] = attempts;
    const last = spans?.at(-1);
    table.timing.endedMs[task] = sinceMs + (last?.[1] ?? started_ms + duration_ms);
    if (spans !== undefined && spans.length > 1) {
      table.timing.spans.set(
        task,
        spans.map(([start, end]) => [sinceMs + start, sinceMs + end] as const),
      );
    }
  }

  #advance(event: CoreEvent): void {
    const commands = advance(this.#state, event);
    for (const command of commands) {
      if (command.type === "skip") this.#reporter.skipped(command.task, command.because);
      if (command.type === "reopen") forgetEnd(this.#parts.table, command.task);
      if (command.type === "cancel") this.#noteCancelled(command.task);
      if (command.type === "finish") this.#endReason = command.endReason;
    }
    if ("task" in event && isTerminal(this.#state.state[event.task]!)) this.#onEnded(event.task);
    for (const command of commands) {
      if (command.type === "skip" || command.type === "cancel") this.#onEnded(command.task);
    }
  }

  #noteCancelled(task: number): void {
    const message = `${stopSentence(this.#stop, this.#cancelReason)}.`;
    this.#parts.table.errors[task] ??= taskError(TaskErrorCode.CANCELLED, message);
  }
}

/** A result that came with the reply, as a report. */
export function asReport(result: TaskResult, usage: TaskUsage | undefined): TaskReport {
  return usage === undefined ? { result } : { result, usage };
}

function isWaiting(status: TaskResult["status"]): boolean {
  return status === "waiting_approval" || status === "waiting";
}
