import { advance } from "../core/advance.ts";
import type { Command, CoreEvent } from "../core/core-event.ts";
import type { RunState } from "../core/run-state.ts";
import type { FamilyLimits } from "./family-limits.ts";

/** How long events may be handled without a turn of the event loop, so that timers and signals are heard. */
const longestTurnMs = 10;

/** Feeds events to the core, one after the other, and hands on what it commands. */
export class CoreLoop {
  readonly #state: RunState;
  readonly #family: FamilyLimits;
  readonly #obey: (command: Command) => void;
  readonly #queue: CoreEvent[] = [];
  #draining = false;
  #paused = false;
  #turnBegan = performance.now();

  constructor(state: RunState, family: FamilyLimits, obey: (command: Command) => void) {
    this.#state = state;
    this.#family = family;
    this.#obey = obey;
  }

  /** No event waits to be handled. */
  get quiet(): boolean {
    return this.#queue.length === 0;
  }

  /** Also from within `obey`: the event waits for those before it. */
  feed(event: CoreEvent): void {
    this.#queue.push(event);
    if (!this.#draining && !this.#paused) this.#drain();
  }

  #drain(): void {
    this.#draining = true;
    const queue = this.#queue;
    for (let at = 0; at < queue.length; at++) {
      for (const command of advance(this.#state, queue[at]!)) this.#obey(command);
    }
    queue.length = 0;
    this.#draining = false;
    this.#family.noticeReleases();
    if (performance.now() - this.#turnBegan > longestTurnMs) this.#pause();
  }

  /** Executors that never wait would otherwise keep every timer and signal from being heard until the run has ended. */
  #pause(): void {
    this.#paused = true;
    setImmediate(() => {
      this.#paused = false;
      this.#turnBegan = performance.now();
      if (this.#queue.length > 0) this.#drain();
    });
  }
}
