import { timerMs } from "@planloom/plan";
/** Counts the calls in progress of one group of a scope, and knows how many are allowed. */
export class Counter {
  /** For messages: `concurrency`, `kind llm`, `resource tool:search`. */
  readonly name: string;
  /** Its name among the limits that several processes share; undefined where it is of this process alone. */
  readonly pool: string | undefined;
  used = 0;
  /** The most calls in progress in this process: the whole limit, or this process's part of it. */
  bound = 0;
  /** Others wait for a part of it. */
  contested = false;
  #capacity = 0;
  #granted = 0;
  /** How many of `used` are calls that ignored their signal: their tasks continued without them, and they may never end. */
  #abandoned = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Abandoned calls have held all of it for too long: calls that wait for it are refused. */
  givenUp = false;

  constructor(name: string, capacity: number, pool?: string) {
    this.name = name;
    this.pool = pool;
    this.capacity = capacity;
  }

  /** The most calls in progress in all processes that share the limit. */
  get capacity(): number {
    return this.#capacity;
  }

  set capacity(capacity: number) {
    // Calls that began before they were counted count from now on.
    if (this.pool !== undefined && this.#capacity === Number.POSITIVE_INFINITY) this.#granted = this.used;
    this.#capacity = capacity;
    this.#bind();
  }

  /** What this process has of a limit that several share, in use or not. */
  get granted(): number {
    return this.#granted;
  }

  grant(count: number): void {
    this.#granted += count;
    this.#bind();
  }

  /** Gives so many back that are not in use. */
  giveBack(count: number): void {
    this.grant(-count);
  }

  get isFull(): boolean {
    return this.used >= this.bound;
  }

  /** A counted call was abandoned and still runs. @param onGivenUp called when that kept all others out for `patienceMs` */
  abandon(patienceMs: number, onGivenUp: () => void): void {
    this.#abandoned++;
    if (this.#abandoned < this.capacity || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.givenUp = this.#abandoned >= this.capacity;
      if (this.givenUp) onGivenUp();
    }, timerMs(patienceMs)).unref();
  }

  /** An abandoned call has ended after all. */
  settle(): void {
    this.#abandoned--;
    this.used--;
    if (this.#abandoned >= this.capacity) return;
    this.givenUp = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #bind(): void {
    const isShared = this.pool !== undefined && this.#capacity !== Number.POSITIVE_INFINITY;
    this.bound = isShared ? Math.min(this.#granted, this.#capacity) : this.#capacity;
  }
}
