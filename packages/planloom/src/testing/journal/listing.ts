import { deepStrictEqual, ok } from "node:assert/strict";
import type { Journal, StoredRun } from "@planloom/runtime";
import { fits, refuses } from "./check.ts";
import { type JournalCheck, owner, record, storedRun } from "./samples.ts";

const newestFirst: JournalCheck = async ({ journal }) => {
  await journal.createRun(storedRun("old", "2025-01-01T00:00:00.000Z"), owner("o"));
  await journal.createRun(storedRun("new", "2025-02-01T00:00:00.000Z"), owner("o"));
  await journal.record("new", owner("o"), [record("a"), record("b", { status: "failed" })]);
  const expected = [
    { run_id: "new", plan_id: "plan", title: "A plan", status: "running", tasks: 2, completed: 1, failed: 1 },
    { run_id: "old", completed: 0, failed: 0 },
  ];
  fits(await journal.listRuns(), expected, "the list");
  deepStrictEqual((await journal.listRuns({ limit: 1 })).length, 1);
};

const longTenant = "a tenant of many words ".repeat(200);

/** Four runs: "d" is the newest, stored in the same millisecond as "c". */
async function storeFour(journal: Journal): Promise<void> {
  const stored = (run_id: string, date: number, title: string, given: Partial<StoredRun["options"]> = {}) => {
    const run = storedRun(run_id, `2025-03-0${date}T00:00:00.000Z`);
    const options = { ...run.options, ...given };
    return { ...run, plan: { ...run.plan, task_id: `plan-${title}`, title: `Pay ${title}` }, options };
  };
  await journal.createRun(
    stored("a", 1, "Ärger", { metadata: { tenant: "x", tries: 1, live: true, none: null } }),
    owner("o"),
  );
  await journal.createRun(
    stored("b", 2, "bill", { metadata: { tenant: "y", tries: "1" }, tenant: "o\\0\0n" }),
    owner("o"),
  );
  await journal.createRun(stored("c", 3, "bill"), owner("o"));
  await journal.createRun(
    stored("d", 3, "wage", { metadata: { tenant: "x", deep: { tenant: "y" } }, tenant: longTenant }),
    owner("o"),
  );
  await journal.endRun("b", owner("o"), "failed");
  await journal.endRun("c", owner("o"), "completed");
}

const byConditions: JournalCheck = async ({ journal, another }) => {
  await storeFour(journal);
  const view = await another();
  const cases: readonly (readonly [Parameters<Journal["listRuns"]>[0], string])[] = [
    [{}, "dcba"],
    [{ limit: Number.POSITIVE_INFINITY }, "dcba"],
    [{ limit: 0 }, ""],
    [{ status: "failed" }, "b"],
    [{ status: ["completed", "running"] }, "dca"],
    [{ status: "interrupted" }, ""],
    [{ planId: "plan-bill" }, "cb"],
    [{ title: "PAY Ä" }, "a"],
    [{ title: "i%l" }, ""],
    [{ metadata: { tenant: "x" } }, "da"],
    [{ metadata: { tenant: "x", live: true, none: null } }, "a"],
    [{ metadata: { tries: 1 } }, "a"],
    [{ tenant: "o\\0\0n" }, "b"],
    [{ tenant: longTenant }, "d"],
    [{ tenant: longTenant.slice(1) }, ""],
    [{ tenant: "x" }, ""],
    [{ tenant: null }, "ca"],
    [{ tenant: null, metadata: { tenant: "x" } }, "a"],
    [{ createdAfter: "2025-03-02T00:00:00.000Z", createdBefore: new Date("2025-03-03T00:00:00.000Z") }, "b"],
    [{ updatedAfter: "2025-03-04T00:00:00.000Z" }, "cb"],
    [{ planId: "plan-bill", status: "failed", limit: 5 }, "b"],
  ];
  deepStrictEqual(
    (await view.listRuns({ limit: 3 })).map(({ tenant }) => tenant),
    [longTenant, undefined, "o\\0\0n"],
  );
  for (const [options, expected] of cases) {
    const got = (await view.listRuns(options)).map(({ run_id }) => run_id).join("");
    deepStrictEqual(got, expected, `Expected listRuns(${JSON.stringify(options)}) to give ${expected}, got ${got}.`);
  }
};

const byPages: JournalCheck = async ({ journal, another }) => {
  await storeFour(journal);
  const view = await another();
  let pages = "";
  for (let cursor: string | undefined; pages.length < 8; ) {
    const [run] = await view.listRuns({ limit: 1, ...(cursor !== undefined && { cursor }) });
    if (run === undefined) break;
    // What is deleted between two pages neither hides others nor brings them back.
    if (run.run_id === "c") await view.deleteRun("c");
    pages += run.run_id;
    cursor = run.cursor;
    if (cursor === undefined) return ok(true);
  }
  deepStrictEqual(pages, "dcba");
};

const wrongConditions: JournalCheck = async ({ journal }) => {
  for (const wrong of [
    { limit: -1 },
    { status: "complete" },
    { createdAfter: "soon" },
    { planId: 5 },
    { tenant: "" },
    { tenants: "x" },
  ]) {
    // A condition that is passed over would be one that every run fits.
    await refuses(journal.listRuns(wrong as never), "INVALID_OPTION");
  }
};

export const listChecks: readonly (readonly [string, JournalCheck])[] = [
  ["lists the newest first, with counts", newestFirst],
  ["lists the runs that fit every condition", byConditions],
  ["lists page by page, where it gives cursors", byPages],
  ["refuses unknown conditions", wrongConditions],
];
