import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type PostgresDispatcher, postgresDispatcher } from "@planloom/postgres";
import {
  approve,
  defineTool,
  deny,
  type RunOptions,
  resume,
  resumeDue,
  run,
  signal,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { Planloom } from "planloom";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dropSchema, postgresUrl, query } from "../support/postgres.ts";
import { type PostgresSubject, postgresSubject } from "./subject.ts";

// DBOS sets up each connection of its pool while the pool hands it out, which its driver warns of.
const quiet = "--disable-warning=DeprecationWarning";

describe.skipIf(postgresUrl === undefined)("subgraphs dispatched to workers of other processes", () => {
  let subject: PostgresSubject;
  let dispatcher: PostgresDispatcher;
  let folder: string;
  const workers: ChildProcess[] = [];
  const log = () => join(folder, "calls");
  /** What the tools of all workers wrote. */
  const calls = () => (existsSync(log()) ? readFileSync(log(), "utf8").trim().split("\n") : []);
  const begun = () => calls().filter((line) => line.startsWith("begin"));
  const until = async (condition: () => boolean | Promise<boolean>) => {
    // Real time: what is waited for happens in other processes.
    while (!(await condition())) await sleep(10);
  };

  const start = async ({ without }: { readonly without?: string } = {}) => {
    const given = JSON.stringify({ url: postgresUrl, schema: subject.schema, log: log(), without });
    const child = spawn(process.execPath, [quiet, join(import.meta.dirname, "worker-process.ts"), given], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    workers.push(child);
    // The engine writes lines of its own before.
    for await (const text of child.stdout!.setEncoding("utf8")) if (/^planloom-\d+$/m.test(text)) break;
    return { child };
  };

  beforeEach(async () => {
    subject = await postgresSubject(postgresUrl!);
    folder = await mkdtemp(join(tmpdir(), "planloom-dispatch-"));
    dispatcher = postgresDispatcher(subject.journal);
  });
  afterEach(async () => {
    for (const child of workers.splice(0))
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    await dispatcher.close();
    await subject.dispose();
    await dropSchema(postgresUrl!, `${subject.schema}_dbos`);
    await rm(folder, { recursive: true, force: true });
  });

  /** The tool as the process of the run knows it: it must not be called there. */
  const elsewhere = ["step", "effect", "die"].map((id) =>
    defineTool({
      id,
      description: "",
      execute: () => {
        throw new Error("called in the process of the run");
      },
    }),
  );
  const step = (id: string, ms: number, from: readonly string[] = []) => ({
    task_id: id,
    execution_type: "tool" as const,
    tool_id: "step",
    arguments: { id, ms, ...(from.length > 0 && { from: from.map((each) => `\${${each}.id}`) }) },
  });
  const subgraph = (
    subgraph_id: string,
    tasks: readonly { readonly task_id: string }[],
    dependencies: string[] = [],
  ) => ({
    subgraph_id,
    tasks,
    dependencies,
  });
  const dispatched = (subgraphs: RunOptions["subgraphs"], more: Partial<RunOptions> = {}): RunOptions => ({
    executors: [toolExecutor(elsewhere)],
    journal: subject.journal,
    runId: "r",
    semantics: "atomic",
    subgraphs,
    dispatcher,
    ...more,
  });

  /** Two chains of three, and a task that takes from both. */
  const diamond = (ms: number) => {
    const chain = (name: string) => [
      step(`${name}1`, ms),
      step(`${name}2`, ms, [`${name}1`]),
      step(`${name}3`, ms, [`${name}2`]),
    ];
    const [left, right, last] = [chain("a"), chain("b"), [step("z", ms, ["a3", "b3"])]];
    const plan = { task_id: "diamond", planned_tasks: [...left, ...right, ...last] };
    return { plan, subgraphs: [subgraph("A", left), subgraph("B", right), subgraph("Z", last, ["A", "B"])] as never };
  };

  test("each task is executed once by some worker, outputs travel, and nothing is left of the subgraphs", async () => {
    await Promise.all([start(), start()]);
    const { plan, subgraphs } = diamond(20);
    const result = await run(plan, dispatched(subgraphs));
    expect(result.end_reason).toBe("completed");
    expect(result.output_data).toMatchObject({ z: { id: "z", from: ["a3", "b3"] } });
    expect(
      begun()
        .map((line) => line.split(" ")[1])
        .sort(),
    ).toEqual(["a1", "a2", "a3", "b1", "b2", "b3", "z"]);
    expect(await subject.journal.listRuns()).toMatchObject([{ run_id: "r", status: "completed", completed: 7 }]);
    expect(await dispatcher.prepare(2)).toMatchObject({ measured: 8, overheadMs: expect.any(Number) });
  });

  test("a worker that is killed is replaced: what it completed is not executed again", async () => {
    await Promise.all([start(), start()]);
    const { plan, subgraphs } = diamond(100);
    const running = run(plan, dispatched(subgraphs));
    const second = () => begun().find((line) => line.startsWith("begin a2"));
    await until(() => second() !== undefined);
    process.kill(Number(second()?.split(" ")[2]), "SIGKILL");
    const killedAt = performance.now();
    await until(() => begun().filter((line) => line.startsWith("begin a2")).length === 2);
    const noticedMs = performance.now() - killedAt;
    const result = await running;
    expect(result.end_reason).toBe("completed");
    expect(result.output_data).toMatchObject({ z: { from: ["a3", "b3"] } });
    const ended = calls().filter((line) => line.startsWith("end"));
    expect(new Set(ended.map((line) => line.split(" ")[1])).size).toBe(7);
    // The call that was under way when it was killed is made again, no other.
    expect(ended).toHaveLength(7);
    expect(begun()).toHaveLength(8);
    // Three seconds of silence, and a look twice a second; more on a busy machine.
    expect(noticedMs).toBeLessThan(15_000);
    expect((await subject.journal.checkChecksums("r")).problems).toEqual([]);
  });

  test("a call with an effect that was under way in a killed worker is asked about, and made again only after a yes", async () => {
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
  });

  test("a worker that is told to end leaves the rest of its subgraph to another one", async () => {
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
  });

  test("a run whose process was killed is resumed elsewhere, and finds what its subgraphs did meanwhile", async () => {
    await start();
    const { plan, subgraphs } = diamond(30);
    const other = await subject.another();
    const stop = new AbortController();
    // It stops without a word, as a process that is killed does: its lease is as that of a dead one.
    const abandoned = run(plan, dispatched(subgraphs, { journal: other, signal: stop.signal }));
    await until(() => begun().length >= 1);
    stop.abort();
    expect((await abandoned).end_reason).toBe("cancelled");
    const again = await resume("r", { ...dispatched(subgraphs), journal: subject.journal });
    expect(again.end_reason).toBe("completed");
    expect(again.output_data).toMatchObject({ z: { from: ["a3", "b3"] } });
    const ended = calls()
      .filter((line) => line.startsWith("end"))
      .map((line) => line.split(" ")[1]);
    expect(ended.sort()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3", "z"]);
  });

  test("cancelled and resumed at once, at whatever moment, a run executes each task once", async () => {
    await Promise.all([start(), start()]);
    for (let round = 0; round < 6; round++) {
      const { plan, subgraphs } = diamond(15);
      const before = calls().length;
      const stop = new AbortController();
      const runId = `round-${round}`;
      const running = run(plan, dispatched(subgraphs, { runId, signal: stop.signal }));
      // Real time: the run is cancelled at various moments of its dispatches.
      await sleep(25 * round);
      stop.abort();
      expect(["cancelled", "completed"]).toContain((await running).end_reason);
      const again = await resume(runId, { ...dispatched(subgraphs), journal: subject.journal });
      expect(again.end_reason).toBe("completed");
      const ended = calls()
        .slice(before)
        .filter((line) => line.startsWith("end"))
        .map((line) => line.split(" ")[1]);
      expect(ended.sort()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3", "z"]);
    }
  });

  test("a run whose process was killed is continued by a worker, and its subgraphs go with it when it is deleted", async () => {
    await Promise.all([start(), start()]);
    const { plan, subgraphs } = diamond(400);
    const given = { url: postgresUrl, schema: subject.schema, plan, subgraphs };
    const owner = spawn(process.execPath, [quiet, join(import.meta.dirname, "run-process.ts"), JSON.stringify(given)], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    workers.push(owner);
    await until(() => begun().length >= 2);
    owner.kill("SIGKILL");
    const stored = async () => (await subject.journal.listRuns())[0]?.status;
    await until(async () => (await stored()) === "completed");
    expect((await subject.journal.getOutput("r", "z")) as object).toMatchObject({ from: ["a3", "b3"] });
    const ended = calls().filter((line) => line.startsWith("end"));
    expect(ended).toHaveLength(7);
    expect((await subject.journal.getRun("r~A")).status).toBe("completed");
    await subject.journal.deleteRun("r");
    await expect(subject.journal.getRun("r~A")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    const left = await query(postgresUrl!, `SELECT run_id FROM ${subject.schema}.dispatches`);
    expect(left).toEqual([]);
  });

  test("a subgraph goes to workers that have its tools, and says which tool none of them has", async () => {
    await Promise.all([start({ without: "effect" }), start({ without: "step" })]);
    const tasks = [{ ...step("e", 1), tool_id: "effect" }];
    const chain = [step("s", 1)];
    const subgraphs = [subgraph("E", tasks), subgraph("S", chain)] as never;
    const result = await run({ planned_tasks: [...tasks, ...chain] }, dispatched(subgraphs));
    expect(result.end_reason).toBe("completed");
    // Who groups is told of both, so that no subgraph needs a worker that has both tools.
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
    expect(grouped.subgraphs.map(({ tasks }) => tasks.map(({ task_id }) => task_id))).toEqual([["b0"], ["b1"], ["b2"]]);
    expect((await planloom.run({ planned_tasks: turns } as never)).end_reason).toBe("completed");
    const picky = postgresDispatcher(subject.journal, { workerTimeoutMs: 50 });
    const unknown = [{ ...step("u", 1), tool_id: "die2" }];
    const failed = await run(
      { planned_tasks: unknown },
      dispatched([subgraph("U", unknown)] as never, { runId: "u", dispatcher: picky }),
    );
    expect(failed.results[0]?.error?.message).toContain('No worker of the queue "planloom" has tool "die2"');
    await picky.close();
  });

  test("a subgraph that kills each worker it meets fails after three, and the rest of the run is done", async () => {
    const keepAlive = (async () => {
      for (let count = 0; count < 5; count++) {
        const { child } = await start();
        await once(child, "exit");
      }
    })();
    keepAlive.catch(() => {});
    const poison = [{ task_id: "p", execution_type: "tool" as const, tool_id: "die", retry: { max_attempts: 1 } }];
    const good = [step("g", 1)];
    const subgraphs = [subgraph("P", poison), subgraph("G", good)] as never;
    const result = await run({ planned_tasks: [...poison, ...good] }, dispatched(subgraphs, { onUnknown: "retry" }));
    expect(result.results).toMatchObject([
      { status: "failed", error: { code: "TASK_DISPATCH", message: expect.stringContaining("3 workers") } },
      { status: "completed" },
    ]);
  });

  test("tasks are recorded in the order in which they were executed, also where the plan lists them in another one", async () => {
    await start();
    const tasks = [step("z", 1, ["y"]), step("y", 1, ["x"]), step("x", 1)];
    const result = await run({ planned_tasks: tasks }, dispatched([subgraph("ZYX", tasks)] as never));
    expect(result.results.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  });

  test("what waits for a time or a signal gives its worker back, and is dispatched again when that has come", async () => {
    await start();
    const wait = (task_id: string, of: object, after: string) => ({ task_id, wait: of, dependencies: [after] });
    const [a, pause, b, paid, d, c] = [
      { ...step("a", 5), estimate_data: { duration_ms: 5_000 } },
      wait("pause", { for_ms: 1_500 }, "a"),
      { ...step("b", 5), dependencies: ["pause"] },
      wait("paid", { event: "paid" }, "b"),
      { ...step("d", 5), arguments: { id: "d", ms: 5, from: ["${paid.by}"] } },
      step("c", 5),
    ];
    const plan = { task_id: "waits", planned_tasks: [a, pause, b, paid, d, c] };
    const parts = [subgraph("A", [a, pause, b, paid, d]), subgraph("C", [c])] as never;
    const first = await run(plan as never, dispatched(parts, { concurrency: 1 }));
    expect(first.end_reason).toBe("waiting");
    // One worker with one place: the other subgraph went while the first one slept.
    expect(begun().map((line) => line.split(" ")[1])).toEqual(["a", "c", "b"]);
    const { journal } = subject;
    expect(await signal("r", "paid", { journal, data: { by: "Ada" } })).toMatchObject({ awaited: true });
    const [woken] = await resumeDue({ executors: [toolExecutor(elsewhere)], journal, dispatcher });
    expect(woken).toMatchObject({ result: { end_reason: "completed", output_data: { d: { from: ["Ada"] } } } });
    expect(begun().map((line) => line.split(" ")[1])).toEqual(["a", "c", "b", "d"]);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  });

  test("a queue without a worker is refused", async () => {
    const lonely = postgresDispatcher(subject.journal, { queue: "nobody", workerTimeoutMs: 50 });
    await expect(lonely.prepare(1)).rejects.toThrow('No worker took a dispatch from the queue "nobody"');
    await lonely.close();
  });

  /** Independent tasks, each a subgraph of its own. */
  const apart = (count: number, ms: number) => {
    const tasks = Array.from({ length: count }, (_, at) => step(`t${at}`, ms));
    const subgraphs = tasks.map((task) => subgraph(task.task_id.toUpperCase(), [task])) as never;
    return { plan: { planned_tasks: tasks }, subgraphs };
  };
  /** The most calls that were under way at once. */
  const most = () => {
    let [now, all] = [0, 0];
    for (const line of calls()) {
      now += line.startsWith("begin") ? 1 : -1;
      all = Math.max(all, now);
    }
    return all;
  };

  test("a limit, a budget and a rate hold over all workers: no call too many", async () => {
    await Promise.all([start(), start(), start()]);
    const limited = apart(24, 8);
    const more = { concurrency: 6, limits: { resources: { step: 2 } } };
    const result = await run(limited.plan, dispatched(limited.subgraphs, more));
    expect(result.end_reason).toBe("completed");
    expect(begun()).toHaveLength(24);
    expect(most()).toBe(2);

    const paid = apart(12, 1);
    const budget = { runId: "budget", concurrency: 6, budgets: { run: { calls: 5 } } };
    const spent = await run(paid.plan, dispatched(paid.subgraphs, budget));
    expect(spent.end_reason).toBe("budget");
    expect(begun()).toHaveLength(24 + 5);

    const quick = apart(6, 0);
    const paced = { runId: "rate", concurrency: 6, limits: { rates: { step: { limit: 2, intervalMs: 1_000 } } } };
    const began = performance.now();
    expect((await run(quick.plan, dispatched(quick.subgraphs, paced))).end_reason).toBe("completed");
    // Two at once, then two after each of two intervals.
    expect(performance.now() - began).toBeGreaterThan(2_000);
  });

  test("a gate waits for a person wherever the call would be made, and is passed once", async () => {
    await start();
    const tasks = [{ ...step("g", 1), approval: "required" as const }, step("h", 1, ["g"])];
    const subgraphs = [subgraph("G", tasks)] as never;
    expect((await run({ planned_tasks: tasks }, dispatched(subgraphs))).end_reason).toBe("waiting_approval");
    expect(begun()).toEqual([]);
    await approve("r", "g", { journal: subject.journal });
    const again = await resume("r", { ...dispatched(subgraphs), journal: subject.journal });
    expect(again.end_reason).toBe("completed");
    expect(begun().map((line) => line.split(" ")[1])).toEqual(["g", "h"]);
  });

  test("a worker that is killed is replaced where it asks before each call, and its slot is free again", async () => {
    await Promise.all([start(), start()]);
    const { plan, subgraphs } = diamond(150);
    const running = run(plan, dispatched(subgraphs, { limits: { resources: { step: 1 } } }));
    const second = () => begun().find((line) => line.startsWith("begin a2") || line.startsWith("begin b2"));
    await until(() => second() !== undefined);
    process.kill(Number(second()?.split(" ")[2]), "SIGKILL");
    const result = await running;
    expect(result.end_reason).toBe("completed");
    const ended = calls().filter((line) => line.startsWith("end"));
    expect(ended.map((line) => line.split(" ")[1]).sort()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3", "z"]);
    expect(begun()).toHaveLength(8);
  });
});
