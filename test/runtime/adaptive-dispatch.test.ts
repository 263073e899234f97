import { setImmediate } from "node:timers/promises";
import { generateWorkload } from "@planloom/bench";
import { completeEnvironment, strategies, subGraphs, taskSequence } from "@planloom/optimizer";
import { planView, TaskData } from "@planloom/plan";
import {
  type DispatchContext,
  type DispatchReply,
  type DispatchRequest,
  defineTool,
  memoryJournal,
  type RunEvent,
  type RunOptions,
  resume,
  run,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { simulateAdaptive } from "../../packages/optimizer/src/simulate-adaptive.ts";
import { AdaptiveDispatch } from "../../packages/runtime/src/dispatch/adaptive-dispatch.ts";
import { readAdaptive } from "../../packages/runtime/src/dispatch/read-adaptive.ts";
import { cases } from "../support/cases.ts";

const executors = [toolExecutor([defineTool({ id: "t", description: "does it", execute: () => null })])];

/** `b:a,x:300` is a task b that is estimated at 300 ms and needs a and x. */
function planOf(...lines: string[]): TaskData {
  const planned_tasks = lines.map((line) => {
    const [task_id, dependencies = "", ms = "100"] = line.split(":");
    return {
      task_id,
      execution_type: "tool",
      tool_id: "t",
      dependencies: dependencies.split(",").filter(Boolean),
      estimate_data: { duration_ms: Number(ms) },
    };
  });
  return TaskData.parse({ task_id: "plan", planned_tasks });
}

/** `ab cd` are two subgraphs of two tasks each. */
function grouped(plan: TaskData, groups: string) {
  return groups.split(" ").map((members, at) => ({
    subgraph_id: `sg-${at + 1}`,
    tasks: plan.planned_tasks.filter(({ task_id }) => members.includes(task_id)),
    dependencies: [],
  }));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pendingIn = ({ plan }: DispatchRequest) =>
  plan.planned_tasks.filter(({ status }) => status === "pending").map(({ task_id }) => task_id);

/**
 * Dispatches in fake time: a subgraph takes its overhead and what its tasks really take.
 * @param reports each task is reported when it ends
 */
function dispatcherIn(overheadMs: number, realMs: (task: string) => number, reports = false) {
  const starts: string[] = [];
  const began = performance.now();
  const dispatcher = {
    name: "fake",
    governed: true,
    async dispatch(request: DispatchRequest, { signal, report }: DispatchContext): Promise<DispatchReply> {
      const ids = pendingIn(request);
      starts.push(`${Math.round((performance.now() - began) * 1000) / 1000} ${ids.join("")}`);
      const passes = (ms: number) =>
        new Promise<void>((resolve, reject) => {
          setTimeout(resolve, ms);
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
      const completed = (task_id: string) => ({
        task_id,
        status: "completed" as const,
        output: null,
        attempts: 1,
        started_ms: 0,
        duration_ms: 0,
      });
      if (reports) {
        await passes(overheadMs);
        for (const id of ids) {
          await passes(realMs(id));
          await report({ result: completed(id) });
        }
      } else await passes(overheadMs + ids.reduce((sum, id) => sum + realMs(id), 0));
      const results = reports ? [] : ids.map(completed);
      return { results, usage: { attempts: ids.length, input_tokens: 0, output_tokens: 0 } };
    },
  };
  return { dispatcher, starts };
}

/** Lets time pass to the next timer whenever nothing else happens. @returns what the run took */
async function drive<Result>(running: Promise<Result>, until = Number.POSITIVE_INFINITY): Promise<Result> {
  let settled = false;
  const watched = running.finally(() => {
    settled = true;
  });
  watched.catch(() => {});
  while (!settled && performance.now() < until) {
    for (let quiet = 0; quiet < 8 && !settled; quiet++) await setImmediate();
    if (!settled) vi.advanceTimersToNextTimer();
  }
  return watched;
}

async function dispatched(
  plan: TaskData,
  groups: string,
  realMs: (task: string) => number,
  options: Omit<RunOptions, "executors"> = {},
) {
  const { dispatcher, starts } = dispatcherIn(10, realMs, options.semantics === "pipelined");
  const events: RunEvent[] = [];
  const result = await drive(
    run(plan, {
      executors,
      semantics: "atomic",
      subgraphs: grouped(plan, groups),
      dispatcher,
      concurrency: 2,
      dispatchOverheadMs: 10,
      adaptiveDispatch: true,
      onEvent: (event) => events.push(event),
      ...options,
    }),
  );
  expect(result.end_reason).toBe("completed");
  const splits = events.filter((event) => event.type === "subgraph-split");
  return { result, starts, splits };
}

describe("adaptive dispatch", () => {
  // b needs nothing of a, and waits for it only because it shares a subgraph with c.
  const plan = planOf("a::100", "q::20", "b:q:50", "c:a,b:50");

  test("takes what could start out of a subgraph that waits for what is late", async () => {
    const real = (task: string) => ({ a: 1000, q: 20, b: 50, c: 50 })[task]!;
    const { starts, splits, result } = await dispatched(plan, "a q bc", real);
    // a was to end at 110; ten milliseconds later it is late.
    expect(starts).toEqual(["0 a", "0 q", "120 b", "1010 c"]);
    expect(splits).toMatchObject([{ subgraphId: "sg-3", newSubgraphId: "sg-3.2", taskIds: ["b"], why: "waiting" }]);
    expect(result.certificate.regroupings).toBe(1);
    const fixed = await dispatched(plan, "a q bc", real, { adaptiveDispatch: false });
    expect(fixed.starts).toEqual(["0 a", "0 q", "1010 bc"]);
    expect(fixed.result.certificate.regroupings).toBeUndefined();
  });

  test.for([
    { name: "durations are as estimated", real: { a: 100, q: 20, b: 50, c: 50 } },
    { name: "they are off by less than the tolerance", real: { a: 109, q: 29, b: 50, c: 50 } },
  ])("changes nothing where $name", async ({ real }) => {
    const { starts, splits } = await dispatched(plan, "a q bc", (task) => real[task as "a"]);
    expect(starts).toEqual(["0 a", "0 q", `${real.a + 10} bc`]);
    expect(splits).toEqual([]);
  });

  test("leaves a subgraph whole that is expected to start within the patience", async () => {
    // q takes longer than estimated, and a has only four milliseconds left then.
    const { starts } = await dispatched(plan, "a q bc", (task) => ({ a: 100, q: 96, b: 50, c: 50 })[task]!);
    expect(starts).toEqual(["0 a", "0 q", "110 bc"]);
  });

  test("goes on as it was grouped where a task has waited, however long that was", () => {
    const view = planView(planOf("a::100", "w:a:100", "b:w:100"));
    const options = { estimatesMs: { w: 3_600_000 } };
    const adaptive = readAdaptive(view, new Set([1]), options, 10);
    expect(adaptive.toleranceMs).toBe(10);
    const dispatch = new AdaptiveDispatch({
      ...adaptive,
      isDone: () => false,
      now: () => performance.now(),
      onOverdue: () => {},
    });
    // Dispatched once more when the wait is over, which takes no longer than a dispatch.
    dispatch.started(1, [1]);
    vi.advanceTimersByTime(10);
    dispatch.ended(1, true);
    expect(dispatch.departed).toBe(false);
    dispatch.close();
  });

  test("gives half of a subgraph to an executor that would be idle, once the run has departed", async () => {
    const wide = planOf("a::100", "b:a:50", "c:a:50");
    const { starts, splits } = await dispatched(wide, "a bc", (task) => (task === "a" ? 300 : 50));
    expect(starts).toEqual(["0 a", "310 b", "310 c"]);
    expect(splits).toMatchObject([{ why: "idle", taskIds: ["c"] }]);
    const asEstimated = await dispatched(wide, "a bc", (task) => (task === "a" ? 100 : 50));
    expect(asEstimated.starts).toEqual(["0 a", "110 bc"]);
  });

  test("an order holds until then, and what is ready overtakes afterwards", async () => {
    const two = planOf("a::100", "b:a:50", "c::50", "d::10");
    const dispatchOrder = ["sg-1", "sg-2", "sg-3", "sg-4"];
    const late = await dispatched(two, "a b c d", (task) => (task === "a" ? 1000 : 50), { dispatchOrder });
    expect(late.starts).toEqual(["0 a", "120 c", "180 d", "1010 b"]);
    const ordered = await dispatched(two, "a b c d", (task) => ({ a: 100, b: 50, c: 50, d: 10 })[task]!, {
      dispatchOrder,
    });
    expect(ordered.starts).toEqual(["0 a", "110 b", "110 c", "170 d"]);
  });

  test("leaves a subgraph alone that waits for more than its tasks say", async () => {
    const more = planOf("a::100", "q::20", "x::100", "b:q:50", "c:a,b:50");
    const real = (task: string) => (task === "q" ? 20 : task === "b" || task === "c" ? 50 : 1000);
    const [a, q, x, bc] = grouped(more, "a q x bc");
    const reported = await dispatched(more, "", real, {
      subgraphs: [a!, q!, x!, { ...bc!, dependencies: ["sg-3"] }],
      concurrency: 4,
    });
    expect(reported.starts).toEqual(["0 a", "0 x", "0 q", "1010 bc"]);
    expect((await dispatched(more, "a q x bc", real, { concurrency: 4 })).starts).toContain("120 b");
  });

  test("goes by the durations it is given, and refuses what is none", async () => {
    const real = (task: string) => ({ a: 1000, q: 20, b: 50, c: 50 })[task]!;
    const known = await dispatched(plan, "a q bc", real, { adaptiveDispatch: { estimatesMs: { a: 1000 } } });
    expect(known.splits).toEqual([]);
    const wrong = dispatched(plan, "a q bc", real, { adaptiveDispatch: { estimatesMs: { a: -1 } } });
    await expect(wrong).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
      message: expect.stringContaining("estimatesMs of a"),
    });
    const nobody = dispatched(plan, "a q bc", real, { adaptiveDispatch: { estimatesMs: { z: 1 } } });
    await expect(nobody).rejects.toThrow(/durations of tasks of the plan.*z/);
  });

  test.for([
    { name: "one without events", events: false },
    { name: "one with events", events: true },
  ])("a run that is resumed from a journal, $name, has the subgraphs that it was split into", async ({ events }) => {
    const journal = memoryJournal({ events });
    const stop = new AbortController();
    const first = dispatcherIn(10, (task) => ({ a: 1000, q: 20, b: 500, c: 50 })[task]!);
    const options = { executors, journal, abortGraceMs: 1 };
    const began = run(plan, {
      ...options,
      runId: "r",
      semantics: "atomic",
      subgraphs: grouped(plan, "a q bc"),
      dispatcher: first.dispatcher,
      concurrency: 2,
      dispatchOverheadMs: 10,
      adaptiveDispatch: true,
      signal: stop.signal,
    });
    setTimeout(() => stop.abort(new Error("enough")), 200);
    expect((await drive(began)).end_reason).toBe("cancelled");
    expect(first.starts).toEqual(["0 a", "0 q", "120 b"]);
    const kept = (await journal.getEvents?.("r")) ?? [];
    expect(new Set(kept.map(({ type }) => type)).has("task-start")).toBe(false);
    expect(kept.filter(({ type }) => type === "subgraph-split")).toHaveLength(1);
    expect(kept.some(({ type }) => type === "run-end")).toBe(events);
    const second = dispatcherIn(10, (task) => ({ a: 100, q: 20, b: 50, c: 50 })[task]!);
    const resumed = await drive(resume("r", { ...options, dispatcher: second.dispatcher }));
    expect(resumed.end_reason).toBe("completed");
    expect(second.starts).toEqual(["0 a", "0 b", "110 c"]);
    const report = await verifyRun(journal, "r");
    expect(report.problems).toEqual([]);
  });

  test("under pipelined dispatch a task goes by itself as soon as what it needs has ended, and not when its subgraph has", async () => {
    // q, in one subgraph with z, is what b waits for; a is late.
    const piped = planOf("a::100", "q::200", "z:q:400", "b:q:50", "c:a,b:50");
    const real = (task: string) => ({ a: 1000, q: 200, z: 400, b: 50, c: 50 })[task]!;
    const options = { concurrency: 3, semantics: "pipelined" as const };
    const { starts, splits } = await dispatched(piped, "a qz bc", real, options);
    expect(starts).toEqual(["0 qz", "0 a", "210 b", "1010 c"]);
    expect(splits).toMatchObject([{ taskIds: ["b"], why: "waiting" }]);
    const atomic = await dispatched(piped, "a qz bc", real, { concurrency: 3 });
    expect(atomic.starts).toEqual(["0 qz", "0 a", "610 b", "1010 c"]);
  });

  test.for(["atomic", "pipelined"] as const)(
    "under %s dispatch a run takes what is simulated, whatever its tasks take",
    async (semantics) => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom("layered", "montage-like", "map-reduce", "llm-plan-like"),
          fc.integer({ min: 1, max: 50 }),
          fc.constantFrom("level-lpt", "gdca", "portfolio"),
          fc.infiniteStream(fc.integer({ min: 1, max: 400 })),
          async (family, seed, strategy, factors) => {
            const { view } = generateWorkload(family, 20, seed);
            // In microseconds, so that hardly any two are equal: of equals the run takes one after the other.
            const work = view.work.map((ms) => Math.round(1000 * ms));
            const real = work.map((each) => Math.round((each * factors.next().value!) / 100));
            const plan = planOf(
              ...Array.from({ length: view.n }, (_, v) => {
                const needs = Array.from(view.in.subarray(view.inPtr[v], view.inPtr[v + 1]), (u) => view.ids[u]);
                return `${view.ids[v]}:${needs.join(",")}:${work[v]}`;
              }),
            );
            const estimated = planView(plan);
            const environment = completeEnvironment(estimated, { executors: 3, overheadFactor: 1, semantics });
            const { overheadMs } = environment;
            const partition = strategies.get(strategy)!.propose(estimated, environment, { seed: 1, deadlineMs: 1e9 });
            const subgraphs = subGraphs(estimated, plan.planned_tasks, partition, taskSequence(estimated));
            const limits = { toleranceMs: overheadMs, patienceMs: overheadMs / 2 };
            const { dispatcher } = dispatcherIn(
              overheadMs,
              (id) => real[estimated.indexOf(id)]!,
              semantics === "pipelined",
            );
            const before = performance.now();
            const result = await drive(
              run(plan, {
                executors,
                semantics,
                subgraphs,
                ...(partition.order && { dispatchOrder: subgraphs.map(({ subgraph_id }) => subgraph_id) }),
                dispatcher,
                concurrency: 3,
                dispatchOverheadMs: overheadMs,
                adaptiveDispatch: limits,
                dispatchTimeoutMs: Number.POSITIVE_INFINITY,
              }),
            );
            expect(result.end_reason).toBe("completed");
            expect(result.results.every(({ attempts }) => attempts === 1)).toBe(true);
            const { makespanMs } = simulateAdaptive(estimated, environment, partition, real, limits);
            // Timers take whole milliseconds.
            expect(Math.abs(performance.now() - before - makespanMs)).toBeLessThanOrEqual(view.n);
          },
        ),
        { numRuns: cases(40) },
      );
    },
  );
});
