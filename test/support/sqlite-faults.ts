import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite";

/** What happens to one statement: nothing, an error in its place, or whatever `act` throws. */
export type StatementFault = (text: string) => void;

/**
 * Calls `fault` before every statement that writes or ends a transaction, of every connection of this process, until it is
 * disposed of: the place of SQLite's fault-injecting VFS, one level up. What it throws happens in the statement's place.
 * Rolling back is never disturbed: SQLite does that itself when a process dies or a disk is full.
 */
export function interceptStatements(fault: StatementFault): Disposable {
  const { run } = StatementSync.prototype;
  StatementSync.prototype.run = function (this: StatementSync, ...values: SQLInputValue[]) {
    fault(this.sourceSQL);
    return Reflect.apply(run, this, values);
  } as typeof run;
  return {
    [Symbol.dispose]() {
      StatementSync.prototype.run = run;
    },
  };
}

/** The databases that `open` opens. */
export async function openedDatabases<T>(open: () => Promise<T>): Promise<{ value: T; databases: DatabaseSync[] }> {
  const databases = new Set<DatabaseSync>();
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, ...given: Parameters<typeof exec>) {
    databases.add(this);
    return exec.apply(this, given);
  };
  try {
    return { value: await open(), databases: [...databases] };
  } finally {
    DatabaseSync.prototype.exec = exec;
  }
}

/** As SQLite says it where the disk is full, or where reading and writing fail. */
export function sqliteFault(kind: "full" | "io"): Error {
  const [errcode, message] = kind === "full" ? [13, "database or disk is full"] : [10, "disk I/O error"];
  return Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode, errstr: message });
}
