/** What is read and set of a queue of the engine; a `WorkflowQueue` of DBOS is one. */
export interface PacedQueue {
  getMinPollingIntervalMs(): Promise<number | undefined>;
  setMinPollingIntervalMs(value: number): Promise<void>;
}

export interface PollingPaceParts {
  /** Live workers of the queue that have nothing to do, and look for it. */
  readonly idle: () => Promise<number>;
  readonly queue: () => Promise<PacedQueue | null>;
}

/** How often a few workers look for a subgraph, each of them, in milliseconds. */
export const shortestPollMs = 20;
const longestPollMs = 1_000;
/** Together the idle workers of a queue look so often, in milliseconds between two looks of any of them. */
const betweenLooksMs = 4;
/** How often a worker counts who is idle, in milliseconds. */
const countMs = 2_000;
/** An interval that differs by no more than this share is left as it is, so that work that comes and goes is written seldom. */
const tolerance = 0.25;

/** How often each of so many idle workers of a queue looks for a subgraph, in milliseconds: 20 for up to 5 of them, 1,000 from 250 on. */
export const pollMsFor = (idle: number): number =>
  Math.min(longestPollMs, Math.max(shortestPollMs, betweenLooksMs * idle));

/**
 * Keeps the cost of idle workers to the database the same however many there are: the engine has each worker poll, so each polls less often where
 * there are many. How soon some idle worker finds a subgraph stays as it is, and where all are busy each looks again as soon as one alone would. The interval is kept with the queue, and every worker reads it there.
 */
export class PollingPace {
  readonly #parts: PollingPaceParts;
  readonly #timer: NodeJS.Timeout;
  #setting: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: PollingPaceParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#begin(), countMs);
    this.#begin();
  }

  /** Leaves the interval as it is; waits for what is being set. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#setting;
  }

  #begin(): void {
    this.#setting = this.#setting.then(() => this.#set()).catch(() => undefined);
  }

  /** The next count tries again what fails: the interval before is right, too, only dearer or slower. */
  async #set(): Promise<void> {
    if (this.#isClosed) return;
    const [idle, queue] = await Promise.all([this.#parts.idle(), this.#parts.queue()]);
    const wanted = pollMsFor(idle);
    const own = (await queue?.getMinPollingIntervalMs()) ?? shortestPollMs;
    if (queue !== null && !this.#isClosed && Math.abs(wanted - own) > tolerance * own)
      await queue.setMinPollingIntervalMs(wanted);
  }
}
