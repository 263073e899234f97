import { unguarded } from "./edge/guard-journal.ts";
import type { Journal } from "./journal/journal.ts";

/** Listeners of the runs that are executed in this process, by journal and run id. */
export class LiveRuns<Listener> {
  readonly #byJournal = new WeakMap<Journal, Map<string, Listener>>();

  /** @returns takes the listener away again. */
  listen(journal: Journal, runId: string, listener: Listener): () => void {
    const key = unguarded(journal);
    const ofJournal = this.#byJournal.get(key) ?? new Map<string, Listener>();
    this.#byJournal.set(key, ofJournal);
    ofJournal.set(runId, listener);
    return () => ofJournal.delete(runId);
  }

  find(journal: Journal, runId: string): Listener | undefined {
    return this.#byJournal.get(unguarded(journal))?.get(runId);
  }
}
