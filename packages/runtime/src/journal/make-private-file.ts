import { chmod, open, stat } from "node:fs/promises";

/**
 * Makes an empty file that its owner alone may read and write, unless it is there. SQLite gives its log and its index the mode
 * of the database, so the folder may be open to others.
 */
export async function makePrivateFile(file: string): Promise<void> {
  try {
    await (await open(file, "wx", 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Takes the rights of others from a file that an earlier version left open to everybody, and from those beside it. One that
 * is shared with a group alone was changed so on purpose, and stays. Where it belongs to another user nothing changes.
 */
export async function closeToOthers(file: string): Promise<void> {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    const mode = await stat(each).then(
      (found) => found.mode & 0o777,
      () => 0,
    );
    if ((mode & 0o007) !== 0) await chmod(each, 0o600).catch(() => {});
  }
}
