import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { approve, fork, type Journal, replay, resume, SqliteJournal, verifyRun } from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { thisProcess } from "../../packages/runtime/src/journal/process-identity.ts";
import { type recordedPlans, workshop } from "./workshop.ts";

/** How each recorded run ended, with the outputs of its sinks. */
const expected: Readonly<Record<keyof typeof recordedPlans, { readonly status: string; readonly outputs?: object }>> = {
  diamond: { status: "completed", outputs: { d: { text: '3+"cut oak 1"' } } },
  variables: { status: "completed", outputs: { b: { text: '2+["y"]' } } },
  failed: { status: "failed" },
  waiting: { status: "waiting_approval" },
  approved: { status: "completed", outputs: { buy: { paid: 30 } } },
  denied: { status: "denied" },
  workflow: { status: "completed", outputs: { n: { count: 3 } } },
  agent: { status: "completed", outputs: { w: { text: "Two boards of ash." } } },
  replanned: { status: "completed" },
  budget: { status: "budget" },
  grouped: { status: "completed" },
  secret: { status: "completed", outputs: { a: { ok: true } } },
  interrupted: { status: "running" },
};
const names = Object.keys(expected) as (keyof typeof expected)[];

const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".sql"));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-histories-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Above what any system gives. */
const noProcess = 2 ** 30;

/** The recorded journal, fresh. */
async function recorded(name: string): Promise<Journal> {
  const file = join(folder, `${name}-${Math.random()}.sqlite`);
  const database = new DatabaseSync(file);
  database.exec(await readFile(join(import.meta.dirname, name), "utf8"));
  // A journal that stayed on its machine: whoever held a lease is gone.
  database.prepare("UPDATE leases SET host = ?, pid = ?").run(thisProcess().host, noProcess);
  database.close();
  return SqliteJournal.open(file);
}

test("each format since the eighth has a recorded history, the present one too", async () => {
  const path = join(folder, "present.sqlite");
  await (await SqliteJournal.open(path)).close();
  const database = new DatabaseSync(path, { readOnly: true });
  const present = Number(database.prepare("SELECT max(version) AS version FROM migrations").get()?.version);
  database.close();
  const formats = Array.from({ length: present - 7 }, (_, at) => `format-${at + 8}.sql`);
  expect(files.toSorted()).toEqual(formats.toSorted());
});

describe.for(files)("runs of %s under this version", (name) => {
  test.for(names)("%s is read, verified and replayed without a difference", async (runId) => {
    const journal = await recorded(name);
    const { status, outputs = {} } = expected[runId];
    const run = await journal.getRun(runId);
    expect(run.status).toBe(status);
    const tasks = await journal.getTasks(runId);
    for (const [id, output] of Object.entries(outputs))
      expect(tasks.find(({ task_id }) => task_id === id)).toMatchObject({ status: "completed", output });
    expect((await verifyRun(journal, runId)).problems).toEqual([]);
    expect((await replay(runId, { journal })).divergence).toBeUndefined();
    await journal.close();
  });

  test("what was interrupted goes on, and nothing that was completed is executed again", async () => {
    const journal = await recorded(name);
    const { executors, calls } = workshop(new Set());
    const result = await resume("interrupted", { journal, executors });
    expect(result).toMatchObject({ end_reason: "completed", output_data: { c: { count: 1 } } });
    expect(calls).toEqual(["hold", "count"]);
    await journal.close();
  });

  test("what had failed is tried again, alone", async () => {
    const journal = await recorded(name);
    const { executors, calls } = workshop(new Set());
    expect((await resume("failed", { journal, executors })).end_reason).toBe("completed");
    expect(calls).toEqual(["glue", "count"]);
    await journal.close();
  });

  test("what waited for a person still does, and goes on with a yes", async () => {
    const journal = await recorded(name);
    const { executors, calls } = workshop(new Set());
    expect((await resume("waiting", { journal, executors })).end_reason).toBe("waiting_approval");
    expect(calls).toEqual([]);
    await approve("waiting", "buy", { journal });
    expect((await resume("waiting", { journal, executors })).end_reason).toBe("completed");
    expect(calls).toEqual(["pay"]);
    await journal.close();
  });

  test("a completed run is not executed again, and can be forked", async () => {
    const journal = await recorded(name);
    const { executors, calls } = workshop(new Set());
    expect((await resume("diamond", { journal, executors })).end_reason).toBe("completed");
    expect(calls).toEqual([]);
    const forked = await fork("diamond", "b", { journal, executors, runId: "again" });
    expect(forked.end_reason).toBe("completed");
    expect(calls).toEqual(["count", "join"]);
    expect((await verifyRun(journal, "again")).problems).toEqual([]);
    await journal.close();
  });
});
