import type { Planloom } from "planloom";
import { RunFeed } from "./run-feed.ts";

export interface ListenOptions {
  /** Events with a higher `seq` alone. */
  readonly after: number;
  /** Whether it outlives a session that waits for a person or was drained. */
  readonly follow: boolean;
  /** Whether the client was here before: it is told where nothing comes any more. */
  readonly isBack: boolean;
}

/** How long an answer may wait for the word that a run has ended. */
const patienceMs = 200;

/** The feeds of the runs that somebody listens to. */
export class RunFeeds {
  readonly #planloom: Planloom;
  readonly #heartBeatMs: number;
  readonly #feeds = new Map<string, Promise<RunFeed>>();
  #listening = 0;

  constructor(planloom: Planloom, heartBeatMs: number) {
    this.#planloom = planloom;
    this.#heartBeatMs = heartBeatMs;
  }

  /** How many clients listen now. */
  get listening(): number {
    return this.#listening;
  }

  /**
   * The bytes of a stream of server-sent events; `undefined` where the client has had everything and the run has ended.
   * @throws RuntimeError RUN_NOT_FOUND
   */
  async listen(runId: string, options: ListenOptions): Promise<ReadableStream<Uint8Array> | undefined> {
    const shared = options.follow ? await this.#shared(runId) : undefined;
    const feed = shared?.reaches(options.after) === true ? shared : await this.#own(runId, options);
    if (options.isBack && (await feed.isOver(options.after, patienceMs))) return undefined;
    return feed.listen(options.after);
  }

  async close(): Promise<void> {
    const feeds = await Promise.allSettled(this.#feeds.values());
    await Promise.all(feeds.map((feed) => (feed.status === "fulfilled" ? feed.value.close() : undefined)));
  }

  async #shared(runId: string): Promise<RunFeed> {
    const known = this.#feeds.get(runId);
    if (known !== undefined) return known;
    const opening = this.#open(runId, { follow: true }, () => {
      if (this.#feeds.get(runId) === opening) this.#feeds.delete(runId);
    });
    this.#feeds.set(runId, opening);
    opening.catch(() => this.#feeds.delete(runId));
    return opening;
  }

  #own(runId: string, { after, follow }: ListenOptions): Promise<RunFeed> {
    return this.#open(runId, { after, follow }, () => {});
  }

  async #open(runId: string, options: { after?: number; follow: boolean }, onEmpty: () => void): Promise<RunFeed> {
    // Whether there is such a run: a subscription says so only with its first event.
    const journal = await this.#planloom.journal();
    await journal.getRun(runId);
    const subscription = this.#planloom.subscribe(runId, { ...options, bufferSize: 100_000 });
    const onCount = (change: number) => {
      this.#listening += change;
    };
    return new RunFeed(subscription, { heartBeatMs: this.#heartBeatMs, onEmpty, onCount });
  }
}
