import { once } from "node:events";
import { postgresDispatcher } from "@planloom/postgres";
import { deny, resume, run, toolExecutor } from "@planloom/runtime";
import { Planloom } from "planloom";
import { describe, expect, test } from "vitest";
import { isQuick } from "../support/cases.ts";
import { diamond, diamondTasks, elsewhere, inWorld, slow, step, subgraph, until } from "../support/dispatch-world.ts";
import { postgresUrl, query } from "../support/postgres.ts";

// Each has workers and tables of its own and mostly waits, so that they run side by side.
describe.skipIf(postgresUrl === undefined).concurrent("subgraphs whose workers or runs are gone too soon", slow, () => {
  test(
    "a worker that is killed is replaced: what it completed is not executed again",
    inWorld(async ({ start, begun, ended, release, subject, dispatched }) => {
      const held = ["a2"];
      await Promise.all([start({ held }), start({ held })]);
      const { plan, subgraphs } = diamond(20);
      const running = run(plan, dispatched(subgraphs));
      const second = () => begun().find((line) => line.startsWith("begin a2"));
      await until(() => second() !== undefined);
      process.kill(Number(second()?.split(" ")[2]), "SIGKILL");
      release();
      const killedAt = performance.now();
      await until(() => begun().filter((line) => line.startsWith("begin a2")).length === 2);
      const noticedMs = performance.now() - killedAt;
      const result = await running;
      expect(result.end_reason).toBe("completed");
      expect(result.output_data).toMatchObject({ z: { from: ["a3", "b3"] } });
      // The call that was under way when it was killed is made again, no other.
      expect(ended()).toEqual(diamondTasks);
      expect(begun()).toHaveLength(8);
      // Three seconds of silence, and a look twice a second; more on a busy machine, but not the time that a lease holds.
      expect(noticedMs).toBeLessThan(30_000);
      expect((await subject.journal.checkChecksums("r")).problems).toEqual([]);
    }),
  );

  test(
    "a call with an effect that was under way in a killed worker is asked about, and made again only after a yes",
    inWorld(async ({ start, begun, subject, dispatched }) => {
      const first = await start();
      const tasks = [{ ...step("e", 10_000), tool_id: "effect" }];
      const subgraphs = [subgraph("E", tasks)] as never;
      const running = run({ planned_tasks: tasks }, dispatched(subgraphs));
      await until(() => begun().length === 1);
      first.child.kill("SIGKILL");
      const { child } = await start();
      expect((await running).end_reason).toBe("waiting_approval");
      expect(begun()).toHaveLength(1);
      await deny("r", "e", { journal: subject.journal });
      const denied = await resume("r", { ...dispatched(subgraphs), journal: subject.journal });
      expect(denied.results).toMatchObject([{ status: "skipped" }]);
      expect(begun()).toHaveLength(1);
      child.kill("SIGKILL");
    }),
  );

  test(
    "a worker that is asked to end leaves the rest of its subgraph to another one",
    inWorld(async ({ start, begun, dispatched }) => {
      const first = await start();
      const { plan, subgraphs } = diamond(60);
      const running = run(plan, dispatched(subgraphs));
      await until(() => begun().length >= 2);
      first.child.kill("SIGTERM");
      await once(first.child, "exit");
      await start();
      expect((await running).end_reason).toBe("completed");
      // Running calls were let to end: none was made twice.
      expect(begun()).toHaveLength(7);
    }),
  );

  test(
    "a run whose process was killed is continued by a worker, and its subgraphs go with it when it is deleted",
    inWorld(async ({ start, begun, ended, release, subject, startRun }) => {
      const held = ["a1", "b1"];
      await Promise.all([start({ held }), start({ held })]);
      const { plan, subgraphs } = diamond(20);
      const owner = startRun({ plan, subgraphs });
      await until(() => begun().length >= 2);
      owner.kill("SIGKILL");
      await once(owner, "exit");
      release();
      const stored = async () => (await subject.journal.listRuns())[0]?.status;
      await until(async () => (await stored()) === "completed");
      expect((await subject.journal.getOutput("r", "z")) as object).toMatchObject({ from: ["a3", "b3"] });
      expect(ended()).toEqual(diamondTasks);
      expect((await subject.journal.getRun("r~A")).status).toBe("completed");
      await subject.journal.deleteRun("r");
      await expect(subject.journal.getRun("r~A")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
      const left = await query(postgresUrl!, `SELECT run_id FROM ${subject.schema}.dispatches`);
      expect(left).toEqual([]);
    }),
  );

  test(
    "a subgraph goes to workers that have its tools, and says which tool none of them has",
    inWorld(async ({ start, subject, dispatcher, dispatched }) => {
      await Promise.all([start({ without: "effect" }), start({ without: "step" })]);
      const tasks = [{ ...step("e", 1), tool_id: "effect" }];
      const chain = [step("s", 1)];
      const subgraphs = [subgraph("E", tasks), subgraph("S", chain)] as never;
      const result = await run({ planned_tasks: [...tasks, ...chain] }, dispatched(subgraphs));
      expect(result.end_reason).toBe("completed");
      // Who groups knows of both, so that no subgraph needs a worker that has both tools.
      const both = ["step", "effect"].map((tool, at) => ({
        ...step(`b${at}`, 1),
        tool_id: tool,
        estimate_data: { duration_ms: 1 },
      }));
      const turns = [
        both[0]!,
        { ...both[1]!, dependencies: ["b0"] },
        { ...step("b2", 1), dependencies: ["b1"], estimate_data: { duration_ms: 1 } },
      ];
      await using planloom = new Planloom({
        executors: [toolExecutor(elsewhere)],
        journal: subject.journal,
        dispatch: { to: dispatcher },
      });
      const grouped = await planloom.optimize({ planned_tasks: turns } as never);
      expect(grouped.environment.classes?.map(({ count }) => count)).toEqual([1, 1]);
      expect(grouped.subgraphs.map(({ tasks }) => tasks.map(({ task_id }) => task_id))).toEqual([
        ["b0"],
        ["b1"],
        ["b2"],
      ]);
      expect((await planloom.run({ planned_tasks: turns } as never)).end_reason).toBe("completed");
      const picky = postgresDispatcher(subject.journal, { workerTimeoutMs: 50 });
      const unknown = [{ ...step("u", 1), tool_id: "die2" }];
      const failed = await run(
        { planned_tasks: unknown },
        dispatched([subgraph("U", unknown)] as never, { runId: "u", dispatcher: picky }),
      );
      expect(failed.results[0]?.error?.message).toContain('No worker of the queue "planloom" has tool "die2"');
      await picky.close();
    }),
  );

  test(
    "a subgraph that kills each worker it meets fails after three, and the rest of the run is done",
    inWorld(async ({ start, dispatched }) => {
      let isOver = false;
      const keepAlive = (async () => {
        for (let count = 0; count < 5 && !isOver; count++) {
          const { child } = await start();
          await once(child, "exit");
        }
      })();
      keepAlive.catch(() => {});
      const poison = [{ task_id: "p", execution_type: "tool" as const, tool_id: "die", retry: { max_attempts: 1 } }];
      const good = [step("g", 1)];
      const subgraphs = [subgraph("P", poison), subgraph("G", good)] as never;
      const result = await run({ planned_tasks: [...poison, ...good] }, dispatched(subgraphs, { onUnknown: "retry" }));
      isOver = true;
      expect(result.results).toMatchObject([
        { status: "failed", error: { code: "TASK_DISPATCH", message: expect.stringContaining("3 workers") } },
        { status: "completed" },
      ]);
    }),
  );

  test.skipIf(isQuick)(
    "a worker that is killed is replaced where it asks before each call, and its slot is free again",
    inWorld(async ({ start, begun, ended, release, dispatched }) => {
      const held = ["a2", "b2"];
      await Promise.all([start({ held }), start({ held })]);
      const { plan, subgraphs } = diamond(20);
      const running = run(plan, dispatched(subgraphs, { limits: { resources: { step: 1 } } }));
      const second = () => begun().find((line) => line.startsWith("begin a2") || line.startsWith("begin b2"));
      await until(() => second() !== undefined);
      process.kill(Number(second()?.split(" ")[2]), "SIGKILL");
      release();
      const result = await running;
      expect(result.end_reason).toBe("completed");
      expect(ended()).toEqual(diamondTasks);
      expect(begun()).toHaveLength(8);
    }),
  );

  test.skipIf(isQuick)(
    "a rolling deploy: workers of two versions of the tools side by side, then the new one alone; each call is made once",
    inWorld(async ({ start, begun, ended, calls, release, subject, dispatched }) => {
      // The new version has a tool more, so that workers of both are classes of their own. The calls of the old one end when it has been asked to leave.
      const before = { version: 1, without: "effect", held: ["a1", "b1"] };
      const old = await Promise.all([start(before), start(before)]);
      const { plan, subgraphs } = diamond(20);
      const running = run(plan, dispatched(subgraphs));
      await until(() => begun().length >= 2);
      await start({ version: 2 });
      const exits = old.map(({ child }) => once(child, "exit"));
      for (const { child } of old) child.kill("SIGTERM");
      await until(() => calls().filter((line) => line.startsWith("draining")).length === old.length);
      release();
      for (const [code] of await Promise.all(exits)) expect(code).toBe(0);
      const { end_reason, results } = await running;
      expect(end_reason).toBe("completed");
      expect(ended()).toEqual(diamondTasks);
      const versions = results.map(({ output }) => (output as { version?: number }).version);
      expect(new Set(versions)).toEqual(new Set([1, 2]));
      expect(results.find(({ task_id }) => task_id === "z")?.output).toMatchObject({
        version: 2,
        from: ["a3", "b3"],
      });
      // What only the new version has.
      const added = [{ ...step("e", 1), tool_id: "effect" }];
      const more = await run({ planned_tasks: added }, dispatched([subgraph("E", added)] as never, { runId: "added" }));
      expect(more.results).toMatchObject([{ status: "completed", output: { version: 2 } }]);
      expect((await subject.journal.checkChecksums("r")).problems).toEqual([]);
    }),
  );
});
