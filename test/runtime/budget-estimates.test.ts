import type { EstimateData, PlannerTaskInput } from "@planloom/plan";
import { defineLlm, defineTool, llmExecutor, type RunOptions, run, toolExecutor } from "@planloom/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { planOf, sleep } from "../support/run-plans.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
const fan = (count: number, task: (index: number) => PlannerTaskInput) =>
  planOf(
    Object.fromEntries(names(count).map((name) => [name, []])),
    Object.fromEntries(names(count).map((name, index) => [name, task(index)])),
  );

/** An llm whose n-th prompt uses `used[n]` tokens, and as much money. */
function spender(used: readonly number[], estimate?: EstimateData) {
  const world = { calls: 0, running: 0, peak: 0, spent: 0 };
  const model = {
    name: "m",
    async generate({ messages }: { messages: readonly { content: string }[] }) {
      const amount = used[Number(messages.at(-1)?.content)] ?? 0;
      world.calls++;
      world.peak = Math.max(world.peak, ++world.running);
      await sleep(1);
      world.running--;
      world.spent += amount;
      return { text: "", toolCalls: [], usage: { inputTokens: amount, outputTokens: 0, cost: amount } };
    },
  };
  const llm = defineLlm({ id: "m", description: "", model, ...(estimate !== undefined && { estimate }) });
  const executors = [llmExecutor([llm])];
  return { world, executors };
}
const asked = (index: number, estimate_data?: EstimateData): PlannerTaskInput => ({
  execution_type: "llm",
  tool_id: null,
  parameters: { uid: "m" },
  arguments: { prompt: String(index) },
  ...(estimate_data !== undefined && { estimate_data }),
});

test.for([{ budget: { tokens: 1_000 } }, { budget: { cost: 1_000 } }])(
  "a plan that claims next to nothing lets no more calls run at once: $budget",
  async ({ budget }) => {
    const { world, executors } = spender(Array.from({ length: 60 }, () => 900));
    const plan = fan(60, (index) => asked(index, { tokens: 1, cost: 0.0001 }));
    const result = await run(plan, { executors, budgets: { run: budget }, concurrency: 50 });
    // One call more than fits, by its own excess.
    expect(world).toMatchObject({ calls: 2, peak: 1, spent: 1_800 });
    expect(result.end_reason).toBe("budget");
  },
);

test("whatever a plan claims, no more is spent than the budget and what one call uses", async () => {
  const calls = fc.array(fc.record({ used: fc.nat(300), claim: fc.option(fc.nat(300)) }), {
    minLength: 1,
    maxLength: 10,
  });
  await fc.assert(
    fc.asyncProperty(calls, fc.nat(1_000), fc.integer({ min: 1, max: 10 }), async (each, tokens, concurrency) => {
      const { world, executors } = spender(each.map(({ used }) => used));
      const plan = fan(each.length, (index) => {
        const claim = each[index]?.claim;
        return asked(index, claim == null ? undefined : { tokens: claim });
      });
      await run(plan, { executors, budgets: { run: { tokens } }, concurrency });
      expect(world.spent).toBeLessThanOrEqual(tokens + Math.max(...each.map(({ used }) => used)));
    }),
    { numRuns: 40 },
  );
});

test("a plan may raise what is reserved: a call that it says needs more than is left is not made", async () => {
  const { world, executors } = spender([10, 10], { tokens: 10 });
  const plan = fan(2, (index) => asked(index, index === 1 ? { tokens: 500 } : undefined));
  const result = await run(plan, { executors, budgets: { run: { tokens: 100 } }, concurrency: 1 });
  expect(world.calls).toBe(1);
  expect(result.results[1]?.error).toMatchObject({ code: "TASK_BUDGET", details: { wanted: 500 } });
});

test("what the executor estimates lets calls run at once, and a call seen to need more raises it", async () => {
  const { world, executors } = spender([10, 10, 60, 60, 60, 60], { tokens: 10 });
  const waits = planOf(
    { t0: [], t1: [], t2: ["t0", "t1"], t3: ["t2"], t4: ["t2"], t5: ["t2"] },
    Object.fromEntries(names(6).map((name, index) => [name, asked(index, { tokens: 1 })])),
  );
  const peaks: number[] = [];
  const options: RunOptions = {
    executors,
    concurrency: 6,
    budgets: { run: { tokens: 200 } },
    onEvent: ({ type }) => {
      if (type !== "task-end") return;
      peaks.push(world.peak);
      world.peak = 0;
    },
  };
  await run(waits, options);
  expect(peaks[0]).toBe(2);
  // 80 are spent when the three come: with 60 each two fit, with 10 all three would.
  expect(Math.max(...peaks.slice(3))).toBe(2);
  expect(world.spent).toBe(200);
});

test("who trusts a plan's estimates says so", async () => {
  const { world, executors } = spender([10, 10, 10, 10]);
  const plan = fan(4, (index) => asked(index, { tokens: 10 }));
  const budgets = { run: { tokens: 40 } };
  expect((await run(plan, { executors, budgets })).end_reason).toBe("completed");
  expect(world.peak).toBe(1);
  expect((await run(plan, { executors, budgets: { ...budgets, trustPlanEstimates: true } })).end_reason).toBe(
    "completed",
  );
  expect(world.peak).toBe(4);
});

test("a plan that claims a millisecond lets no more seconds be used", async () => {
  let running = 0;
  let peak = 0;
  const work = defineTool({
    id: "work",
    description: "",
    async execute(_: object, { signal }) {
      peak = Math.max(peak, ++running);
      await sleep(30, signal).finally(() => running--);
    },
  });
  const plan = fan(20, () => ({ tool_id: "work", estimate_data: { duration_ms: 1 } }));
  const budgets = { run: { seconds: 0.1 } };
  const result = await run(plan, { executors: [toolExecutor([work])], budgets, concurrency: 20 });
  expect(peak).toBe(1);
  expect(result.end_reason).toBe("budget");
});
