import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TaskData } from "@planloom/plan";
import {
  approve,
  defineTool,
  memoryJournal,
  resume,
  run,
  runStatus,
  SqliteJournal,
  type SqliteJournalOptions,
  toolExecutor,
  type VerifyReport,
  verifyRun,
} from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const executors = [
  toolExecutor([
    defineTool({
      id: "count",
      description: "",
      execute: async ({ id }) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        return { id, v: 1, ...(id === "t4" && { text: "x".repeat(20_000) }) };
      },
    }),
  ]),
];
const plan = TaskData.parse({
  task_id: "orders",
  planned_tasks: Array.from({ length: 20 }, (_, at) => ({
    task_id: `t${at}`,
    execution_type: "tool",
    tool_id: "count",
    arguments: { id: `t${at}`, ...(at >= 2 && { before: `\${t${at - 2}.v}` }) },
    ...(at === 10 && { approval: "required" }),
  })),
});
const key = "a key that only its owner has";

let folder: string;
const original = (name: string) => join(folder, `${name}.sqlite`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-forgeries-"));
  await makeRun("plain", {});
  await makeRun("keyed", { key });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function makeRun(name: string, options: SqliteJournalOptions): Promise<void> {
  const journal = await SqliteJournal.open(original(name), { ...options, events: true });
  const given = { executors, journal, budgets: { run: { calls: 100 } } };
  await run(plan, { ...given, runId: "r" });
  await approve("r", "t10", { journal });
  await resume("r", given);
  await journal.close();
}

let copies = 0;

/** What `verifyRun` says of a copy of the journal in which `change` was done behind its back. */
async function verified(
  name: "plain" | "keyed",
  change: (database: DatabaseSync) => void,
  options: SqliteJournalOptions = name === "keyed" ? { key } : {},
): Promise<VerifyReport> {
  const file = join(folder, `copy${copies++}.sqlite`);
  await copyFile(original(name), file);
  const database = new DatabaseSync(file);
  const before = contentOf(database);
  change(database);
  const isChanged = contentOf(database) !== before;
  database.close();
  const journal = await SqliteJournal.open(file, options);
  const report = await verifyRun(journal, "r").finally(() => journal.close());
  expect({ ...report, isChanged: isChanged || change === nothing }).toMatchObject({ isChanged: true });
  return report;
}

const nothing = () => {};

function contentOf(database: DatabaseSync): string {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  return JSON.stringify(names.map(({ name }) => database.prepare(`SELECT * FROM ${name}`).all()));
}

describe("a run that nobody touched", () => {
  test.for([
    ["plain", {}, "plain"],
    ["keyed", { key }, "keyed"],
  ] as const)("%s checksums hold", async ([name, options, checksums]) => {
    const report = await verified(name, nothing, options);
    expect(report).toMatchObject({ ok: true, problems: [], checksums });
    expect(report.head).toMatch(/^[\w-]{43}$/);
  });

  test("in memory has none, and says so", async () => {
    const journal = memoryJournal();
    await run(plan, { executors, journal, runId: "r" });
    expect(await verifyRun(journal, "r")).toMatchObject({ ok: true, checksums: "none" });
  });
});

const forgeries: readonly (readonly [what: string, sql: string, code: string, message: RegExp])[] = [
  [
    "an output",
    'UPDATE tasks SET output = \'{"id":"t5","v":999}\' WHERE task_id = \'t5\'',
    "row_changed",
    /record of task "t5"/,
  ],
  [
    "a field nobody reads in an output",
    "UPDATE tasks SET output = json_set(output, '$.more', 1) WHERE task_id = 't5'",
    "row_changed",
    /record of task "t5"/,
  ],
  [
    "the output of a sink",
    'UPDATE tasks SET output = \'{"id":"t19","v":999}\' WHERE task_id = \'t19\'',
    "row_changed",
    /record of task "t19"/,
  ],
  [
    "the metadata that lists of runs show",
    'UPDATE runs SET metadata = \'{"tenant":"other"}\'',
    "row_changed",
    /metadata in lists of runs/,
  ],
  ["a large output", "UPDATE blobs SET value = replace(value, 'xxxx', 'yxxx')", "row_changed", /output of task "t4"/],
  ["a large output deleted", "DELETE FROM blobs", "row_missing", /output of task "t4"/],
  [
    "an input",
    "UPDATE tasks SET input = json_set(input, '$.id', 'forged') WHERE task_id = 't6'",
    "row_changed",
    /"t6"/,
  ],
  ["the tool that was called", "UPDATE tasks SET uid = 'other' WHERE task_id = 't6'", "row_changed", /"t6"/],
  [
    "a completion made a failure",
    'UPDATE tasks SET status = \'failed\', error = \'{"code":"X","message":"m"}\' WHERE task_id = \'t6\'',
    "row_changed",
    /"t6"/,
  ],
  ["a record deleted", "DELETE FROM tasks WHERE task_id = 't7'", "row_missing", /record of task "t7" is missing/],
  [
    "a record added",
    "INSERT INTO tasks (run_id, task_id, input_hash, status, attempts, started_at, duration_ms) SELECT run_id, 't7b', input_hash, status, attempts, started_at, duration_ms FROM tasks WHERE task_id = 't7'",
    "row_added",
    /"t7b" was never written/,
  ],
  ["records in another order", "UPDATE tasks SET rowid = rowid + 1000 WHERE task_id = 't3'", "row_moved", /place/],
  ["a start", "UPDATE tasks SET started_at = started_at - 1000 WHERE task_id = 't12'", "row_changed", /"t12"/],
  [
    "an end",
    "UPDATE tasks SET timing = json_set(timing, '$.ended_at', json_extract(timing, '$.ended_at') + 5000) WHERE task_id = 't12'",
    "row_changed",
    /"t12"/,
  ],
  ["attempts", "UPDATE tasks SET attempts = 9 WHERE task_id = 't12'", "row_changed", /"t12"/],
  ["usage", "UPDATE tasks SET usage = json_set(usage, '$.calls', 0) WHERE task_id = 't12'", "row_changed", /"t12"/],
  ["the approval deleted", "DELETE FROM answers", "row_missing", /answer to the approval gate of "t10" is missing/],
  [
    "the approval turned round",
    "UPDATE answers SET answer = json_set(answer, '$.answer', 'deny')",
    "row_changed",
    /approval gate of "t10"/,
  ],
  [
    "the approval of another content",
    "UPDATE answers SET answer = json_set(answer, '$.content_hash', '00')",
    "row_changed",
    /approval gate of "t10"/,
  ],
  [
    "an approval added",
    "INSERT INTO answers SELECT run_id, json_set(answer, '$.task_id', 't11') FROM answers",
    "row_added",
    /approval gate of "t11" was never written/,
  ],
  [
    "the gate taken out of the plan",
    "UPDATE plan_parts SET tasks = json_remove(tasks, '$[10].approval')",
    "row_changed",
    /[Pp]art 1 of the plan/,
  ],
  [
    "the tool in the plan",
    "UPDATE plan_parts SET tasks = json_set(tasks, '$[3].tool_id', 'evil')",
    "row_changed",
    /[Pp]art 1 of the plan/,
  ],
  [
    "an argument in the plan",
    "UPDATE plan_parts SET tasks = json_set(tasks, '$[3].arguments.id', 'evil')",
    "row_changed",
    /[Pp]art 1 of the plan/,
  ],
  [
    "a dependency in the plan",
    "UPDATE plan_parts SET tasks = json_set(tasks, '$[3].dependencies', json('[\"t1\",\"t2\"]'))",
    "row_changed",
    /[Pp]art 1 of the plan/,
  ],
  [
    "a task taken out of the plan",
    "UPDATE plan_parts SET tasks = json_remove(tasks, '$[19]')",
    "unreadable",
    /begun with 20 tasks, and 19/,
  ],
  ["a part of the plan deleted", "DELETE FROM plan_parts", "row_missing", /[Pp]art 1 of the plan's tasks is missing/],
  [
    "a limit among the options",
    "UPDATE plans SET options = json_set(options, '$.concurrency', 64)",
    "row_changed",
    /options/,
  ],
  ["the status of the run", "UPDATE runs SET status = 'failed'", "row_changed", /run's status/],
  [
    "the certificate",
    "UPDATE runs SET certificate = json_set(certificate, '$.achieved_ms', 0.001)",
    "row_changed",
    /certificate/,
  ],
  [
    "the limits in the certificate",
    "UPDATE runs SET certificate = json_set(certificate, '$.limits.concurrency', 1)",
    "row_changed",
    /certificate/,
  ],
  ["the number of tasks", "UPDATE runs SET tasks = 19", "row_changed", /number of tasks/],
  [
    "an event deleted",
    "DELETE FROM events WHERE rowid = (SELECT min(rowid) FROM events)",
    "row_missing",
    /event is missing/,
  ],
  [
    "events in another order",
    "UPDATE events SET rowid = 1000000 WHERE rowid = (SELECT min(rowid) FROM events)",
    "row_moved",
    /place/,
  ],
  [
    "the end of the chain",
    "DELETE FROM chain WHERE link = (SELECT max(link) FROM chain)",
    "chain_broken",
    /does not end/,
  ],
  [
    "a link within the chain",
    "UPDATE chain SET entries = replace(entries, 't5', 't6') WHERE entries LIKE '%t5%'",
    "chain_broken",
    /broken at link/,
  ],
];

describe("a forgery is found and named", () => {
  test.for(forgeries)("%s", async ([, sql, code, message]) => {
    const report = await verified("plain", (database) => database.exec(sql));
    expect(report.ok).toBe(false);
    expect(report.problems).toContainEqual(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });
});

test("a flipped bit in an output is reported when the run is opened again, and the run is not gone on with", async () => {
  const file = join(folder, "flipped.sqlite");
  await copyFile(original("plain"), file);
  const database = new DatabaseSync(file);
  database.exec(`UPDATE tasks SET output = '{"id":"t5","v":3}' WHERE task_id = 't5'`);
  database.close();
  const journal = await SqliteJournal.open(file);
  await expect(resume("r", { executors, journal })).rejects.toMatchObject({
    code: "RUNTIME_JOURNAL_CORRUPT",
    message: expect.stringContaining('record of task "t5" is not what was written'),
  });
  await journal.close();
});

test("a plan that lost a part is never completed", async () => {
  const file = join(folder, "part.sqlite");
  const large = TaskData.parse({
    task_id: "large",
    planned_tasks: Array.from({ length: 1_000 }, (_, at) => ({
      task_id: `t${at}`,
      execution_type: "tool",
      tool_id: "count",
      arguments: { id: at },
    })),
  });
  const journal = await SqliteJournal.open(file);
  const stopped = AbortSignal.abort();
  await run(large, { executors, journal, runId: "r", signal: stopped });
  await journal.close();
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM plan_parts WHERE part = (SELECT max(part) FROM plan_parts)");
  database.close();
  const again = await SqliteJournal.open(file);
  await expect(resume("r", { executors, journal: again })).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_CORRUPT" });
  expect(await verifyRun(again, "r")).toMatchObject({
    ok: false,
    problems: expect.arrayContaining([expect.objectContaining({ code: "row_missing" })]),
  });
  await again.close();
});

describe("a key", () => {
  test("is what a forger who knows the format lacks", async () => {
    const dropChain = (database: DatabaseSync) =>
      database.exec("DELETE FROM chain; UPDATE runs SET chain_length = NULL, chain_head = NULL, chain_key = NULL");
    // Without a key nobody can tell that from a run of an earlier version.
    expect(await verified("plain", dropChain)).toMatchObject({ ok: true, checksums: "none" });
    expect(await verified("keyed", dropChain)).toMatchObject({ ok: false, problems: [{ code: "chain_key" }] });
  });

  test("another, or none, is reported", async () => {
    for (const options of [{ key: "some other key of length" }, {}]) {
      expect(await verified("keyed", nothing, options)).toMatchObject({ ok: false, problems: [{ code: "chain_key" }] });
    }
    expect(await verified("plain", nothing, { key })).toMatchObject({ ok: false, problems: [{ code: "chain_key" }] });
  });

  test("is needed for whatever is added to a run", async () => {
    const file = join(folder, "needed.sqlite");
    await copyFile(original("keyed"), file);
    const journal = await SqliteJournal.open(file);
    const code = "RUNTIME_JOURNAL_KEY";
    await expect(resume("r", { executors, journal })).rejects.toMatchObject({ code });
    const answer = { task_id: "t10", content_hash: "00", answer: "approve", answered_at: "" } as const;
    await expect(journal.addAnswer("r", answer)).rejects.toMatchObject({ code });
    expect(await journal.getAnswers("r")).toHaveLength(1);
    await journal.close();
  });

  test("is a text of some length", async () => {
    await expect(SqliteJournal.open(join(folder, "short.sqlite"), { key: "short" })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
      details: { option: "key" },
    });
  });
});

test.for([
  "{}",
  '{"id":"w","content_hash":"x","begun_at":"now"}',
  '{"id":"w","content_hash":"x","begun_at":1,"polls":"2"}',
])("a wait that cannot be read is said so: %s", async (wait) => {
  const file = join(folder, "wait.sqlite");
  const journal = await SqliteJournal.open(file);
  const waits = { planned_tasks: [{ task_id: "w", wait: { event: "paid" } }] };
  await run(waits, { executors, journal, runId: "r" });
  await journal.close();
  const database = new DatabaseSync(file);
  database.prepare("UPDATE waits SET wait = ?").run(wait);
  database.close();
  const again = await SqliteJournal.open(file);
  await expect(runStatus("r", { journal: again })).rejects.toMatchObject({
    code: expect.stringMatching(/^RUNTIME_JOURNAL_/),
    message: expect.stringContaining("where a wait should be"),
  });
  await again.close();
  await rm(file);
});
