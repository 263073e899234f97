// Whose turn it is among runs that share slots. The runtime and the laboratory's simulator decide by the same rules.

/** Of so many turns, one goes by weight alone, so that no priority and no deadline keeps a run out for ever. */
export const turnsPerFairTurn = 4;

/** A call counts as at least so long: a call that takes no time would cost nothing, and its run would go first each time. */
const leastCallMs = 1;

/** What a run brings to the question whose turn it is, and what it has had. */
export class RunClaim {
  /** Higher goes first. */
  readonly priority: number;
  /** Among equals of priority the earliest goes first, in milliseconds since the epoch; `Infinity` for none. */
  readonly deadlineMs: number;
  /** Its share beside others, above 0. */
  readonly weight: number;
  /** Slot time that it has had, divided by its weight, in milliseconds; what it missed before it came is added. */
  servedMs = 0;
  /** The same when its last turn came, and with what it has had since without a turn: a rival that goes first now, and wants its next call in a moment, may be as far behind as one call. */
  #turnMs = 0;

  constructor({ priority = 0, deadlineMs = Number.POSITIVE_INFINITY, weight = 1 }: Partial<RunClaim> = {}) {
    this.priority = priority;
    this.deadlineMs = deadlineMs;
    this.weight = weight;
  }

  /**
   * Counts slot time as had; below 0 what was counted too much.
   * @param hadTurn whether the call had its turn; false where nobody else waited
   */
  serve(ms: number, hadTurn = true): void {
    this.servedMs += ms / this.weight;
    if (!hadTurn) this.#turnMs += ms / this.weight;
  }

  /** Its turn has come. */
  turn(): void {
    this.#turnMs = this.servedMs;
  }

  /** As far as runs that come later may be put, since it has had so much without the call of its last turn. */
  get reachedMs(): number {
    return Math.min(this.#turnMs, this.servedMs);
  }

  /** It wants something again: what others had meanwhile, as far as they are served, it is not owed. */
  comeAt(servedMs: number): void {
    this.servedMs = Math.max(this.servedMs, servedMs);
    this.#turnMs = Math.max(this.#turnMs, servedMs);
  }
}

/** Below 0 where `a` has had less for its weight than `b`. */
export function compareByWeight(a: RunClaim, b: RunClaim): number {
  return a.servedMs - b.servedMs;
}

/** Below 0 where `a` goes first: the higher priority, then the earlier deadline, then what was served least for its weight. */
export function compareByClaim(a: RunClaim, b: RunClaim): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.deadlineMs !== b.deadlineMs) return a.deadlineMs < b.deadlineMs ? -1 : 1;
  return compareByWeight(a, b);
}

/** The turns of the runs that share slots. */
export class RunTurns {
  #given = 0;
  /** How far the runs that wait have been served: a run that comes begins there, so that it neither owes nor is owed for the time before. */
  #servedMs = 0;

  /** The next turn goes by weight alone. */
  get isByWeight(): boolean {
    return this.#given % turnsPerFairTurn === turnsPerFairTurn - 1;
  }

  /** A turn was given. @param leastServedMs of those who wait, the one who was given it included */
  gave(leastServedMs: number): void {
    this.#given++;
    this.#reach(leastServedMs);
  }

  /** The run makes a call that nobody else waits for. */
  passed(claim: RunClaim): void {
    this.#reach(claim.reachedMs);
  }

  #reach(servedMs: number): void {
    this.#servedMs = Math.max(this.#servedMs, servedMs);
  }

  /** The run wants something again, after it wanted nothing. */
  join(claim: RunClaim): void {
    claim.comeAt(this.#servedMs);
  }
}

/** How long calls of one resource hold their slots, from those that have ended. */
export class CallLength {
  #meanMs = 0;

  /** What the next one is counted as until it has ended. */
  get expectedMs(): number {
    return Math.max(leastCallMs, this.#meanMs);
  }

  /** A call has ended. @returns what it counts as */
  ended(ms: number): number {
    this.#meanMs += (ms - this.#meanMs) / 8;
    return Math.max(leastCallMs, ms);
  }
}
