import { once } from "node:events";
import { postgresDispatcher } from "@planloom/postgres";
import { type RuntimeError, resume, run } from "@planloom/runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DispatchStore } from "../../packages/postgres/src/dispatch/dispatch-store.ts";
import { Takeover } from "../../packages/postgres/src/dispatch/takeover.ts";
import { internalsOf } from "../../packages/postgres/src/journal-internals.ts";
import { type DispatchWorld, dispatchWorld, slow, step, subgraph, until } from "../support/dispatch-world.ts";
import { postgresUrl, query } from "../support/postgres.ts";

// One world for all of them. What other versions write differs from what this one writes by the name of the queue in their rows; each case was seen with
// processes of such a version, too.
describe.skipIf(postgresUrl === undefined)("dispatches of another format", slow, () => {
  let world: DispatchWorld;
  let runId: string;
  const table = (name: string) => `${world.subject.schema}.${name}`;
  /** As processes of format 2, of this one and of a later one name a queue in their rows. */
  const rename = (name: string, queue: "planloom" | "planloom@3" | "planloom@4") =>
    query(postgresUrl!, `UPDATE ${table(name)} SET queue = $1`, [queue]);
  /** The names of the queue in the rows of the run's subgraphs. */
  const queuesOf = async (id: string) => {
    const text = `SELECT DISTINCT queue FROM ${table("dispatches")} WHERE parent = $1 ORDER BY queue`;
    return (await query<{ queue: string }>(postgresUrl!, text, [id])).map(({ queue }) => queue);
  };
  const store = () => {
    const { database, schema, heads, leaseMs, outputs } = internalsOf(world.subject.journal)!;
    return new DispatchStore(database, schema, heads, leaseMs, outputs);
  };
  /** The process of a run that has dispatched each of the tasks, and waits for workers of its own version. */
  const startOwner = async (tasks: ReturnType<typeof step>[]) => {
    await rename("workers", "planloom");
    const subgraphs = tasks.map((task) => subgraph(task.task_id.toUpperCase(), [task]));
    const owner = world.startRun({ runId, plan: { planned_tasks: tasks }, subgraphs });
    const sent = `SELECT 1 FROM ${table("dispatches")} WHERE parent = $1`;
    await until(async () => (await query(postgresUrl!, sent, [runId])).length === tasks.length);
    return owner;
  };

  beforeAll(async () => {
    world = await dispatchWorld();
    await world.start({ held: ["h"] });
  });
  afterAll(() => world.dispose());
  beforeEach(() => {
    runId = world.next();
    world.release();
  });

  test("workers of another version are not sent anything, which is said with a code; they see none of this one", async () => {
    const asked = `SELECT 1 FROM ${table("workers")} WHERE queue = 'planloom'`;
    expect(await query(postgresUrl!, asked)).toEqual([]);
    await rename("workers", "planloom");
    const hasty = postgresDispatcher(world.subject.journal, { workerTimeoutMs: 200 });
    const refusal =
      'The workers of the queue "planloom" are of another version of Planloom: they take dispatches of format 2, and this process sends format 3.';
    const details = { queue: "planloom", formats: [2], supported: 3 };
    const code = "RUNTIME_DISPATCH_FORMAT";
    await expect(hasty.prepare(1)).rejects.toMatchObject({
      ...{ code, details },
      message: expect.stringContaining(refusal),
    });
    const tasks = [step("s", 1)];
    const options = world.dispatched([subgraph("S", tasks)] as never, { runId });
    const { results } = await run({ planned_tasks: tasks }, { ...options, dispatcher: hasty });
    const error = {
      ...{ code: "TASK_DISPATCH", message: expect.stringContaining(refusal) },
      details: { subgraph_id: "S", problem: code, ...details },
    };
    expect(results).toMatchObject([{ status: "failed", error }]);
    await hasty.close();
    await rename("workers", "planloom@3");
    const { runId: _, subgraphs: __, semantics: ___, ...again } = options;
    const resumed = await resume(runId, { ...again, journal: world.subject.journal });
    expect(resumed.end_reason).toBe("completed");
    expect(world.begun()).toHaveLength(1);
  });

  test.for([
    { row: "planloom", format: 2, cure: "Keep workers of that version" },
    { row: "planloom@4", format: 4, cure: "Update this worker" },
  ] as const)("a worker says once whose subgraphs it does not take: format $format", async ({ row, format, cure }) => {
    const owner = await startOwner([step("s", 1)]);
    await rename("dispatches", row);
    const refusals: RuntimeError[] = [];
    const takeover = new Takeover({
      ...{ journal: world.subject.journal, store: store(), queue: "planloom", executors: [] },
      dispatcher: () => world.dispatcher,
      onRefusal: (refusal) => {
        refusals.push(refusal);
        throw new Error("a listener that fails");
      },
    });
    await until(() => refusals.length > 0);
    await takeover.close();
    expect(refusals).toMatchObject([
      { code: "RUNTIME_DISPATCH_FORMAT", details: { queue: "planloom", formats: [format], supported: 3 } },
    ]);
    expect(refusals[0]?.message).toContain(cure);
    // Its own are none of them.
    await rename("dispatches", "planloom@3");
    expect(await store().otherRows("planloom")).toEqual([]);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    await rename("workers", "planloom@3");
    await until(async () => (await world.subject.journal.getRun(runId)).status === "completed");
  });

  test("a run of an earlier version whose process is gone is continued, and is of this version from then on", async () => {
    world.hold();
    const owner = await startOwner([step("h", 1), step("s", 1)]);
    // One of its subgraphs had ended before, one is under way, and a worker that ended had left the run to others. All of that is so before the process is gone: who continues
    // the run then renames what is there, once.
    await query(
      postgresUrl!,
      `INSERT INTO ${table("dispatches")} (run_id, parent, queue, request) VALUES ($1 || '~ended', $1, 'planloom', '{}')`,
      [runId],
    );
    await query(postgresUrl!, `INSERT INTO ${table("orphans")} (run_id, queue) VALUES ($1, 'planloom')`, [runId]);
    await rename("dispatches", "planloom");
    owner.kill("SIGKILL");
    await once(owner, "exit");
    await rename("workers", "planloom@3");
    await until(() => world.begun().some((line) => line.startsWith("begin h")));
    // An older worker asks for runs by the name that the queue has in its own rows. The call may have begun before the run is taken over.
    await until(async () => (await queuesOf(runId)).join() === "planloom@3");
    await store().leave(runId, "planloom");
    const left = `SELECT queue FROM ${table("orphans")} WHERE run_id = $1`;
    expect(await query(postgresUrl!, left, [runId])).toEqual([{ queue: "planloom@3" }]);
    world.release();
    await until(async () => (await world.subject.journal.getRun(runId)).status === "completed");
    expect(world.ended()).toEqual(["h", "s"]);
  });
});
