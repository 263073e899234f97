import type { SignalName, StoredSignal, StoredWait } from "./stored-wait.ts";

/** A wait in memory. */
export interface MemoryWait {
  readonly wait: StoredWait;
  /** As of `wait`, or when a signal for it was sent. */
  dueAt: number;
  claimedUntil: number;
}

/** The waits and signals of one run in memory, with indexes, so that neither a signal nor a wait costs more where there are many. */
export class MemoryWaits {
  readonly #waits = new Map<string, MemoryWait>();
  readonly #signals = new Map<string, StoredSignal>();
  /** Ids of signals that nobody has taken, the oldest first, by what they are for. */
  readonly #pending = new Map<string, Set<string>>();
  #pendingCount = 0;
  /** Ids of waits that no signal has made due yet, in the order in which they began, by what they wait for. */
  readonly #waiting = new Map<string, Set<string>>();
  /** Id of the signal that each wait has taken. */
  readonly #takenBy = new Map<string, string>();

  /** In the order in which they began. */
  get waits(): readonly MemoryWait[] {
    return [...this.#waits.values()];
  }

  /** In the order in which they were sent. */
  get signals(): readonly StoredSignal[] {
    return [...this.#signals.values()];
  }

  /** How many signals nobody has taken. */
  get pendingCount(): number {
    return this.#pendingCount;
  }

  /** In the place of the one of the same id, which keeps its turn. */
  putWait(wait: StoredWait): void {
    const before = this.#waits.get(wait.id)?.wait;
    if (before !== undefined && keyOf(before) !== keyOf(wait)) remove(this.#waiting, keyOf(before), wait.id);
    const { due_at = Number.POSITIVE_INFINITY } = wait;
    const pending = wait.event === undefined ? undefined : this.pendingFor(wait);
    const dueAt = pending === undefined ? due_at : Date.parse(pending.sent_at);
    this.#waits.set(wait.id, { wait, dueAt, claimedUntil: 0 });
    if (wait.event === undefined) return;
    if (pending === undefined) add(this.#waiting, keyOf(wait), wait.id);
    else remove(this.#waiting, keyOf(wait), wait.id);
  }

  removeWait(id: string): void {
    const before = this.#waits.get(id)?.wait;
    if (before !== undefined) remove(this.#waiting, keyOf(before), id);
    this.#waits.delete(id);
  }

  signal(id: string): StoredSignal | undefined {
    return this.#signals.get(id);
  }

  /** @returns whether it makes a wait due: the first in whose time it came, and that none has made due before */
  addSignal(signal: StoredSignal): boolean {
    this.#signals.set(signal.id, signal);
    add(this.#pending, keyOf(signal), signal.id);
    this.#pendingCount++;
    const first = this.#waitFor(signal);
    if (first === undefined) return false;
    first.dueAt = Date.parse(signal.sent_at);
    first.claimedUntil = 0;
    remove(this.#waiting, keyOf(signal), first.wait.id);
    return true;
  }

  /** What the signals are for that nobody has taken. */
  get pendingNames(): SignalName[] {
    return [...this.#pending.values()].map((ids) => {
      const [id] = ids;
      const { event, key } = this.#signals.get(id!)!;
      return { event, key };
    });
  }

  /** The signal that the wait has taken, or takes now: the oldest that fits. */
  take(wait: StoredWait): StoredSignal | undefined {
    const before = this.#takenBy.get(wait.id);
    if (before !== undefined) return this.#signals.get(before);
    const signal = this.pendingFor(wait);
    if (signal === undefined) return undefined;
    const taken = { ...signal, taken_by: wait.id };
    this.#signals.set(signal.id, taken);
    this.#takenBy.set(wait.id, signal.id);
    remove(this.#pending, keyOf(signal), signal.id);
    this.#pendingCount--;
    return taken;
  }

  /** The oldest signal that nobody has taken and that came in time for the wait. */
  pendingFor(wait: StoredWait): StoredSignal | undefined {
    for (const id of this.#pending.get(keyOf(wait)) ?? []) {
      const signal = this.#signals.get(id)!;
      if (cameInTime(signal, wait)) return signal;
    }
    return undefined;
  }

  #waitFor(signal: StoredSignal): MemoryWait | undefined {
    const sentMs = Date.parse(signal.sent_at);
    for (const id of this.#waiting.get(keyOf(signal)) ?? []) {
      const wait = this.#waits.get(id)!;
      if (wait.dueAt >= sentMs && cameInTime(signal, wait.wait) && !this.#takenBy.has(id)) return wait;
    }
    return undefined;
  }
}

/** The key of a wait for a time, which no signal has. */
function keyOf({ event, key = "" }: Pick<StoredWait, "event" | "key">): string {
  return JSON.stringify([event ?? null, key]);
}

function cameInTime(signal: StoredSignal, { due_at = Number.POSITIVE_INFINITY }: StoredWait): boolean {
  return Date.parse(signal.sent_at) <= due_at;
}

function add(index: Map<string, Set<string>>, key: string, id: string): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([id]));
  else known.add(id);
}

function remove(index: Map<string, Set<string>>, key: string, id: string): void {
  const known = index.get(key);
  known?.delete(id);
  if (known?.size === 0) index.delete(key);
}
