import type { RunClaim } from "@planloom/plan/internals";
import type { Counter } from "./counter.ts";
import type { SharedLane } from "./processes/call-share.ts";

/** A slot is kept for at most this part of what the call before took: so much of its time may be lost. */
const mostOfCall = 1 / 8;
/** So many of the newest pauses of a run are remembered. */
const remembered = 3;
/** More calls than that do not end without another being asked for, unless the run is at its end. */
const mostEnds = 64;

/** A run of which calls wait, or may soon. */
interface PausingRun {
  readonly claim: RunClaim;
  /** Where calls of it wait. */
  readonly lines: { readonly size: number };
}

/** A run between the end of a call and the next one that it asks for. */
export interface Pause {
  readonly run: PausingRun;
  /** That of the call which has ended. */
  readonly lane: SharedLane;
  readonly sinceMs: number;
  /** A slot is kept for the run until then. */
  readonly untilMs: number;
  /** The limits for which more calls were made or waited than they allow when the call ended. */
  readonly full: readonly Counter[];
}

/**
 * How long a run takes from the end of a call until it asks for the next. A run of which each call needs the one before never waits when a slot becomes free: it asks a moment later, once the end is in the
 * journal or was reported by a worker. If the slot went to another run meanwhile, claims would decide nothing between such runs; so it is kept for a moment, where the run would go first.
 */
export class RunPauses {
  /** Those that are not over, the first first. */
  readonly #open: Pause[] = [];
  /** In milliseconds, the newest last. */
  readonly #lengths: number[] = [];
  /** The middle one of these; undefined before the first. */
  #usualMs: number | undefined;

  /**
   * A call of the run has ended.
   * @param lane that of the call
   * @param tookMs how long it took
   * @returns undefined where no slot is to be kept, since the run would hardly ask in time
   */
  begin(run: PausingRun, lane: SharedLane, full: readonly Counter[], nowMs: number, tookMs: number): Pause | undefined {
    const mostMs = tookMs * mostOfCall;
    const pause = { run, lane, full, sinceMs: nowMs, untilMs: nowMs + mostMs };
    if (this.#open.length < mostEnds) this.#open.push(pause);
    return this.#usualMs !== undefined && this.#usualMs < mostMs ? pause : undefined;
  }

  /**
   * The run asks for a call.
   * @param counters what it counts in
   * @returns the pause that is over
   */
  end(counters: readonly Counter[], nowMs: number): Pause | undefined {
    if (this.#open.length === 0) return undefined;
    const at = this.#open.findIndex(({ full }) => full.some((each) => counters.includes(each)));
    if (at === -1) return undefined;
    // The first is the usual one, and taking it makes no list.
    const pause = at === 0 ? this.#open.shift()! : this.#open.splice(at, 1)[0]!;
    if (this.#lengths.push(nowMs - pause.sinceMs) > remembered) this.#lengths.shift();
    this.#usualMs = this.#lengths.toSorted((one, two) => one - two)[this.#lengths.length >> 1];
    return pause;
  }
}
