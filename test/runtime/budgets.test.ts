import {
  defineLlm,
  defineTool,
  defineWorkflow,
  llmExecutor,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { cpuTimer } from "../support/cpu-time.ts";
import { fakeTime } from "../support/fake-time.ts";
import { planOf, sleep, statuses } from "../support/run-plans.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
/** Independent tasks that all call one tool. */
const fan = (count: number, more: object = {}) =>
  planOf(
    Object.fromEntries(names(count).map((name) => [name, []])),
    Object.fromEntries(names(count).map((name) => [name, { tool_id: "work", ...more }])),
  );
function worker(execute: (calls: number) => unknown = () => 1) {
  const world = { calls: 0, running: 0, peak: 0 };
  const work = defineTool({
    id: "work",
    description: "",
    async execute() {
      world.calls++;
      world.peak = Math.max(world.peak, ++world.running);
      try {
        await sleep(1);
        return await execute(world.calls);
      } finally {
        world.running--;
      }
    },
  });
  return { world, executors: [toolExecutor([work])] };
}
const settled = async <T>(scheduler: fc.Scheduler, work: Promise<T>): Promise<T> => {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  while (!done) {
    if (scheduler.count() > 0) await scheduler.waitOne();
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
};

describe("calls", () => {
  test("the budget ends the run with partial results, and skips what could not start", async () => {
    const { world, executors } = worker();
    const plan = planOf(
      { t0: [], t1: [], t2: [], after: ["t2"] },
      Object.fromEntries(["t0", "t1", "t2", "after"].map((id) => [id, { tool_id: "work" }])),
    );
    const result = await run(plan, { executors, budgets: { run: { calls: 2 } }, concurrency: 1 });
    expect(result.end_reason).toBe("budget");
    expect(result.plan.status).toBe("failed");
    expect(world.calls).toBe(2);
    const skipped = result.results.filter(({ status }) => status === "skipped");
    expect(skipped[0]?.error).toMatchObject({ code: "TASK_BUDGET", details: { unit: "calls", limit: 2, spent: 2 } });
    expect(result.results.filter(({ status }) => status === "completed")).toHaveLength(2);
  });

  test("failed calls and repeated attempts count", async () => {
    const { world, executors } = worker(() => {
      throw new Error("no");
    });
    const retry = { max_attempts: 5, initial_delay_ms: 0 };
    const result = await run(fan(1), { executors, retry, budgets: { run: { calls: 3 } } });
    expect(world.calls).toBe(3);
    expect(result.end_reason).toBe("budget");
  });

  test("of one resource, and of one subgraph; others go on", async () => {
    const other = defineTool({ id: "other", description: "", execute: () => 2 });
    const plan = planOf({ a: [], b: [], c: [], d: [] }, { a: { tool_id: "work" }, b: { tool_id: "work" } });
    const all = [toolExecutor([defineTool({ id: "work", description: "", execute: () => 1 }), other])];
    for (const id of ["c", "d"]) plan.planned_tasks.find(({ task_id }) => task_id === id)!.tool_id = "other";
    const byTool = await run(plan, { executors: all, budgets: { resources: { work: { calls: 1 } } } });
    expect(byTool.end_reason).toBe("budget");
    expect(statuses(byTool)).toEqual({ a: "completed", b: "skipped", c: "completed", d: "completed" });
    const [a, b, c, d] = plan.planned_tasks;
    const subgraphs = [
      { subgraph_id: "one", tasks: [a!, c!], dependencies: [] },
      { subgraph_id: "two", tasks: [b!, d!], dependencies: [] },
    ];
    const bySubgraph = await run(plan, { executors: all, subgraphs, budgets: { subgraphs: { one: { calls: 1 } } } });
    expect(statuses(bySubgraph)).toEqual({ a: "completed", b: "completed", c: "skipped", d: "completed" });
  });

  test("nested plans spend from the same budget", async () => {
    const { world, executors } = worker();
    const inner = planOf({ x: [], y: [] }, { x: { tool_id: "work" }, y: { tool_id: "work" } });
    const flow = defineWorkflow({ id: "flow", description: "", plan: inner });
    const plan = planOf(
      { outer: [] },
      { outer: { execution_type: "dsl", tool_id: null, parameters: { uid: "flow" } } },
    );
    const all = [...executors, workflowExecutor([flow])];
    const result = await run(plan, { executors: all, budgets: { run: { calls: 2 } } });
    expect(world.calls).toBe(1);
    expect(result.end_reason).not.toBe("completed");
    expect((await run(plan, { executors: all, budgets: { run: { calls: 3 } } })).end_reason).toBe("completed");
  });

  test("a resumed run counts what was spent, and goes on with a larger budget", async () => {
    const { world, executors } = worker();
    const journal = memoryJournal();
    const options: RunOptions = { executors, journal, runId: "r", budgets: { run: { calls: 3 } } };
    expect((await run(fan(6), options)).end_reason).toBe("budget");
    expect((await resume("r", { executors, journal })).end_reason).toBe("budget");
    expect(world.calls).toBe(3);
    const result = await resume("r", { executors, journal, budgets: { run: { calls: 6 } } });
    expect(result.end_reason).toBe("completed");
    expect(world.calls).toBe(6);
  });

  test.for([
    { option: { run: { calls: -1 } } },
    { option: { run: { money: 1 } } },
    { option: { trustPlanEstimates: "yes" } },
  ])("what is no budget is refused: $option", async ({ option }) => {
    const { executors } = worker();
    const budgets = option as RunOptions["budgets"];
    await expect(run(fan(1), { executors, budgets })).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
  });
});

test("never exceeded, under any interleaving of calls of any size", async () => {
  const call = fc.record({
    estimate: fc.integer({ min: 1, max: 30 }),
    used: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(call, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 12 }),
      fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
      async (scheduler, calls, tokens, callsLimit, concurrency) => {
        let spent = 0;
        let made = 0;
        let held = 0;
        const model = {
          async generate({ messages }: { messages: readonly { content: string }[] }) {
            const { estimate, used } = calls[Number(messages[0]?.content)]!;
            const outputTokens = Math.floor(estimate * used);
            made++;
            held += estimate;
            expect(spent + held).toBeLessThanOrEqual(tokens);
            await scheduler.schedule(Promise.resolve());
            held -= estimate;
            spent += outputTokens;
            return { text: "", usage: { inputTokens: 0, outputTokens } };
          },
        };
        const llm = llmExecutor([defineLlm({ id: "m", description: "", model: model as never })]);
        const plan = planOf(
          Object.fromEntries(calls.map((_, i) => [`t${i}`, []])),
          Object.fromEntries(
            calls.map(({ estimate }, i) => [
              `t${i}`,
              {
                execution_type: "llm" as const,
                tool_id: null,
                parameters: { uid: "m" },
                arguments: { prompt: String(i) },
                estimate_data: { tokens: estimate },
              },
            ]),
          ),
        );
        const budgets = { run: { tokens, calls: callsLimit }, trustPlanEstimates: true };
        const result = await settled(scheduler, run(plan, { executors: [llm], budgets, concurrency }));
        expect(spent).toBeLessThanOrEqual(tokens);
        expect(made).toBeLessThanOrEqual(callsLimit);
        const skipped = result.results.flatMap(({ status }, i) => (status === "skipped" ? [calls[i]!] : []));
        // Whoever was refused could not have been paid.
        for (const { estimate } of skipped) expect(made >= callsLimit || spent + estimate > tokens).toBe(true);
        expect(result.end_reason).toBe(skipped.length > 0 ? "budget" : "completed");
      },
    ),
    { numRuns: cases(60) },
  );
});

test("a model call that nobody estimated gets all that is left, and so runs alone", async () => {
  let running = 0;
  let peak = 0;
  let spent = 0;
  const model = {
    async generate() {
      peak = Math.max(peak, ++running);
      await sleep(2);
      running--;
      spent += 10;
      return { text: "", usage: { inputTokens: 4, outputTokens: 6, cost: 0.1 } };
    },
  };
  const llm = llmExecutor([defineLlm({ id: "m", description: "", model: model as never })]);
  const task = { execution_type: "llm" as const, tool_id: null, parameters: { uid: "m" } };
  const plan = planOf(
    Object.fromEntries(names(6).map((name) => [name, []])),
    Object.fromEntries(names(6).map((name) => [name, task])),
  );
  const result = await run(plan, { executors: [llm], budgets: { run: { cost: 0.3 } } });
  expect(peak).toBe(1);
  expect(spent).toBe(30);
  expect(result.end_reason).toBe("budget");
  expect(result.usage.cost).toBeCloseTo(0.3);
});

describe("seconds", () => {
  test("a call is stopped when they are over, whatever its timeout", async () => {
    const slow = defineTool({ id: "work", description: "", execute: (_, { signal }) => sleep(600_000, signal) });
    const result = await run(fan(3), { executors: [toolExecutor([slow])], budgets: { run: { seconds: 0.05 } } });
    expect(result.end_reason).toBe("budget");
    expect(new Set(Object.values(statuses(result)))).toEqual(new Set(["skipped"]));
    expect(result.results.some(({ error }) => error?.message.includes("stopped after"))).toBe(true);
  });

  test("a call goes on beyond its estimate while some are left", async () => {
    using _time = fakeTime();
    const { executors } = worker(() => sleep(30));
    const estimate_data = { duration_ms: 5 };
    const result = await run(fan(2, { estimate_data }), { executors, budgets: { run: { seconds: 1 } } });
    expect(result.end_reason).toBe("completed");
  });
});

test("many that must wait cost no more than their number", async () => {
  const { world, executors } = worker(() => 1);
  const cpuMs = cpuTimer();
  const estimate_data = { duration_ms: 1_000 };
  const result = await run(fan(2_000, { estimate_data }), {
    executors,
    concurrency: Number.POSITIVE_INFINITY,
    budgets: { run: { seconds: 20, calls: 1_500 } },
  });
  expect(world.peak).toBeLessThanOrEqual(20);
  expect(["budget", "completed"]).toContain(result.end_reason);
  expect(cpuMs()).toBeLessThan(5_000);
});
