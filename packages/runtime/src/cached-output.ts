/** An output and when it was made. */
export interface CachedOutput {
  readonly output: unknown;
  /** Milliseconds since the epoch. */
  readonly stored_at: number;
  /** The run that it comes from; deleted with it. */
  readonly run_id?: string;
}

/** Which cached outputs are meant; each condition that is given must hold, and without any it is all of them. */
export interface CacheFilter {
  /** Those stored before that time, milliseconds since the epoch. */
  readonly storedBefore?: number | undefined;
  /** Those that come from this run. */
  readonly runId?: string | undefined;
  /** Counts them and removes none. @default false */
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
