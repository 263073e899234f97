import { expect, test } from "vitest";
import { loadSqlite } from "../../../packages/runtime/src/journal/load-sqlite.ts";

test("a Node.js without SQLite is reported as such, not as a fault of the folder", async () => {
  const missing = new Error("No such built-in module: node:sqlite");
  const error = await loadSqlite("/tmp/j.sqlite", () => Promise.reject(missing)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "RUNTIME_JOURNAL_OPEN",
    message: `The journal /tmp/j.sqlite needs the module node:sqlite, which Node.js has from version 22.18 on; this process is Node.js ${process.versions.node}. Run it with a newer Node.js, or keep runs in memory (memoryJournal()).`,
    details: { expected: ">=22.18", node: process.versions.node },
    cause: missing,
  });
  expect(String(error)).not.toMatch(/permission|free space/);
});

test("where there is SQLite, it is loaded", async () => {
  expect((await loadSqlite("/tmp/j.sqlite")).DatabaseSync).toBeTypeOf("function");
});
