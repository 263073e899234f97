import { MovableHeap } from "./movable-heap.ts";

/** Who takes turns. */
export interface TurnMember {
  /** Its share beside the others, above 0: with 3 it has three turns for each one of a member with 1. */
  readonly weight: number;
}

interface Seat<Member> {
  readonly member: Member;
  /** Where its next turn lies: turns that lie before it go first. */
  turn: number;
  /** Among turns at one place, the one that was asked for first goes first. */
  since: number;
  /** Its place in the heap. */
  at: number;
}

/**
 * Turns of members that wait, in proportion to their weights (stride scheduling: C. A. Waldspurger and W. E. Weihl, 1995). Between two members that wait
 * all along the numbers of turns, each divided by the weight, differ by at most one turn of each. With equal weights they go round. Who comes has its first
 * turn where it would be had it just had one, so that nobody is kept out by members that come and go. A turn costs O(log members), and as much for each
 * member that is passed over.
 */
export class WeightedTurns<Member extends TurnMember> {
  readonly #seats = new MovableHeap<"at", Seat<Member>>("at", (a, b) => a.turn - b.turn || a.since - b.since);
  /** The turn that was given last. */
  #reached = 0;
  #comings = 0;

  join(member: Member): void {
    const turn = this.#reached + 1 / member.weight;
    this.#seats.add({ member, turn, since: this.#comings++, at: -1 });
  }

  /**
   * Asks members in the order of their turns until one takes its turn.
   * @param ask what the member takes; `"passed"` where it cannot take anything now, `"left"` where it wants nothing any more and is to be forgotten
   * @returns what was taken; undefined where nobody took anything
   */
  give<Taken extends object>(ask: (member: Member) => Taken | "passed" | "left"): Taken | undefined {
    let passed: Seat<Member>[] | undefined;
    let taken: Taken | undefined;
    for (let seat = this.#seats.first; seat !== undefined && taken === undefined; seat = this.#seats.first) {
      this.#seats.drop(seat);
      const answer = ask(seat.member);
      if (answer === "passed") {
        passed ??= [];
        passed.push(seat);
      }
      if (typeof answer === "string") continue;
      taken = answer;
      this.#reached = seat.turn;
      seat.turn += 1 / seat.member.weight;
      seat.since = this.#comings++;
      this.#seats.add(seat);
    }
    if (passed === undefined) return taken;
    for (const seat of passed) {
      // A turn that could not be taken is not kept: nobody saves turns up for later.
      if (taken !== undefined) seat.turn = Math.max(seat.turn, this.#reached);
      this.#seats.add(seat);
    }
    return taken;
  }
}
