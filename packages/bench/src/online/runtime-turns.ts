import { CallLength, compareByClaim, compareByWeight, type RunClaim, RunTurns } from "@planloom/plan/internals";

/** A run that is under way. */
interface Active {
  readonly claim: RunClaim;
  /** Its ready tasks. */
  readonly ready: readonly unknown[];
}

/** As in the runtime: a turn is at most so many calls, none of which begins later than so many milliseconds after the first. */
const turnCalls = 4;
const turnMs = 10;

/** Whose turn it is, by the rules by which the runtime decides it for runs of one tenant that share one limit. */
export class RuntimeTurns<Run extends Active> {
  readonly #turns = new RunTurns();
  readonly #length = new CallLength();
  /** What each dispatch under way was counted as, and whether it had its turn. */
  readonly #counted = new Map<Run, { readonly ms: number; readonly hadTurn: boolean }[]>();
  #hadTurn = true;
  readonly #since = new Map<Run, number>();
  #comings = 0;
  #inTurn: { readonly owner: Run; callsLeft: number; readonly endsAt: number } | undefined;

  join(run: Run): void {
    this.#turns.join(run.claim);
    this.#since.set(run, this.#comings++);
  }

  /** @param free executors */
  next(active: Iterable<Run>, free: number, now: number): Run | undefined {
    const ready = [...active].filter((run) => run.ready.length > 0);
    const turn = this.#inTurn;
    this.#hadTurn = true;
    if (turn !== undefined && turn.callsLeft > 0 && now < turn.endsAt && turn.owner.ready.length > 0) {
      turn.callsLeft--;
      return turn.owner;
    }
    const compare = this.#turns.isByWeight ? compareByWeight : compareByClaim;
    const first = ready.toSorted((a, b) => compare(a.claim, b.claim) || this.#since.get(a)! - this.#since.get(b)!)[0];
    if (first === undefined) return undefined;
    // Where there is room for all that wait, nobody has a turn.
    if (ready.reduce((sum, run) => sum + run.ready.length, 0) <= free) {
      this.#turns.join(first.claim);
      this.#turns.passed(first.claim);
      this.#hadTurn = false;
      return first;
    }
    this.#turns.gave(Math.min(...ready.map(({ claim }) => claim.servedMs)));
    this.#since.set(first, this.#comings++);
    first.claim.turn();
    this.#inTurn = { owner: first, callsLeft: turnCalls - 1, endsAt: now + turnMs };
    return first;
  }

  /** The dispatch that was next. */
  began(run: Run): void {
    const counted = { ms: this.#length.expectedMs, hadTurn: this.#hadTurn };
    run.claim.serve(counted.ms, counted.hadTurn);
    const under = this.#counted.get(run) ?? [];
    under.push(counted);
    this.#counted.set(run, under);
  }

  ended(run: Run, ms: number): void {
    const counted = this.#counted.get(run)!.shift()!;
    run.claim.serve(this.#length.ended(ms) - counted.ms, counted.hadTurn);
  }
}
