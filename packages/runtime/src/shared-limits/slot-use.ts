import type { CallLength } from "@planloom/plan/internals";

/** What slot time is counted for: a run in the order of turns. */
export interface Served {
  /** @param ms slot time it has had; below 0 what was counted too much @param hadTurn false for a call that nobody else waited beside */
  serve(ms: number, hadTurn: boolean): void;
  /** @param key that of the resource of a call @param by 1 when the call has its slot, -1 when it has it no more */
  holds(key: string, by: 1 | -1): void;
}

/**
 * The slot time of one call. It is counted for the call's run as soon as the call begins, as long as calls of its resource take, so that a run does not
 * get all slots at once; when the call has ended, as long as it took.
 */
export class SlotUse {
  readonly #run: Served;
  readonly #hadTurn: boolean;
  readonly #onEnd: (tookMs: number) => void;
  readonly #key: string;
  readonly #length: CallLength;
  readonly #now: () => number;
  readonly #beganMs: number;
  readonly #countedMs: number;

  /**
   * @param hadTurn false for a call that nobody else waited beside
   * @param key that of the call's resource
   * @param onEnd called when the call has ended, with how long it took
   */
  constructor(
    run: Served,
    hadTurn: boolean,
    key: string,
    length: CallLength,
    now: () => number,
    onEnd: (tookMs: number) => void,
  ) {
    this.#run = run;
    this.#hadTurn = hadTurn;
    this.#onEnd = onEnd;
    this.#key = key;
    this.#length = length;
    this.#now = now;
    this.#beganMs = now();
    this.#countedMs = length.expectedMs;
    run.serve(this.#countedMs, hadTurn);
    run.holds(key, 1);
  }

  end(): void {
    const tookMs = this.#now() - this.#beganMs;
    this.#run.serve(this.#length.ended(tookMs) - this.#countedMs, this.#hadTurn);
    this.#onEnd(tookMs);
    this.#run.holds(this.#key, -1);
  }

  /** The call was not made. */
  undo(): void {
    this.#run.serve(-this.#countedMs, this.#hadTurn);
    this.#run.holds(this.#key, -1);
  }
}
