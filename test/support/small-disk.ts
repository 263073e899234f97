import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of a few megabytes, which can be filled to the last byte. */
export interface SmallDisk extends AsyncDisposable {
  readonly folder: string;
  /** Takes all space that is left. */
  fill(): void;
  /** Gives back what it took. */
  free(): void;
}

async function succeeds(program: string, words: readonly string[]): Promise<boolean> {
  const child = spawn(program, [...words], { stdio: "ignore" });
  const ended = await Promise.race([once(child, "exit"), once(child, "error")]);
  return ended[0] === 0;
}

/** Mounts one, in memory. @returns undefined where this user may not, or the system cannot */
export async function smallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "planloom-disk-"));
  // Servers are run by another user.
  const options = `size=${megabytes}m,mode=1777`;
  if (!(await succeeds("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]))) {
    rmdirSync(folder);
    return undefined;
  }
  const filler = join(folder, "filler");
  return {
    folder,
    fill() {
      const file = openSync(filler, "a");
      try {
        for (let size = 1024 * 1024; size >= 4_096; ) {
          try {
            writeSync(file, Buffer.alloc(size));
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
            size /= 2;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      await succeeds("umount", ["-l", folder]);
      rmdirSync(folder);
    },
  };
}
