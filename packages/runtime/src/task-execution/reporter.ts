import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { EventSink } from "../event-sink.ts";
import type { ApprovalAnswer, TaskRecord } from "../journal/journal.ts";
import { cloneJson, jsonCopy } from "../json-copy.ts";
import type { WaitView } from "../ports/wait-view.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import type { RecordWriter } from "./journal-writer.ts";
import type { ShellParts } from "./shell-parts.ts";
import { makeRecord } from "./task-record.ts";
import type { TaskTable } from "./task-table.ts";

/** Reports the states and results of tasks to listeners and to the journal, and keeps them in the table. */
export class Reporter {
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #events: EventSink;
  readonly #writer: RecordWriter | undefined;
  readonly #startedAt: number;
  readonly #giveUp: (error: unknown) => void;

  /** @param giveUp ends the run where a record cannot be made */
  constructor(
    { state, table, events, startedAt }: Pick<ShellParts, "state" | "table" | "events" | "startedAt">,
    writer: RecordWriter | undefined,
    giveUp: (error: unknown) => void,
  ) {
    this.#state = state;
    this.#table = table;
    this.#events = events;
    this.#writer = writer;
    this.#startedAt = startedAt;
    this.#giveUp = giveUp;
  }

  started(task: number): void {
    if (!this.#events.active) return;
    const uid = this.#table.prepared[task]?.step.uid;
    const attempt = this.#state.attempts[task]!;
    this.#events.emit({ type: "task-start", taskId: this.#id(task), attempt, ...(uid !== undefined && { uid }) });
  }

  progress(task: number, progress: unknown, maxBytes: number): void {
    if (!this.#events.active) return;
    try {
      const { value } = jsonCopy(progress, { maxBytes });
      const attempt = this.#state.attempts[task]!;
      this.#events.emit({ type: "task-progress", taskId: this.#id(task), attempt, progress: value });
    } catch {
      // Progress that is not JSON is left out; the work continues.
    }
  }

  retrying(task: number, delayMs: number): void {
    const error = this.#table.errors[task];
    if (!this.#events.active || error === undefined) return;
    const attempt = this.#state.attempts[task]!;
    this.#events.emit({ type: "task-retry", taskId: this.#id(task), attempt, delayMs, error: cloneJson(error) });
  }

  /** `committed` is called once the completion is safe in the journal (at once without one), `refused` if it never will be. */
  completed(task: number, output: unknown, committed: () => void, refused: () => void): void {
    this.#table.outputs.set(task, output);
    this.#table.errors[task] = undefined;
    const recorded = () => {
      if (this.#events.active) {
        const attempts = this.#state.attempts[task]!;
        const durationMs = this.#table.durationMs[task]!;
        this.#events.emit({
          type: "task-end",
          taskId: this.#id(task),
          attempts,
          durationMs,
          output: cloneJson(output),
        });
      }
      committed();
    };
    this.#record(task, "completed", recorded, refused);
  }

  failed(task: number, error: TaskError): void {
    this.#table.errors[task] = error;
    this.#write(task, "failed");
    // Preparing a task counts as no attempt.
    const attempts = Number.isNaN(this.#table.startedMs[task]) ? 0 : this.#state.attempts[task]!;
    if (this.#events.active)
      this.#events.emit({ type: "task-error", taskId: this.#id(task), attempts, error: cloneJson(error) });
  }

  /** The core skipped `task`, which cannot do without `because`. */
  skipped(task: number, because: number): void {
    const origin = this.#id(because);
    const error = this.#skipError(because, origin);
    this.#table.errors[task] = error;
    this.#write(task, "skipped");
    if (this.#events.active)
      this.#events.emit({ type: "task-skip", taskId: this.#id(task), because: origin, error: cloneJson(error) });
  }

  /**
   * A person is asked about the task, or about something in it. The event is sent once it is recorded, so that an answer finds it.
   * @param contentHash the task's own, for a task in which something waits.
   */
  waiting(task: number, contentHash: string): void {
    const suspended = this.#table.errors[task]?.code === TaskErrorCode.WAITING;
    const question = suspended ? undefined : this.#table.questions.get(task);
    const step = this.#table.prepared[task]?.step;
    const uid = question?.uid ?? step?.uid;
    const input = question?.input ?? step?.input_data;
    this.#table.uids[task] ??= uid;
    const recorded = () => {
      if (!this.#events.active) return;
      this.#events.emit({
        type: "task-waiting",
        taskId: this.#id(task),
        contentHash: question?.content_hash ?? contentHash,
        ...(uid !== undefined && { uid }),
        ...(input !== undefined && { input: cloneJson(input) as Record<string, unknown> }),
        ...(question !== undefined && { kind: question.kind }),
        ...(question?.parameters && { parameters: cloneJson(question.parameters) as Record<string, unknown> }),
        ...(question?.convertor_code !== undefined && { convertorCode: question.convertor_code }),
        ...(question?.retry_until !== undefined && { retryUntil: cloneJson(question.retry_until) }),
        ...(question?.revision !== undefined && { revision: question.revision }),
      });
    };
    this.#record(task, "waiting_approval", recorded, ignore);
  }

  /** The task sleeps. What it waits for is kept apart from the records of tasks. @param wait absent where something in the task waits */
  sleeps(task: number, wait?: WaitView): void {
    if (this.#events.active)
      this.#events.emit({ type: "task-wait", taskId: this.#id(task), ...(wait !== undefined && { wait }) });
  }

  answered(task: number, { answer, by, note }: ApprovalAnswer): void {
    if (!this.#events.active) return;
    const about = { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
    this.#events.emit({ type: "task-approve", taskId: this.#id(task), answer, ...about });
  }

  /** The task itself is skipped, and says why; what depends on it follows. */
  refused(task: number, error: TaskError): void {
    this.#table.errors[task] = error;
    this.#write(task, "skipped");
    if (this.#events.active) this.#events.emit({ type: "task-skip", taskId: this.#id(task), error: cloneJson(error) });
  }

  #skipError(because: number, origin: string): TaskError {
    const details = { task_id: origin };
    const wasSkipped =
      this.#state.state[because] === TaskState.SKIPPED || skipCodes.has(this.#table.errors[because]?.code);
    if (this.#state.halts[because] === 1 && !wasSkipped) {
      return taskError(TaskErrorCode.HALTED, `The run was halted because task "${origin}" failed.`, details);
    }
    const why = wasSkipped ? "was skipped" : "failed";
    return taskError(TaskErrorCode.DEPENDENCY, `It depends on task "${origin}", which ${why}.`, details);
  }

  /** Nothing waits for it: no task starts because another failed or was skipped. */
  #write(task: number, status: "failed" | "skipped"): void {
    this.#record(task, status, ignore, ignore);
  }

  /** A record that cannot be made, as of a text that is longer than texts can be, ends the run as a journal that cannot be written does. */
  #record(task: number, status: TaskRecord["status"], committed: () => void, refused: () => void): void {
    const writer = this.#writer;
    if (writer === undefined) {
      committed();
      return;
    }
    try {
      writer.add(makeRecord(task, status, this.#state, this.#table, this.#startedAt), committed, refused);
    } catch (error) {
      this.#giveUp(error);
      refused();
    }
  }

  #id(task: number): string {
    return this.#table.tasks[task]!.task_id;
  }
}

/** Why a task itself was skipped, in contrast to having failed. */
const skipCodes: ReadonlySet<string | undefined> = new Set([
  TaskErrorCode.UNAVAILABLE,
  TaskErrorCode.DENIED,
  TaskErrorCode.BUDGET,
  TaskErrorCode.STALLED,
  TaskErrorCode.NOT_MET,
]);

function ignore(): void {}
