import { defineTool, type RunOptions, run, toolExecutor } from "@planloom/runtime";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorClassOf } from "../../packages/runtime/src/ports/error-class.ts";
import { TokenBucket } from "../../packages/runtime/src/ports/token-bucket.ts";
import { fakeTime } from "../support/fake-time.ts";
import { planOf, sleep } from "../support/run-plans.ts";

type Execute = Parameters<typeof defineTool>[0]["execute"];
const tool = (execute: Execute, more: object = {}) => [
  toolExecutor([defineTool({ id: "work", description: "", execute, ...more })]),
];
const one = planOf({ a: [] }, { a: { tool_id: "work" } });
const many = (count: number) =>
  planOf(
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, []])),
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, { tool_id: "work" }])),
  );

describe("rates", () => {
  test("no interval sees more than the limit, and the full rate is used", async () => {
    const starts: number[] = [];
    const executors = tool(() => void starts.push(performance.now()));
    const rates = { work: { limit: 5, intervalMs: 100 } };
    const result = await run(many(20), { executors, concurrency: 20, limits: { rates } });
    expect(result.end_reason).toBe("completed");
    // A call begins a moment after its token was taken; the bucket itself is exact, see below.
    for (let i = 5; i < starts.length; i++) expect(starts[i]! - starts[i - 5]!).toBeGreaterThan(80);
    expect(starts[19]! - starts[0]!).toBeLessThan(100 * 3 + 1_000);
  });

  test("a run that is cancelled while tasks wait for a rate ends at once", async () => {
    const executors = tool(() => 1);
    const rates = { work: { limit: 1, intervalMs: 600_000 } };
    const result = await run(many(5), { executors, limits: { rates }, signal: AbortSignal.timeout(30) });
    expect(result.end_reason).toBe("cancelled");
    expect(result.results.filter(({ status }) => status === "completed")).toHaveLength(1);
  });

  test("tasks that wait for a rate hold no slot", async () => {
    const other = defineTool({ id: "other", description: "", execute: () => 1 });
    const work = defineTool({ id: "work", description: "", execute: () => 1 });
    const plan = planOf(
      { a: [], b: [], c: [] },
      { a: { tool_id: "work" }, b: { tool_id: "work" }, c: { tool_id: "other" } },
    );
    const rates = { work: { limit: 1, intervalMs: 200 } };
    const { results } = await run(plan, {
      executors: [toolExecutor([work, other])],
      concurrency: 1,
      limits: { rates },
    });
    expect(results[2]!.started_ms).toBeLessThan(100);
    expect(results[1]!.started_ms).toBeGreaterThan(199);
  });

  test("under any sequence of takes the bucket keeps its promise", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 }),
        (limit, intervalMs, pauses) => {
          let now = 0;
          const bucket = new TokenBucket({ limit, intervalMs }, () => now);
          const taken: number[] = [];
          for (const pause of pauses) {
            now += pause;
            const wait = bucket.untilNextMs();
            if (wait > 0 && pause % 2 === 0) now += wait;
            if (bucket.untilNextMs() > 0) continue;
            bucket.take();
            taken.push(now);
          }
          for (let i = limit; i < taken.length; i++)
            expect(taken[i]! - taken[i - limit]!).toBeGreaterThanOrEqual(intervalMs);
        },
      ),
    );
  });
});

describe("timeouts", () => {
  test("of all attempts together: no further attempt, and the one that runs is stopped", async () => {
    let calls = 0;
    const executors = tool(async (_, { signal }) => {
      if (++calls === 1) throw new Error("at once");
      await sleep(5_000, signal);
    });
    const retry = { max_attempts: 100, initial_delay_ms: 0 };
    const { results } = await run(one, { executors, retry, totalTimeoutMs: 100 });
    expect(calls).toBe(2);
    expect(results[0]?.error).toMatchObject({ code: "TASK_TIMEOUT", details: { limit: "total", timeout_ms: 100 } });
    expect(results[0]?.duration_ms).toBeLessThan(2_000);
  });

  test("without a sign of life; progress is one", async () => {
    using _time = fakeTime();
    const lively = tool(async (_, { onProgress }) => {
      for (let i = 0; i < 6; i++) {
        await sleep(25);
        onProgress(i);
      }
      return "done";
    });
    const lives = await run(one, { executors: lively, idleTimeoutMs: 80 });
    expect(lives.results[0]?.output).toBe("done");
    const silent = tool((_, { signal }) => sleep(5_000, signal));
    const { results } = await run(one, { executors: silent, idleTimeoutMs: 40 });
    expect(results[0]?.error).toMatchObject({ code: "TASK_TIMEOUT", details: { limit: "idle", timeout_ms: 40 } });
    expect(results[0]?.duration_ms).toBeLessThan(1_000);
  });
});

describe("retries by class of error", () => {
  test.for([
    [{ status: 429 }, "rate_limit"],
    [{ statusCode: 503 }, "server"],
    [{ status: 504 }, "timeout"],
    [{ status: 404 }, "client"],
    [{ status: 425 }, "other"],
    [{ code: "ECONNRESET" }, "network"],
    [new Error("x", { cause: new Error("y", { cause: { code: "ETIMEDOUT" } }) }), "timeout"],
    [new DOMException("late", "TimeoutError"), "timeout"],
    [new Error("x"), "other"],
    ["text", "other"],
    [null, "other"],
  ] as const)("%o is %s", ([thrown, expected]) => {
    expect(errorClassOf(thrown)).toBe(expected);
  });

  test("what cannot be read is other", () => {
    const hostile = {
      get status() {
        throw new Error("no");
      },
    };
    expect(errorClassOf(hostile)).toBe("other");
  });

  test.for([
    { name: "a refused request is not sent again", error: { status: 404 }, options: {}, calls: 1 },
    { name: "a busy server is asked three times", error: { status: 503 }, options: {}, calls: 3 },
    {
      name: "as the run says for the class",
      error: { status: 503 },
      options: { retryOn: { server: { max_attempts: 5, initial_delay_ms: 0 } } },
      calls: 5,
    },
    { name: "the class may say never", error: { status: 503 }, options: { retryOn: { server: false } }, calls: 1 },
    {
      name: "the class goes before the run's policy",
      error: { status: 404 },
      options: { retry: { max_attempts: 4 }, retryOn: { client: { max_attempts: 2 } } },
      calls: 2,
    },
  ] as { name: string; error: object; options: Partial<RunOptions>; calls: number }[])(
    "$name",
    async ({ error, options, calls }) => {
      let made = 0;
      const fast = Object.assign(new Error("no"), error);
      const executors = tool(
        () => {
          made++;
          throw fast;
        },
        { readOnly: true },
      );
      await run(one, { executors, random: () => 0, ...options });
      expect(made).toBe(calls);
    },
  );

  test("the wait the other side asked for is kept", async () => {
    const starts: number[] = [];
    const executors = tool(() => {
      starts.push(performance.now());
      if (starts.length === 1) throw Object.assign(new Error("busy"), { status: 429, retryAfterMs: 60 });
      return 1;
    });
    const retryOn = { rate_limit: { max_attempts: 2, initial_delay_ms: 0 } };
    expect((await run(one, { executors, retryOn })).end_reason).toBe("completed");
    expect(starts[1]! - starts[0]!).toBeGreaterThan(55);
  });

  test.for([
    ["the other side asks for", { retryAfterMs: 60_000 }, {}],
    ["the policy has", {}, { initial_delay_ms: 60_000 }],
  ] as const)(
    "a wait that %s beyond the time of all attempts is none: no attempt follows",
    async ([, given, policy]) => {
      let calls = 0;
      const executors = tool(() => {
        calls++;
        throw Object.assign(new Error("busy"), given);
      });
      const options = {
        retry: { max_attempts: 3, initial_delay_ms: 0, max_delay_ms: 120_000, ...policy },
        totalTimeoutMs: 5_000,
      };
      const { results } = await run(one, { executors, ...options });
      expect(calls).toBe(1);
      expect(results[0]?.error?.message).toMatch(/^busy\. It is not tried again: .*`totalTimeoutMs`/);
    },
  );

  test("an unknown class is refused", async () => {
    const retryOn = { weather: false } as never;
    await expect(run(one, { executors: tool(() => 1), retryOn })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
    });
  });
});
