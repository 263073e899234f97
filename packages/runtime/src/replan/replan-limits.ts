import type { RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import type { EndReason, PatchRefusal } from "../events.ts";
import type { ReplanSettings } from "../ports/replan-policy.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";

export interface Refusal {
  readonly code: PatchRefusal;
  readonly message: string;
}

/** How often a run may still be changed, and whether that leads anywhere. */
export class ReplanLimits {
  readonly #settings: ReplanSettings;
  readonly #state: RunState;
  #count: number;
  /** Changes in a row after which nothing of what they added was completed. */
  #stalls = 0;
  /** Numbers of what the last change added. */
  #lastAdded: readonly number[] = [];
  /** Everything that changes have added. */
  readonly #added = new Set<string>();
  #exhausted: "round_limit" | "stalled" | undefined;

  /** @param askedBefore changes that were asked for in earlier sessions, and @param earlier those that were made */
  constructor(settings: ReplanSettings, state: RunState, askedBefore: number, earlier: readonly StoredRevision[]) {
    this.#settings = settings;
    this.#state = state;
    const made = earlier.filter(({ causes }) => causes.some(({ cause }) => cause !== "person")).length;
    this.#count = Math.max(askedBefore, made);
    for (const { patch } of earlier) for (const { task_id } of patch.tasks) this.#added.add(task_id);
  }

  /** Takes over what changes led to in the session before, which this one continues. O(changes and what they added) */
  continueFrom(earlier: readonly StoredRevision[]): void {
    let before: readonly string[] = [];
    for (const { patch } of earlier) {
      if (makesTasksOfElements(patch)) continue;
      this.#stalls = this.#hasProgressed(before) ? 0 : this.#stalls + 1;
      before = [...patch.tasks.map(({ task_id }) => task_id), ...patch.renewed.map(({ new_task_id }) => new_task_id)];
    }
    this.#lastAdded = before.map((id) => this.#state.view.indexOf(id)).filter((task) => task !== -1);
  }

  /** As `#progressed`, of a change of before: what is not in the plan any more has been replaced, since it failed. */
  #hasProgressed(added: readonly string[]): boolean {
    const states = added.map((id) => this.#state.state[this.#state.view.indexOf(id)] ?? TaskState.REPLACED);
    const ended = states.filter((now) => isTerminal(now));
    return ended.length === 0 || ended.includes(TaskState.COMPLETED);
  }

  /** Questions asked, with or without a usable answer. */
  get count(): number {
    return this.#count;
  }

  get usedUp(): boolean {
    return this.#count >= this.#settings.maxReplans;
  }

  /** Why a task that is about to fail cannot be replaced; undefined when it may be. */
  refuses(task: number, taskId: string): Refusal | undefined {
    if (!this.#settings.recursive && this.#added.has(taskId)) {
      return { code: "round_limit", message: "It already replaces another task, and `recursive` is off." };
    }
    const { maxStalls } = this.#settings;
    if (!this.#progressed(task) && this.#stalls + 1 >= maxStalls) {
      this.#exhausted = "stalled";
      return {
        code: "stalled",
        message: `${maxStalls} changes in a row did not help: none of their tasks was completed.`,
      };
    }
    return this.usedUp ? this.useUp() : undefined;
  }

  /** A failure finds no question left. */
  useUp(): Refusal {
    this.#exhausted ??= "round_limit";
    return this.refusal;
  }

  get refusal(): Refusal {
    const message = `The plan may be changed at most ${this.#settings.maxReplans} times in this run.`;
    return { code: "round_limit", message };
  }

  asked(): void {
    this.#stalls = this.#progressed() ? 0 : this.#stalls + 1;
    this.#count++;
  }

  /** @param numbers of the new tasks */
  changed({ patch }: StoredRevision, numbers: readonly number[]): void {
    this.#lastAdded = numbers;
    for (const { task_id } of patch.tasks) this.#added.add(task_id);
  }

  /** How the run ended, where that is due to these limits. */
  endReason(reason: EndReason): EndReason {
    return reason === "failed" && this.#exhausted !== undefined ? this.#exhausted : reason;
  }

  /** False when what the last change added has failed before any of it was completed. @param failing is about to fail. */
  #progressed(failing?: number): boolean {
    const { state } = this.#state;
    const ended = this.#lastAdded.filter((task) => isTerminal(state[task]!) || task === failing);
    return ended.length === 0 || ended.some((task) => state[task] === TaskState.COMPLETED);
  }
}

/** The change that makes tasks of elements of a list (`splitElements`); nothing was asked for. */
function makesTasksOfElements({ tasks, replacements }: StoredRevision["patch"]): boolean {
  const gone = new Set(replacements.map(({ task_id }) => task_id));
  return tasks.some(({ for_each }) => for_each?.continues?.some((id) => gone.has(id)) === true);
}
