import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  defineTool,
  type Journal,
  memoryJournal,
  pruneRuns,
  run,
  SqliteJournal,
  toolExecutor,
} from "@planloom/runtime";
import { afterAll, describe, expect, test } from "vitest";
import { owner, storedRun } from "../contract/journal-subject.ts";

const folder = mkdtempSync(join(tmpdir(), "planloom-prune-"));
afterAll(() => rmSync(folder, { recursive: true }));

const dayMs = 86_400_000;
const now = () => Date.parse("2025-03-11T00:00:00.000Z");

/** Runs that ended 1, 2, … days ago, the newest first: `r1`, `r2`, …; and one that waits, ten days old. */
async function tenRuns(journal: Journal): Promise<void> {
  for (let age = 10; age >= 1; age--) {
    const at = new Date(now() - age * dayMs).toISOString();
    const waits = age === 10 ? ({ status: "waiting_approval" } as const) : ({ status: "completed" } as const);
    const stored = { ...storedRun(`r${age}`, at), ...waits };
    await journal.createRun(stored, { ...owner("o"), pid: 2 ** 30, host: "gone" });
    if (age % 2 === 0) await journal.writeCache(`k${age}`, { output: age, stored_at: Date.parse(at) });
  }
}

describe.each(["memory", "SQLite", "a journal that knows neither conditions nor cursors"])("retention: %s", (kind) => {
  let journal: Journal;
  let n = 0;
  const open = async (): Promise<Journal> => {
    if (kind === "SQLite") return SqliteJournal.open(join(folder, `retention-${n++}.sqlite`));
    const made = memoryJournal();
    if (kind === "memory") return made;
    return {
      ...made,
      listRuns: async ({ limit = 50 } = {}) => {
        const all = await made.listRuns({ limit: Number.POSITIVE_INFINITY });
        return all.slice(0, limit).map(({ cursor: _, ...summary }) => summary);
      },
    };
  };
  const prune = async (options: Omit<Parameters<typeof pruneRuns>[0], "journal">) => {
    journal = await open();
    await tenRuns(journal);
    // The lease of a store that was written by hand is given back.
    for (let age = 1; age <= 10; age++)
      await journal.endRun(`r${age}`, owner("o"), age === 10 ? "waiting_approval" : "completed");
    const { deleted, cached } = await pruneRuns({ journal, now, ...options });
    const left = (await journal.listRuns()).map(({ run_id }) => run_id).join(" ");
    await journal.close();
    return { deleted: deleted.map(({ run_id }) => run_id).join(" "), cached, left };
  };

  test("by count: the newest that have ended stay, and what is open", async () => {
    expect(await prune({ keep: 3 })).toEqual({ deleted: "r4 r5 r6 r7 r8 r9", cached: 0, left: "r1 r2 r3 r10" });
  });

  test("a dry run says the same and deletes nothing", async () => {
    const all = "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10";
    expect(await prune({ keep: 3, dryRun: true })).toEqual({ deleted: "r4 r5 r6 r7 r8 r9", cached: 0, left: all });
  });

  test("among those of a filter alone", async () => {
    const filter = { createdBefore: now() - 5.5 * dayMs };
    expect((await prune({ keep: 1, filter })).deleted).toBe("r7 r8 r9");
    expect((await prune({ keep: 0, filter: { status: "waiting_approval" } })).deleted).toBe("r10");
  });

  test("by age, with cached outputs of that age", async () => {
    // All ended just now, by the real clock.
    const later = () => Date.now() + 30 * dayMs;
    expect(await prune({ olderThanMs: 40 * dayMs, now: later })).toMatchObject({ deleted: "", cached: 5 });
    expect(await prune({ olderThanMs: 10 * dayMs, now: later })).toMatchObject({ left: "r10", cached: 5 });
    expect(await prune({ cacheOlderThanMs: 5 * dayMs })).toMatchObject({ deleted: "", cached: 3 });
  });

  test("of a journal that does not answer: it says so, as everywhere", async () => {
    const silent = { ...memoryJournal(), deleteRun: () => new Promise<never>(() => {}) };
    await silent.createRun(storedRun("r"), owner("o"));
    await silent.endRun("r", owner("o"), "completed");
    await expect(pruneRuns({ journal: silent, keep: 0, journalTimeoutMs: 20 })).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_TIMEOUT",
      details: { method: "deleteRun" },
    });
  });

  test("without a limit, or with one that is none", async () => {
    journal = await open();
    for (const wrong of [
      {},
      { keep: -1 },
      { olderThanMs: Number.NaN },
      { olderThan: 5 },
      { keep: 1, filter: { statu: "failed" } },
    ])
      await expect(pruneRuns({ journal, ...wrong } as never)).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
    await journal.close();
  });
});

describe("what was deleted is not in the file", () => {
  const mark = "PERSONALDATA";
  const executors = [
    toolExecutor([
      defineTool({
        id: "t",
        description: "",
        execute: ({ n }: { n: number }) => ({ n, secret: `${mark}-${n}`, pad: `${mark} ${n} `.repeat(2_000) }),
      }),
    ]),
  ];
  const plan = (n: number) => ({
    planned_tasks: [
      { task_id: "a", execution_type: "tool" as const, tool_id: "t", arguments: { n, note: `${mark} in` } },
    ],
  });
  const bytesOf = (file: string) =>
    ["", "-wal"].map((end) => (existsSync(file + end) ? statSync(file + end).size : 0)).reduce((a, b) => a + b);
  const occurrences = (file: string) =>
    ["", "-wal"]
      .map((end) => (existsSync(file + end) ? readFileSync(file + end, "latin1").split(mark).length - 1 : 0))
      .reduce((a, b) => a + b);
  const fill = async (journal: Journal) => {
    for (let n = 0; n < 40; n++)
      await run(plan(n), { executors, journal, runId: `r${n}`, cache: { resources: ["t"] }, metadata: { of: mark } });
  };

  test("after deleteRun: neither records nor cached outputs, and the file shrinks", async () => {
    const file = join(folder, "deleted.sqlite");
    const journal = await SqliteJournal.open(file, { events: true });
    const empty = bytesOf(file);
    await fill(journal);
    const full = bytesOf(file);
    expect(occurrences(file)).toBeGreaterThan(100);
    await journal.deleteRun("r0");
    expect(await journal.listRuns({ limit: Number.POSITIVE_INFINITY })).toHaveLength(39);
    for (let n = 1; n < 40; n++) await journal.deleteRun(`r${n}`);
    expect(occurrences(file)).toBe(0);
    expect(bytesOf(file)).toBeLessThan(full / 10);
    expect(bytesOf(file)).toBeLessThan(2 * empty);
    expect(await journal.purgeCache()).toBe(0);
    await journal.close();
  });

  test("after pruneRuns", async () => {
    const file = join(folder, "pruned.sqlite");
    const journal = await SqliteJournal.open(file);
    await fill(journal);
    const { deleted } = await pruneRuns({ journal, keep: 0 });
    expect(deleted).toHaveLength(40);
    expect(occurrences(file)).toBe(0);
    await journal.close();
  });

  test("of a file that an earlier version made: it is written anew, and gives its space back from then on", async () => {
    const file = join(folder, "format-7.sqlite");
    const made = new DatabaseSync(file);
    made.exec(readFileSync(join(import.meta.dirname, "journal/fixtures/format-7.sql"), "utf8"));
    made.exec(
      `CREATE TABLE ballast (text TEXT); INSERT INTO ballast VALUES ('${`${mark} `.repeat(20_000)}'); DROP TABLE ballast`,
    );
    expect(made.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 0 });
    // Whose it is was not written then; the output says it.
    made.exec(`INSERT INTO cache SELECT 'old', output, 1 FROM tasks WHERE status = 'completed' LIMIT 1`);
    made.close();
    expect(occurrences(file)).toBeGreaterThan(1_000);
    const journal = await SqliteJournal.open(file);
    expect(await journal.readCache("old")).toBeDefined();
    await journal.deleteRun("vintage-run");
    expect(await journal.readCache("old")).toBeUndefined();
    expect(occurrences(file)).toBe(0);
    await journal.close();
    const left = new DatabaseSync(file);
    expect(left.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
    expect(left.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    left.close();
  });

  test("while another process reads, as soon as it does not", async () => {
    const file = join(folder, "read.sqlite");
    const journal = await SqliteJournal.open(file, { busyTimeoutMs: 50 });
    await fill(journal);
    const reader = new DatabaseSync(file);
    reader.exec("BEGIN; SELECT count(*) FROM tasks");
    await pruneRuns({ journal, keep: 0 });
    expect(await journal.compact()).toBe(false);
    reader.exec("COMMIT");
    expect(await journal.compact()).toBe(true);
    expect(occurrences(file)).toBe(0);
    reader.close();
    await journal.close();
  });
});
