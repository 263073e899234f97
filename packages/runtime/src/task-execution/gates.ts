import { hashValue } from "@planloom/plan";
import { who, why } from "../approvals/answer-text.ts";
import type { PlanApprovals } from "../approvals/plan-approvals.ts";
import { editedStep } from "../approvals/question.ts";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { ApprovedCall } from "../executors/scope.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";
import { waitingCalls } from "../journal/waiting-call.ts";
import { type TaskError, TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { PlanChanges } from "./plan-changes.ts";
import type { Reporter } from "./reporter.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskTable } from "./task-table.ts";
import type { Waits } from "./waits.ts";

/** Asks people about steps that are ready, and handles their answers. Exactly what was approved is executed. */
export class Gates {
  readonly #parts: ShellParts;
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #approvals: PlanApprovals;
  readonly #reporter: Reporter;
  readonly #loop: CoreLoop;
  /** Why a task cannot be executed with the input that a person gave, by task. */
  readonly #faults = new Map<number, TaskError>();
  /** Answers for which an event was sent. */
  readonly #reported = new Map<number, ApprovalAnswer>();
  /** Version of the answers that were known inside a suspended task when it stopped. */
  readonly #knownAt = new Map<number, number>();
  readonly #replanning: PlanChanges | undefined;
  readonly #waits: Waits;

  constructor(parts: ShellParts, reporter: Reporter, loop: CoreLoop, waits: Waits) {
    this.#waits = waits;
    this.#parts = parts;
    this.#state = parts.state;
    this.#table = parts.table;
    this.#approvals = parts.approvals;
    this.#replanning = parts.replanning;
    this.#reporter = reporter;
    this.#loop = loop;
  }

  /** The number means another task now. */
  forget(task: number): void {
    this.#faults.delete(task);
    this.#reported.delete(task);
    this.#knownAt.delete(task);
  }

  /** Why the task cannot be executed as it was answered. */
  faultOf(task: number): TaskError | undefined {
    return this.#faults.get(task);
  }

  /** Whether a person said yes to the task's step. */
  wasAnswered(task: number): boolean {
    return this.#reported.has(task);
  }

  /** Whether the task's step may be executed now. Otherwise a person is asked first, and the core hears of it. */
  isOpen(task: number): boolean {
    const prepared = this.#table.prepared[task]!;
    if (!this.#approvals.needsApproval(task, prepared)) return true;
    const question = this.#approvals.questionAbout(task, prepared);
    const answer = this.#approvals.answerTo(task, question);
    // An edited input takes effect as soon as its answer arrives.
    if (answer?.answer === "approve" && answer.content_hash === question.content_hash) {
      this.#table.questions.set(task, question);
      this.#reportAnswer(task, answer);
      return true;
    }
    this.#loop.feed({ type: "gate", task });
    return false;
  }

  /** What a person said yes to before the task was executed, or something around it. */
  approvedCall(task: number): ApprovedCall | undefined {
    const prepared = this.#table.prepared[task]!;
    // Calls inside a task that was only confirmed are judged by the same policy, each by itself.
    if (!this.#approvals.isGated(task, prepared)) return this.#parts.approved;
    const { kind, step } = prepared;
    return { kind, uid: step.uid, inputHash: hashValue(step.input_data) };
  }

  /** The core wants to know: is there an answer, or is it waited for? */
  ask(task: number): void {
    // What waits inside a task is answered by its own id.
    const suspended = this.#table.errors[task]?.code === TaskErrorCode.WAITING;
    if (suspended) {
      if (this.#hasNews(task)) this.#open(task);
      else this.#wait(task);
      return;
    }
    const question = this.#approvals.questionAbout(task, this.#table.prepared[task]!);
    this.#table.questions.set(task, question);
    const answer = this.#approvals.answerTo(task, question);
    if (answer !== undefined) this.#answer(task, answer);
    else this.#wait(task);
  }

  #wait(task: number): void {
    this.#approvals.answers.asked = true;
    this.#reporter.waiting(task, this.#approvals.contentHash(task));
    this.#table.waits.begin(task, "approval");
    this.#loop.feed({ type: "waits", task });
  }

  /**
   * Something in the task waits, and the task with it: it starts again when an answer, a time or a signal has come.
   * @param version of the answers that were known inside when it stopped.
   */
  suspend(task: number, error: TaskError, version: number): void {
    this.#table.errors[task] = error;
    this.#knownAt.set(task, version);
    const calls = waitingCalls(error);
    if (calls.length > 0 && calls.every(({ wait }) => wait !== undefined)) {
      this.#waits.suspend(
        task,
        calls.map(({ id }) => id),
      );
      this.#replanning?.suspended();
      return;
    }
    // Looked for news when the core asks: an answer may come while this event waits for its turn.
    this.#loop.feed({ type: "gate", task });
    this.#replanning?.suspended();
  }

  #hasNews(task: number): boolean {
    const calls = waitingCalls(this.#table.errors[task]);
    const { waits } = this.#parts.host;
    if (calls.some(({ id, wait }) => wait !== undefined && waits.isOver(id))) return true;
    return this.#approvals.answers.hasNews(calls, this.#knownAt.get(task) ?? 0);
  }

  /** An answer that came during the run: to a task of this plan, or to something that waits in one. */
  hear({ task_id }: ApprovalAnswer): void {
    const { prefix } = this.#approvals;
    if (!task_id.startsWith(prefix)) return;
    const task = this.#state.view.indexOf(task_id.slice(prefix.length));
    if (task === -1) this.wake(task_id);
    if (task === -1 || this.#state.state[task] !== TaskState.GATED) return;
    if (this.#table.errors[task]?.code === TaskErrorCode.WAITING) return;
    const question = this.#table.questions.get(task);
    const answer = question && this.#approvals.answerTo(task, question);
    if (answer !== undefined) this.#answer(task, answer);
  }

  /** What waits under this id, in a task of this plan, was answered, or its time or signal has come. */
  wake(id: string): void {
    if (this.#state.gated === 0) return;
    for (const [task, error] of this.#table.errors.entries()) {
      if (error?.code !== TaskErrorCode.WAITING || this.#state.state[task] !== TaskState.GATED) continue;
      if (waitingCalls(error).some((call) => call.id === id)) this.#open(task);
    }
  }

  #open(task: number): void {
    this.#table.waits.end(task);
    this.#loop.feed({ type: "approved", task });
  }

  #answer(task: number, answer: ApprovalAnswer): void {
    this.#reportAnswer(task, answer);
    if (answer.answer === "deny") {
      const { by, note } = answer;
      const details = { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
      this.#reporter.refused(
        task,
        taskError(TaskErrorCode.DENIED, `${who(answer)} said no to it${why(answer)}.`, details),
      );
      this.#table.waits.end(task);
      this.#loop.feed({ type: "denied", task });
      return;
    }
    const fault = this.#edit(task, answer);
    if (fault !== undefined) this.#faults.set(task, fault);
    this.#open(task);
  }

  /** Once, though each attempt looks for the answer. */
  #reportAnswer(task: number, answer: ApprovalAnswer): void {
    if (this.#reported.get(task) === answer) return;
    this.#reported.set(task, answer);
    this.#reporter.answered(task, answer);
  }

  /** Puts the input of an answer in the place of the one that was asked about. @returns why it cannot be executed with that */
  #edit(task: number, { input, content_hash, edited_from }: ApprovalAnswer): TaskError | undefined {
    if (edited_from === undefined || input === undefined) return undefined;
    try {
      const edited = editedStep(this.#table.prepared[task]!, input, this.#parts.host.secrets);
      const question = this.#approvals.questionAbout(task, edited);
      if (question.content_hash !== content_hash) {
        const message = "The answer with an edited input is not about this input: its `content_hash` is another.";
        return taskError(TaskErrorCode.INVALID_INPUT, message);
      }
      this.#table.prepared[task] = edited;
      this.#table.questions.set(task, question);
      return undefined;
    } catch (thrown) {
      return taskErrorFrom(thrown);
    }
  }
}
