import { setTimeout as sleep } from "node:timers/promises";
import { postgresDispatcher } from "@planloom/postgres";
import { approve, fork, resume, resumeDue, run, signal, toolExecutor, verifyRun } from "@planloom/runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { trials } from "../support/cases.ts";
import {
  type DispatchWorld,
  diamond,
  diamondTasks,
  dispatchWorld,
  elsewhere,
  idsOf,
  slow,
  step,
  subgraph,
  until,
} from "../support/dispatch-world.ts";
import { postgresUrl } from "../support/postgres.ts";

describe.skipIf(postgresUrl === undefined)("subgraphs dispatched to workers of other processes", slow, () => {
  let world: DispatchWorld;
  let runId: string;
  /** Tasks whose calls last until the world releases them. */
  const heldIds = Array.from({ length: 24 }, (_, at) => `held${at}`);

  beforeAll(async () => {
    world = await dispatchWorld();
    await Promise.all([1, 2, 3].map(() => world.start({ held: heldIds })));
  });
  beforeEach(() => {
    runId = world.next();
  });
  afterAll(() => world.dispose());

  test("each task is executed once by some worker, outputs travel, and nothing is left of the subgraphs", async () => {
    const { plan, subgraphs } = diamond(20);
    const result = await run(plan, world.dispatched(subgraphs));
    expect(result.end_reason).toBe("completed");
    expect(result.output_data).toMatchObject({ z: { id: "z", from: ["a3", "b3"] } });
    expect(idsOf(world.begun()).sort()).toEqual(diamondTasks);
    expect(await world.subject.journal.listRuns()).toMatchObject([
      { run_id: runId, status: "completed", completed: 7 },
    ]);
    expect(await world.dispatcher.prepare(2)).toMatchObject({ measured: 8, overheadMs: expect.any(Number) });
  });

  test("a run whose process was killed is resumed elsewhere, and finds what its subgraphs did meanwhile", async () => {
    const { plan, subgraphs } = diamond(30);
    const other = await world.subject.another();
    const stop = new AbortController();
    // It stops without a word, as a process that is killed does: its lease is as that of a dead one.
    const abandoned = run(plan, world.dispatched(subgraphs, { journal: other, signal: stop.signal }));
    await until(() => world.begun().length >= 1);
    stop.abort();
    expect((await abandoned).end_reason).toBe("cancelled");
    const again = await resume(runId, { ...world.dispatched(subgraphs), journal: world.subject.journal });
    expect(again.end_reason).toBe("completed");
    expect(again.output_data).toMatchObject({ z: { from: ["a3", "b3"] } });
    expect(world.ended()).toEqual(diamondTasks);
  });

  test("cancelled and resumed at once, at whatever moment, a run executes each task once", async () => {
    const rounds = trials(6, 2);
    for (let round = 0; round < rounds; round++) {
      const { plan, subgraphs } = diamond(15);
      const stop = new AbortController();
      const id = world.next();
      const running = run(plan, world.dispatched(subgraphs, { signal: stop.signal }));
      // Real time: the run is cancelled at various moments of its dispatches.
      await sleep(25 * round);
      stop.abort();
      expect(["cancelled", "completed"]).toContain((await running).end_reason);
      const again = await resume(id, { ...world.dispatched(subgraphs), journal: world.subject.journal });
      expect(again.end_reason).toBe("completed");
      expect(world.ended()).toEqual(diamondTasks);
    }
  });

  test("tasks are recorded in the order in which they were executed, also where the plan lists them in another one", async () => {
    const tasks = [step("z", 1, ["y"]), step("y", 1, ["x"]), step("x", 1)];
    const result = await run({ planned_tasks: tasks }, world.dispatched([subgraph("ZYX", tasks)] as never));
    expect(result.results.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  });

  test("what waits for a time or a signal gives its worker back, and is dispatched again when that has come", async () => {
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
    const first = await run(plan as never, world.dispatched(parts, { concurrency: 1 }));
    expect(first.end_reason).toBe("waiting");
    // One subgraph at once: the other one went while the first one slept.
    expect(idsOf(world.begun())).toEqual(["a", "c", "b"]);
    const { journal } = world.subject;
    expect(await signal(runId, "paid", { journal, data: { by: "Ada" } })).toMatchObject({ awaited: true });
    const [woken] = await resumeDue({ executors: [toolExecutor(elsewhere)], journal, dispatcher: world.dispatcher });
    expect(woken).toMatchObject({ result: { end_reason: "completed", output_data: { d: { from: ["Ada"] } } } });
    expect(idsOf(world.begun())).toEqual(["a", "c", "b", "d"]);
    expect((await verifyRun(journal, runId)).problems).toEqual([]);
  });

  test.each([
    ["without asking", {}],
    ["and asked before each call", { budgets: { run: { calls: 100 } } }],
  ])("elements of a list that a worker executed %s are in the run: verified, and kept by a fork", async (_, more) => {
    const each = {
      ...step("each", 2),
      arguments: { id: "e${item}", from: ["${a.id}"] },
      for_each: { items: [1, 2, 3] },
    };
    const tasks = [step("a", 2), each, { ...step("z", 2), arguments: { id: "z", from: ["${each.*.id}"] } }];
    const { journal } = world.subject;
    const result = await run({ planned_tasks: tasks }, world.dispatched([subgraph("A", tasks)] as never, more));
    expect(result.output_data).toMatchObject({ z: { from: [["e1", "e2", "e3"]] } });
    expect((await verifyRun(journal, runId)).problems).toEqual([]);
    const before = world.begun().length;
    const means = { executors: [toolExecutor(elsewhere)], journal, dispatcher: world.dispatcher };
    const forked = await fork(runId, "each[1]", means);
    expect(forked.end_reason).toBe("completed");
    expect(idsOf(world.begun().slice(before))).toEqual(["e2", "z"]);
    expect((await verifyRun(journal, forked.run_id)).problems).toEqual([]);
  });

  test("a queue without a worker is refused", async () => {
    const lonely = postgresDispatcher(world.subject.journal, { queue: "nobody", workerTimeoutMs: 50 });
    await expect(lonely.prepare(1)).rejects.toThrow('No worker took a dispatch from the queue "nobody"');
    await lonely.close();
  });

  const someIds = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`);
  /** Independent tasks, each a subgraph of its own. */
  const apart = (ids: readonly string[], ms: number) => {
    const tasks = ids.map((id) => step(id, ms));
    const subgraphs = tasks.map((task) => subgraph(task.task_id.toUpperCase(), [task])) as never;
    return { plan: { planned_tasks: tasks }, subgraphs };
  };
  /** The most calls that were under way at once. */
  const most = () => {
    let [now, all] = [0, 0];
    for (const line of world.calls().filter((each) => /^(begin|end) /.test(each))) {
      now += line.startsWith("begin") ? 1 : -1;
      all = Math.max(all, now);
    }
    return all;
  };

  test("a limit, a budget and a rate hold over all workers: no call too many", async () => {
    const limited = apart(heldIds, 8);
    const more = { concurrency: 6, limits: { resources: { step: 2 } } };
    const running = run(limited.plan, world.dispatched(limited.subgraphs, more));
    // The first calls last until there are two of them, however long a busy machine takes for the second.
    await until(() => world.begun().length >= 2);
    world.release();
    expect((await running).end_reason).toBe("completed");
    expect(world.begun()).toHaveLength(24);
    expect(most()).toBe(2);

    const paid = apart(someIds(12), 1);
    const budget = { runId: "budget", concurrency: 6, budgets: { run: { calls: 5 } } };
    const spent = await run(paid.plan, world.dispatched(paid.subgraphs, budget));
    expect(spent.end_reason).toBe("budget");
    expect(world.begun()).toHaveLength(24 + 5);

    const quick = apart(someIds(6), 0);
    const paced = { runId: "rate", concurrency: 6, limits: { rates: { step: { limit: 2, intervalMs: 1_000 } } } };
    const began = performance.now();
    expect((await run(quick.plan, world.dispatched(quick.subgraphs, paced))).end_reason).toBe("completed");
    // Two at once, then two after each of two intervals.
    expect(performance.now() - began).toBeGreaterThan(2_000);
  });

  test("a gate waits for a person wherever the call would be made, and is passed once", async () => {
    const tasks = [{ ...step("g", 1), approval: "required" as const }, step("h", 1, ["g"])];
    const subgraphs = [subgraph("G", tasks)] as never;
    expect((await run({ planned_tasks: tasks }, world.dispatched(subgraphs))).end_reason).toBe("waiting_approval");
    expect(world.begun()).toEqual([]);
    await approve(runId, "g", { journal: world.subject.journal });
    const again = await resume(runId, { ...world.dispatched(subgraphs), journal: world.subject.journal });
    expect(again.end_reason).toBe("completed");
    expect(idsOf(world.begun())).toEqual(["g", "h"]);
  });
});
