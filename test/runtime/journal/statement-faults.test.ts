import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { draftPatch } from "@planloom/plan";
import { type Durability, SqliteJournal, type StoredRevision } from "@planloom/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { owner, record, storedRun } from "../../contract/journal-subject.ts";
import { interceptStatements, openedDatabases, sqliteFault } from "../../support/sqlite-faults.ts";

let folder: string;
let journal: SqliteJournal;
let database: DatabaseSync;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-statements-"));
  const opened = await openedDatabases(() => SqliteJournal.open(join(folder, "j.sqlite"), { events: true }));
  journal = opened.value;
  database = opened.databases[0]!;
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.record("r", owner("o"), [record("a")]);
  await journal.createRun(storedRun("ended"), owner("o"));
  await journal.endRun("ended", owner("o"), "failed");
});
afterEach(async () => {
  await journal.close();
  await rm(folder, { recursive: true, force: true });
});

/** Everything that the file holds, table by table. */
function contents(): string {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  return JSON.stringify(tables.map(({ name }) => [name, database.prepare(`SELECT * FROM ${String(name)}`).all()]));
}

const large = { text: "x".repeat(200_000) };
const usage = { calls: 1, tokens: 2, cost: 3, seconds: 4 };
function revision(): StoredRevision {
  const { plan } = storedRun("r");
  const { patch } = draftPatch(plan, { tasks: [{ ...plan.planned_tasks[1]!, description: "new", replaces: ["b"] }] });
  return { patch: patch!, causes: [{ task_id: "b", cause: "person" }], at: 7 };
}

/** Each write of the port, doing what takes it more than one statement where it can. */
const writes: Readonly<Record<string, () => Promise<unknown>>> = {
  createRun: () => journal.createRun(storedRun("s"), owner("o")),
  record: () => journal.record("r", owner("o"), [record("b", { output: large }), record("c", { output: large })]),
  "record, in the place of another": () => journal.record("r", owner("o"), [record("a", { status: "failed" })]),
  recordNested: () =>
    journal.recordNested("r", owner("o"), [
      { path: ["a"], scope: "s", record: record("x") },
      { path: ["a"], scope: "s", record: record("y") },
    ]),
  beginCalls: () =>
    journal.beginCalls("r", owner("o"), [
      { path: [], task_id: "b", usage },
      { path: [], task_id: "c", usage },
    ]),
  recordCalls: () =>
    journal.recordCalls(
      "r",
      owner("o"),
      ["a", "b"].map((id) => ({ path: [id], purpose: "execute", request: {}, ended_at: 1, latency_ms: 1 })),
    ),
  addEvents: () =>
    journal.addEvents("r", owner("o"), [
      { type: "run-start", runId: "r", seq: 0, at: 0, planId: "plan", tasks: 2, recorded: 0 } as never,
      { type: "run-end", runId: "r", seq: 1, at: 0, endReason: "completed", achievedMs: 1 } as never,
    ]),
  addRevision: () => journal.addRevision("r", revision(), owner("o")),
  openRun: () => journal.openRun("ended", owner("p")),
  renewLease: () => journal.renewLease("r", owner("o")),
  requestCancel: () => journal.requestCancel("r"),
  addAnswer: () =>
    journal.addAnswer("r", { task_id: "b", content_hash: "h", answer: "approve", answered_at: "2026-01-01" } as never),
  writeCache: () => journal.writeCache("k", { output: 1, stored_at: 1 }),
  endRun: () => journal.endRun("r", owner("o"), "failed"),
};

test.for(Object.keys(writes))("whichever statement of %s fails, nothing of it is kept", async (name) => {
  let statements = 0;
  for (let failing = 1; ; failing++) {
    const before = contents();
    let count = 0;
    using _ = interceptStatements(() => {
      if (++count === failing) throw sqliteFault(failing % 2 === 0 ? "io" : "full");
    });
    const outcome = await writes[name]!().then(
      () => "written",
      (error: { readonly code?: string }) => error.code,
    );
    if (outcome === "written") {
      statements = failing - 1;
      break;
    }
    expect(outcome).toBe("RUNTIME_JOURNAL_WRITE");
    expect(contents()).toBe(before);
  }
  // The transaction itself is two of them.
  expect(statements).toBeGreaterThanOrEqual(3);
});

test("whichever statement of deleting a run fails, the run is whole", async () => {
  await journal.endRun("r", owner("o"), "failed");
  const before = contents();
  for (let failing = 1; ; failing++) {
    let count = 0;
    using _ = interceptStatements(() => {
      if (++count === failing) throw sqliteFault("io");
    });
    const gone = await journal.deleteRun("r").then(
      () => true,
      () => false,
    );
    if (gone) break;
    expect(contents()).toBe(before);
  }
  expect((await journal.listRuns()).map(({ run_id }) => run_id)).toEqual(["ended"]);
});

test.for([
  ["full", 2],
  ["sync", 1],
  ["async", 1],
  ["none", 0],
] as const)("durability %s asks SQLite to synchronise at level %d", async ([durability, level]) => {
  const file = join(folder, `${durability}.sqlite`);
  const { value, databases } = await openedDatabases(() =>
    SqliteJournal.open(file, { durability: durability as Durability }),
  );
  expect(databases[0]!.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: level });
  expect(databases[0]!.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  await value.close();
});
