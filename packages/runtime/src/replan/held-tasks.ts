import { hasBegun } from "../core/revise.ts";
import type { RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import type { ReplanningHost } from "../task-execution/plan-changes.ts";

/** The tasks of a run that do not start while it is open whether they stay, and the waiting for those that run by then. */
export class HeldTasks {
  readonly #state: RunState;
  #host: Pick<ReplanningHost, "feed" | "isQuiet"> | undefined;
  #stopped = false;
  /** Called when a task ends, while the end of some tasks is awaited. */
  #onEnded: (() => void) | undefined;

  constructor(state: RunState) {
    this.#state = state;
  }

  begin(host: Pick<ReplanningHost, "feed" | "isQuiet">): void {
    this.#host = host;
  }

  /** A task does not run any more. */
  ended(): void {
    this.#onEnded?.();
  }

  /** Nothing is waited for any more. */
  stop(): void {
    this.#stopped = true;
    this.#onEnded?.();
  }

  hold(tasks: readonly number[]): void {
    const free = tasks.filter((task) => this.#state.held[task] === 0);
    if (free.length > 0) this.#host?.feed({ type: "hold", tasks: free });
  }

  /** Lets all go but those of `staying`. */
  releaseAll(staying: ReadonlySet<number> = new Set()): void {
    const state = this.#state;
    // What was to be held a moment ago is not held yet where the core rests: it would stay so, and the run would never end.
    const isBehind = this.#host?.isQuiet() === false;
    if (state.holding === 0 && !isBehind) return;
    const tasks: number[] = [];
    for (let task = 0; task < state.view.n; task++) {
      if ((isBehind || state.held[task] === 1) && !staying.has(task)) tasks.push(task);
    }
    if (tasks.length > 0) this.#host?.feed({ type: "release", tasks });
  }

  /** Tasks that can still be replaced. */
  notBegun(): number[] {
    const state = this.#state;
    const tasks: number[] = [];
    for (let task = 0; task < state.view.n; task++) {
      const now = state.state[task]!;
      const open = now === TaskState.SKIPPED ? state.blame[task] !== task : !isTerminal(now);
      if (open && !hasBegun(state, task)) tasks.push(task);
    }
    return tasks;
  }

  /** All that comes after those of these tasks that are completed, or may be in a moment. */
  consumersOf(tasks: readonly number[]): number[] {
    const { view, state } = this.#state;
    const sources = tasks.filter((task) => state[task] === TaskState.COMPLETED || this.#isBusy(task));
    const reached = new Set<number>(sources);
    for (const task of reached) {
      for (let edge = view.outPtr[task]!; edge < view.outPtr[task + 1]!; edge++) reached.add(view.out[edge]!);
    }
    for (const task of sources) reached.delete(task);
    return [...reached];
  }

  /** Resolves when these tasks have all stopped; held ones do not begin. */
  async quiet(tasks: readonly number[]): Promise<void> {
    await this.caughtUp();
    while (!this.#stopped && tasks.some((task) => this.#isBusy(task))) {
      await new Promise<void>((resolve) => {
        this.#onEnded = resolve;
      });
      await this.caughtUp();
    }
    this.#onEnded = undefined;
    this.hold(tasks);
  }

  /** Until the core knows of all that has happened: it may be given a rest while others have a turn. */
  async caughtUp(): Promise<void> {
    while (this.#host?.isQuiet() === false) await new Promise(setImmediate);
  }

  /** Under way, waiting for its next attempt included. */
  #isBusy(task: number): boolean {
    const state = this.#state;
    return !isTerminal(state.state[task]!) && hasBegun(state, task);
  }
}
