import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

type Sqlite = typeof import("node:sqlite");

let loaded: Promise<Sqlite> | undefined;

/** Imports SQLite once: a repeated `import()` resolves its module again, which takes longer than opening a small journal. */
function importOnce(): Promise<Sqlite> {
  loaded ??= import("node:sqlite");
  return loaded;
}

/**
 * SQLite as Node.js has it built in, loaded when the first journal is opened.
 * @throws RuntimeError JOURNAL_OPEN where this process has none: an older Node.js, or one that was built without it
 */
export async function loadSqlite(file: string, load: () => Promise<Sqlite> = importOnce): Promise<Sqlite> {
  try {
    return await load();
  } catch (cause) {
    const message = `The journal ${file} needs the module node:sqlite, which Node.js has from version 22.18 on; this process is Node.js ${process.versions.node}. Run it with a newer Node.js, or keep runs in memory (memoryJournal()).`;
    throw new RuntimeError(RuntimeErrorCode.JOURNAL_OPEN, message, {
      details: { file, node: process.versions.node, expected: ">=22.18" },
      cause,
    });
  }
}
