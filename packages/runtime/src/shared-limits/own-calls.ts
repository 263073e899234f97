import type { TaskError } from "../task-error.ts";
import type { Lane, Place, Waiter } from "./lane.ts";

/** A limit of a run's own. */
export interface OwnLimit {
  /** `""` for all calls, `kind llm`, `resource tool:search`. */
  readonly name: string;
  readonly limit: number;
  /** Why nothing that waits for it is ever let in; undefined where it may be. */
  stalled(): TaskError | undefined;
}

/** A call that a run has asked for, and that waits. */
export interface AskedSlot {
  /** It waits no longer. */
  readonly left: boolean;
  /** Before its turn. */
  leave(): void;
}

/**
 * The calls of one run, with those nested in it, by the limits of its own. Only so many calls use slots of all runs or wait for them; what is beyond waits here
 * and takes the place of one that has ended at once, so that a run which may make no more calls than it makes is still in time for its turn.
 */
export class OwnCalls {
  readonly #counts = new Map<string, OwnCount>();
  readonly #countsOf = new Map<string, readonly OwnCount[]>();
  readonly #add: (lane: Lane, waiter: Waiter) => Place;
  readonly #beyond: CallAsk[] = [];

  /** @param add lets a call wait among those of all runs; its turn may come at once */
  constructor(add: (lane: Lane, waiter: Waiter) => Place) {
    this.#add = add;
  }

  /** Called before the first call. */
  limitTo(limits: readonly OwnLimit[]): void {
    for (const own of limits) if (own.limit !== Number.POSITIVE_INFINITY) this.#counts.set(own.name, { own, used: 0 });
  }

  /** @param key `kind:uid` of the resource of a call */
  hasRoom(key: string): boolean {
    for (const { own, used } of this.#of(key)) if (used >= own.limit) return false;
    return true;
  }

  /** @param by 1 for a call that waits or is made, -1 when it does no more */
  count(key: string, by: 1 | -1): void {
    for (const count of this.#of(key)) count.used += by;
  }

  /** The call waits for its turn, which may come at once. */
  ask(lane: Lane, waiter: Waiter): AskedSlot {
    const ask = new CallAsk(this, lane, waiter);
    if (this.hasRoom(lane.key)) this.#enter(ask);
    else {
      this.#beyond.push(ask);
      this.#refuseStalled(ask);
    }
    return ask;
  }

  /** Lets calls wait among those of all runs, as many as have room now. */
  admit(): void {
    for (let at = 0; at < this.#beyond.length; ) {
      if (this.hasRoom(this.#beyond[at]!.lane.key)) {
        this.#enter(this.#beyond.splice(at, 1)[0]!);
        // Its turn may have come at once, and others may have been let in meanwhile.
        at = 0;
      } else at++;
    }
  }

  /** Calls that wait for a limit of the run's own whose slots are all abandoned wait no longer. */
  refuseStalled(): void {
    for (const ask of [...this.#beyond]) this.#refuseStalled(ask);
  }

  #refuseStalled(ask: CallAsk): void {
    const full = this.#of(ask.lane.key).find(({ own, used }) => used >= own.limit && own.stalled() !== undefined);
    if (full !== undefined) ask.refuse(full.own.stalled()!);
  }

  drop(ask: CallAsk): void {
    const at = this.#beyond.indexOf(ask);
    if (at !== -1) this.#beyond.splice(at, 1);
  }

  #enter(ask: CallAsk): void {
    this.count(ask.lane.key, 1);
    ask.place = this.#add(ask.lane, ask);
  }

  #of(key: string): readonly OwnCount[] {
    if (this.#counts.size === 0) return none;
    const known = this.#countsOf.get(key);
    if (known !== undefined) return known;
    const counts: OwnCount[] = [];
    for (const [name, count] of this.#counts)
      if (name === "" || name === `resource ${key}` || name === `kind ${key.slice(0, key.indexOf(":"))}`)
        counts.push(count);
    this.#countsOf.set(key, counts);
    return counts;
  }
}

const none: readonly OwnCount[] = [];

/** Calls that wait among those of all runs, or are made. */
interface OwnCount {
  readonly own: OwnLimit;
  used: number;
}

class CallAsk implements AskedSlot, Waiter {
  readonly lane: Lane;
  readonly #own: OwnCalls;
  readonly #waiter: Waiter;
  /** Its place among the calls of all runs; undefined while the run's own limits keep it out. */
  place: Place | undefined;
  left = false;

  constructor(own: OwnCalls, lane: Lane, waiter: Waiter) {
    this.lane = lane;
    this.#own = own;
    this.#waiter = waiter;
  }

  go(): void {
    this.#end(true);
    this.#waiter.go();
    this.#own.admit();
  }

  refuse(error: TaskError): void {
    if (this.left) return;
    this.#end(this.place !== undefined);
    this.#waiter.refuse(error);
    this.#own.admit();
  }

  leave(): void {
    if (this.left) return;
    this.place?.leave();
    this.#end(this.place !== undefined);
    // Others of a run that is cancelled leave as well.
    queueMicrotask(() => this.#own.admit());
  }

  #end(isCounted: boolean): void {
    this.left = true;
    if (isCounted) this.#own.count(this.lane.key, -1);
    else this.#own.drop(this);
  }
}
