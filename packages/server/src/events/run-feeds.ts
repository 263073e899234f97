import type { Planloom } from "planloom";
import { resumableStatuses } from "planloom/runtime";
import { ServerError, ServerErrorCode } from "../errors.ts";
import { RunFeed } from "./run-feed.ts";

export interface ListenOptions {
  /** Events with a higher `seq` alone. */
  readonly after: number;
  /** Whether it outlives a session that waits for a person or was drained. */
  readonly follow: boolean;
  /** Whether the client was here before: it gets an answer where nothing comes any more. */
  readonly isBack: boolean;
}

/** How long an answer may wait for the word that a run has ended. */
const patienceMs = 200;
/** How many clients at once are given events that feeds keep no longer. */
const maxOwnFeeds = 32;

/** How a session ends after which the run may continue. */
const unfinished: ReadonlySet<string> = new Set(["waiting", "waiting_approval", ...resumableStatuses]);

/** The feeds of the runs that somebody listens to. */
export class RunFeeds {
  readonly #planloom: Planloom;
  readonly #heartBeatMs: number;
  readonly #feeds = new Map<string, Promise<RunFeed>>();
  readonly #maxListeners: number;
  #listening = 0;
  /** Clients that do not listen yet, and are about to. */
  #coming = 0;
  #ownFeeds = 0;
  #isStopping = false;

  constructor(
    planloom: Planloom,
    { heartBeatMs, maxListeners }: { readonly heartBeatMs: number; readonly maxListeners: number },
  ) {
    this.#planloom = planloom;
    this.#heartBeatMs = heartBeatMs;
    this.#maxListeners = maxListeners;
  }

  /** How many clients listen now. */
  get listening(): number {
    return this.#listening;
  }

  /**
   * The bytes of a stream of server-sent events; `undefined` where the client has had everything and the run has ended.
   * @throws ServerError TOO_MANY_LISTENERS; RuntimeError RUN_NOT_FOUND
   */
  async listen(runId: string, options: ListenOptions): Promise<ReadableStream<Uint8Array> | undefined> {
    if (this.#listening + this.#coming >= this.#maxListeners)
      throw tooMany("clients that listen to events", this.#maxListeners);
    this.#coming += 1;
    let release: (() => void) | undefined;
    try {
      const held = await this.#held(runId, options);
      release = held.release;
      if (options.isBack && (await held.feed.isOver(options.after, patienceMs))) return undefined;
      return held.feed.listen(options.after);
    } finally {
      this.#coming -= 1;
      release?.();
    }
  }

  /** From now on streams end without the event that says their run has ended, unless it has: clients come back to the next server. */
  stop(): void {
    this.#isStopping = true;
  }

  async close(): Promise<void> {
    const feeds = await Promise.allSettled(this.#feeds.values());
    await Promise.all(feeds.map((feed) => (feed.status === "fulfilled" ? feed.value.close() : undefined)));
  }

  /** A feed that reaches back to what the client has seen, kept open until it listens. */
  async #held(
    runId: string,
    options: ListenOptions,
  ): Promise<{ readonly feed: RunFeed; readonly release: () => void }> {
    for (;;) {
      const shared = await this.#shared(runId, options.follow);
      // Its last client left meanwhile.
      if (shared.isClosed) continue;
      if (shared.reaches(options.after)) return { feed: shared, release: shared.hold() };
      const own = await this.#own(runId, options);
      return { feed: own, release: own.hold() };
    }
  }

  #shared(runId: string, follow: boolean): Promise<RunFeed> {
    const key = `${follow ? "run" : "session"} ${runId}`;
    const known = this.#feeds.get(key);
    if (known !== undefined) return known;
    const opening = this.#open(runId, { follow }, () => {
      if (this.#feeds.get(key) === opening) this.#feeds.delete(key);
    });
    this.#feeds.set(key, opening);
    opening.catch(() => this.#feeds.delete(key));
    return opening;
  }

  /** For a client that asks for events which the shared feed keeps no longer. They are read from the journal for it alone, so there are few of these. */
  async #own(runId: string, { after, follow }: ListenOptions): Promise<RunFeed> {
    if (this.#ownFeeds >= maxOwnFeeds) throw tooMany("clients that are far behind", maxOwnFeeds);
    this.#ownFeeds += 1;
    let isCounted = true;
    const onEmpty = () => {
      if (isCounted) this.#ownFeeds -= 1;
      isCounted = false;
    };
    try {
      return await this.#open(runId, { after, follow }, onEmpty);
    } catch (error) {
      onEmpty();
      throw error;
    }
  }

  async #open(runId: string, options: { after?: number; follow: boolean }, onEmpty: () => void): Promise<RunFeed> {
    // Whether there is such a run: a subscription says so only with its first event.
    const journal = await this.#planloom.journal();
    await journal.getRun(runId);
    const subscription = this.#planloom.subscribe(runId, { ...options, bufferSize: 100_000 });
    return new RunFeed(subscription, {
      heartBeatMs: this.#heartBeatMs,
      isOver: (endReason) =>
        !this.#isStopping || (endReason !== undefined && !(options.follow && unfinished.has(endReason))),
      onEmpty,
      onCount: (change) => {
        this.#listening += change;
      },
    });
  }
}

function tooMany(what: string, max: number): ServerError {
  const message = `There are ${max} ${what}, and no more are served at once. Try again in a moment.`;
  return new ServerError(ServerErrorCode.TOO_MANY_LISTENERS, message, { details: { max, retry_after_ms: 5_000 } });
}
