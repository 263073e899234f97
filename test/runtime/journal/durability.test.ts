import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TaskData } from "@planloom/plan";
import { type Durability, defineTool, resume, run, SqliteJournal, toolExecutor, verifyRun } from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processOwner } from "../../../packages/runtime/src/journal/lease.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-durability-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
let count = 0;
const newFile = () => join(folder, `${count++}.sqlite`);

const modes: Durability[] = ["full", "sync", "async", "none"];
const noop = [toolExecutor([defineTool({ id: "noop", description: "", idempotent: true, execute: () => 1 })])];
const chain = (length: number) =>
  TaskData.parse({
    planned_tasks: Array.from({ length }, (_, i) => ({
      task_id: `t${i}`,
      execution_type: "tool",
      tool_id: "noop",
      dependencies: i === 0 ? [] : [`t${i - 1}`],
    })),
  });
const record = (task_id: string) =>
  ({ task_id, input_hash: "h", status: "completed", output: 1, attempts: 1, started_at: 1, duration_ms: 1 }) as const;
const storedRun = (run_id: string) => ({
  run_id,
  plan: chain(1),
  options: {
    concurrency: 1,
    limits: { kinds: {}, resources: {} },
    task_timeout_ms: null,
    retry: null,
    on_failure: "continue" as const,
    variables: {},
    input: {},
  },
  status: "running" as const,
  created_at: "2025-01-01T00:00:00.000Z",
  updated_at: "2025-01-01T00:00:00.000Z",
});

test.for(modes)("%s: a run that ends is there whole for another process, and verified", async (durability) => {
  const file = newFile();
  const journal = await SqliteJournal.open(file, { durability, events: true });
  await run(chain(30), { executors: noop, journal, runId: "r" });
  const other = await SqliteJournal.open(file);
  expect(await verifyRun(other, "r")).toMatchObject({ ok: true, checked: 30 });
  const events = await other.getEvents("r");
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(events.map(({ type }) => type).slice(-2)).toEqual(["task-end", "run-end"]);
  // The output was 1, say: what is in its record is not reported as null here.
  for (const event of events) expect(event).not.toHaveProperty("output");
  await Promise.all([journal.close(), other.close()]);
});

/** A process that runs a chain, tells each end of a task on its output, and kills itself at the twentieth. */
const suicide = `
import { defineTool, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
const [, file, durability] = process.argv;
const journal = await SqliteJournal.open(file, { durability });
let ends = 0;
const planned_tasks = Array.from({ length: 40 }, (_, i) => ({ task_id: "t" + i, execution_type: "tool", tool_id: "noop", dependencies: i ? ["t" + (i - 1)] : [] }));
const execute = () => new Promise((resolve) => setTimeout(resolve, 5, 1));
await run({ planned_tasks }, {
  runId: "r", journal, executors: [toolExecutor([defineTool({ id: "noop", description: "", idempotent: true, execute })])],
  onEvent: (event) => { if (event.type === "task-end" && ++ends === 20) process.kill(process.pid, "SIGKILL"); },
});`;

test.for([
  ["full", 20, 20],
  ["sync", 20, 20],
  // 50 ms and what the clock adds.
  ["async", 1, 20],
  ["none", 0, 0],
] as const)(
  "%s: after SIGKILL at the 20th of 40 tasks, between %i and %i are kept, and the rest runs",
  async ([mode, least, most]) => {
    const file = newFile();
    const child = spawn(process.execPath, ["--input-type=module", "-e", suicide, file, mode], {
      stdio: "inherit",
      cwd: join(import.meta.dirname, "../../../packages/runtime"),
    });
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGKILL");
    const journal = await SqliteJournal.open(file);
    const kept = (await journal.getTasks("r")).length;
    expect(kept).toBeGreaterThanOrEqual(least);
    expect(kept).toBeLessThanOrEqual(most);
    const { end_reason, results } = await resume("r", { executors: noop, journal });
    expect(end_reason).toBe("completed");
    expect(results.filter(({ recorded }) => recorded)).toHaveLength(kept);
    await journal.close();
    const database = new DatabaseSync(file);
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    database.close();
  },
);

describe("writes that wait", () => {
  const owner = processOwner("o");
  const thief = processOwner("p");

  test("are seen by every read of the journal that they wait in", async () => {
    const journal = await SqliteJournal.open(newFile(), { durability: "none" });
    await journal.createRun(storedRun("r"), owner);
    await journal.record("r", owner, [record("a")]);
    expect(await journal.getTasks("r")).toHaveLength(1);
    await journal.close();
  });

  test("are written by close", async () => {
    const file = newFile();
    const journal = await SqliteJournal.open(file, { durability: "none" });
    await journal.createRun(storedRun("r"), owner);
    await journal.record("r", owner, [record("a")]);
    await journal.close();
    const other = await SqliteJournal.open(file);
    expect(await other.getTasks("r")).toHaveLength(1);
    await other.close();
  });

  test("that fail tell their own run's next call, and no other run's", async () => {
    const journal = await SqliteJournal.open(newFile(), { durability: "async" });
    for (const id of ["r", "s"]) await journal.createRun(storedRun(id), owner);
    await journal.record("r", thief, [record("a")]);
    await journal.record("s", owner, [record("a")]);
    expect(await journal.getTasks("r")).toEqual([]);
    expect(await journal.getTasks("s")).toHaveLength(1);
    await journal.record("s", owner, [record("b")]);
    await expect(journal.record("r", thief, [record("b")])).rejects.toMatchObject({ code: "RUNTIME_LEASE_LOST" });
    await journal.endRun("s", owner, "completed");
    await journal.close();
  });
});

test.for(["async", "none"] as const)(
  "a run under %s whose write fails ends as soon as that is known, and says so",
  async (durability) => {
    const file = newFile();
    const journal = await SqliteJournal.open(file, { durability });
    const calls: string[] = [];
    const executors = [
      toolExecutor([
        defineTool({
          id: "noop",
          description: "",
          async execute(_, { task, signal }) {
            calls.push(task.task_id);
            if (calls.length === 1) {
              const other = new DatabaseSync(file);
              other.exec("DROP TABLE tasks");
              other.close();
            }
            // Nothing is known under `none` until somebody asks; a read writes what waits.
            if (durability === "none" && calls.length === 2)
              setImmediate(() => void journal.listRuns().catch(() => {}));
            if (calls.length === 1) return;
            await new Promise<void>((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason as Error));
            });
          },
        }),
      ]),
    ];
    // No other limit ends the second call.
    const unlimited = { taskTimeoutMs: Number.POSITIVE_INFINITY, abortGraceMs: Number.POSITIVE_INFINITY };
    await expect(run(chain(20), { executors, journal, runId: "r", ...unlimited })).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_WRITE",
      message: expect.stringContaining("no such table"),
    });
    expect(calls.length).toBeLessThan(5);
    await journal.close().catch(() => {});
  },
);

test("a large output stands in the file once", async () => {
  const file = newFile();
  const journal = await SqliteJournal.open(file);
  const text = "large".repeat(40_000);
  const executors = [
    toolExecutor([defineTool({ id: "noop", description: "", idempotent: true, execute: () => text })]),
  ];
  for (const id of ["r", "s"]) await run(chain(5), { executors, journal, runId: id });
  const database = new DatabaseSync(file);
  expect(database.prepare("SELECT count(*) AS n, sum(length(value)) AS size FROM blobs").get()).toEqual({
    n: 1,
    size: 200_002,
  });
  expect(database.prepare("SELECT count(*) AS n FROM tasks WHERE output IS NOT NULL").get()).toEqual({ n: 0 });
  await journal.deleteRun("r");
  expect((await journal.getTasks("s")).map(({ output }) => output)).toEqual(Array(5).fill(text));
  await journal.deleteRun("s");
  expect(database.prepare("SELECT count(*) AS n FROM blobs").get()).toEqual({ n: 0 });
  database.close();
  await journal.close();
});

test("an unknown mode is refused", async () => {
  await expect(SqliteJournal.open(newFile(), { durability: "maybe" as never })).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
  });
});
