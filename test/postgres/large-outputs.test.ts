import { hash } from "node:crypto";
import { once } from "node:events";
import { run } from "@planloom/runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { type DispatchWorld, dispatchWorld, slow, step, subgraph, until } from "../support/dispatch-world.ts";
import { longText } from "../support/long-text.ts";
import { postgresUrl, query } from "../support/postgres.ts";

/** Characters of the output that all others need. */
const length = 3_000_000;
const digest = hash("sha256", longText("a", length));
const ids = ["x1", "x2", "x3"];
const outputs = ids.map((id) => ({ status: "completed", output: { id, from: [digest] } }));

/** A task with a large output, and three subgraphs that need it. */
function spread() {
  const first = { ...step("a", 1), arguments: { id: "a", length } };
  const others = ids.map((id) => ({ ...step(id, 1), arguments: { id, from: ["${a.text}"], digests: true } }));
  const parts = others.map((task) => subgraph(task.task_id.toUpperCase(), [task], ["A"]));
  return { plan: { planned_tasks: [first, ...others] }, subgraphs: [subgraph("A", [first]), ...parts] as never };
}

// One world for all of them: a worker takes a second to start, and two cores have few of them.
describe.skipIf(postgresUrl === undefined)("large outputs that subgraphs on workers are given", slow, () => {
  let world: DispatchWorld;
  let runId: string;
  let workers: Awaited<ReturnType<typeof startCounted>>[];

  /** A worker whose bytes are counted. Of those that hold, no one can take what another one has. */
  async function startCounted() {
    const address = new URL(postgresUrl!);
    const proxy = await cuttingProxy(address.hostname, Number(address.port));
    address.port = String(proxy.port);
    const { child } = await world.start({ held: ["x1", "x2", "h1", "h2"], url: address.href });
    return { child, proxy };
  }

  const begin = (id: string) => world.begun().find((line) => line.startsWith(`begin ${id} `));
  const table = (name: string) => `${world.subject.schema}.${name}`;

  beforeAll(async () => {
    world = await dispatchWorld();
    workers = await Promise.all([startCounted(), startCounted()]);
  });
  afterAll(async () => {
    await world.dispose();
    for (const { proxy } of workers) await proxy[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    runId = world.next();
    world.hold();
  });

  for (const asks of [false, true]) {
    test(`are read once by each worker, whatever uses them there; workers ${asks ? "ask" : "do not ask"} before each call`, async () => {
      const before = workers.map(({ proxy }) => proxy.bytes());
      const { plan, subgraphs } = spread();
      const running = run(
        plan,
        world.dispatched(subgraphs, asks ? { runId, limits: { resources: { step: 100 } } } : { runId }),
      );
      await until(() => begin("x1") !== undefined && begin("x2") !== undefined);
      world.release();
      const { end_reason, results } = await running;
      expect(end_reason).toBe("completed");
      expect(results.slice(1)).toMatchObject(outputs);
      const after = workers.map(({ proxy }) => proxy.bytes());
      const received = after.map((bytes, at) => (bytes.received - before[at]!.received) / length);
      for (const times of received) {
        expect(times).toBeGreaterThan(1);
        expect(times).toBeLessThan(1.5);
      }
      // The one that made it has written it; nobody writes it again. A worker that asks says with what input it calls.
      const sent = after.map((bytes, at) => (bytes.sent - before[at]!.sent) / length).sort((one, other) => one - other);
      if (!asks) expect(sent[0]).toBeLessThan(0.5);
      if (!asks) expect(sent[1]).toBeLessThan(1.5);
      const kept = await query(
        postgresUrl!,
        `SELECT run_id FROM ${table("dispatches")} WHERE parent = $1 AND length(request) > 20000`,
        [runId],
      );
      expect(kept).toEqual([]);
      expect((await world.subject.journal.checkChecksums(runId)).problems).toEqual([]);
    });
  }

  test("are in the plan of the subgraph for whoever reads it, and its checksums hold", async () => {
    world.release();
    const { journal, another } = world.subject;
    const { plan, subgraphs } = spread();
    expect((await run(plan, world.dispatched(subgraphs, { runId }))).end_reason).toBe("completed");
    const stored = await (await another()).getRun(`${runId}~X1`);
    const given = { task_id: "a", status: "completed", output: { id: "a", text: longText("a", length) } };
    expect(stored.plan.planned_tasks[0]).toMatchObject(given);
    expect((await journal.checkChecksums(`${runId}~X1`)).problems).toEqual([]);
    const long = `SELECT run_id FROM ${table("plan_parts")} WHERE starts_with(run_id, $1) AND length(tasks) > 20000`;
    expect(await query(postgresUrl!, long, [runId])).toEqual([]);
    const other = `UPDATE ${table("plans")} SET plan = replace(plan, '"length"', '"longer"') WHERE run_id = $1`;
    await query(postgresUrl!, other, [`${runId}~X1`]);
    expect((await journal.checkChecksums(`${runId}~X1`)).problems).toMatchObject([{ code: "row_changed" }]);
  });

  test("that a run was begun with are kept once, and named, too; they go with the run", async () => {
    world.release();
    const { plan, subgraphs } = spread();
    const [first, ...others] = plan.planned_tasks;
    const known = { ...first!, status: "completed" as const, output: { text: longText("a", length) } };
    const { results } = await run({ planned_tasks: [known, ...others] }, world.dispatched(subgraphs, { runId }));
    expect(results.slice(1)).toMatchObject(outputs);
    const kept = `SELECT run_id FROM ${table("blobs")} WHERE starts_with(run_id, $1)`;
    expect(await query(postgresUrl!, kept, [runId])).toEqual([{ run_id: runId }]);
    await world.subject.journal.deleteRun(runId);
    expect(await query(postgresUrl!, kept, [runId])).toEqual([]);
  });

  for (const [what, damage] of [
    ["is gone", "DELETE FROM $ WHERE run_id = $1"],
    ["is another", "UPDATE $ SET value = '\"' || value WHERE run_id = $1"],
  ] as const) {
    test(`one that ${what} fails the tasks that need it, which says so, and nothing else`, async () => {
      const { plan, subgraphs } = spread();
      // While the output goes, both workers have something else to do.
      const hold = ["h1", "h2"].map((id) => step(id, 1));
      const holds = hold.map((task) => subgraph(task.task_id.toUpperCase(), [task]));
      const holding = run({ planned_tasks: hold }, world.dispatched(holds as never, { runId: `${runId}-hold` }));
      await until(() => begin("h1") !== undefined && begin("h2") !== undefined);
      const [first, ...others] = plan.planned_tasks;
      const known = { ...first!, status: "completed" as const, output: { text: longText("a", length) } };
      const options = world.dispatched(subgraphs, { runId });
      const running = run({ planned_tasks: [known, ...others] }, options);
      const waiting = `SELECT 1 FROM ${table("dispatches")} WHERE starts_with(run_id, $1)`;
      await until(async () => (await query(postgresUrl!, waiting, [`${runId}~X`])).length === 3);
      await query(postgresUrl!, damage.replace("$ ", `${table("blobs")} `), [runId]);
      world.release();
      const byId = new Map((await running).results.map((result) => [result.task_id, result]));
      expect((await holding).end_reason).toBe("completed");
      const message = expect.stringContaining(
        `The output of task "a" of run "${runId}", which a subgraph is given, is missing`,
      );
      for (const id of ids) expect(byId.get(id)?.error).toMatchObject({ code: "TASK_DISPATCH", message });
    });
  }

  test("reach the worker that goes on where another one was killed, and the process that continues the run", async () => {
    const { plan, subgraphs } = spread();
    const owner = world.startRun({ runId, plan, subgraphs });
    await until(() => begin("x1") !== undefined && begin("x2") !== undefined);
    owner.kill("SIGKILL");
    process.kill(Number(begin("x1")!.split(" ")[2]), "SIGKILL");
    await once(owner, "exit");
    world.release();
    const { journal } = world.subject;
    await until(async () => (await journal.getRun(runId)).status === "completed");
    for (const { task_id, output } of (await journal.getTasks(runId)).slice(1))
      expect(output).toEqual({ id: task_id, from: [digest] });
    // The call that was under way is made again, no other.
    expect(world.begun()).toHaveLength(5);
    for (const id of ["", "~X1", "~X2", "~X3"])
      expect((await journal.checkChecksums(`${runId}${id}`)).problems).toEqual([]);
  });
});
