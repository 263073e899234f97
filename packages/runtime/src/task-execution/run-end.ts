import type { RunState } from "../core/run-state.ts";
import type { EndReason } from "../events.ts";
import { staysUntil } from "../waiting/stays-until.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { RecordWriter } from "./journal-writer.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskEnds } from "./task-ends.ts";
import type { Waits } from "./waits.ts";

/** What the end of a run looks at. */
export interface RunEndParts {
  readonly parts: ShellParts;
  readonly state: RunState;
  readonly loop: CoreLoop;
  readonly ends: TaskEnds;
  readonly waits: Waits;
  readonly writer: RecordWriter | undefined;
  /** Whether nothing can continue, for example since the journal fails. */
  isGivenUp(): boolean;
}

/** The end of a run. One that waits for a person, a time or a signal ends only after it has asked once more whether an answer came meanwhile. */
export class RunEnd {
  readonly #parts: RunEndParts;
  #finished = false;
  #answersKnown = 0;
  #resolve: ((endReason: EndReason) => void) | undefined;
  /** Resolves when the run has ended. */
  readonly ended: Promise<EndReason>;

  constructor(parts: RunEndParts) {
    this.#parts = parts;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** The version of the answers that were known when the run ended. */
  get answersKnown(): number {
    return this.#answersKnown;
  }

  /** The core says that the run has ended. */
  end(endReason: EndReason): void {
    const { parts, state, loop, ends, writer } = this.#parts;
    const { host, approvals } = parts;
    const { readAnswers } = host;
    const finish = () => {
      this.#answersKnown = approvals.answers.version;
      this.#finished = true;
      this.#resolve?.(endReason === "cancelled" ? ends.stopReason : endReason);
    };
    const isWaiting = endReason === "waiting_approval" || endReason === "waiting";
    if (!isWaiting || (readAnswers === undefined && state.asleep === 0)) {
      finish();
      return;
    }
    const unlessAnswered = () => {
      if (!loop.quiet) setImmediate(unlessAnswered);
      else if (state.phase === "ended" && !this.#waitsHere()) finish();
    };
    // A listener that gets `task-waiting` may answer at once.
    const read = async () => {
      await writer?.flush();
      await readAnswers?.();
      await host.waits.settled();
    };
    read().then(unlessAnswered, unlessAnswered);
  }

  /** What is due soon is not worth ending the process's work: the run continues when it has come. */
  #waitsHere(): boolean {
    const { parts, state, waits } = this.#parts;
    if (state.asleep === 0 || this.#parts.isGivenUp()) return false;
    return staysUntil(waits.nextDue(), parts.host.waits, parts.host.waitHereMs);
  }
}
