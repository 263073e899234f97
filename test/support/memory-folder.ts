import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Tests write a few hundred megabytes in all; what they wrote goes when they end. */
const roomBytes = 4 * 2 ** 30;

/**
 * Temporary files of tests lie in memory where the system has a folder for that: hundreds of journals wait for a disk otherwise.
 * What a disk alone can show (kills, full disks, limits of the file size) is tried in `pnpm bench:faults`.
 * @returns what removes them
 */
export function setup(): (() => void) | undefined {
  const memory = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < roomBytes) return undefined;
    const folder = mkdtempSync(join(memory, "planloom-tests-"));
    process.env.TMPDIR = folder;
    return () => rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another system, or a container without it: the usual place will do.
    return undefined;
  }
}
