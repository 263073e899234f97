import type { Journal } from "./journal/journal.ts";

/** Runs that go on in this process and can be told something, by the journal they are kept in. */
export class LiveRuns<Listener> {
  readonly #byJournal = new WeakMap<Journal, Map<string, Listener>>();

  /** @returns takes the listener away again. */
  listen(journal: Journal, runId: string, listener: Listener): () => void {
    const ofJournal = this.#byJournal.get(journal) ?? new Map<string, Listener>();
    this.#byJournal.set(journal, ofJournal);
    ofJournal.set(runId, listener);
    return () => ofJournal.delete(runId);
  }

  find(journal: Journal, runId: string): Listener | undefined {
    return this.#byJournal.get(journal)?.get(runId);
  }
}
