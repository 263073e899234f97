import { FaultLog, notify } from "@planloom/plan";
import { checkOptions, ofJournal } from "../check-options.ts";
import type { RunEvent } from "../events.ts";
import type { Journal } from "../journal/journal.ts";
import { LiveRuns } from "../live-runs.ts";

type Listener = (event: RunEvent) => unknown;

/** Passes the events of one session of a run to any number of listeners, which may come and go meanwhile. */
export class RunFeed {
  readonly #listeners = new Set<Listener>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #faults = new FaultLog();
  readonly #written: () => Promise<void>;

  /** @param written resolves when the journal has all events so far, where it keeps them */
  constructor(written: () => Promise<void>) {
    this.#written = written;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Resolves when the session has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What a listener throws reaches neither the run nor the others. */
  deliver(event: RunEvent): void {
    for (const listener of this.#listeners) {
      notify(listener, event, (error) => this.#faults.report("listener of watchRun", error));
    }
  }

  async written(): Promise<void> {
    // Watchers of a run get its events also when they cannot be written.
    await this.#written().catch(() => {});
  }

  end(): void {
    this.#listeners.clear();
    this.#ended.resolve();
  }
}

export const liveFeeds = new LiveRuns<RunFeed>();

/** A session of a run that is executed in this process. */
export interface WatchedRun {
  /** Resolves when the session has ended; `run-end` comes before, unless the run failed with an error. */
  readonly ended: Promise<void>;
  /** Resolves when the journal has all events so far, where it keeps events. */
  written(): Promise<void>;
  /** Ends the watching: the listener is not called again. */
  unwatch(): void;
}

/**
 * Passes the events of a run to `listener` from now on, until this session of it in this process ends. What the listener throws is a
 * warning.
 * @param runId the run's whole id
 * @throws RuntimeError INVALID_OPTION
 * @returns undefined where no run of this id is executed in this process with this journal
 */
export function watchRun(
  runId: string,
  options: { readonly journal: Journal; readonly listener: Listener },
): WatchedRun | undefined {
  checkOptions("`watchRun`", options, { journal: ofJournal.journal, listener: { required: "function" } });
  const { journal, listener } = options;
  const feed = liveFeeds.find(journal, runId);
  if (feed === undefined) return undefined;
  const unwatch = feed.listen(listener);
  return { ended: feed.ended, written: () => feed.written(), unwatch };
}
