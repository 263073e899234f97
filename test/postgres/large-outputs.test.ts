import { hash } from "node:crypto";
import { once } from "node:events";
import { postgresDispatcher } from "@planloom/postgres";
import { resume, run } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { type DispatchWorld, inWorld, step, subgraph, until } from "../support/dispatch-world.ts";
import { longText } from "../support/long-text.ts";
import { postgresUrl, query } from "../support/postgres.ts";

/** Characters of the output that all others need. */
const length = 3_000_000;
const digest = hash("sha256", longText("a", length));

/** A task with a large output, and three subgraphs that need it. */
function spread() {
  const first = { ...step("a", 1), arguments: { id: "a", length } };
  const others = ["x1", "x2", "x3"].map((id) => ({
    ...step(id, 1),
    arguments: { id, from: ["${a.text}"], digests: true },
  }));
  const parts = others.map((task) => subgraph(task.task_id.toUpperCase(), [task], ["A"]));
  return { plan: { planned_tasks: [first, ...others] }, subgraphs: [subgraph("A", [first]), ...parts] as never };
}

/** A worker whose bytes are counted. */
async function startCounted(world: DispatchWorld, held: readonly string[]) {
  const address = new URL(postgresUrl!);
  const proxy = await cuttingProxy(address.hostname, Number(address.port));
  address.port = String(proxy.port);
  const { child } = await world.start({ held, url: address.href });
  return { child, proxy };
}

async function inCounted(
  world: DispatchWorld,
  held: readonly string[],
  body: (workers: Awaited<ReturnType<typeof startCounted>>[]) => Promise<void>,
) {
  const workers = await Promise.all([startCounted(world, held), startCounted(world, held)]);
  try {
    await body(workers);
  } finally {
    for (const { proxy } of workers) await proxy[Symbol.asyncDispose]();
  }
}

/** How often what a worker got would hold the large output. */
const reads = (worker: Awaited<ReturnType<typeof startCounted>>) => worker.proxy.bytes().received / length;
const writes = (worker: Awaited<ReturnType<typeof startCounted>>) => worker.proxy.bytes().sent / length;
const outputs = ["x1", "x2", "x3"].map((id) => ({ status: "completed", output: { id, from: [digest] } }));

describe.skipIf(postgresUrl === undefined).concurrent("large outputs that subgraphs on workers are given", () => {
  for (const asks of [false, true]) {
    test(
      `are read once by each worker, whatever uses them there; workers ${asks ? "ask" : "do not ask"} before each call`,
      inWorld(async (world) => {
        const held = ["x1", "x2"];
        await inCounted(world, held, async (workers) => {
          const { plan, subgraphs } = spread();
          const more = asks ? { limits: { resources: { step: 100 } } } : {};
          const running = run(plan, world.dispatched(subgraphs, more));
          // Both have one: neither can take the other's.
          await until(() => held.every((id) => world.begun().some((line) => line.startsWith(`begin ${id} `))));
          world.release();
          const { end_reason, results } = await running;
          expect(end_reason).toBe("completed");
          expect(results.slice(1)).toMatchObject(outputs);
          for (const worker of workers) {
            expect(reads(worker)).toBeGreaterThan(1);
            expect(reads(worker)).toBeLessThan(1.5);
          }
          // The one that made it has written it; nobody writes it again. A worker that asks says with what input it calls.
          const written = workers.map(writes).sort((left, right) => left - right);
          if (!asks) expect(written[0]).toBeLessThan(0.5);
          if (!asks) expect(written[1]).toBeLessThan(1.5);
          const [kept] = await query<{ longest: number }>(
            postgresUrl!,
            `SELECT max(length(request)) AS longest FROM ${world.subject.schema}.dispatches`,
          );
          expect(kept!.longest).toBeLessThan(20_000);
          expect((await world.subject.journal.checkChecksums("r")).problems).toEqual([]);
        });
      }),
    );
  }

  test(
    "are in the plan of the subgraph for whoever reads it, and its checksums hold",
    inWorld(async ({ start, dispatched, subject }) => {
      await start();
      const { plan, subgraphs } = spread();
      expect((await run(plan, dispatched(subgraphs))).end_reason).toBe("completed");
      const stored = await (await subject.another()).getRun("r~X1");
      expect(stored.plan.planned_tasks[0]).toMatchObject({
        task_id: "a",
        status: "completed",
        output: { text: longText("a", length) },
      });
      expect((await subject.journal.checkChecksums("r~X1")).problems).toEqual([]);
      const rows = await query<{ bytes: number }>(
        postgresUrl!,
        `SELECT sum(length(tasks))::int AS bytes FROM ${subject.schema}.plan_parts`,
      );
      expect(rows[0]!.bytes).toBeLessThan(50_000);
      const elsewhere = `UPDATE ${subject.schema}.plans SET plan = replace(plan, '"length"', '"longer"') WHERE run_id = 'r~X1'`;
      await query(postgresUrl!, elsewhere);
      expect((await subject.journal.checkChecksums("r~X1")).problems).toMatchObject([{ code: "row_changed" }]);
    }),
  );

  test(
    "that a run was begun with are kept once, and named, too",
    inWorld(async ({ start, dispatched, subject }) => {
      await start();
      const { plan, subgraphs } = spread();
      const [first, ...others] = plan.planned_tasks;
      const known = { ...first!, status: "completed" as const, output: { text: longText("a", length) } };
      const { results } = await run({ planned_tasks: [known, ...others] }, dispatched(subgraphs));
      expect(results.slice(1)).toMatchObject(outputs);
      const text = `SELECT run_id, count(*) AS outputs FROM ${subject.schema}.blobs GROUP BY run_id`;
      expect(await query(postgresUrl!, text)).toMatchObject([{ run_id: "r" }]);
      await subject.journal.deleteRun("r");
      expect(await query(postgresUrl!, text)).toEqual([]);
    }),
  );

  test(
    "reach the worker that replaces a killed one, and a run that is resumed after its process was killed",
    inWorld(async (world) => {
      const held = ["x1", "x2"];
      const { start, startRun, begun, release, subject } = world;
      await Promise.all([start({ held }), start({ held })]);
      const { plan, subgraphs } = spread();
      const owner = startRun({ plan, subgraphs });
      const begin = (id: string) => begun().find((line) => line.startsWith(`begin ${id} `));
      await until(() => held.every((id) => begin(id) !== undefined));
      owner.kill("SIGKILL");
      process.kill(Number(begin("x1")!.split(" ")[2]), "SIGKILL");
      await once(owner, "exit");
      await start();
      release();
      await until(async () => (await subject.journal.listRuns())[0]?.status === "completed");
      for (const { task_id, output } of (await subject.journal.getTasks("r")).slice(1))
        expect(output).toEqual({ id: task_id, from: [digest] });
      // The call that was under way is made again, no other.
      expect(begun()).toHaveLength(5);
      for (const id of ["r", "r~X1", "r~X2", "r~X3"])
        expect((await subject.journal.checkChecksums(id)).problems).toEqual([]);
    }),
  );

  for (const [what, damage] of [
    ["is gone", (schema: string) => `DELETE FROM ${schema}.blobs WHERE run_id = 'r'`],
    ["is another", (schema: string) => `UPDATE ${schema}.blobs SET value = '"' || value WHERE run_id = 'r'`],
  ] as const) {
    test(
      `one that ${what} fails the tasks that need it, which says so, and the rest of the run is done`,
      inWorld(async ({ start, begun, release, dispatched, subject }) => {
        await start({ held: ["h"] });
        const { plan, subgraphs } = spread();
        // The only worker has the first of them while the output goes.
        const hold = step("h", 1);
        const parts = [subgraphs[0], subgraph("H", [hold]), ...(subgraphs as never[]).slice(1)] as never;
        const running = run({ planned_tasks: [...plan.planned_tasks, hold] }, dispatched(parts, { concurrency: 4 }));
        await until(() => begun().some((line) => line.startsWith("begin h ")));
        const waiting = `SELECT 1 FROM ${subject.schema}.dispatches WHERE run_id LIKE 'r~X%'`;
        await until(async () => (await query(postgresUrl!, waiting)).length === 3);
        await query(postgresUrl!, damage(subject.schema));
        release();
        const { results } = await running;
        const byId = new Map(results.map((result) => [result.task_id, result]));
        expect(byId.get("h")).toMatchObject({ status: "completed" });
        for (const id of ["x1", "x2", "x3"]) {
          const { error } = byId.get(id)!;
          const message = expect.stringContaining(
            'The output of task "a" of run "r", which a subgraph is given, is missing',
          );
          expect(error).toMatchObject({ code: "TASK_DISPATCH", message });
        }
      }),
    );
  }
});

describe.skipIf(postgresUrl === undefined).concurrent("dispatches of another format", () => {
  /** As processes of format 2 name a queue in their rows. */
  const asBefore = (table: string) => `UPDATE ${table} SET queue = 'planloom'`;

  test(
    "workers of another version are not sent anything, which is said; they see none of this one",
    inWorld(async ({ start, begun, dispatched, subject }) => {
      await start();
      const seen = await query(postgresUrl!, `SELECT 1 FROM ${subject.schema}.workers WHERE queue = 'planloom'`);
      expect(seen).toEqual([]);
      await query(postgresUrl!, asBefore(`${subject.schema}.workers`));
      const hasty = postgresDispatcher(subject.journal, { workerTimeoutMs: 50 });
      const refusal =
        'The workers of the queue "planloom" are of another version of Planloom: they take dispatches of format 2, and this process sends format 3.';
      await expect(hasty.prepare(1)).rejects.toThrow(refusal);
      const tasks = [step("s", 1)];
      const { results } = await run(
        { planned_tasks: tasks },
        dispatched([subgraph("S", tasks)] as never, { dispatcher: hasty }),
      );
      expect(results[0]).toMatchObject({ status: "failed", error: { code: "TASK_DISPATCH" } });
      expect(results[0]?.error?.message).toContain(refusal);
      await hasty.close();
      // Once there is one of this version, the run goes on.
      await start();
      expect((await resume("r", { ...dispatched(undefined), journal: subject.journal })).end_reason).toBe("completed");
      expect(begun()).toHaveLength(1);
    }),
  );

  test(
    "a run that was dispatched by an earlier version, whose process is gone, is continued",
    inWorld(async ({ start, startRun, ended, subject }) => {
      const tasks = [step("s", 1)];
      const owner = startRun({ plan: { planned_tasks: tasks }, subgraphs: [subgraph("S", tasks)] });
      const kept = () => query(postgresUrl!, `SELECT 1 FROM ${subject.schema}.dispatches`);
      await until(async () => (await kept()).length > 0);
      owner.kill("SIGKILL");
      await once(owner, "exit");
      await query(postgresUrl!, asBefore(`${subject.schema}.dispatches`));
      await start();
      await until(async () => (await subject.journal.listRuns())[0]?.status === "completed");
      expect(ended()).toEqual(["s"]);
    }),
  );
});
