/** Calls that go on at once in one group of a scope, and how many may. */
export class Counter {
  /** For messages: `concurrency`, `kind llm`, `resource tool:search`. */
  readonly name: string;
  capacity: number;
  used = 0;
  /** Of `used`, calls that ignored their signal: their tasks went on without them, and they may never end. */
  #strayed = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Nobody but strayed calls has held all of it for too long: whoever waits for it is to wait no more. */
  givenUp = false;

  constructor(name: string, capacity: number) {
    this.name = name;
    this.capacity = capacity;
  }

  get isFull(): boolean {
    return this.used >= this.capacity;
  }

  /** A call that is counted goes on although nobody waits for it. @param onGivenUp called when that kept all others out for `patienceMs` */
  stray(patienceMs: number, onGivenUp: () => void): void {
    this.#strayed++;
    if (this.#strayed < this.capacity || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.givenUp = this.#strayed >= this.capacity;
      if (this.givenUp) onGivenUp();
    }, patienceMs).unref();
  }

  /** A strayed call has ended after all. */
  settle(): void {
    this.#strayed--;
    this.used--;
    if (this.#strayed >= this.capacity) return;
    this.givenUp = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
