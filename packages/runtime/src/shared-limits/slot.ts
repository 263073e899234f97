import { AsyncLocalStorage } from "node:async_hooks";
import type { Rate } from "../ports/token-bucket.ts";
import type { Counter } from "./counter.ts";
import type { SlotUse } from "./slot-use.ts";

/** The slot of the call that the current code is executed by. */
const current = new AsyncLocalStorage<Slot>();

/** Lets in who waits for slots. */
export interface SlotQueue {
  /** @param counters what a slot that was given back counted in */
  released(counters: readonly Counter[]): void;
}

/** A permission of a rate that a call took. */
export interface TakenRate {
  readonly rate: Rate;
  readonly taken: number;
}

/** One call that counts in the limits of its scopes, until it is given back. */
export class Slot {
  readonly #counters: readonly Counter[];
  readonly #queue: SlotQueue;
  /** Undefined where no rate counts its call. */
  readonly #rates: readonly TakenRate[] | undefined;
  readonly #use: SlotUse;
  #held = true;

  /**
   * @param queue the calls waiting there are let in when it is free again
   * @param use the slot time of its call
   */
  constructor(counters: readonly Counter[], queue: SlotQueue, rates: readonly TakenRate[] | undefined, use: SlotUse) {
    this.#counters = counters;
    this.#queue = queue;
    this.#rates = rates;
    this.#use = use;
  }

  /** True where its limits are those of the queue. */
  isOf(queue: SlotQueue): boolean {
    return this.#queue === queue;
  }

  /** That of the call which executes what asks, if any. */
  static get current(): Slot | undefined {
    return current.getStore();
  }

  /** Executes `work` as part of the call. */
  within<Value>(work: () => Value): Value {
    return current.run(this, work);
  }

  /** Gives it back; several times do no harm. */
  release(): void {
    if (!this.#held) return;
    this.#use.end();
    this.#free();
  }

  #free(): void {
    this.#held = false;
    for (const counter of this.#counters) counter.used--;
    this.#queue.released(this.#counters);
  }

  /** Gives it back, and the permissions of rates with it, since its call was not made: a budget had nothing left for it, say. */
  withdraw(): void {
    if (!this.#held) return;
    for (const { rate, taken } of this.#rates ?? []) rate.giveBack(taken);
    this.#use.undo();
    this.#free();
  }

  /**
   * Its call ignored its signal and still runs: the slot counts until the call has ended.
   * @returns what to call then
   */
  abandon(patienceMs: number, onGivenUp: () => void): () => void {
    if (!this.#held) return () => {};
    this.#held = false;
    for (const counter of this.#counters) counter.abandon(patienceMs, onGivenUp);
    return () => {
      this.#use.end();
      for (const counter of this.#counters) counter.settle();
      this.#queue.released(this.#counters);
    };
  }
}
