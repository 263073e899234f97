import type { SignalName, StoredSignal, StoredWait } from "../journal/stored-wait.ts";
import type { WaitKeeper } from "./wait-keeper.ts";

/** So many waits are asked about first where a signal has come that any of them may take; of further ones four times as many each time. */
const firstWaits = 8;

/** By so much the clocks of the machines that send signals may be ahead of ours, in milliseconds. */
const maxClockSkewMs = 600_000;

/**
 * Finds the signals that the waits of a run take. The journal is asked about new waits, and about those that a signal which has come is for: never about all of them, so that
 * a signal costs the same whatever else the run waits for.
 */
export class SignalSearch {
  /** By name, in the order in which they began; undefined for one of an earlier session that has not begun again in this one. */
  readonly #byName = new Map<string, Map<string, StoredWait | undefined>>();
  readonly #names = new Map<string, string>();
  /** When signals were last looked for, by wait: milliseconds since the epoch. */
  readonly #lookedAt = new Map<string, number>();
  /** Waits that have begun since signals were last looked for: one may have come before them. */
  readonly #unlooked = new Map<string, StoredWait>();
  readonly #asked = new Set<string>();
  #asksAll = false;

  /** True where `take` would ask the journal. */
  get hasWork(): boolean {
    return this.#unlooked.size > 0 || this.#asked.size > 0 || this.#asksAll;
  }

  /** When signals for the wait were last looked for: milliseconds since the epoch. */
  lookedAt(id: string): number | undefined {
    return this.#lookedAt.get(id);
  }

  /** A wait of an earlier session, which keeps its turn. */
  restore(wait: StoredWait): void {
    this.#put(wait, undefined);
  }

  /** The task waits for a signal. @param looks whether one may be there already */
  add(wait: StoredWait, looks: boolean): void {
    const isUnlooked = looks || this.#unlooked.has(wait.id);
    this.#put(wait, wait);
    if (isUnlooked) this.#unlooked.set(wait.id, wait);
  }

  /** The task does not wait any more, or its signal has come. */
  remove(id: string): void {
    this.#unlooked.delete(id);
    const name = this.#names.get(id);
    if (name === undefined) return;
    this.#names.delete(id);
    const waits = this.#byName.get(name);
    waits?.delete(id);
    if (waits?.size === 0) this.#byName.delete(name);
  }

  /** A signal may have come. @param name what for, where that is known */
  ask(name?: SignalName): void {
    if (this.#byName.size === 0) return;
    if (name === undefined) this.#asksAll = true;
    else if (this.#byName.has(keyOf(name))) this.#asked.add(keyOf(name));
  }

  /** Takes what is there: for each name the oldest waits first. @param onTaken is called for each signal, before the journal is asked again */
  async take(keeper: WaitKeeper, onTaken: (signal: StoredSignal) => void): Promise<void> {
    const names = new Set(this.#asked);
    const unlooked = new Map(this.#unlooked);
    const asksAll = this.#asksAll;
    this.#asked.clear();
    this.#unlooked.clear();
    this.#asksAll = false;
    if (asksAll && keeper.pending === undefined) for (const wait of this.#open()) unlooked.set(wait.id, wait);
    else {
      if (asksAll) for (const name of await keeper.pending!()) names.add(keyOf(name));
      // A wait that began earlier comes first.
      for (const wait of unlooked.values()) {
        const name = keyOf(wait);
        const first = firstOf(this.#byName.get(name)?.values());
        if (first !== undefined && !unlooked.has(first.id)) names.add(name);
      }
    }
    for (const name of names) await this.#takeOf(name, keeper, onTaken);
    const left = [...unlooked.values()].filter(({ id }) => this.#names.has(id));
    if (left.length > 0) await this.#ask(left, keeper, onTaken);
  }

  async #takeOf(name: string, keeper: WaitKeeper, onTaken: (signal: StoredSignal) => void): Promise<void> {
    const waits = this.#byName.get(name)?.values();
    for (let count = firstWaits; waits !== undefined; count *= 4) {
      const some = nextOf(waits, count);
      if (some.length === 0) return;
      const latest = Date.now() + maxClockSkewMs;
      const found = await this.#ask(some, keeper, onTaken);
      // A wait whose deadline has passed takes none of a later signal, which a younger wait may take.
      const isConclusive = some.every(({ due_at = Number.POSITIVE_INFINITY }) => due_at > latest);
      if (found < some.length && isConclusive) return;
    }
  }

  /** @returns how many signals were taken */
  async #ask(waits: readonly StoredWait[], keeper: WaitKeeper, onTaken: (signal: StoredSignal) => void) {
    const at = Date.now();
    const taken = await keeper.take(waits);
    for (const { id } of waits) this.#lookedAt.set(id, at);
    for (const signal of taken) {
      if (signal.taken_by === undefined) continue;
      this.remove(signal.taken_by);
      onTaken(signal);
    }
    return taken.length;
  }

  #put(wait: StoredWait, value: StoredWait | undefined): void {
    const name = keyOf(wait);
    if (this.#names.get(wait.id) !== name) this.remove(wait.id);
    this.#names.set(wait.id, name);
    const waits = this.#byName.get(name);
    if (waits === undefined) this.#byName.set(name, new Map([[wait.id, value]]));
    else waits.set(wait.id, value);
  }

  *#open(): Generator<StoredWait, void> {
    for (const waits of this.#byName.values()) for (const wait of waits.values()) if (wait !== undefined) yield wait;
  }
}

function keyOf({ event, key = "" }: Pick<StoredWait, "event" | "key">): string {
  return JSON.stringify([event, key]);
}

function firstOf(waits: IterableIterator<StoredWait | undefined> | undefined): StoredWait | undefined {
  return waits === undefined ? undefined : nextOf(waits, 1)[0];
}

function nextOf(waits: IterableIterator<StoredWait | undefined>, count: number): StoredWait[] {
  const some: StoredWait[] = [];
  while (some.length < count) {
    const { value, done } = waits.next();
    if (done) break;
    if (value !== undefined) some.push(value);
  }
  return some;
}
