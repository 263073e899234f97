import { CodedError } from "@planloom/plan/coded-error";

/** Codes of `RuntimeError`. Each line says when it is thrown and which `details` it carries. */
export const RuntimeErrorCode = {
  /** The plan cannot run at all: wrong shape, a cycle, an unknown dependency; `details.issues`, `cause`. Cure: Mend what `details.issues` names. */
  INVALID_PLAN: "RUNTIME_INVALID_PLAN",
  /** An option is out of its range; `details.option`. Cure: Give the option a value as the message says. */
  INVALID_OPTION: "RUNTIME_INVALID_OPTION",
  /**
   * Tasks name secrets that the run is not given; `details.missing` lists `{ name, task_id, argument_path }`. Cure: Give the run the secrets
   * that `details.missing` names (`secrets`, `--secret`).
   */
  SECRET_MISSING: "RUNTIME_SECRET_MISSING",
  /** A tool, agent, llm, workflow or executor is not defined as it must be; `details.id`. Cure: Mend the definition that `details.id` names. */
  INVALID_DEFINITION: "RUNTIME_INVALID_DEFINITION",
  /**
   * Two executors, or one twice, offer the same resource; `details.kind`, `details.id`. Cure: Give one of the two another id, or leave one
   * executor out.
   */
  DUPLICATE_RESOURCE: "RUNTIME_DUPLICATE_RESOURCE",
  /** A task cannot be routed: its `sub_type` is not a known kind; `details.sub_type`. Cure: Use agent, tool, llm or dsl. */
  UNSUPPORTED_SUB_TYPE: "RUNTIME_UNSUPPORTED_SUB_TYPE",
  /** `executeModule` alone: the task failed; `details.error` is its `TaskError`. Cure: See the code of `details.error`. */
  TASK_FAILED: "RUNTIME_TASK_FAILED",
  /** A run of this id is in the journal already; `details.run_id`. Cure: Take another `runId`; a repeated request may take this as done. */
  RUN_EXISTS: "RUNTIME_RUN_EXISTS",
  /** The journal has no run of this id; `details.run_id`. Cure: Give the whole id of a run that was not deleted. */
  RUN_NOT_FOUND: "RUNTIME_RUN_NOT_FOUND",
  /**
   * Another process or person changed the plan of the run in the meantime; `details.run_id`, `details.expected`, `details.actual` are revisions.
   * Cure: Load the plan as it is now, and change that.
   */
  REVISION_CONFLICT: "RUNTIME_REVISION_CONFLICT",
  /** A change of a run's plan is refused; `details.issues`. Cure: Propose a change without what `details.issues` names. */
  REVISION_REFUSED: "RUNTIME_REVISION_REFUSED",
  /**
   * An answer for a task that the run does not have, or an output of one that was not completed; `details.run_id`, `details.task_id`. Cure: Give
   * the id of a task of the run.
   */
  TASK_NOT_FOUND: "RUNTIME_TASK_NOT_FOUND",
  /**
   * An answer for a task that was not asked about yet: its input does not exist, or its call was begun and the run was not resumed since
   * (`details.begun_at`); `details.run_id`, `details.task_id`, `details.waits_for` are the tasks it waits for. Cure: Wait until the run asks
   * (`waitingFor`); where `details.begun_at` is there, resume the run first.
   */
  NOT_YET_ASKED: "RUNTIME_NOT_YET_ASKED",
  /**
   * An approval of a call that was denied before; `details.run_id`, `details.task_id`, `details.by`, `details.answered_at`. Cure: Fork the run
   * from that task to have the call asked about again.
   */
  ALREADY_DENIED: "RUNTIME_ALREADY_DENIED",
  /**
   * A yes that would undo one with an edited input, or with the output of a call; `details.run_id`, `details.task_id`, `details.by`,
   * `details.answered_at`, `details.input` or `details.output` are of that one. Cure: Answer with `replace: true` if that answer is to be
   * replaced.
   */
  ALREADY_ANSWERED: "RUNTIME_ALREADY_ANSWERED",
  /**
   * An answer with an edited input that cannot be used; `details.task_id`, `details.issues`. Cure: Give an input that fits the resource's
   * schema, or answer each call by its own id.
   */
  INVALID_ANSWER: "RUNTIME_INVALID_ANSWER",
  /**
   * The answer was given to another question than the one that is asked now (`contentHash`); `details.run_id`, `details.task_id`,
   * `details.expected`, `details.actual` are content hashes. Cure: Look at what is asked now, and answer that with its `content_hash`.
   */
  QUESTION_CHANGED: "RUNTIME_QUESTION_CHANGED",
  /**
   * An answer for a task that has ended already; `details.run_id`, `details.task_id`, `details.status`. Cure: Nothing is left to answer; to stop
   * a call that is being made, cancel the run.
   */
  NOT_WAITING: "RUNTIME_NOT_WAITING",
  /**
   * As many runs wait as may wait; nothing was begun or kept of this one. `details.scope`, `details.tenant`, `details.queued`,
   * `details.max_queued_runs`, `details.running`, `details.max_runs`. Cure: Try again later, or raise `maxQueuedRuns` or `maxRuns`.
   */
  QUEUE_FULL: "RUNTIME_QUEUE_FULL",
  /** A signal for a run that has ended; `details.run_id`, `details.status`. Cure: Send signals to a run that has not ended. */
  RUN_ENDED: "RUNTIME_RUN_ENDED",
  /**
   * A signal that cannot be taken: its data is not JSON, is too large, or does not fit what the tasks wait for; `details.issues`,
   * `details.max_bytes`. Cure: Send JSON data that fits the schema of the wait; `details.issues` says what does not.
   */
  INVALID_SIGNAL: "RUNTIME_INVALID_SIGNAL",
  /** A signal with the id of another that says something else; `details.run_id`, `details.id`. Cure: Take another id for another signal. */
  SIGNAL_CONFLICT: "RUNTIME_SIGNAL_CONFLICT",
  /**
   * As many signals of the run wait to be taken as may; `details.run_id`, `details.max_signals`. Cure: Wait until the run has taken some, or
   * raise its `max_signals`.
   */
  SIGNALS_FULL: "RUNTIME_SIGNALS_FULL",
  /** Nothing is due in a run that is to be resumed only then; `details.run_id`. Cure: Nothing: the run is resumed when it is due. */
  NOT_DUE: "RUNTIME_NOT_DUE",
  /**
   * The journal has no methods for waits and signals; `details.journal`. Cure: Give the run a journal that has the methods for waits, such as
   * `SqliteJournal`.
   */
  NO_WAITS: "RUNTIME_NO_WAITS",
  /** Another process runs this run; `details.owner`. Cure: Leave the run to the process that has it, or wait until that process has ended. */
  RUN_LEASED: "RUNTIME_RUN_LEASED",
  /** Another process took the run over while this one ran it; `details.run_id`. Cure: Leave the run to the process that has it now. */
  LEASE_LOST: "RUNTIME_LEASE_LOST",
  /**
   * `cancelRun`: the run has ended already; `details.run_id`, `details.status`. `markTasks`: the run is not executed in this process;
   * `details.run_id`. Cure: Nothing is left to stop; `resume` continues a run that failed or was cancelled.
   */
  NOT_RUNNING: "RUNTIME_NOT_RUNNING",
  /** The journal's file cannot be opened; `details.file`, `cause`. Cure: Check that the folder exists and that the program may write to it. */
  JOURNAL_OPEN: "RUNTIME_JOURNAL_OPEN",
  /**
   * The journal was written by a newer version; `details.version`, `details.supported`. Cure: Use the version of Planloom that wrote it, or a
   * newer one.
   */
  JOURNAL_NEWER: "RUNTIME_JOURNAL_NEWER",
  /**
   * The file is a database of another program, or no database; `details.file`. Cure: Give the file of a journal, or a file that is not there
   * yet.
   */
  JOURNAL_FOREIGN: "RUNTIME_JOURNAL_FOREIGN",
  /**
   * Another process holds the database's lock for too long; `details.file`. Cure: End the process that holds the file, or raise `busyTimeoutMs`.
   */
  JOURNAL_LOCKED: "RUNTIME_JOURNAL_LOCKED",
  /**
   * The journal cannot be written (disk full, read-only, closed); nothing more was started; `cause`. Cure: Free space or give the right to
   * write, then resume the run.
   */
  JOURNAL_WRITE: "RUNTIME_JOURNAL_WRITE",
  /**
   * A call of the journal has not settled within `journalTimeoutMs`; nothing more was started; `details.method`, `details.timeout_ms`. Cure:
   * Look for what holds the journal up, or raise `journalTimeoutMs`; then resume the run.
   */
  JOURNAL_TIMEOUT: "RUNTIME_JOURNAL_TIMEOUT",
  /** What the journal holds cannot be read; `details.run_id`, `cause`. Cure: Restore the journal from a backup. */
  JOURNAL_READ: "RUNTIME_JOURNAL_READ",
  /**
   * What the journal holds of a run is not what was written: changed, or damaged; `details.problems`, and `details.run_id` or `details.file`.
   * Cure: Restore the journal from a backup; do not resume the run.
   */
  JOURNAL_CORRUPT: "RUNTIME_JOURNAL_CORRUPT",
  /**
   * The checksums of a run are made with a key that the journal was not opened with; `details.run_id`. Cure: Open the journal with the key it
   * was written with (`PLANLOOM_JOURNAL_KEY`).
   */
  JOURNAL_KEY: "RUNTIME_JOURNAL_KEY",
  /**
   * Workers of a queue and processes that dispatch to it are of versions whose dispatches have different formats, so that they give each other
   * nothing; `details.queue`, `details.formats`, `details.supported`. Cure: Have workers of the version that began the run until it has ended,
   * or end its process and resume it by the newer version.
   */
  DISPATCH_FORMAT: "RUNTIME_DISPATCH_FORMAT",
} as const;
export type RuntimeErrorCode = (typeof RuntimeErrorCode)[keyof typeof RuntimeErrorCode];

/** The one error class of this package. Its `code` says which error it is. A failing task does not throw one, see `TaskError`. */
export class RuntimeError extends CodedError<RuntimeErrorCode> {
  override readonly name = "RuntimeError";
}
