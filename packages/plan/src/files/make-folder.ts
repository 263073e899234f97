import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { checkOptions } from "../check-options.ts";

/**
 * Makes a folder with those above it, where they are not there; each that is made gets `mode`. Node's own `recursive` is not used:
 * where a file system refuses new folders by ENOENT, as /proc does, it tries again without end, and its thread keeps the process.
 * @param options.mode permissions. @default 0o777, less the process's mask
 * @throws the error of the file system; ENOTDIR or EEXIST where something else has the name
 */
export async function makeFolder(folder: string, options: { readonly mode?: number } = {}): Promise<void> {
  checkOptions("`makeFolder`", options, { mode: "wholeNumber" });
  const path = resolve(folder);
  try {
    await mkdir(path, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (await isFolder(path)) return;
    if (code !== "ENOENT" || dirname(path) === path || (await isFolder(dirname(path)))) throw error;
    await makeFolder(dirname(path), options);
    await mkdir(path, options).catch(async (again: unknown) => {
      // Another process may have been quicker.
      if (!(await isFolder(path))) throw again;
    });
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
