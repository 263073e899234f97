/** Rows of text by key, as one transaction sees them. */
export interface LimitRows {
  /** Undefined where the row does not exist. */
  get(key: string): string | undefined;
  /** In the place of what is there; `undefined` removes it. */
  set(key: string, text: string | undefined): void;
}

/**
 * Where several processes keep what they use of their limits together. The code that uses it decides what the rows mean; a store only keeps
 * them, one transaction after the other.
 */
export interface LimitStore {
  /** For messages, as the journal's. */
  readonly name: string;
  /**
   * Calls `work` in a transaction that excludes those of all other processes, and commits what it has set. May call it again where
   * the store was locked; what an earlier call has set is gone then. Rejects with RuntimeError JOURNAL_*, and nothing is set then.
   */
  change<Value>(work: (rows: LimitRows) => Value): Promise<Value>;
  /** A row as it was committed last; undefined where there is none. */
  read(key: string): Promise<string | undefined>;
  /** Notifies all processes that watch. Never throws: a change without a notification is found later, when a process looks. */
  notify(): void;
  /**
   * Calls `onNotify` when a process has notified, this one included; several times may come as one. It keeps no process alive.
   * @returns stops that; undefined where the system cannot notify, so that the caller has to look from time to time
   */
  watch(onNotify: () => void): (() => void) | undefined;
  close(): Promise<void>;
}
