import { randomUUID } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** A holder that is older is dead: it reads and writes one small file. */
const staleMs = 10_000;
const retryMs = 20;

/**
 * Runs `work` while no other process does the same for `file`: a file beside it, created exclusively, is the lock.
 * Waits for a living one; the file of a dead one is taken away after ten seconds, by one of those who wait: with a lock of its own,
 * or the second would take away the lock that the first has just made.
 */
export async function withFileLock<Value>(
  file: string,
  work: () => Promise<Value>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Value> {
  const lock = `${file}.lock`;
  const breaking = `${lock}.stale`;
  const token = randomUUID();
  while (!(await make(lock, token))) {
    signal?.throwIfAborted();
    if (!(await isStale(lock))) await wait(retryMs);
    else if (await make(breaking, token)) {
      try {
        if (await isStale(lock)) await rm(lock, { force: true });
      } finally {
        await rm(breaking, { force: true });
      }
    } else if (await isStale(breaking)) await rm(breaking, { force: true });
    else await wait(retryMs);
  }
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    // A holder that took too long has lost the lock to another process.
    if ((await readFile(lock, "utf8").catch(() => "")) === token) await rm(lock, { force: true });
  }
}

/** False when it is there. */
async function make(lock: string, token: string): Promise<boolean> {
  try {
    await writeFile(lock, token, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

function isStale(lock: string): Promise<boolean> {
  return stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > staleMs,
    () => false,
  );
}
