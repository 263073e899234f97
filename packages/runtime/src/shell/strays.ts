import type { Attempt, AttemptOutcome } from "./attempt.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { ShellParts } from "./shell-parts.ts";

/** True when the work ignored its signal and may still go on. */
export function isAbandoned(outcome: AttemptOutcome): boolean {
  return (outcome.type === "timeout" || outcome.type === "stopped") && outcome.abandoned;
}

/** Attempts that were abandoned: their slots stay taken until they have really ended, also where the run goes on in a later session. */
export class Strays {
  readonly #parts: ShellParts;
  readonly #loop: CoreLoop;

  constructor(parts: ShellParts, loop: CoreLoop) {
    this.#parts = parts;
    this.#loop = loop;
  }

  /**
   * Before the core hears how the attempt ended. One that had lent its slots to a nested plan holds none.
   * @param onSettled called when it has really ended
   */
  note(task: number, attempt: Attempt, onSettled?: () => void): void {
    const { state, table, strayed } = this.#parts;
    attempt.onSettled = onSettled;
    if (state.holdsSlots[task] === 0) return;
    const prepared = table.prepared[task];
    const ended = strayed?.({ kind: prepared?.kind, uid: prepared?.resource.id });
    this.#loop.feed({ type: "strayed", task });
    attempt.onSettled = () => {
      onSettled?.();
      ended?.();
      this.#loop.feed({ type: "settled", task });
    };
  }
}
