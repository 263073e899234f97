import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  defineTool,
  fork,
  resume,
  run,
  SqliteJournal,
  type SqliteJournalOptions,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { journalContract } from "../../contract/journal.ts";
import { owner, storedRun } from "../../contract/journal-subject.ts";
import { planOf } from "../../support/run-plans.ts";

let folder: string;
let count = 0;
const newFile = () => join(folder, `${count++}`, "journal.sqlite");
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-journal-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const underTest = (options: SqliteJournalOptions) => async () => {
  const file = newFile();
  const journal = await SqliteJournal.open(file, options);
  const others: SqliteJournal[] = [];
  return {
    journal,
    async another() {
      const other = await SqliteJournal.open(file);
      others.push(other);
      return other;
    },
    async dispose() {
      await Promise.all([journal, ...others].map((open) => open.close()));
    },
  };
};
journalContract("sqlite", underTest({}));
journalContract("sqlite, durability full, events", underTest({ durability: "full", events: true }));

const tools = toolExecutor([defineTool({ id: "a", description: "", execute: () => 1 })]);

describe("files that cannot be used", () => {
  test("a journal of a newer version", async () => {
    const file = newFile();
    await (await SqliteJournal.open(file)).close();
    const database = new DatabaseSync(file);
    database.exec("INSERT INTO migrations VALUES (99, 'later', '')");
    database.close();
    await expect(SqliteJournal.open(file)).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_NEWER",
      details: { version: 99 },
      message: expect.stringMatching(/Update Planloom, or use another file/),
    });
  });

  test("a database of another program is left alone", async () => {
    const file = join(folder, "other.sqlite");
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE theirs (x)");
    database.close();
    const before = await readFile(file);
    await expect(SqliteJournal.open(file)).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_FOREIGN" });
    expect(await readFile(file)).toEqual(before);
  });

  test("a file that is no database is left alone", async () => {
    const file = join(folder, "text.sqlite");
    await writeFile(file, "hello ".repeat(1_000));
    await expect(SqliteJournal.open(file)).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_FOREIGN" });
    expect(await readFile(file, "utf8")).toBe("hello ".repeat(1_000));
  });

  test("a folder in place of the file, and a file in place of the folder", async () => {
    await expect(SqliteJournal.open(folder)).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_OPEN" });
    const file = join(folder, "plain");
    await writeFile(file, "x");
    await expect(SqliteJournal.open(join(file, "j.sqlite"))).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_OPEN" });
  });

  test("a database that another connection has locked, after the time set", async () => {
    const file = newFile();
    const journal = await SqliteJournal.open(file, { busyTimeoutMs: 50 });
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const started = performance.now();
    await expect(run(planOf({ a: [] }), { executors: [tools], journal })).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_LOCKED",
      message: expect.stringContaining("another process"),
    });
    // Without the option it is waited for 5 seconds.
    expect(performance.now() - started).toBeLessThan(4_000);
    other.exec("ROLLBACK");
    other.close();
    expect((await run(planOf({ a: [] }), { executors: [tools], journal })).end_reason).toBe("completed");
    await journal.close();
  });

  test("a lock of another connection is waited for while the event loop goes on", async () => {
    const file = newFile();
    const journal = await SqliteJournal.open(file);
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    let longestMs = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - last);
      last = now;
    }, 5);
    const running = run(planOf({ a: [], b: ["a"] }, { b: { tool_id: "a" } }), {
      executors: [tools],
      journal,
      runId: "r",
    });
    // Real time: what is measured is how long the event loop is held while SQLite waits for a lock.
    await new Promise((resolve) => setTimeout(resolve, 700));
    other.exec("ROLLBACK");
    other.close();
    expect((await running).end_reason).toBe("completed");
    clearInterval(beat);
    // It was locked for 700 ms; a busy machine may take some of them, too.
    expect(longestMs).toBeLessThan(500);
    expect(await journal.getTasks("r")).toHaveLength(2);
    await journal.close();
  });

  test("a closed journal", async () => {
    const journal = await SqliteJournal.open(newFile());
    await journal.close();
    await journal.close();
    await expect(journal.listRuns()).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_READ" });
    await expect(run(planOf({ a: [] }), { executors: [tools], journal })).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_WRITE",
    });
  });
});

test.for([
  ["status", "'done'"],
  ["error", "'3'"],
  ["error", `'{"code": 4}'`],
  ["usage", "'[]'"],
  ["usage", `'{"calls": 1, "tokens": -500, "cost": 0, "seconds": 0}'`],
  ["output", "'{'"],
] as const)(
  "a row whose %s is %s is reported by the journal's error, not by whoever reads it",
  async ([column, value]) => {
    const file = newFile();
    const journal = await SqliteJournal.open(file);
    await run(planOf({ a: [] }), { executors: [tools], journal, runId: "r" });
    const other = new DatabaseSync(file);
    other.exec(`UPDATE tasks SET ${column} = ${value}`);
    other.close();
    const reads = [() => journal.getTasks("r"), () => resume("r", { executors: [tools], journal })];
    for (const read of reads) {
      await expect(read()).rejects.toMatchObject({ code: expect.stringMatching(/^RUNTIME_JOURNAL_(READ|CORRUPT)$/) });
    }
    const { problems } = await verifyRun(journal, "r");
    expect(problems.map(({ code }) => code)).toEqual(["row_changed", "unreadable"]);
    await journal.close();
  },
);

test.for([
  "INSERT INTO answers (run_id, answer) VALUES ('r', 'null')",
  "INSERT INTO answers (run_id, answer) VALUES ('r', '[1')",
  "INSERT INTO nested_tasks (run_id, key, record) VALUES ('r', 'k', '{}')",
  "INSERT INTO pending_usage (run_id, key, pending) VALUES ('r', 'k', '5')",
  "INSERT INTO model_calls (run_id, call) VALUES ('r', 'true')",
])("a row that no journal wrote is an error of the journal, never a TypeError: %s", async (text) => {
  const file = newFile();
  const journal = await SqliteJournal.open(file);
  await run(planOf({ a: [] }), { executors: [tools], journal, runId: "r" });
  const other = new DatabaseSync(file);
  other.exec(text);
  other.close();
  const reads = [
    journal.getAnswers("r"),
    journal.getNestedTasks("r"),
    journal.getPendingUsage("r"),
    journal.getCalls("r"),
  ];
  const refused = (await Promise.allSettled(reads)).filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(1);
  await expect(resume("r", { executors: [tools], journal })).rejects.toMatchObject({
    code: expect.stringMatching(/^RUNTIME_JOURNAL_/),
  });
  await journal.close();
});

test("a journal of format 11 lists runs by their tenant, also a run whose options were damaged: for none", async () => {
  const file = join(folder, "format-11.sqlite");
  const written = await SqliteJournal.open(file);
  const tenants = { one: "a", other: "b", nobody: undefined, damaged: "a" };
  for (const [id, tenant] of Object.entries(tenants)) {
    const run = storedRun(id);
    await written.createRun({ ...run, options: { ...run.options, ...(tenant && { tenant }) } }, owner("o"));
  }
  await written.close();
  const before = new DatabaseSync(file);
  before.exec(
    `DROP INDEX runs_by_tenant; ALTER TABLE runs DROP COLUMN tenant; DROP TABLE signal_schemas; DROP INDEX waits_for_signals;
      ALTER TABLE waits DROP COLUMN signalled; DROP INDEX signals_taken; DELETE FROM migrations WHERE version >= 12`,
  );
  before.exec("UPDATE plans SET options = '{' WHERE run_id = 'damaged'");
  before.close();
  const journal = await SqliteJournal.open(file);
  const listed = async (tenant: string | null) => (await journal.listRuns({ tenant })).map(({ run_id }) => run_id);
  expect([await listed("a"), await listed("b"), await listed(null)]).toEqual([
    ["one"],
    ["other"],
    ["damaged", "nobody"],
  ]);
  await journal.close();
});

test("a journal of format 7, whose plans stood in one row, is read and its run goes on", async () => {
  const file = join(folder, "format-7.sqlite");
  const before = new DatabaseSync(file);
  before.exec(await readFile(join(import.meta.dirname, "fixtures/format-7.sql"), "utf8"));
  before.close();
  const journal = await SqliteJournal.open(file);
  const { plan, first_plan } = await journal.getRun("vintage-run");
  expect(first_plan?.planned_tasks.map(({ task_id }) => task_id)).toEqual(["pick", "press"]);
  expect(plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(["pick", "press_2"]);
  expect(await verifyRun(journal, "vintage-run")).toMatchObject({ ok: true });
  const executed: string[] = [];
  const tool = (id: string, output: unknown) =>
    defineTool({
      id,
      description: "",
      execute: () => {
        executed.push(id);
        return output;
      },
    });
  const executors = [toolExecutor([tool("harvest", 0), tool("press", { litres: 7 })])];
  const result = await resume("vintage-run", { journal, executors });
  expect(executed).toEqual(["press"]);
  expect(result).toMatchObject({ end_reason: "completed", output_data: { press_2: { litres: 7 } } });
  const forked = await fork("vintage-run", "press_2", { journal, executors, runId: "other" });
  expect(forked.plan.planned_tasks.map(({ status }) => status)).toEqual(["completed", "completed"]);
  await journal.close();
});

test("two that open a new file at once both succeed", async () => {
  const file = newFile();
  const journals = await Promise.all([SqliteJournal.open(file), SqliteJournal.open(file)]);
  expect(await journals[1]?.listRuns()).toEqual([]);
  for (const journal of journals) await journal.close();
});
