/** An output and the time when it was stored. */
export interface CachedOutput {
  readonly output: unknown;
  /** Milliseconds since the epoch. */
  readonly stored_at: number;
  /** Id of the run that made it. It is deleted with that run. */
  readonly run_id?: string;
}

/** Selects cached outputs: those that meet every given condition; all of them without a condition. */
export interface CacheFilter {
  /** Selects outputs that were stored before this time, in milliseconds since the epoch. */
  readonly storedBefore?: number | undefined;
  /** Selects outputs that this run made. */
  readonly runId?: string | undefined;
  /** Only counts the outputs, and removes none. @default false */
  readonly dryRun?: boolean | undefined;
}

/** Keeps outputs by key. A journal is one; so is `memoryCache()`. */
export interface ResultCache {
  readCache(key: string): Promise<CachedOutput | undefined>;
  /** The last output of a key counts. */
  writeCache(key: string, cached: CachedOutput): Promise<void>;
  /** Removes cached outputs. @returns how many */
  purgeCache?(filter?: CacheFilter): Promise<number>;
}
