import pg from "pg";

/** How long an idle worker leaves its queue alone where nothing is announced, in milliseconds. */
const shortestRestMs = 500;
const longestRestMs = 10_000;
/** Together the idle workers of a queue look so often where nothing is announced, in milliseconds between two looks of any of them. */
const betweenRestsMs = 20;
/** How long a worker looks as often as its queue says after something was announced or has ended, in milliseconds. */
const awakeMs = 500;
/** Workers that hear of the same subgraph look one after the other, so many milliseconds apart on average; the last of them after `longestDelayMs`. */
const betweenLooksMs = 4;
const longestDelayMs = 1_000;

/** How long each of so many idle workers of a queue rests, in milliseconds. */
export const restMsFor = (idle: number): number =>
  Math.min(longestRestMs, Math.max(shortestRestMs, betweenRestsMs * idle));

/**
 * Says when a worker's engine has a reason to look into its queue: something was announced, something has ended here, the worker executes something, or a rest is over. It holds nobody off for
 * good: an announcement that gets lost costs one rest.
 */
export class QueueRest {
  readonly #isBusy: () => boolean;
  readonly #held = new Set<() => void>();
  #awakeUntil = Number.POSITIVE_INFINITY;
  #waking: NodeJS.Timeout | undefined;
  /** How many workers of the queue are idle, this one among them. */
  idle = 1;

  /** @param isBusy whether the worker executes something now */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  /** From now on the worker rests where nothing happens; before, each look is let through. */
  begin(): void {
    this.#awakeUntil = 0;
    this.stayAwake();
  }

  /** There is something in the queue, of which the other workers hear as well. */
  wake(): void {
    if (this.#held.size === 0) this.stayAwake();
    else this.#waking ??= setTimeout(() => this.stayAwake(), Math.random() * longestDelayFor(this.idle));
  }

  /** The worker looks now, and for a while as often as its queue says. */
  stayAwake(): void {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    this.#awakeUntil = Math.max(this.#awakeUntil, performance.now() + awakeMs);
    for (const letThrough of [...this.#held]) letThrough();
  }

  /** No look is held any more. */
  end(): void {
    this.#awakeUntil = Number.POSITIVE_INFINITY;
    this.stayAwake();
  }

  /** Resolves when there is a reason to look. */
  async reason(): Promise<void> {
    if (this.#isBusy() || performance.now() < this.#awakeUntil) return;
    await new Promise<void>((resolve) => {
      const letThrough = () => {
        clearTimeout(timer);
        this.#held.delete(letThrough);
        resolve();
      };
      const timer = setTimeout(letThrough, restMsFor(this.idle));
      this.#held.add(letThrough);
    });
  }
}

const longestDelayFor = (idle: number): number => Math.min(longestDelayMs, betweenLooksMs * Math.max(0, idle - 1));

/**
 * The connections of a worker's engine. The engine looks into its queue fifty times a second, each time with a transaction, and nothing wakes it; but it waits for the
 * connection. So one for a transaction is given when there is a reason to look. What the engine asks by single statements is not held up.
 */
export class RestingPool extends pg.Pool {
  readonly #rest: QueueRest;

  constructor(config: pg.PoolConfig, rest: QueueRest) {
    super(config);
    this.#rest = rest;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Parameters<pg.Pool["connect"]>[0]): void;
  override connect(callback?: Parameters<pg.Pool["connect"]>[0]): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      // The pool's own way, for a single statement.
      super.connect(callback);
      return undefined;
    }
    return this.#rest.reason().then(() => super.connect());
  }
}
