import { open, rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** A holder that is older is dead: it reads and writes one small file. */
const staleMs = 10_000;
const retryMs = 20;

/**
 * Runs `work` while no other process does the same for `file`: a file beside it, made exclusively, says that somebody does.
 * Waits for a living one; the file of a dead one is taken away after ten seconds.
 */
export async function withFileLock<Value>(
  file: string,
  work: () => Promise<Value>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Value> {
  const lock = `${file}.lock`;
  for (;;) {
    signal?.throwIfAborted();
    try {
      await (await open(lock, "wx")).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const age = await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > staleMs) await rm(lock, { force: true });
      else await wait(retryMs);
    }
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}
