import { type Journal, memoryJournal, run, type TaskRecord } from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf, type ToolHandler, tools } from "../../support/run-plans.ts";

const plan = planOf({ a: [], b: [], c: ["a", "b"] });
const work = async () => 1;
const executors = [tools({ a: work, b: work, c: work })];

test("records of a turn are in the journal in memory before what depends on them begins", async () => {
  const journal = memoryJournal();
  const known: string[][] = [];
  const look: ToolHandler = async () => {
    known.push((await journal.getTasks("r")).map(({ task_id }) => task_id));
    return 1;
  };
  const looking = [tools({ a: look, b: look, c: look })];
  const { end_reason } = await run(plan, { executors: looking, journal, runId: "r" });
  expect(end_reason).toBe("completed");
  expect(known.map((ids) => ids.toSorted())).toEqual([[], [], ["a", "b"]]);
});

test.for<[string, (journal: Journal, record: Journal["record"]) => Journal]>([
  ["spread", (journal, record) => ({ ...journal, record })],
  [
    "wrapped",
    (journal, record) => new Proxy(journal, { get: (of, key) => (key === "record" ? record : Reflect.get(of, key)) }),
  ],
  ["made from", (journal, record) => Object.assign(Object.create(journal) as Journal, { record })],
])("a journal that is %s one in memory has a `record` of its own, which is called", async ([, around]) => {
  const written: string[] = [];
  const inner = memoryJournal();
  const record = async (runId: string, owner: Parameters<Journal["record"]>[1], records: readonly TaskRecord[]) => {
    if (records.some(({ task_id }) => task_id === "c")) throw new Error("the disk is full");
    written.push(...records.map(({ task_id }) => task_id));
    await inner.record(runId, owner, records);
  };
  await expect(run(plan, { executors, journal: around(inner, record) })).rejects.toMatchObject({
    code: "RUNTIME_JOURNAL_WRITE",
  });
  expect(written.toSorted()).toEqual(["a", "b"]);
});
