import { mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./is-alive.ts";

/** Tests write a few hundred megabytes in all; what they wrote goes when they end. */
const roomBytes = 4 * 2 ** 30;
const prefix = "planloom-tests-";

/**
 * Temporary files of a test run lie in one folder, in memory where the system has a place for that: hundreds of journals wait
 * for a disk otherwise. What a disk alone can show (kills, full disks, limits of the file size) is tried in `pnpm bench:faults`.
 * @returns what removes the folder
 */
export function setup(): () => void {
  const parent = hasRoom("/dev/shm") ? "/dev/shm" : tmpdir();
  const folder = makeRunFolder(parent);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** A folder of this process in `parent`. Removes the folders of processes that are gone: a run that was killed removes nothing. */
export function makeRunFolder(parent: string): string {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(name.slice(prefix.length).split("-")[0]);
    if (!Number.isSafeInteger(pid) || pid <= 0 || isAlive(pid)) continue;
    // Another user's folder is theirs to remove, and another run may be removing the same one.
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {}
  }
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= roomBytes;
  } catch {
    // Another system, or a container without it: the usual place will do.
    return false;
  }
}
