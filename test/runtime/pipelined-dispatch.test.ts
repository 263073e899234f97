import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateWorkload, generatorNames } from "@planloom/bench";
import { completeEnvironment, simulate, strategies, subGraphs, taskSequence } from "@planloom/optimizer";
import { type PlannerTaskInput, planView, TaskData } from "@planloom/plan";
import {
  approve,
  childProcessDispatcher,
  type Dispatcher,
  defineTool,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { executors as makeWorkerExecutors } from "../support/dispatch-worker.ts";
import { group, planOf, recorder, sleep, statuses } from "../support/run-plans.ts";
import { twoSubgraphs } from "../support/two-subgraphs.ts";
import { virtualDispatcher } from "../support/virtual-dispatcher.ts";

const workerModule = new URL("../support/dispatch-worker.ts", import.meta.url);
const workerTools = await makeWorkerExecutors();

/** A tool that notes each of its calls, ends no earlier than another one, and fails where it is told to. */
function noted() {
  const calls: string[] = [];
  const tool = defineTool({
    id: "note",
    description: "",
    async execute({ id, fail, after }: { id?: string; fail?: boolean; after?: string }) {
      calls.push(`${id} begins`);
      while (after !== undefined && !calls.includes(after)) await sleep(1);
      calls.push(`${id} ends`);
      if (fail) throw new Error("as asked");
      return { id };
    },
  });
  return { calls, executors: [toolExecutor([tool])] };
}

/** `{ b: ["a"] }`; every task calls `note` with its own id. */
function notedPlan(
  tasks: Readonly<Record<string, readonly string[]>>,
  more: Readonly<Record<string, PlannerTaskInput>> = {},
): TaskData {
  const own = Object.entries(tasks).map(([id, dependencies]): [string, PlannerTaskInput] => {
    const { arguments: given, ...rest } = more[id] ?? {};
    const read = Object.fromEntries(dependencies.map((each) => [`of_${each}`, `\${${each}}`]));
    return [id, { tool_id: "note", arguments: { id, ...read, ...(given as object) }, ...rest }];
  });
  return planOf(tasks, Object.fromEntries(own));
}

const pipelined = (plan: TaskData, parts: Record<string, string[]>, more: Partial<RunOptions>): RunOptions => ({
  executors: [],
  semantics: "pipelined",
  subgraphs: group(plan, parts),
  ...more,
});

describe("a subgraph whose inputs are there", () => {
  const tasks = { first: [], long: [], next: ["first"] };
  const plan = notedPlan(tasks);
  const parts = { one: ["first", "long"], two: ["next"] };

  test("begins before the subgraph that makes them has ended", async () => {
    const { calls, executors } = noted();
    const journal = memoryJournal();
    const held = notedPlan(tasks, { long: { arguments: { after: "next ends" } } });
    const result = await run(held, pipelined(held, parts, { executors, journal, runId: "r" }));
    expect(result.end_reason).toBe("completed");
    expect(calls.indexOf("next begins")).toBeLessThan(calls.indexOf("long ends"));
    expect(calls.indexOf("next begins")).toBeGreaterThan(calls.indexOf("first ends"));
    expect(await verifyRun(journal, "r")).toMatchObject({ ok: true });
    const atomic = noted();
    await run(plan, { ...pipelined(plan, parts, { executors: atomic.executors }), semantics: "atomic" });
    expect(atomic.calls.indexOf("next begins")).toBeGreaterThan(atomic.calls.indexOf("long ends"));
  });

  test("waits for an executor, and for its turn where there is an order", async () => {
    const { calls, executors } = noted();
    await run(plan, pipelined(plan, parts, { executors, concurrency: 1 }));
    expect(calls.indexOf("next begins")).toBeGreaterThan(calls.indexOf("long ends"));
    const other = notedPlan({ ...tasks, late: ["long"] });
    const ordered = noted();
    const subgraphs = group(other, { ...parts, three: ["late"] });
    const dispatchOrder = ["one", "three", "two"];
    await run(other, pipelined(other, {}, { executors: ordered.executors, subgraphs, dispatchOrder }));
    expect(ordered.calls.indexOf("next begins")).toBeGreaterThan(ordered.calls.indexOf("long ends"));
  });

  test("waits to the end for what it says itself that it depends on", async () => {
    const { calls, executors } = noted();
    const [one, two] = group(plan, { one: ["first", "long"], two: ["next"] });
    const three = { subgraph_id: "three", tasks: [] as typeof plan.planned_tasks, dependencies: ["one"] };
    const alone = notedPlan({ ...tasks, other: [] }, { long: { arguments: { after: "next begins" } } });
    three.tasks = alone.planned_tasks.slice(3);
    await run(alone, pipelined(alone, {}, { executors, subgraphs: [one!, two!, three] }));
    expect(calls.indexOf("other begins")).toBeGreaterThan(calls.indexOf("long ends"));
    expect(calls.indexOf("next begins")).toBeLessThan(calls.indexOf("long ends"));
  });

  test("does not wait for a person who is asked about something else in the subgraph that makes them", async () => {
    const { calls, executors } = noted();
    const gated = notedPlan({ first: [], asked: ["first"], next: ["first"] }, { asked: { approval: "required" } });
    const journal = memoryJournal();
    const options = pipelined(gated, { one: ["first", "asked"], two: ["next"] }, { executors, journal, runId: "r" });
    const waiting = await run(gated, options);
    expect(waiting.end_reason).toBe("waiting_approval");
    expect(statuses(waiting)).toEqual({ first: "completed", asked: "waiting_approval", next: "completed" });
    await approve("r", "asked", { journal, by: "test" });
    const result = await resume("r", { executors, journal });
    expect(result.end_reason).toBe("completed");
    expect(calls.filter((call) => call.endsWith("begins"))).toHaveLength(3);
  });

  test("is skipped as soon as what it needs has failed, and another one of its tasks still runs", async () => {
    const { calls, executors } = noted();
    const failing = notedPlan(
      { first: [], long: [], next: ["first"], beside: ["ok"], ok: [] },
      { first: { arguments: { fail: true } }, long: { arguments: { after: "beside begins" } } },
    );
    const { events, onEvent } = recorder();
    const grouping = { one: ["first", "long"], two: ["next", "beside"], three: ["ok"] };
    const result = await run(failing, pipelined(failing, grouping, { executors, onEvent }));
    expect(statuses(result)).toEqual({
      first: "failed",
      long: "completed",
      next: "skipped",
      beside: "completed",
      ok: "completed",
    });
    const skipped = events.findIndex((event) => event.type === "task-skip" && event.taskId === "next");
    const ended = events.findIndex((event) => event.type === "task-end" && event.taskId === "long");
    expect(skipped).toBeGreaterThan(-1);
    expect(skipped).toBeLessThan(ended);
    expect(calls.indexOf("beside begins")).toBeLessThan(calls.indexOf("long ends"));
  });
});

test("tasks of a subgraph run in the order in which it lists them, each after those it depends on, also when the run is resumed", async () => {
  const { calls, executors } = noted();
  const plan = notedPlan({ a: [], b: ["a"], c: [], d: [] }, { d: { arguments: { fail: true }, on_failure: "halt" } });
  const tasks = ["d", "b", "c", "a"].map((id) => plan.planned_tasks.find(({ task_id }) => task_id === id)!);
  const journal = memoryJournal();
  const subgraphs = [{ subgraph_id: "one", tasks, dependencies: [] }];
  await run(plan, pipelined(plan, {}, { executors, subgraphs, journal, runId: "r" }));
  expect(calls).toEqual(["d begins", "d ends"]);
  calls.length = 0;
  plan.planned_tasks[3]!.arguments = { id: "d" };
  const again = notedPlan({ a: [], b: ["a"], c: [], d: [] });
  const listed = ["d", "b", "c", "a"].map((id) => again.planned_tasks.find(({ task_id }) => task_id === id)!);
  await run(again, pipelined(again, {}, { executors, subgraphs: [{ ...subgraphs[0]!, tasks: listed }] }));
  expect(calls.filter((call) => call.endsWith("begins"))).toEqual(["d begins", "a begins", "b begins", "c begins"]);
  calls.length = 0;
  await resume("r", { executors, journal });
  expect(calls.filter((call) => call.endsWith("begins")).slice(0, 1)).toEqual(["d begins"]);
});

test("under any grouping and failures the results are those of a run that starts tasks one by one, and none is called more often", async () => {
  const arbitrary = fc.integer({ min: 1, max: 10 }).chain((n) =>
    fc.record({
      edges: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 16 }),
      parts: fc.array(fc.nat(3), { minLength: n, maxLength: n }),
      failing: fc.array(fc.nat(n - 1), { maxLength: 2 }),
      joins: fc.array(fc.nat(n - 1), { maxLength: 2 }),
      order: fc.boolean(),
      adaptive: fc.boolean(),
      concurrency: fc.integer({ min: 1, max: 3 }),
      n: fc.constant(n),
    }),
  );
  await fc.assert(
    fc.asyncProperty(arbitrary, async ({ edges, parts, failing, joins, order, adaptive, concurrency, n }) => {
      const tasks: Record<string, string[]> = Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, []]));
      for (const [from, to] of edges)
        if (from < to && !tasks[`t${to}`]!.includes(`t${from}`)) tasks[`t${to}`]!.push(`t${from}`);
      const plan = planOf(
        tasks,
        Object.fromEntries(
          Object.keys(tasks).map((id, at) => [
            id,
            { tool_id: "note", arguments: { id, ...(failing.includes(at) && { fail: true }) } },
          ]),
        ),
      );
      for (const at of joins) {
        const task = plan.planned_tasks[at]!;
        if (task.dependencies.length > 0) task.join = "any";
      }
      // Parts that rise along the edges never wait for one another.
      const label: number[] = [];
      for (let i = 0; i < n; i++)
        label.push(Math.max(parts[i]!, ...tasks[`t${i}`]!.map((id) => label[Number(id.slice(1))]!)));
      const used = [...new Set(label)].sort((one, two) => one - two);
      const subgraphs = used.map((part) => ({
        subgraph_id: `p${part}`,
        tasks: plan.planned_tasks.filter((_, i) => label[i] === part),
        dependencies: [],
      }));
      const { calls, executors } = noted();
      const dispatched = await run(plan, {
        executors,
        semantics: "pipelined",
        subgraphs,
        concurrency,
        ...(order && { dispatchOrder: subgraphs.map(({ subgraph_id }) => subgraph_id) }),
        ...(adaptive && { adaptiveDispatch: { toleranceMs: 0, patienceMs: 0 } }),
      });
      const single = noted();
      const whole = await run(plan, { executors: single.executors });
      expect(dispatched.end_reason).toBe(whole.end_reason);
      expect(statuses(dispatched)).toEqual(statuses(whole));
      expect(dispatched.results.map(({ output }) => output)).toEqual(whole.results.map(({ output }) => output));
      expect(calls.toSorted()).toEqual(single.calls.toSorted());
    }),
    { numRuns: 60 },
  );
});

describe("the makespan of a run is the one that was simulated", () => {
  const executors = [toolExecutor([defineTool({ id: "t", description: "does it", execute: () => null })])];
  const grouping = [...strategies.values()].filter(({ deterministic, name }) => deterministic && !/robust/.test(name));
  test.for(generatorNames)("%s", async (family) => {
    const { view: given } = generateWorkload(family, 40, 3);
    const planned_tasks = Array.from({ length: given.n }, (_, v) => ({
      task_id: given.ids[v],
      execution_type: "tool",
      tool_id: "t",
      dependencies: Array.from(given.in.subarray(given.inPtr[v], given.inPtr[v + 1]), (u) => given.ids[u]),
      estimate_data: { duration_ms: given.work[v] },
    }));
    const plan = TaskData.parse({ task_id: "plan", planned_tasks });
    const view = planView(plan);
    for (const [concurrency, overheadFactor] of [
      [3, 0],
      [4, 1],
    ] as const) {
      const input = { executors: concurrency, semantics: "pipelined" as const, overheadFactor };
      const environment = completeEnvironment(view, input);
      const { overheadMs } = environment;
      for (const strategy of grouping) {
        const partition = strategy.propose(view, environment, { seed: 0, deadlineMs: Number.POSITIVE_INFINITY });
        const subgraphs = subGraphs(view, plan.planned_tasks, partition, taskSequence(view));
        const predictedMs = simulate(view, environment, partition).makespanMs;
        const workOf = (id: string) => view.work[view.indexOf(id)]!;
        const { dispatcher, drive } = virtualDispatcher(
          (request) =>
            request.plan.planned_tasks.reduce(
              (sum, { status, task_id }) => (status === "pending" ? sum + workOf(task_id) : sum),
              overheadMs,
            ),
          workOf,
        );
        const options: RunOptions = { executors, semantics: "pipelined", subgraphs, concurrency, dispatcher };
        const makespanMs = await drive(
          run(plan, {
            ...options,
            dispatchOverheadMs: overheadMs,
            ...(partition.order && { dispatchOrder: subgraphs.map(({ subgraph_id }) => subgraph_id) }),
          }),
        );
        // To the millisecond in a given order; in others equals may be taken differently.
        const slack = partition.order === undefined ? 0.1 * predictedMs : 1e-6;
        expect(Math.abs(makespanMs - predictedMs), `${strategy.name}, overhead ${overheadFactor}x`).toBeLessThanOrEqual(
          slack,
        );
      }
    }
  });
});

describe("in worker processes", () => {
  const dispatcher: Dispatcher & { close(): Promise<void> } = childProcessDispatcher({ module: workerModule });
  const folder = mkdtempSync(join(tmpdir(), "planloom-pipelined-"));
  afterAll(async () => {
    await dispatcher.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const logged = (log: string) => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);

  test("a worker that dies takes nothing back that it has reported, nor what ran on that", async () => {
    const work = (ms: number, of: object = {}): PlannerTaskInput => ({ tool_id: "work", arguments: { ms, of } });
    const plan = planOf(
      { a: [], b: ["a"], c: ["a"], d: ["b"] },
      {
        a: work(0),
        b: { tool_id: "die", retry: { max_attempts: 1 } },
        c: work(0, { a: "${a}" }),
        d: work(0),
      },
    );
    const journal = memoryJournal();
    const parts = { one: ["a", "b"], two: ["c"], three: ["d"] };
    const options = pipelined(plan, parts, { executors: workerTools, dispatcher, journal, runId: "r" });
    const first = await run(plan, options);
    expect(statuses(first)).toEqual({ a: "completed", b: "failed", c: "completed", d: "skipped" });
    expect((first.results[2]!.output as { sum: number }).sum).toBe(2);
    const { events, onEvent } = recorder();
    await resume("r", { executors: workerTools, dispatcher, journal, onEvent, onUnknown: "retry" });
    const begun = events.flatMap((event) => (event.type === "task-start" ? [event.taskId] : []));
    expect(begun).toEqual(["b"]);
    expect(await verifyRun(journal, "r")).toMatchObject({ ok: true });
  });

  test("a subgraph runs in the second worker while the first still works, and one that reads both waits for both", async () => {
    const log = join(folder, "chain");
    // The first worker ends when the second one has run.
    const { plan, subgraphs } = twoSubgraphs(log, `${log}.next`);
    const options = { executors: workerTools, dispatcher, subgraphs };
    const result = await run(plan, pipelined(plan, {}, options));
    expect(result.end_reason).toBe("completed");
    expect(logged(log)).toEqual(["first", "rest", "next", "last"]);
    const pids = result.results.map(({ output }) => (output as { pid: number }).pid);
    expect(pids[0]).toBe(pids[1]);
    expect(pids[0]).not.toBe(pids[2]);
  });

  test("a run whose process is killed in between continues: what was published stays, what ran on it too, and the rest is dispatched again", async () => {
    const [file, log, until] = [join(folder, "killed.db"), join(folder, "killed"), join(folder, "until")];
    const script = fileURLToPath(new URL("../support/pipelined-run.ts", import.meta.url));
    const child = spawn(process.execPath, [script, file, log, until], { stdio: "inherit" });
    const exited = once(child, "exit");
    const journal = await SqliteJournal.open(file);
    const completed = async () => {
      const records = await journal.getTasks("r").catch(() => []);
      return records.filter(({ status }) => status === "completed").map(({ task_id }) => task_id);
    };
    // Real time: another process has to start and to run.
    while (!(await completed()).includes("next") && child.exitCode === null) await sleep(20);
    child.kill("SIGKILL");
    await exited;
    expect(logged(log).toSorted()).toEqual(["first", "next", "rest"]);
    writeFileSync(until, "");
    const result = await resume("r", { executors: workerTools, dispatcher, journal, onUnknown: "retry" });
    expect(result.end_reason).toBe("completed");
    expect(logged(log).slice(3)).toEqual(["rest", "last"]);
    expect(await verifyRun(journal, "r")).toMatchObject({ ok: true });
    await journal.close();
  });
});

// What was skipped went along with tasks that could start, and the subgraph it had been in then waited for itself.
test.for(["atomic", "pipelined"] as const)(
  "under %s dispatch a subgraph of which a task was skipped is split as any other, and continues so in a later session",
  async (semantics) => {
    const { calls, executors } = noted();
    const estimate_data = { duration_ms: 60_000 };
    const tasks = { quick: [], fails: [], a: [], b: [], next: ["a"], late: ["next", "b"], last: ["fails", "late"] };
    const plan = notedPlan(tasks, {
      quick: { estimate_data },
      fails: { arguments: { fail: true } },
      a: { arguments: { after: "fails ends" }, estimate_data },
      b: { arguments: { after: "next begins" }, estimate_data },
    });
    const journal = memoryJournal();
    const subgraphs = group(plan, {
      one: ["quick"],
      two: ["a"],
      three: ["b"],
      four: ["fails", "next", "late", "last"],
    });
    const adaptiveDispatch = { toleranceMs: 0, patienceMs: 0 };
    const options: RunOptions = { executors, semantics, subgraphs, adaptiveDispatch, concurrency: 4, journal };
    const result = await run(plan, { ...options, runId: "r" });
    expect(statuses(result)).toMatchObject({ late: "completed", fails: "failed", last: "skipped" });
    expect(calls.indexOf("next begins")).toBeLessThan(calls.indexOf("b ends"));
    expect(result.certificate.regroupings).toBe(2);
    const again = await resume("r", { executors, journal });
    expect(statuses(again)).toMatchObject({ late: "completed", fails: "failed", last: "skipped" });
    expect(await verifyRun(journal, "r")).toMatchObject({ ok: true });
  },
);
