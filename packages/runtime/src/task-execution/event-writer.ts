import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import type { Journal, StoredEvent } from "../journal/journal.ts";
import type { LeaseOwner } from "../journal/lease.ts";

/** Keeps a run's events in its journal, a turn of the event loop's at a time. Nothing waits for them but the end. */
export class EventWriter {
  /** Types of the events that are kept; undefined for all. */
  readonly #only: ReadonlySet<RunEvent["type"]> | undefined;
  readonly #add: (events: readonly StoredEvent[]) => Promise<void>;
  #pending: StoredEvent[] = [];
  #writing: Promise<void> = Promise.resolve();
  #scheduled = false;
  #ended = false;
  /** Why nothing is written any more: a journal that did not settle in time is not asked again. */
  #gaveUp: unknown;

  private constructor(
    add: (events: readonly StoredEvent[]) => Promise<void>,
    only: ReadonlySet<RunEvent["type"]> | undefined,
  ) {
    this.#add = add;
    this.#only = only;
  }

  /**
   * @param needed types of events that a resumption needs: kept also where the journal is to keep no events
   * @returns undefined where nothing is kept
   */
  static for(
    journal: Journal,
    runId: string,
    owner: LeaseOwner,
    needed: ReadonlySet<RunEvent["type"]>,
  ): EventWriter | undefined {
    if (journal.addEvents === undefined || (journal.storesEvents !== true && needed.size === 0)) return undefined;
    const only = journal.storesEvents === true ? undefined : needed;
    return new EventWriter(async (events) => journal.addEvents?.(runId, owner, events), only);
  }

  /** A listener that keeps each event and then passes it to `listener`. */
  before(listener: ((event: RunEvent) => unknown) | undefined): (event: RunEvent) => unknown {
    return (event) => {
      this.#keep(event);
      return listener?.(event);
    };
  }

  /** Keeps the last event of a session; resolves when all are written. */
  end(event: RunEvent): Promise<void> {
    this.#keep(event);
    this.#ended = true;
    return this.flush();
  }

  /** Outputs are left out: they are in the records of their tasks. */
  #keep(event: RunEvent): void {
    if (this.#ended || this.#only?.has(event.type) === false) return;
    this.#pending.push(withoutOutput(event));
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      // What keeps events from being written keeps records from it too, and ends the run by those.
      this.flush().catch(() => {});
    });
  }

  /** Resolves when all events so far are written. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const events = this.#pending;
      this.#pending = [];
      if (this.#gaveUp !== undefined) throw this.#gaveUp;
      if (events.length === 0) return;
      try {
        await this.#add(events);
      } catch (error) {
        if (error instanceof RuntimeError && error.code === RuntimeErrorCode.JOURNAL_TIMEOUT) this.#gaveUp = error;
        throw error;
      }
    });
    const written = this.#writing;
    this.#writing = written.catch(() => {});
    return written;
  }
}

function withoutOutput(event: RunEvent): StoredEvent {
  if (event.type !== "task-end") return event;
  const { output: _, ...stored } = event;
  return stored;
}
