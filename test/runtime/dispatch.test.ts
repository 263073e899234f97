import { fileURLToPath, pathToFileURL } from "node:url";
import { fromLabels, simulate, subGraphs } from "@planloom/optimizer";
import { type PlannerTaskInput, planView, type SubGraph } from "@planloom/plan";
import {
  childProcessDispatcher,
  type Dispatcher,
  defineTool,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  toolExecutor,
} from "@planloom/runtime";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { executors as makeWorkerExecutors } from "../support/dispatch-worker.ts";
import { group, planOf, recorder, sleep, statuses } from "../support/run-plans.ts";

const workerModule = new URL("../support/dispatch-worker.ts", import.meta.url);
const all = await makeWorkerExecutors();
const oneFile = [toolExecutor([defineTool({ id: "who", description: "", execute: () => "not a worker" })])];

/** `{ b: ["a"] }` with sums of what was before; every task takes `ms`. */
function sumPlan(
  tasks: Readonly<Record<string, readonly string[]>>,
  ms = 0,
  more: Record<string, PlannerTaskInput> = {},
) {
  const overrides = Object.entries(tasks).map(([id, dependencies]): [string, PlannerTaskInput] => {
    const of = Object.fromEntries(dependencies.map((dependency) => [dependency, `\${${dependency}}`]));
    return [id, { tool_id: "work", arguments: { ms, of }, estimate_data: { duration_ms: ms }, ...more[id] }];
  });
  return planOf(tasks, Object.fromEntries(overrides));
}
const diamond = { a: [], b: ["a"], c: ["a"], d: ["b", "c"] };
const atomic = (subgraphs: SubGraph[], more: Partial<RunOptions> = {}): RunOptions => ({
  executors: all,
  semantics: "atomic",
  subgraphs,
  ...more,
});
const sums = ({ results }: Awaited<ReturnType<typeof run>>) =>
  results.map(({ output }) => (output as { sum: number } | undefined)?.sum);

describe("atomic", () => {
  test("a subgraph goes whole, with its input values, once all it depends on have ended", async () => {
    const plan = sumPlan({ ...diamond, e: ["a"] }, 5);
    const requests: { subgraph: string; tasks: string[]; given: string[] }[] = [];
    const watching: Dispatcher = {
      name: "watching",
      governed: true,
      dispatch(request, context) {
        const byStatus = (status: string) =>
          request.plan.planned_tasks.filter((task) => task.status === status).map(({ task_id }) => task_id);
        requests.push({ subgraph: request.subgraph_id, tasks: byStatus("pending"), given: byStatus("completed") });
        return context.runHere();
      },
    };
    const subgraphs = group(plan, { one: ["a"], two: ["b", "e"], three: ["c"], four: ["d"] });
    const { events, onEvent } = recorder();
    const result = await run(plan, atomic(subgraphs, { dispatcher: watching, onEvent }));
    expect(result.end_reason).toBe("completed");
    expect(requests).toEqual([
      { subgraph: "one", tasks: ["a"], given: [] },
      { subgraph: "two", tasks: ["b", "e"], given: ["a"] },
      { subgraph: "three", tasks: ["c"], given: ["a"] },
      { subgraph: "four", tasks: ["d"], given: ["b", "c"] },
    ]);
    expect(sums(result)).toEqual([1, 2, 2, 5, 2]);
    expect(result.results.map(({ subgraph_id }) => subgraph_id)).toEqual(["one", "two", "three", "four", "two"]);
    // All that subgraph four depends on has ended, e too, though d does not need it.
    expect(result.results[3]!.started_ms).toBeGreaterThanOrEqual(
      result.results[4]!.started_ms + result.results[4]!.duration_ms - 1,
    );
    const ofOne = events.filter((event) => "taskId" in event && event.taskId === "a").map(({ type }) => type);
    expect(ofOne).toEqual(["task-start", "task-end"]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i));
    expect(result.certificate.ratio).toBeGreaterThanOrEqual(1);
    expect(result.usage.attempts).toBe(5);
  });

  test("the makespan of a run is the one the optimizer simulated", async () => {
    const layers: Record<string, string[]> = {};
    for (let i = 0; i < 24; i++)
      layers[`t${i}`] = i < 6 ? [] : [`t${i - 6}`, `t${(i * 7) % 6}`].filter((v, at, l) => l.indexOf(v) === at);
    const more = Object.fromEntries(
      Object.keys(layers).map((id, i): [string, PlannerTaskInput] => {
        const ms = 20 + ((i * 37) % 60);
        return [id, { arguments: { ms }, estimate_data: { duration_ms: ms } }];
      }),
    );
    const plan = sumPlan(layers, 0, more);
    const view = planView(plan);
    const partition = fromLabels(Int32Array.from({ length: 24 }, (_, i) => Math.floor(i / 6) * 3 + (i % 3)));
    const environment = { semantics: "atomic" as const, executors: 3, overheadMs: 0 };
    const predicted = simulate(view, environment, partition).makespanMs;
    const subgraphs = subGraphs(view, plan.planned_tasks, partition);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const running = run(plan, atomic(subgraphs, { concurrency: 3 }));
      let ended = false;
      void running.then(() => {
        ended = true;
      });
      while (!ended) await vi.advanceTimersByTimeAsync(1);
      const { end_reason, certificate } = await running;
      expect(end_reason).toBe("completed");
      expect(certificate.achievedMs).toBe(predicted);
    } finally {
      vi.useRealTimers();
    }
  });

  test("under any grouping and failures the results are those of a streaming run", async () => {
    const arbitrary = fc.integer({ min: 1, max: 9 }).chain((n) =>
      fc.record({
        edges: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 14 }),
        parts: fc.array(fc.nat(3), { minLength: n, maxLength: n }),
        failing: fc.array(fc.nat(n - 1), { maxLength: 2 }),
        concurrency: fc.integer({ min: 1, max: 3 }),
        n: fc.constant(n),
      }),
    );
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ edges, parts, failing, concurrency, n }) => {
        const tasks: Record<string, string[]> = Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, []]));
        for (const [from, to] of edges)
          if (from < to && !tasks[`t${to}`]!.includes(`t${from}`)) tasks[`t${to}`]!.push(`t${from}`);
        const plan = sumPlan(tasks);
        for (const task of failing) plan.planned_tasks[task]!.arguments = { fail: true };
        // Parts that rise along the edges never wait for one another.
        const label: number[] = [];
        for (let i = 0; i < n; i++)
          label.push(Math.max(parts[i]!, ...tasks[`t${i}`]!.map((id) => label[Number(id.slice(1))]!)));
        const used = [...new Set(label)];
        const subgraphs = used.map((part) => ({
          subgraph_id: `p${part}`,
          tasks: plan.planned_tasks.filter((_, i) => label[i] === part),
          dependencies: [],
        }));
        const whole = await run(plan, atomic(subgraphs, { concurrency }));
        const single = await run(plan, { executors: all });
        expect(whole.end_reason).toBe(single.end_reason);
        expect(statuses(whole)).toEqual(statuses(single));
        expect(sums(whole)).toEqual(sums(single));
      }),
      { numRuns: 40 },
    );
  });

  test("limits by resource and budgets hold for all subgraphs together", async () => {
    let running = 0;
    let peak = 0;
    const work = defineTool({
      id: "work",
      description: "",
      async execute() {
        peak = Math.max(peak, ++running);
        await sleep(5);
        running--;
        return {};
      },
    });
    const plan = sumPlan({ a: [], b: [], c: [], d: [] });
    const subgraphs = group(plan, { one: ["a"], two: ["b"], three: ["c"], four: ["d"] });
    const options = atomic(subgraphs, { executors: [toolExecutor([work])], concurrency: 4 });
    expect((await run(plan, { ...options, limits: { resources: { work: 2 } } })).end_reason).toBe("completed");
    expect(peak).toBe(2);
    const result = await run(plan, { ...options, budgets: { run: { calls: 3 } } });
    expect(result.end_reason).toBe("budget");
    expect(Object.values(statuses(result)).filter((status) => status === "completed")).toHaveLength(3);
  });

  test("halt dispatches nothing more", async () => {
    const plan = sumPlan({ a: [], b: ["a"], x: [], y: ["x"] }, 0, { a: { arguments: { fail: true, ms: 5 } } });
    const subgraphs = group(plan, { one: ["a"], two: ["b"], three: ["x"], four: ["y"] });
    const result = await run(plan, atomic(subgraphs, { onFailure: "halt", concurrency: 1 }));
    expect(result.end_reason).toBe("failed");
    expect(statuses(result)).toMatchObject({ a: "failed", b: "skipped", y: "skipped" });
  });

  test("a run that is kept goes on where it was, subgraph by subgraph", async () => {
    const plan = sumPlan(diamond);
    const subgraphs = group(plan, { one: ["a"], two: ["b", "c"], three: ["d"] });
    const journal = memoryJournal();
    const dispatched: string[] = [];
    let broken = true;
    const dispatcher: Dispatcher = {
      name: "flaky",
      governed: true,
      async dispatch(request, context) {
        dispatched.push(request.subgraph_id);
        if (broken && request.subgraph_id === "two") throw new Error("lost");
        return context.runHere();
      },
    };
    const first = await run(plan, atomic(subgraphs, { dispatcher, journal, runId: "r" }));
    expect(first.results[1]?.error).toMatchObject({ code: "TASK_DISPATCH", details: { subgraph_id: "two" } });
    expect(first.results[1]?.error?.message).toContain("lost");
    expect(statuses(first)).toEqual({ a: "completed", b: "failed", c: "failed", d: "skipped" });
    broken = false;
    const second = await resume("r", { ...atomic(subgraphs, { dispatcher }), journal });
    expect(second.end_reason).toBe("completed");
    expect(dispatched).toEqual(["one", "two", "two", "three"]);
    expect(sums(second)).toEqual([1, 2, 2, 5]);
  });

  test("what cannot be dispatched is refused", async () => {
    const plan = sumPlan(diamond);
    const refused = (options: Partial<RunOptions>, given = plan) =>
      expect(run(given, { executors: all, semantics: "atomic", ...options })).rejects.toMatchObject({
        code: "RUNTIME_INVALID_OPTION",
      });
    await refused({});
    await refused({ subgraphs: group(plan, { one: ["a"] }) });
    await refused({ subgraphs: group(plan, { one: ["a", "b"], two: ["b", "c", "d"] }) });
    await refused({ subgraphs: group(plan, { one: ["a", "d"], two: ["b", "c"] }) });
    const dispatcher: Dispatcher = { name: "elsewhere", dispatch: () => Promise.reject(new Error("no")) };
    await refused({
      subgraphs: group(plan, { one: ["a", "b", "c", "d"] }),
      dispatcher,
      budgets: { run: { calls: 1 } },
    });
  });
});

describe("child processes", () => {
  const dispatcher = childProcessDispatcher({ module: workerModule });
  afterAll(() => dispatcher.close());

  test("independent subgraphs run in processes of their own, values go along", async () => {
    const plan = sumPlan({ a: [], b: ["a"], c: ["a"], d: ["b", "c"] }, 50);
    const subgraphs = group(plan, { one: ["a"], two: ["b"], three: ["c"], four: ["d"] });
    const { events, onEvent } = recorder();
    const result = await run(plan, atomic(subgraphs, { dispatcher, onEvent }));
    expect(result.end_reason).toBe("completed");
    expect(sums(result)).toEqual([1, 2, 2, 5]);
    const pids = result.results.map(({ output }) => (output as { pid: number }).pid);
    expect(pids).not.toContain(process.pid);
    expect(pids[1]).not.toBe(pids[2]);
    expect(events.filter(({ type }) => type === "task-start")).toHaveLength(4);
  });

  test("a worker that dies fails its subgraph, and no other", async () => {
    const plan = sumPlan({ a: [], b: ["a"], x: [], y: ["x"] }, 0, { a: { tool_id: "die" } });
    const subgraphs = group(plan, { one: ["a", "b"], two: ["x"], three: ["y"] });
    const result = await run(plan, atomic(subgraphs, { dispatcher }));
    expect(statuses(result)).toEqual({ a: "failed", b: "skipped", x: "completed", y: "completed" });
    expect(result.results[0]?.error).toMatchObject({ code: "TASK_DISPATCH", details: { subgraph_id: "one" } });
    expect(result.results[0]?.error?.message).toContain("ended with code 7");
  });

  test("an abort kills what does not stop", async () => {
    const plan = sumPlan({ a: [] }, 0, { a: { tool_id: "hang" } });
    const own = childProcessDispatcher({ module: workerModule });
    await own.warm(1);
    const signal = AbortSignal.timeout(100);
    const result = await run(plan, atomic(group(plan, { one: ["a"] }), { dispatcher: own, signal, abortGraceMs: 400 }));
    expect(result.end_reason).toBe("cancelled");
    await own.close();
  });

  test("the program of the workers may be named, as a bundle has to", async () => {
    const file = fileURLToPath(new URL("../support/one-file-worker.ts", import.meta.url));
    const plan = planOf({ a: [] }, { a: { tool_id: "who" } });
    for (const worker of [file, pathToFileURL(file), pathToFileURL(file).href]) {
      await using dispatcher = childProcessDispatcher({ module: file, worker });
      const { results } = await run(plan, atomic(group(plan, { one: ["a"] }), { executors: oneFile, dispatcher }));
      expect(results).toMatchObject([{ status: "completed", output: { program: file, module: file } }]);
    }
    for (const worker of ["relative.ts", "", 5, new URL("https://example.com/worker.js")]) {
      expect(() => childProcessDispatcher({ module: workerModule, worker: worker as string })).toThrow(
        expect.objectContaining({ code: "RUNTIME_INVALID_OPTION", details: { option: "worker" } }),
      );
    }
  });

  test("a module that cannot be loaded fails its subgraphs, and says why", async () => {
    const own = childProcessDispatcher({ module: new URL("./nothing-here.ts", workerModule) });
    const plan = sumPlan({ a: [] });
    const { results } = await run(plan, atomic(group(plan, { one: ["a"] }), { dispatcher: own }));
    expect(results[0]?.error?.message).toContain("could not load");
    await own.close();
  });
});
