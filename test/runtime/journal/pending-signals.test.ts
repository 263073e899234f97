import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { type Journal, run, SqliteJournal } from "@planloom/runtime";
import { expect, test, vi } from "vitest";

const sent = (id: string) => ({ id, event: "other", key: "", data: null, sent_at: "2026-11-30T10:00:00.000Z" });
const add = (journal: Journal, ids: readonly number[]) =>
  Promise.all(ids.map((id) => journal.addSignal!("r", sent(`${id}`))));
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

test("signals that no task takes are counted once, and again after others have written; a full run refuses in every case", async () => {
  const folder = mkdtempSync(join(tmpdir(), "planloom-signals-"));
  const file = join(folder, "j.sqlite");
  const [journal, other] = [await SqliteJournal.open(file), await SqliteJournal.open(file)];
  try {
    await run({ planned_tasks: [{ task_id: "w", wait: { event: "e" } }] }, { executors: [], journal, runId: "r" });
    const statements = vi.spyOn(StatementSync.prototype, "get");
    const counts = () => {
      const texts = statements.mock.contexts.map((each) => (each as StatementSync).sourceSQL);
      statements.mockClear();
      return texts.filter((text) => text.includes("count(*) AS pending")).length;
    };
    await add(journal, numbers(0, 100));
    expect(counts()).toBe(1);
    await add(other, numbers(100, 200));
    expect(counts()).toBe(1);
    await add(journal, numbers(200, 300));
    expect(counts()).toBe(1);
    statements.mockRestore();

    // As many as there may be, by another connection.
    const database = new DatabaseSync(file);
    const insert = database.prepare(
      "INSERT INTO signals (run_id, id, event, key, sent_ms, signal) VALUES ('r', ?, 'other', '', 0, '{}')",
    );
    database.exec("BEGIN");
    for (const id of numbers(300, 9_999)) insert.run(`${id}`);
    database.exec("COMMIT");
    await add(journal, [9_999]);
    await expect(add(journal, [10_000])).rejects.toMatchObject({ code: "RUNTIME_SIGNALS_FULL" });
    await expect(add(other, [10_000])).rejects.toMatchObject({ code: "RUNTIME_SIGNALS_FULL" });
    // What is taken makes room, which the count of before does not know.
    database.exec("UPDATE signals SET taken_by = 'w' WHERE id = '5'");
    database.close();
    await add(journal, [10_000]);
    await expect(add(journal, [10_001])).rejects.toMatchObject({ code: "RUNTIME_SIGNALS_FULL" });
  } finally {
    await Promise.all([journal.close(), other.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
});
