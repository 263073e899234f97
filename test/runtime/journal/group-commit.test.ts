import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { TaskData } from "@planloom/plan";
import { defineTool, resumeDue, run, SqliteJournal, type StoredSignal, toolExecutor } from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { planOf } from "../../support/run-plans.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "planloom-group-"));
  file = join(folder, "j.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const executors = [toolExecutor([defineTool({ id: "a", description: "", execute: () => null })])];
const sent = (id: string, data: unknown = null): StoredSignal => ({
  id,
  event: "e",
  key: "",
  data,
  sent_at: "2026-11-30T10:00:00.000Z",
});
/** A journal with runs that wait for signals. */
async function waitingRuns(count: number, options: Parameters<typeof SqliteJournal.open>[1] = {}) {
  const journal = await SqliteJournal.open(file, options);
  const plan = { planned_tasks: [{ task_id: "w", wait: { event: "e" } }] };
  for (let number = 0; number < count; number++) await run(plan, { executors: [], journal, runId: `r${number}` });
  return journal;
}
const idsOf = async (journal: SqliteJournal, runId: string) => (await journal.getSignals(runId)).map(({ id }) => id);

describe("writes of one turn of the event loop", () => {
  test.for(["sync", "full"] as const)("are there when they resolve, each for itself: %s", async (durability) => {
    const journal = await waitingRuns(3, { durability });
    const writes = [
      journal.addSignal("r0", sent("1")),
      journal.addSignal("r1", sent("1")),
      journal.addSignal("unknown", sent("1")),
      journal.addSignal("r1", sent("2")),
      journal.addSignal("r2", sent("1")),
    ];
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map((each) => (each.status === "fulfilled" ? each.value.added : String(each.reason.code)))).toEqual(
      [true, true, "RUNTIME_RUN_NOT_FOUND", true, true],
    );
    const other = await SqliteJournal.open(file);
    expect(await Promise.all(["r0", "r1", "r2"].map((id) => idsOf(other, id)))).toEqual([["1"], ["1", "2"], ["1"]]);
    await other.close();
    await journal.close();
  });

  test("are seen by what is read after them, and by what closes the journal", async () => {
    const journal = await waitingRuns(1);
    const writes = ["1", "2", "3"].map((id) => journal.addSignal("r0", sent(id)));
    expect(await idsOf(journal, "r0")).toEqual(["1", "2", "3"]);
    writes.push(...["4", "5"].map((id) => journal.addSignal("r0", sent(id))));
    await journal.close();
    await Promise.all(writes);
    const again = await SqliteJournal.open(file);
    expect(await idsOf(again, "r0")).toEqual(["1", "2", "3", "4", "5"]);
    await again.close();
  });

  test("are refused where another process keeps its lock, and what is read after them is not", async () => {
    const journal = await waitingRuns(1, { busyTimeoutMs: 60 });
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const given: Promise<unknown>[] = ["1", "2"].map((id) => journal.addSignal("r0", sent(id)));
    await nextTurn();
    given.push(journal.getSignals("r0"));
    const outcomes = (await Promise.allSettled(given)).map((each) =>
      each.status === "rejected" ? each.reason.code : each.value,
    );
    expect(outcomes).toEqual(["RUNTIME_JOURNAL_LOCKED", "RUNTIME_JOURNAL_LOCKED", []]);
    other.exec("COMMIT");
    other.close();
    expect(await idsOf(journal, "r0")).toEqual([]);
    await journal.close();
  });

  test("take one commit together whatever is read between them, once more than one is written in a turn", async () => {
    const journal = await waitingRuns(8);
    const statements = vi.spyOn(StatementSync.prototype, "run");
    const commits = () =>
      statements.mock.contexts.filter((each) => (each as StatementSync).sourceSQL === "COMMIT").length;
    const round = (id: string) =>
      Promise.all(
        Array.from({ length: 8 }, async (_, at) => {
          await journal.addSignal(`r${at}`, sent(id));
          return idsOf(journal, `r${at}`);
        }),
      );
    await round("1");
    await nextTurn();
    statements.mockClear();
    const written = round("2");
    await expect(journal.getSignals("unknown")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    expect(await written).toEqual(Array(8).fill(["1", "2"]));
    expect(commits()).toBe(1);
    statements.mockRestore();
    await journal.close();
  });

  test("wait for another process's lock together, and are refused together", async () => {
    const journal = await waitingRuns(2, { busyTimeoutMs: 60 });
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const refused = await Promise.allSettled(
      [0, 1, 0, 1].map((run, at) => journal.addSignal(`r${run}`, sent(`${at}`))),
    );
    expect(refused.map((each) => each.status === "rejected" && each.reason.code)).toEqual(
      Array(4).fill("RUNTIME_JOURNAL_LOCKED"),
    );
    const waiting = [0, 1, 0].map((run, at) => journal.addSignal(`r${run}`, sent(`later-${at}`)));
    other.exec("COMMIT");
    other.close();
    await Promise.all(waiting);
    expect([await idsOf(journal, "r0"), await idsOf(journal, "r1")]).toEqual([["later-0", "later-2"], ["later-1"]]);
    await journal.close();
  });

  test("of several runs take a fraction of the commits that each alone would take", async () => {
    const journal = await SqliteJournal.open(file);
    const statements = vi.spyOn(StatementSync.prototype, "run");
    const commits = () =>
      statements.mock.contexts.filter((each) => (each as StatementSync).sourceSQL === "COMMIT").length;
    await run(planOf({ a: [] }), { executors, journal, runId: "alone" });
    const alone = commits();
    statements.mockClear();
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => run(planOf({ a: [] }), { executors, journal, runId: `r${at}` })),
    );
    expect(commits()).toBeLessThan(4 * alone);
    statements.mockRestore();
    expect((await journal.listRuns()).map(({ status }) => status)).toEqual(Array(9).fill("completed"));
    await journal.close();
  });
});

test("a run that is woken is read and parsed once", async () => {
  const journal = await SqliteJournal.open(file);
  const plan = { planned_tasks: [{ task_id: "w", wait: { for_ms: 1_000_000 } }] };
  await run(plan, { executors: [], journal, waitHereMs: 0 });
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 2_000_000);
  const statements = (["get", "all", "iterate"] as const).map((name) => vi.spyOn(StatementSync.prototype, name));
  const parsing = vi.spyOn(TaskData, "safeParse");
  const woken = await resumeDue({ journal, executors: [] });
  const read = statements.flatMap(({ mock }) => mock.contexts.map((each) => (each as StatementSync).sourceSQL));
  const parsed = parsing.mock.calls.length;
  for (const spy of [...statements, parsing, clock]) spy.mockRestore();
  expect(woken).toMatchObject([{ result: { end_reason: "completed" } }]);
  const readsOf = (table: string) => read.filter((text) => text.includes(` FROM ${table} WHERE run_id = ? ORDER BY`));
  // What is read of a plan is compared with its checksums as well.
  expect(readsOf("plan_parts")).toHaveLength(2);
  expect(readsOf("tasks")).toHaveLength(1);
  expect(
    ["waits", "nested_tasks", "pending_usage", "answers", "model_calls"].map((table) => readsOf(table).length),
  ).toEqual([1, 0, 0, 0, 0]);
  expect(parsed).toBe(1);
  await journal.close();
});
