import { type ReferenceLookup, resourcePin } from "@planloom/plan";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import { showInput } from "../input/prepare-step.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";
import type { Replanning } from "../replan/replanning.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import { waitingCalls } from "../waiting-call.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { Reporter } from "./reporter.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskTable } from "./task-table.ts";

/** Asks people about tasks, and hears their answers. */
export class Gates {
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #desk: ApprovalDesk;
  readonly #lookup: ReferenceLookup;
  readonly #reporter: Reporter;
  readonly #loop: CoreLoop;
  /** Version of the answers that were known inside a suspended task when it stopped. */
  readonly #knownAt = new Map<number, number>();
  readonly #replanning: Replanning | undefined;

  constructor(
    { state, table, desk, lookup, replanning }: Pick<ShellParts, "state" | "table" | "desk" | "lookup" | "replanning">,
    reporter: Reporter,
    loop: CoreLoop,
  ) {
    this.#state = state;
    this.#table = table;
    this.#desk = desk;
    this.#lookup = lookup;
    this.#reporter = reporter;
    this.#loop = loop;
    this.#replanning = replanning;
  }

  ask(task: number): void {
    const step = this.#table.prepared[task]?.step;
    // What waits inside a task is answered by its own id.
    const suspended = this.#table.errors[task]?.code === TaskErrorCode.WAITING;
    const said = suspended ? undefined : this.#desk.answerFor(task, step?.uid);
    if (said !== undefined) {
      this.#answer(task, said);
      return;
    }
    if (suspended && this.#hasNews(task)) {
      this.#open(task);
      return;
    }
    this.#desk.book.asked = true;
    const planned = this.#table.tasks[task]!;
    const uid = step?.uid ?? resourcePin(planned).uid;
    const input = step?.input_data ?? showInput(planned, this.#lookup);
    if (input !== undefined) this.#table.shown.set(task, input);
    this.#reporter.waiting(task, this.#desk.contentHash(task), uid, input);
    this.#table.waits.begin(task, "approval");
    this.#loop.feed({ type: "waits", task });
  }

  /**
   * Something in the task waits for a person, and the task with it; it starts again when an answer comes.
   * @param version of the answers that were known inside when it stopped.
   */
  suspend(task: number, error: TaskError, version: number): void {
    this.#table.errors[task] = error;
    this.#knownAt.set(task, version);
    // Looked for news when the core asks: an answer may come while this event waits for its turn.
    this.#loop.feed({ type: "gate", task });
    this.#replanning?.suspended();
  }

  #hasNews(task: number): boolean {
    return this.#desk.book.hasNews(waitingCalls(this.#table.errors[task]), this.#knownAt.get(task) ?? 0);
  }

  /** An answer that came while the run goes on: to a task of this plan, or to something that waits in one. */
  hear({ task_id }: ApprovalAnswer): void {
    const { prefix } = this.#desk;
    if (!task_id.startsWith(prefix)) return;
    const task = this.#state.view.indexOf(task_id.slice(prefix.length));
    if (task === -1) this.#wake(task_id);
    if (task === -1 || this.#state.state[task] !== TaskState.GATED) return;
    const said = this.#desk.answerFor(task, this.#table.prepared[task]?.step.uid);
    if (said !== undefined) this.#answer(task, said);
  }

  #wake(id: string): void {
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

  #answer(task: number, said: ApprovalAnswer["answer"]): void {
    this.#reporter.answered(task, said);
    if (said === "deny") {
      this.#reporter.refused(task, taskError(TaskErrorCode.DENIED, "A person said no to it."));
      this.#table.waits.end(task);
      this.#loop.feed({ type: "denied", task });
    } else this.#open(task);
  }
}
