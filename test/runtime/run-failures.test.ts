import { defineTool, run, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { turns } from "../support/fake-time.ts";
import { echo, planOf, recorder, sleep, statuses, type ToolHandler, tools } from "../support/run-plans.ts";

describe("failures stay where they are", () => {
  const executors = [tools({ a: () => Promise.reject(new Error("kaput")), b: echo, c: echo, x: echo, y: echo })];

  test("descendants are skipped and say because of whom; all else finishes", async () => {
    const { events, onEvent } = recorder();
    const result = await run(planOf({ a: [], b: ["a"], c: ["b", "x"], x: [], y: ["x"] }), { executors, onEvent });
    expect(statuses(result)).toEqual({ a: "failed", b: "skipped", c: "skipped", x: "completed", y: "completed" });
    expect(result.results[0]?.error).toMatchObject({ code: "TASK_FAILED", message: "kaput" });
    expect(result.results[2]).toMatchObject({ skipped_because: "a", error: { code: "TASK_DEPENDENCY" } });
    expect(result.end_reason).toBe("failed");
    expect(result.plan.status).toBe("failed");
    expect(events.filter(({ type }) => type === "task-skip")).toHaveLength(2);
  });

  test("halt starts nothing more", async () => {
    const result = await run(planOf({ a: [], b: ["a"], x: ["b"] }, {}), { executors, onFailure: "halt" });
    expect(statuses(result)).toEqual({ a: "failed", b: "skipped", x: "skipped" });
    expect(result.results[1]?.error?.code).toBe("TASK_HALTED");
  });

  test.for([
    ["an absent value", { arguments: { v: "${x.nope}" } }, "TASK_REFERENCE"],
    ["a name nobody has", { arguments: { v: "${nobody}" } }, "TASK_REFERENCE"],
    ["a malformed reference", { arguments: { v: "${x.}" } }, "TASK_REFERENCE"],
    ["an unknown tool", { tool_id: "gone" }, "TASK_RESOURCE_NOT_FOUND"],
    ["no resource", { tool_id: null }, "TASK_UNBOUND"],
    ["a wrong expression", { convertor_code: "(" }, "TASK_CONVERTOR"],
    ["an expression without an object", { convertor_code: "1" }, "TASK_CONVERTOR"],
  ] as const)("%s fails the task", async ([, task, code]) => {
    const { results, end_reason } = await run(planOf({ x: [], b: ["x"] }, { b: task }), {
      executors: [tools({ x: () => ({}), b: echo })],
    });
    expect(results[1]).toMatchObject({ status: "failed", error: { code }, attempts: 0 });
    expect(end_reason).toBe("failed");
  });

  test("the input is checked against the tool's schema before the call", async () => {
    let calls = 0;
    const tool = defineTool({ id: "a", description: "", input: z.object({ n: z.number() }), execute: () => calls++ });
    const { results } = await run(planOf({ a: [] }, { a: { arguments: { n: "many" } } }), {
      executors: [toolExecutor([tool])],
    });
    expect(results[0]).toMatchObject({ status: "failed", error: { code: "TASK_INVALID_INPUT" } });
    expect(calls).toBe(0);
  });

  test("an output that breaks the tool's own schema fails it", async () => {
    const tool = defineTool({
      id: "a",
      description: "",
      output: z.object({ n: z.number() }),
      // @ts-expect-error: the compiler sees it, too.
      execute: () => ({ n: "x" }),
    });
    const { results } = await run(planOf({ a: [] }), { executors: [toolExecutor([tool])] });
    expect(results[0]?.error?.code).toBe("TASK_OUTPUT_INVALID");
  });

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const refuse = () => {
    throw new Error("hands off");
  };
  const untouchable = new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse });
  test.for([
    ["null", null, /threw null/],
    ["a text", "plain", /^plain$/],
    ["undefined", undefined, /threw undefined/],
    ["a cyclic object", cyclic, /threw an object/],
    ["what cannot be looked at", untouchable, /cannot be inspected/],
    ["an object with a message", { message: "inner", code: "E_X" }, /^inner$/],
    ["a symbol", Symbol("s"), /threw a symbol/],
    ["an error without a message", new TypeError(""), /threw TypeError/],
    ["a bigint", 5n, /5n/],
  ] as const)("an executor may throw %s", async ([, thrown, message]) => {
    const { results } = await run(planOf({ a: [] }), {
      executors: [
        tools({
          a: () => {
            throw thrown;
          },
        }),
      ],
    });
    expect(results[0]?.error?.message).toMatch(message);
    expect(JSON.parse(JSON.stringify(results[0]))).toEqual(results[0]);
  });

  test.for([
    ["undefined", undefined, null],
    ["properties without a value", { a: undefined, b: 1 }, { b: 1 }],
    ["a Date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["numbers JSON lacks", [Number.NaN, Number.POSITIVE_INFINITY], [null, null]],
    ["bigints", [5n, 2n ** 60n], [5, "1152921504606846976"]],
    ["a Map and a Set", { m: new Map([["k", 1]]), s: new Set([1]) }, { m: { k: 1 }, s: [1] }],
    ["a key __proto__", JSON.parse('{"__proto__": {"x": 1}}'), JSON.parse('{"__proto__": {"x": 1}}')],
  ] as const)("an output of %s becomes JSON", async ([, value, expected]) => {
    const { results } = await run(planOf({ a: [] }), { executors: [tools({ a: () => value })] });
    expect(results[0]).toMatchObject({ status: "completed" });
    expect(JSON.stringify(results[0]?.output)).toBe(JSON.stringify(expected));
  });

  const throwing = {
    get x(): never {
      throw new Error("getter");
    },
  };
  test.for([
    ["a cycle", cyclic, "TASK_OUTPUT_NOT_JSON"],
    ["a function", { f: () => 1 }, "TASK_OUTPUT_NOT_JSON"],
    ["binary data", Buffer.from("x"), "TASK_OUTPUT_NOT_JSON"],
    ["a getter that throws", throwing, "TASK_OUTPUT_NOT_JSON"],
    ["too much", "x".repeat(2_000), "TASK_OUTPUT_TOO_LARGE"],
  ] as const)("an output with %s fails the task", async ([, value, code]) => {
    const { results } = await run(planOf({ a: [] }), { executors: [tools({ a: () => value })], maxOutputBytes: 1_000 });
    expect(results[0]).toMatchObject({ status: "failed", error: { code } });
  });
});

describe("attempts", () => {
  const flaky =
    (fails: number): ToolHandler =>
    (_, { attempt }) => {
      if (attempt <= fails) throw new Error(`fails ${attempt}`);
      return attempt;
    };
  const quick = { max_attempts: 3, initial_delay_ms: 1 };

  test("the run's policy", async () => {
    const { events, onEvent } = recorder();
    const { results } = await run(planOf({ a: [] }), { executors: [tools({ a: flaky(2) })], retry: quick, onEvent });
    expect(results[0]).toMatchObject({ status: "completed", output: 3, attempts: 3 });
    expect(events.flatMap((e) => (e.type === "task-retry" ? [e.attempt] : []))).toEqual([1, 2]);
  });

  test("the task's policy overrides it", async () => {
    const { results } = await run(planOf({ a: [] }, { a: { retry: { max_attempts: 1 } } }), {
      executors: [tools({ a: flaky(1) })],
      retry: quick,
    });
    expect(results[0]).toMatchObject({ status: "failed", attempts: 1 });
  });

  test("by default only what does no harm is repeated", async () => {
    const once = defineTool({ id: "once", description: "", execute: flaky(1) });
    const safe = defineTool({ id: "safe", description: "", readOnly: true, execute: flaky(1) });
    const { results } = await run(planOf({ once: [], safe: [] }), {
      executors: [toolExecutor([once, safe])],
      random: () => 0,
    });
    expect(results.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["failed", 1],
      ["completed", 2],
    ]);
  });

  test("an error may say that repeating is no use", async () => {
    const hopeless: ToolHandler = () => {
      throw Object.assign(new Error("no"), { retryable: false });
    };
    const { results } = await run(planOf({ a: [] }), { executors: [tools({ a: hopeless })], retry: quick });
    expect(results[0]?.attempts).toBe(1);
  });

  test("each attempt has a time limit; the executor is notified", async () => {
    let reason: unknown;
    const slow: ToolHandler = async (_, { signal }) => {
      signal.addEventListener("abort", () => (reason = signal.reason));
      await sleep(5_000, signal);
    };
    const { results } = await run(planOf({ a: [] }), { executors: [tools({ a: slow })], taskTimeoutMs: 20 });
    expect(results[0]).toMatchObject({
      status: "failed",
      error: { code: "TASK_TIMEOUT", details: { timeout_ms: 20 } },
    });
    expect(reason).toMatchObject({ name: "TimeoutError" });
  });

  test("what ignores its signal is abandoned; its late answer is ignored", async () => {
    const late = Promise.withResolvers<string>();
    const { results } = await run(planOf({ a: [], b: ["a"] }), {
      executors: [tools({ a: () => late.promise, b: echo })],
      taskTimeoutMs: 10,
      abortGraceMs: 20,
    });
    expect(results[0]).toMatchObject({
      status: "failed",
      error: { code: "TASK_TIMEOUT", details: { abandoned: true } },
    });
    late.resolve("late");
    await turns();
    expect(results[0]).toMatchObject({ status: "failed" });
  });
});
