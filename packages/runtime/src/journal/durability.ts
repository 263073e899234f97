/**
 * What a resolved write has survived.
 *
 * | | the process is killed | the power fails | cost |
 * |---|---|---|---|
 * | `full` | nothing is lost | nothing is lost | a flush to the disk a commit |
 * | `sync` | nothing is lost | the last commits may be lost, the file stays sound | a commit, before dependents start |
 * | `async` | the last 50 ms may be lost | likewise | commits behind the run's back |
 * | `none` | all since the run began or was resumed may be lost | likewise, and the file may be damaged | one commit at the end |
 *
 * What was lost runs again on resume, with the same `idempotencyKey`. Creating, opening and ending a run are committed
 * before they resolve in every mode, and a read sees every write before it.
 */
export type Durability = "full" | "sync" | "async" | "none";

export const durabilities: readonly Durability[] = ["full", "sync", "async", "none"];

/** How long a write may wait for its commit under `async`, in milliseconds. */
export const asyncDelayMs = 50;

/** SQLite's `synchronous` for each. */
export const synchronousOf = { full: "FULL", sync: "NORMAL", async: "NORMAL", none: "OFF" } as const satisfies Record<
  Durability,
  string
>;
