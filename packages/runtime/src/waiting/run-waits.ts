import type { KnownWaits, SignalName, StoredSignal, StoredWait } from "../journal/stored-wait.ts";
import { SignalSearch } from "./signal-search.ts";
import type { WaitKeeper } from "./wait-keeper.ts";

/** The clock is looked at at least so often, in milliseconds: it may be set while a timer runs. */
const longestLookMs = 30_000;

/**
 * What a run and all that is nested in it waits for, in this process. It keeps waits as they begin, tells listeners when one is over, and
 * knows the signals that ended them. Times are those of the wall clock: a wait that is due at nine ends when the clock says nine,
 * also if the clock was set meanwhile.
 */
export class RunWaits {
  readonly #keeper: WaitKeeper | undefined;
  readonly #waits = new Map<string, StoredWait>();
  readonly #signals = new Map<string, StoredSignal>();
  /** Waits of earlier sessions that have not begun again in this one. */
  readonly #stale = new Set<string>();
  /** Waits that are kept, and over. */
  readonly #ended = new Set<string>();
  readonly #listeners = new Set<(id: string) => void>();
  readonly #search = new SignalSearch();
  #put: StoredWait[] = [];
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerDue = Number.POSITIVE_INFINITY;
  #closed = false;
  /** Waits that are over, as the process of the run has found. */
  readonly #overElsewhere = new Set<string>();
  /** Called once, when a wait cannot be kept. */
  onError: (error: unknown) => void = () => {};

  readonly #takesSignals: boolean;

  /**
   * @param keeper absent where a run is kept nowhere: then the process has to stay, and no signal can be sent
   * @param options.takesSignals false where signals cannot be sent although waits are kept. @default true with a keeper
   */
  constructor(keeper?: WaitKeeper, { takesSignals = keeper !== undefined }: { readonly takesSignals?: boolean } = {}) {
    this.#keeper = keeper;
    this.#takesSignals = takesSignals;
  }

  /** True where something outside of this process's run knows of the waits, so that the run may end while something waits. */
  get areKept(): boolean {
    return this.#keeper !== undefined;
  }

  /** True where a signal can be sent. */
  get takesSignals(): boolean {
    return this.#takesSignals;
  }

  /** The waits that have begun in this session and are not over, in no order. */
  open(): StoredWait[] {
    return [...this.#waits.values()].filter(({ id }) => !this.#stale.has(id));
  }

  /**
   * What is known of the waits of these tasks, and of what is within them, before they are executed elsewhere: what has begun, and the signals that
   * ended it. Signals are looked for first, so that none came before a deadline that has passed.
   */
  async within(tasks: ReadonlySet<string>): Promise<KnownWaits | undefined> {
    const begun = [...this.#waits.values()].filter(({ id }) => isWithin(id, tasks));
    if (begun.length === 0) return undefined;
    for (const wait of begun) this.begin(wait);
    await this.settled();
    const signals = begun.flatMap(({ id }) => this.#signals.get(id) ?? []);
    return { begun, signals, over: begun.flatMap(({ id }) => (this.isOver(id) ? [id] : [])) };
  }

  /** Takes over what these tasks wait for after they were executed elsewhere; what else they waited for is over. */
  adopt(tasks: ReadonlySet<string>, waits: readonly StoredWait[]): void {
    const open = new Set(waits.map(({ id }) => id));
    for (const id of [...this.#waits.keys()]) if (isWithin(id, tasks) && !open.has(id)) this.end(id);
    for (const wait of waits) {
      const known = this.#waits.get(wait.id);
      this.begin(known !== undefined && isSameWait(known, wait) ? known : wait);
    }
  }

  /** Takes over what an earlier session has kept, or the process of the run. @param over ids of those that are over, whatever the clock says here */
  restore(waits: readonly StoredWait[], signals: readonly StoredSignal[], over: readonly string[] = []): void {
    for (const id of over) this.#overElsewhere.add(id);
    for (const wait of waits) {
      this.#waits.set(wait.id, wait);
      this.#stale.add(wait.id);
      if (wait.event !== undefined) this.#search.restore(wait);
    }
    for (const signal of signals) {
      if (signal.taken_by === undefined) continue;
      this.#signals.set(signal.taken_by, signal);
      this.#search.remove(signal.taken_by);
    }
  }

  /** The wait that has begun, if it is for the same. */
  find(id: string, contentHash: string): StoredWait | undefined {
    const wait = this.#waits.get(id);
    return wait?.content_hash === contentHash ? wait : undefined;
  }

  signalFor(id: string): StoredSignal | undefined {
    return this.#signals.get(id);
  }

  /** True where the wait of this id is over: its time or its signal has come. */
  isOver(id: string): boolean {
    const wait = this.#waits.get(id);
    if (wait === undefined) return true;
    return this.#signals.has(id) || this.isDue(wait);
  }

  /** Whether its time, or its deadline, has come. */
  isDue({ id, due_at = Number.POSITIVE_INFINITY }: StoredWait): boolean {
    return due_at <= Date.now() || this.#overElsewhere.has(id);
  }

  /** Whether the task of this id waits for a time or a signal. */
  has(id: string): boolean {
    return this.#waits.has(id);
  }

  /** Whether it is known which signals came for the wait until now, or until its deadline; where it is not known, `begin` finds it out. */
  hasLookedFor({ id, due_at = Number.POSITIVE_INFINITY }: StoredWait): boolean {
    if (this.#overElsewhere.has(id)) return true;
    const looked = this.#search.lookedAt(id);
    return looked !== undefined && (due_at > Date.now() || looked >= due_at);
  }

  /** True where this very wait has begun in this session. */
  hasBegun(wait: StoredWait): boolean {
    return this.#waits.get(wait.id) === wait && !this.#stale.has(wait.id);
  }

  dueAt(id: string): number | undefined {
    return this.#waits.get(id)?.due_at;
  }

  /** From now on the task waits; one that is known already is not kept again. */
  begin(wait: StoredWait): void {
    const isKnown = this.#waits.get(wait.id) === wait;
    if (!isKnown) this.#overElsewhere.delete(wait.id);
    this.#waits.set(wait.id, wait);
    this.#stale.delete(wait.id);
    this.#ended.delete(wait.id);
    if (!isKnown) this.#put.push(wait);
    if (wait.event !== undefined && !this.#signals.has(wait.id)) this.#search.add(wait, !this.hasLookedFor(wait));
    if (!isKnown || this.#search.hasWork) this.#work ??= this.#keep();
    this.#arm(wait.due_at ?? Number.POSITIVE_INFINITY);
  }

  /** The task does not wait any more. What is kept of it goes when the session ends. */
  end(id: string): void {
    if (!this.#waits.delete(id)) return;
    this.#ended.add(id);
    this.#search.remove(id);
  }

  /** Somebody may have sent a signal. @param name what for, where that is known */
  look(name?: SignalName): void {
    if (this.#keeper === undefined || this.#closed) return;
    this.#search.ask(name);
    if (this.#search.hasWork) this.#work ??= this.#keep();
  }

  /** @returns stops listening. */
  listen(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when all that has begun is kept, and signals that were there are known. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** What is over is kept no longer. @param all nothing waits any more: the run has ended */
  async forget({ all }: { readonly all: boolean }): Promise<void> {
    await this.settled();
    if (this.#keeper === undefined) return;
    const due = all ? [] : this.#staleDue();
    // How often a call was made is kept without its time: a person may be asked before the next call.
    const put = due.flatMap(({ due_at: _, ...wait }) => (wait.polls === undefined ? [] : [wait]));
    const over = due.filter(({ polls }) => polls === undefined).map(({ id }) => id);
    const remove = [...this.#ended, ...(all ? this.#waits.keys() : over)];
    if (put.length + remove.length > 0) await this.#keeper.keep({ put, remove });
    this.#ended.clear();
  }

  /** What is due and no task slept for would wake the run again and again. */
  #staleDue(): StoredWait[] {
    const now = Date.now();
    return [...this.#stale].flatMap((id) => {
      const wait = this.#waits.get(id);
      return wait !== undefined && (wait.due_at ?? now + 1) <= now ? [wait] : [];
    });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** Writes what has begun in this turn of the event loop at once, and looks for signals that came before. */
  async #keep(): Promise<void> {
    await Promise.resolve();
    try {
      while (this.#keeper !== undefined && (this.#put.length > 0 || this.#search.hasWork)) {
        const put = this.#put;
        this.#put = [];
        if (put.length > 0) await this.#keeper.keep({ put, remove: [] });
        if (this.#search.hasWork) await this.#search.take(this.#keeper, (signal) => this.#receive(signal));
      }
    } catch (error) {
      this.onError(error);
    } finally {
      this.#work = undefined;
    }
  }

  #receive(signal: StoredSignal): void {
    if (signal.taken_by === undefined) return;
    this.#signals.set(signal.taken_by, signal);
    this.#notify(signal.taken_by);
  }

  #notify(id: string): void {
    for (const listener of [...this.#listeners]) listener(id);
  }

  #arm(dueAt: number): void {
    if (dueAt >= this.#timerDue || this.#closed) return;
    clearTimeout(this.#timer);
    this.#timerDue = dueAt;
    const delayMs = Math.min(Math.max(dueAt - Date.now(), 0), longestLookMs);
    this.#timer = setTimeout(() => this.#tick(), delayMs);
  }

  #tick(): void {
    this.#timerDue = Number.POSITIVE_INFINITY;
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    const due: string[] = [];
    for (const { id, due_at } of this.#waits.values()) {
      if (due_at === undefined || this.#stale.has(id)) continue;
      if (due_at <= now) due.push(id);
      else next = Math.min(next, due_at);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#arm(next);
    for (const id of due) this.#notify(id);
  }
}

/** Whether the id is one of these tasks, an element of one (`fetch[42]`), or something in one (`fetch/page`). */
function isWithin(id: string, tasks: ReadonlySet<string>): boolean {
  if (tasks.has(id)) return true;
  for (let at = 1; at < id.length; at++) {
    if ((id[at] === "/" || id[at] === "[") && tasks.has(id.slice(0, at))) return true;
  }
  return false;
}

function isSameWait(left: StoredWait, right: StoredWait): boolean {
  return (
    left.content_hash === right.content_hash &&
    left.begun_at === right.begun_at &&
    left.due_at === right.due_at &&
    left.polls === right.polls
  );
}
