import { collectPageData } from "@planloom/page";
import { memoryJournal, Planloom, type PlanloomOptions, TaskData } from "planloom";
import type { PlanGroupedEvent } from "planloom/events";
import type { EnvironmentInput } from "planloom/optimizer";
import { childProcessDispatcher, type DispatchCosts, type Dispatcher, inProcessDispatcher } from "planloom/runtime";
import { scriptedModel } from "planloom/testing";
import { afterAll, describe, expect, test } from "vitest";
import { options as wired } from "../support/planloom-worker.ts";

const workers = childProcessDispatcher({
  module: new URL("../support/planloom-worker.ts", import.meta.url),
  keepWorkers: 2,
});
afterAll(() => workers.close());

const step = (task_id: string, ms: number, after?: string) => ({
  task_id,
  execution_type: "tool",
  tool_id: "work",
  arguments: { ms, ...(after !== undefined && { after: `\${${after}.pid}` }) },
  estimate_data: { duration_ms: ms },
});
/** Two chains of two tasks, which nothing joins. */
const chains = TaskData.parse({
  planned_tasks: [step("a", 20), step("b", 20, "a"), step("c", 20), step("d", 20, "c")],
});
const planloomOf = (options: PlanloomOptions) => new Planloom({ ...wired, ...options });
/** In this process, at the cost that it says. */
const costing = (overheadMs: number, more: Partial<DispatchCosts> = {}): Dispatcher & { asked: number[] } => {
  const asked: number[] = [];
  return {
    ...inProcessDispatcher(),
    name: "costing",
    asked,
    async prepare(subgraphs) {
      asked.push(subgraphs);
      return { overheadMs, overheadP95Ms: overheadMs, measured: 5, ...more };
    },
  };
};

describe("a run with a dispatcher", () => {
  test("goes to it as subgraphs, in processes of their own, and says what was predicted", async () => {
    await using planloom = planloomOf({ dispatch: { to: workers } });
    const events: PlanGroupedEvent[] = [];
    planloom.on("plan-grouped", (event) => events.push(event));
    const { end_reason, results, grouping } = await planloom.run(chains);
    expect(end_reason).toBe("completed");
    const pids = results.map(({ output }) => (output as { pid: number }).pid);
    expect(pids).toEqual([pids[0], pids[0], pids[2], pids[2]]);
    expect(new Set([...pids, process.pid]).size).toBe(3);
    const { achieved, ...predicted } = grouping!;
    expect(events).toEqual([
      {
        type: "plan-grouped",
        planId: chains.task_id,
        subgraphs: { "sg-1": ["a", "b"], "sg-2": ["c", "d"] },
        grouping: predicted,
      },
    ]);
    const { tasks_ms, overhead_ms, idle_ms } = achieved!.difference;
    expect(tasks_ms + overhead_ms + idle_ms).toBeCloseTo(achieved!.achieved_ms - grouping!.predicted_ms, 6);
    expect(grouping).toMatchObject({ dispatcher: "child-process", dispatches: 2, executors: 2 });
    expect(grouping?.measured).toBeGreaterThan(0);
    // Both chains at once, and twice the overhead where each task is a dispatch.
    expect(grouping?.predicted_ms).toBeCloseTo(40 + grouping!.overhead_ms, 6);
    expect(grouping?.per_task_ms).toBeCloseTo(40 + 2 * grouping!.overhead_ms, 6);
  });

  test("hands on what tasks are estimated at where it is to dispatch adaptively, and leaves it out elsewhere", async () => {
    const journal = memoryJournal();
    await using planloom = planloomOf({ dispatch: { to: costing(5), adaptive: { patienceMs: 7 } }, journal });
    const { run_id } = await planloom.run(chains);
    const { options } = await journal.getRun(run_id);
    const estimates = { a: 20, b: 20, c: 20, d: 20 };
    expect(options.dispatch?.adaptive).toEqual({ estimates_ms: estimates, patience_ms: 7 });
    const fixed = await planloom.run(chains, { dispatch: { to: costing(5) } });
    expect((await journal.getRun(fixed.run_id)).options.dispatch?.adaptive).toBeUndefined();
    const misspelt = planloom.run(chains, { dispatch: { to: costing(5), adaptive: { patience: 7 } as never } });
    await expect(misspelt).rejects.toThrow(/patienceMs/);
  });

  test("keeps with the run what was predicted of it, so that whoever reads the journal can hold it against what it took", async () => {
    const journal = memoryJournal();
    await using planloom = planloomOf({ dispatch: { to: costing(5) }, journal });
    const { run_id, grouping } = await planloom.run(chains);
    const { predicted_ms, per_task_ms, lower_bound_ms } = grouping!;
    const kept = { predicted_ms, per_task_ms, lower_bound_ms };
    expect((await journal.getRun(run_id)).options.dispatch?.predicted).toEqual(kept);
    expect((await collectPageData(run_id, { journal })).run?.predicted).toEqual(kept);
    const { subgraphs } = await planloom.optimize(chains);
    const own = await planloom.run(chains, { subgraphs, semantics: "atomic" });
    expect((await journal.getRun(own.run_id)).options.dispatch?.predicted).toBeUndefined();
    const wrong = planloom.run(chains, {
      subgraphs,
      semantics: "atomic",
      prediction: { predictedMs: -1, perTaskMs: 1 },
    });
    await expect(wrong).rejects.toThrow(/predictedMs/);
  });

  test("is resumed there, after it was stopped", async () => {
    const journal = memoryJournal();
    await using planloom = planloomOf({ dispatch: { to: workers }, journal });
    const stop = new AbortController();
    const first = await planloom.run(chains, {
      signal: stop.signal,
      onEvent: ({ type }) => type === "task-end" && stop.abort(),
    });
    expect(first.end_reason).toBe("cancelled");
    expect(first.results.filter(({ status }) => status === "completed").length).toBeLessThan(4);
    const { end_reason, results } = await planloom.resume(first.run_id);
    expect(end_reason).toBe("completed");
    expect(
      results.map(({ subgraph_id, output }) => [subgraph_id, (output as { pid: number }).pid !== process.pid]),
    ).toEqual([
      ["sg-1", true],
      ["sg-1", true],
      ["sg-2", true],
      ["sg-2", true],
    ]);
  });

  test("a run whose tasks started one by one is resumed and forked so, although the instance has a dispatcher", async () => {
    const journal = memoryJournal();
    const plan = TaskData.parse({
      planned_tasks: [
        { task_id: "go", wait: { event: "go" } },
        { ...step("a", 1), dependencies: ["go"] },
      ],
    });
    await using local = planloomOf({ journal });
    expect((await local.run(plan, { runId: "local" })).end_reason).toBe("waiting");
    await using dispatching = planloomOf({ journal, dispatch: { to: workers } });
    await dispatching.signal("local", "go");
    const { end_reason, results } = await dispatching.resume("local");
    expect(end_reason).toBe("completed");
    expect((results[1]!.output as { pid: number }).pid).toBe(process.pid);
    expect((await dispatching.fork("local", "a")).end_reason).toBe("completed");
    // One that was dispatched can be resumed without, where that is said.
    await dispatching.run(plan, { runId: "dispatched" });
    await dispatching.signal("dispatched", "go");
    const here = await dispatching.resume("dispatched", { semantics: "streaming" });
    expect((here.results[1]!.output as { pid: number }).pid).toBe(process.pid);
  });

  test("is grouped for what a dispatch costs there", async () => {
    // Twice 20 ms one after the other cost less than a second dispatch of 100 ms.
    const dear = costing(100, { executors: 1 });
    await using planloom = planloomOf({});
    const { grouping } = await planloom.run(chains, { dispatch: { to: dear } });
    expect(dear.asked).toEqual([4]);
    expect(grouping).toMatchObject({ dispatches: 1, executors: 1, overhead_ms: 100, predicted_ms: 180 });
    expect((await planloom.run(chains, { dispatch: { to: costing(0) } })).grouping).toMatchObject({ predicted_ms: 40 });
  });

  test("what is known of the environment goes before what the dispatcher measured, and `concurrency` before how many it holds", async () => {
    await using planloom = planloomOf({ concurrency: 3 });
    const to = costing(100, { executors: 1 });
    const { environment } = await planloom.optimize(chains, { dispatch: { to, environment: { overheadMs: 7 } } });
    expect(environment).toMatchObject({ semantics: "pipelined", executors: 3, overheadMs: 7 });
    expect(to.asked).toEqual([3]);
  });

  test.for<[string, Partial<Dispatcher>, EnvironmentInput, string]>([
    ["that reports tasks as they end is pipelined", {}, {}, "pipelined"],
    ["that says nothing of reports is atomic", { reportsTasks: false }, {}, "atomic"],
    ["is atomic where that is asked for", {}, { semantics: "atomic" }, "atomic"],
    ["is pipelined where that is asked for", { reportsTasks: false }, { semantics: "pipelined" }, "pipelined"],
    ["is atomic where outputs take time to travel", {}, { latencyMs: 1 }, "atomic"],
    ["is never one that holds executors", {}, { semantics: "streaming" }, "pipelined"],
  ])("dispatch to one %s, in the prediction and in the run", async ([, more, environment, semantics]) => {
    const journal = memoryJournal();
    const to = { ...costing(1), ...more };
    await using planloom = planloomOf({ journal, dispatch: { to, environment } });
    expect((await planloom.optimize(chains)).environment.semantics).toBe(semantics);
    const { run_id, end_reason, grouping } = await planloom.run(chains);
    expect(end_reason).toBe("completed");
    expect(grouping?.semantics).toBe(semantics);
    const { dispatch } = (await journal.getRun(run_id)).options;
    expect(dispatch?.semantics ?? "atomic").toBe(semantics);
  });

  test("a grouping that was made before is dispatched as it is", async () => {
    const to = costing(1);
    await using planloom = planloomOf({ dispatch: { to } });
    const grouped = await planloom.optimize(chains);
    expect(to.asked).toEqual([4]);
    const { grouping } = await planloom.run(chains, { dispatch: { to, grouped } });
    expect(to.asked).toEqual([4]);
    expect(grouping?.dispatches).toBe(grouped.dispatches);
    expect(grouped.subgraphs[0]!.tasks[0]).toBe(chains.planned_tasks[0]);
  });

  test.each([
    [
      "subgraphs of the caller",
      async (planloom: Planloom) => ({ subgraphs: (await planloom.optimize(chains)).subgraphs }),
    ],
    ["streaming semantics", async () => ({ semantics: "streaming" as const })],
  ])("%s keep it as it was", async (_, optionsOf) => {
    await using planloom = planloomOf({ dispatch: { to: costing(1) } });
    expect((await planloom.run(chains, await optionsOf(planloom))).grouping).toBeUndefined();
  });

  test("a dispatcher that does not measure is grouped for as the optimizer assumes", async () => {
    const { prepare: _, ...silent } = costing(1);
    await using planloom = planloomOf({});
    const { costs, environment } = await planloom.optimize(chains, { dispatch: { to: silent } });
    expect(costs).toBeUndefined();
    expect(environment.overheadMs).toBe(20);
  });

  test("what `prepare` throws, and a signal that is aborted meanwhile, reject the run before anything starts", async () => {
    const broken: Dispatcher = { ...costing(1), prepare: () => Promise.reject(new Error("no machine left")) };
    await using planloom = planloomOf({});
    await expect(planloom.run(chains, { dispatch: { to: broken } })).rejects.toMatchObject({
      code: "PLANLOOM_OPTION",
      message: 'The dispatcher "costing" could not get ready, so nothing was run. no machine left',
    });
    const missing = childProcessDispatcher({ module: new URL("./no-such-module.ts", import.meta.url) });
    await expect(planloom.run(chains, { dispatch: { to: missing } })).rejects.toThrow(
      /"child-process" could not get ready.*no-such-module/,
    );
    await missing.close();
    await expect(planloom.run(chains, { dispatch: { to: costing(1), grouped: {} as never } })).rejects.toThrow(
      /Expected `dispatch\.grouped` .* what `optimize` of a Planloom gives/,
    );
    const stop = new AbortController();
    const stopping: Dispatcher = {
      ...costing(1),
      prepare: async () => {
        stop.abort();
        return { overheadMs: 1, overheadP95Ms: 1, measured: 1 };
      },
    };
    await expect(planloom.run(chains, { dispatch: { to: stopping }, signal: stop.signal })).rejects.toThrow("aborted");
    expect(await (await planloom.journal()).listRuns()).toEqual([]);
  });

  test("options of a dispatch are checked", async () => {
    expect(() => planloomOf({ dispatch: { too: workers } as never })).toThrow(/too/);
    expect(() => planloomOf({ dispatch: {} as never })).toThrow(/`dispatch\.to`.* a dispatcher/);
    await using planloom = planloomOf({});
    await expect(planloom.callTool("work", {}, { dispatch: { to: workers } } as never)).rejects.toThrow(/dispatch/);
  });
});

describe("a model that groups", () => {
  const groups = {
    groups: [
      { id: "one", taskIds: ["a", "b"], reason: "a chain" },
      { id: "two", taskIds: ["c", "d"], reason: "a chain" },
    ],
  };
  test("is that of the instance, or one of its own", async () => {
    const model = scriptedModel([JSON.stringify(groups)]);
    await using planloom = planloomOf({ model, optimizer: { by: "model", maxRegret: Infinity } });
    expect(planloom.describe().optimizer).toBe("model");
    const { strategy, subgraphs } = await planloom.optimize(chains);
    expect(strategy).toBe("model");
    expect(subgraphs.map(({ tasks }) => tasks.map(({ task_id }) => task_id))).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  test("there must be one", async () => {
    await using planloom = planloomOf({ optimizer: { by: "model" } });
    await expect(planloom.optimize(chains)).rejects.toMatchObject({ code: "PLANLOOM_OPTION" });
  });
});

describe("estimate", () => {
  const unknown = TaskData.parse({
    planned_tasks: [
      { ...step("a", 20), estimate_data: undefined },
      step("b", 50),
      { ...step("c", 20), estimate_data: undefined },
    ],
  });
  test("takes durations from the plan, else from earlier runs, and says which", async () => {
    await using planloom = planloomOf({});
    expect((await planloom.estimate(unknown)).sources).toEqual({ planned: 1, learned: 0, declared: 0, assumed: 2 });
    const { results } = await planloom.run(unknown);
    const { plan, sources } = await planloom.estimate(unknown);
    expect(sources).toEqual({ planned: 1, learned: 2, declared: 0, assumed: 0 });
    const mean = results.reduce((sum, { duration_ms }) => sum + duration_ms, 0) / 3;
    expect(plan.planned_tasks.map(({ estimate_data }) => estimate_data?.duration_ms)).toEqual([mean, 50, mean]);
    expect(unknown.planned_tasks[0]!.estimate_data).toBeNull();
  });
});

describe("a dispatcher whose `prepare` does not do what it should", () => {
  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["no number", { overheadMs: "2", overheadP95Ms: 2, measured: 1 }],
    ["a time below 0", { overheadMs: -1, overheadP95Ms: 2, measured: 1 }],
    ["no end", { overheadMs: Number.POSITIVE_INFINITY, overheadP95Ms: 2, measured: 1 }],
    ["no executor", { overheadMs: 1, overheadP95Ms: 2, measured: 1, executors: 0 }],
  ])("gives %s: the run is refused before it begins", async (_, costs) => {
    const to: Dispatcher = { ...costing(1), prepare: () => Promise.resolve(costs as DispatchCosts) };
    await using planloom = planloomOf({});
    await expect(planloom.run(chains, { dispatch: { to } })).rejects.toMatchObject({
      code: "PLANLOOM_OPTION",
      message: expect.stringMatching(/`prepare` of the dispatcher "costing".* got /),
    });
  });

  test("never settles: the signal ends the wait", async () => {
    const to: Dispatcher = { ...costing(1), prepare: () => new Promise(() => {}) };
    const stop = new AbortController();
    await using planloom = planloomOf({});
    const running = planloom.run(chains, { dispatch: { to }, signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });
});
