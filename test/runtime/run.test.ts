import { agentExecutor, defineAgent, defineTool, run, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { planOf, recorder, sleep, statuses } from "../support/run-plans.ts";

type Handler = (
  input: Record<string, unknown>,
  context: { signal: AbortSignal; attempt: number; onProgress(p: unknown): void },
) => unknown;
const tools = (handlers: Record<string, Handler>) =>
  toolExecutor(Object.entries(handlers).map(([id, execute]) => defineTool({ id, description: id, execute })));
const echo: Handler = (input) => ({ got: input });

describe("data flow", () => {
  test("outputs reach dependants with their types, results come in plan order", async () => {
    const plan = planOf(
      { b: [], a: [], c: [] },
      {
        b: { arguments: { ids: "${a.rows.*.id}", text: "n=${a.n}!", limit: "${max}", who: "${input.user}" } },
        a: { result_variable: "first" },
        c: { arguments: { all: "${first}", maybe: "${b.absent?}" } },
      },
    );
    const result = await run(plan, {
      executors: [tools({ a: () => ({ rows: [{ id: 1 }, { id: 2 }], n: 3 }), b: echo, c: echo })],
      variables: { max: 10 },
      input: { user: "ada" },
    });
    expect(result.end_reason).toBe("completed");
    expect(result.results.map(({ task_id }) => task_id)).toEqual(["b", "a", "c"]);
    expect(result.results[0]?.output).toEqual({ got: { ids: [1, 2], text: "n=3!", limit: 10, who: "ada" } });
    expect(result.output_data).toEqual({ c: { got: { all: { rows: [{ id: 1 }, { id: 2 }], n: 3 }, maybe: null } } });
    expect(result.plan.status).toBe("done");
    expect(result.plan.completed_tasks).toEqual(["b", "a", "c"]);
    expect(plan.planned_tasks[1]).toMatchObject({ status: "pending", output: {} });
  });

  test("the sinks' outputs stand under their result variables too", async () => {
    const plan = planOf({ a: [] }, { a: { result_variable: "answer" } });
    const { output_data } = await run(plan, { executors: [tools({ a: () => 42 })] });
    expect(output_data).toEqual({ a: 42, answer: 42 });
  });

  test("an executor that changes its input changes it for nobody else", async () => {
    const plan = planOf(
      { a: [], b: ["a"], c: ["b"] },
      { b: { arguments: { x: "${a}" } }, c: { arguments: { x: "${a}" } } },
    );
    const spoil: Handler = (input) => {
      (input.x as { list: number[] }).list.push(99);
      return input.x;
    };
    const { results } = await run(plan, { executors: [tools({ a: () => ({ list: [1] }), b: spoil, c: echo })] });
    expect(results[2]?.output).toEqual({ got: { x: { list: [1] } } });
    expect(results[1]?.input).toEqual({ x: { list: [1] } });
  });

  test("convertor_code makes the input, after references", async () => {
    const plan = planOf(
      { a: [], b: [] },
      { b: { arguments: { rows: "${a.rows}" }, convertor_code: "{ 'total': $sum(rows.n) }" } },
    );
    const { results } = await run(plan, { executors: [tools({ a: () => ({ rows: [{ n: 1 }, { n: 2 }] }), b: echo })] });
    expect(results[1]?.output).toEqual({ got: { total: 3 } });
  });

  test("bind decides what is open, from resolved input, and may reason", async () => {
    const plan = planOf({ a: [], b: [] }, { b: { tool_id: null, arguments: { x: "${a}" } } });
    const result = await run(plan, {
      executors: [tools({ a: () => 7, other: echo })],
      bind: async ({ task, input }) => ({
        uid: task.tool_id ?? "other",
        input_data: { ...input, more: 1 },
        plan: "because",
      }),
    });
    expect(result.results[1]).toMatchObject({
      uid: "other",
      input: { x: 7, more: 1 },
      plan: "because",
      output: { got: { x: 7, more: 1 } },
    });
  });

  test("tasks that are completed already are not run again", async () => {
    const plan = planOf(
      { a: [], b: ["a"] },
      { a: { status: "completed", output: 5 }, b: { arguments: { x: "${a}" } } },
    );
    const { results } = await run(plan, { executors: [tools({ b: echo })] });
    expect(results[0]).toMatchObject({ recorded: true, output: 5, attempts: 0 });
    expect(results[1]?.output).toEqual({ got: { x: 5 } });
  });
});

describe("failures stay where they are", () => {
  const executors = [tools({ a: () => Promise.reject(new Error("kaput")), b: echo, c: echo, x: echo, y: echo })];

  test("descendants are skipped and say because of whom; all else finishes", async () => {
    const { events, onEvent } = recorder();
    const result = await run(planOf({ a: [], b: ["a"], c: ["b", "x"], x: [], y: ["x"] }), { executors, onEvent });
    expect(statuses(result)).toEqual({ a: "failed", b: "skipped", c: "skipped", x: "completed", y: "completed" });
    expect(result.results[0]?.error).toEqual({ code: "TASK_FAILED", message: "kaput" });
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
    ["what cannot be looked at", untouchable, /cannot be looked at/],
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
    (fails: number): Handler =>
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
    const hopeless: Handler = () => {
      throw Object.assign(new Error("no"), { retryable: false });
    };
    const { results } = await run(planOf({ a: [] }), { executors: [tools({ a: hopeless })], retry: quick });
    expect(results[0]?.attempts).toBe(1);
  });

  test("each attempt has a time limit; the executor is told", async () => {
    let reason: unknown;
    const slow: Handler = async (_, { signal }) => {
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
    const started = performance.now();
    const { results } = await run(planOf({ a: [], b: ["a"] }), {
      executors: [tools({ a: () => sleep(300).then(() => "late"), b: echo })],
      taskTimeoutMs: 10,
      abortGraceMs: 20,
    });
    expect(performance.now() - started).toBeLessThan(250);
    expect(results[0]).toMatchObject({
      status: "failed",
      error: { code: "TASK_TIMEOUT", details: { abandoned: true } },
    });
    await sleep(350);
    expect(results[0]).toMatchObject({ status: "failed" });
  });
});

describe("limits", () => {
  const counting = () => {
    const now = new Map<string, number>();
    const most = new Map<string, number>();
    const track =
      (id: string): Handler =>
      async () => {
        for (const key of [id, "all"]) {
          now.set(key, (now.get(key) ?? 0) + 1);
          most.set(key, Math.max(most.get(key) ?? 0, now.get(key)!));
        }
        await sleep(5);
        for (const key of [id, "all"]) now.set(key, now.get(key)! - 1);
      };
    return { most, track };
  };
  const many = (n: number, tool: (i: number) => string) =>
    planOf(
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, []])),
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, { tool_id: tool(i) }])),
    );

  test("at most `concurrency` at once", async () => {
    const { most, track } = counting();
    await run(
      many(12, () => "a"),
      { executors: [tools({ a: track("a") })], concurrency: 3 },
    );
    expect(most.get("all")).toBe(3);
  });

  test("by resource, also when Stage 2 chooses it", async () => {
    const { most, track } = counting();
    const executors = [tools({ a: track("a"), b: track("b") })];
    const limits = { resources: { a: 1 } };
    await run(
      many(10, (i) => (i % 2 ? "a" : "b")),
      { executors, concurrency: 6, limits },
    );
    expect(most.get("a")).toBe(1);
    most.clear();
    const open = many(10, () => "");
    const bind = async ({ task }: { task: { task_id: string } }) => ({
      uid: Number(task.task_id.slice(1)) % 2 ? "a" : "b",
      input_data: {},
    });
    const result = await run(open, { executors, concurrency: 6, limits, bind });
    expect(result.end_reason).toBe("completed");
    expect(most.get("a")).toBe(1);
    expect(most.get("b")).toBeGreaterThan(1);
  });

  test("by kind", async () => {
    const { most, track } = counting();
    await run(
      many(10, () => "a"),
      { executors: [tools({ a: track("a") })], concurrency: 6, limits: { kinds: { tool: 2 } } },
    );
    expect(most.get("a")).toBe(2);
  });
});

describe("cancelling", () => {
  test("by a listener that hears of a start: nothing is executed and the run ends", async () => {
    const stop = new AbortController();
    let calls = 0;
    const work: Handler = () => ++calls;
    const result = await run(planOf({ a: [], b: [] }), {
      executors: [tools({ a: work, b: work })],
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === "task-start") stop.abort(new Error("enough"));
      },
    });
    expect(result.end_reason).toBe("cancelled");
    expect(statuses(result)).toEqual({ a: "cancelled", b: "cancelled" });
    expect(calls).toBe(0);
  });

  test("nothing starts afterwards, running tasks are told, and it settles when they have stopped", async () => {
    const controller = new AbortController();
    let started = 0;
    let stopped = 0;
    const work: Handler = async (_, { signal }) => {
      started++;
      await sleep(1_000, signal).catch(async () => {
        await sleep(20);
        stopped++;
        throw new Error("stopped");
      });
    };
    const plan = planOf({ a: [], b: [], c: ["a"], d: [] });
    const running = run(plan, {
      executors: [tools({ a: work, b: work, c: work, d: work })],
      concurrency: 2,
      signal: controller.signal,
    });
    await sleep(20);
    controller.abort(new Error("enough"));
    const result = await running;
    expect([started, stopped]).toEqual([2, 2]);
    expect(result.end_reason).toBe("cancelled");
    expect(statuses(result)).toEqual({ a: "cancelled", b: "cancelled", c: "cancelled", d: "cancelled" });
    expect(result.results[0]?.error?.message).toContain("enough");
    expect(result.plan.status).toBe("cancelled");
  });

  test("an executor that never answers is abandoned after the grace time", async () => {
    const result = await run(planOf({ a: [] }), {
      executors: [tools({ a: () => new Promise(() => {}) })],
      signal: AbortSignal.timeout(10),
      abortGraceMs: 20,
    });
    expect(result.results[0]).toMatchObject({ status: "cancelled", error: { details: { abandoned: true } } });
  });

  test("an aborted signal starts nothing", async () => {
    const result = await run(planOf({ a: [] }), {
      executors: [
        tools({
          a: () => {
            throw new Error("ran");
          },
        }),
      ],
      signal: AbortSignal.abort(),
    });
    expect(result.end_reason).toBe("cancelled");
    expect(result.results[0]?.attempts).toBe(0);
  });

  test("it is heard in the midst of many tasks that never wait", async () => {
    const names = Array.from({ length: 30_000 }, (_, i) => `t${i}`);
    const plan = planOf(
      Object.fromEntries(names.map((name) => [name, []])),
      Object.fromEntries(names.map((name) => [name, { tool_id: "a" }])),
    );
    const result = await run(plan, { executors: [tools({ a: () => 1 })], signal: AbortSignal.timeout(15) });
    expect(result.end_reason).toBe("cancelled");
  });

  test("retries that are waiting end too", async () => {
    const started = performance.now();
    const result = await run(planOf({ a: [] }), {
      executors: [tools({ a: () => Promise.reject(new Error("x")) })],
      retry: { max_attempts: 5, initial_delay_ms: 10_000 },
      signal: AbortSignal.timeout(20),
    });
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(result.end_reason).toBe("cancelled");
  });
});

describe("events", () => {
  test("tell the run in order, as plain JSON", async () => {
    const { events, onEvent, types } = recorder();
    const progress: Handler = (_, { onProgress }) => {
      onProgress({ done: 1, of: 2 });
      onProgress(() => {});
      return "x";
    };
    await run(planOf({ a: [], b: ["a"] }), { executors: [tools({ a: progress, b: echo })], onEvent, runId: "r1" });
    expect(types()).toEqual([
      "run-start",
      "task-start",
      "task-progress",
      "task-end",
      "task-start",
      "task-end",
      "run-end",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(events.every(({ runId }) => runId === "r1")).toBe(true);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort((a, b) => a - b));
  });

  test("listeners that throw, reject or change events do no harm", async () => {
    const onEvent = (event: unknown) => {
      const { output } = event as { output?: { got?: unknown } };
      if (output) output.got = "spoilt";
      if (Math.random() < 0.5) return Promise.reject(new Error("async"));
      throw new Error("sync");
    };
    const result = await run(planOf({ a: [], b: [] }, { b: { arguments: { x: "${a}" } } }), {
      executors: [tools({ a: echo, b: echo })],
      onEvent,
    });
    expect(result.results[1]?.output).toEqual({ got: { x: { got: {} } } });
  });
});

describe("certificate", () => {
  test("no run beats its bound, and a chain meets it nearly", async () => {
    const plan = planOf({ a: [], b: ["a"], c: ["b"] });
    const { certificate } = await run(plan, {
      executors: [tools({ a: () => sleep(20), b: () => sleep(20), c: () => sleep(20) })],
    });
    expect(certificate.lowerBoundMs).toBeGreaterThan(55);
    expect(certificate.ratio).toBeGreaterThanOrEqual(1);
    expect(certificate.ratio).toBeLessThan(1.2);
  });

  test("counts limits in", async () => {
    const plan = planOf({ a: [], b: [] }, { b: { tool_id: "a" } });
    const { certificate } = await run(plan, {
      executors: [tools({ a: () => sleep(20) })],
      limits: { resources: { a: 1 } },
    });
    expect(certificate.lowerBoundMs).toBeGreaterThan(38);
    expect(certificate.ratio).toBeGreaterThanOrEqual(1);
  });

  test("an empty plan has ratio 1", async () => {
    const result = await run({ planned_tasks: [] }, { executors: [] });
    expect(result).toMatchObject({ end_reason: "completed", results: [], certificate: { ratio: 1 } });
  });
});

describe("agents", () => {
  const ask = async (reply: unknown) => {
    const agent = defineAgent({ id: "ada", description: "", send: () => reply as never });
    const plan = planOf({ a: [] }, { a: { execution_type: "agent", tool_id: null, agent_id: "ada" } });
    const { results } = await run(plan, { executors: [agentExecutor([agent])] });
    return results[0];
  };

  test("their data is the output", async () => {
    expect(await ask({ success: true, data: { r: 1 } })).toMatchObject({ status: "completed", output: { r: 1 } });
  });
  test("their refusal is the task's error", async () => {
    expect(await ask({ success: false, message: "no" })).toMatchObject({
      status: "failed",
      error: { code: "TASK_AGENT_REFUSED", message: "no" },
    });
  });
  test("anything else is no answer", async () => {
    expect(await ask("hello")).toMatchObject({ status: "failed", error: { code: "TASK_FAILED" } });
  });
});

describe("invalid input rejects before anything runs", () => {
  test.for([
    [
      "a cycle",
      {
        planned_tasks: [
          { task_id: "a", dependencies: ["b"] },
          { task_id: "b", dependencies: ["a"] },
        ],
      },
      {},
      "RUNTIME_INVALID_PLAN",
    ],
    ["an unknown dependency", { planned_tasks: [{ task_id: "a", dependencies: ["zz"] }] }, {}, "RUNTIME_INVALID_PLAN"],
    ["an id twice", { planned_tasks: [{ task_id: "a" }, { task_id: "a" }] }, {}, "RUNTIME_INVALID_PLAN"],
    [
      "a name for two things",
      { planned_tasks: [{ task_id: "a", result_variable: "v" }], variables: { v: 1 } },
      {},
      "RUNTIME_INVALID_PLAN",
    ],
    [
      "a variable that is a task",
      { planned_tasks: [{ task_id: "a" }] },
      { variables: { a: 1 } },
      "RUNTIME_INVALID_PLAN",
    ],
    ["no plan", null, {}, "RUNTIME_INVALID_PLAN"],
    ["wrong types", { planned_tasks: [{ task_id: 5 }] }, {}, "RUNTIME_INVALID_PLAN"],
    ["concurrency 0", { planned_tasks: [] }, { concurrency: 0 }, "RUNTIME_INVALID_OPTION"],
    ["concurrency 1.5", { planned_tasks: [] }, { concurrency: 1.5 }, "RUNTIME_INVALID_OPTION"],
    ["a wrong limit", { planned_tasks: [] }, { limits: { kinds: { tool: -1 } } }, "RUNTIME_INVALID_OPTION"],
    ["an input that is no JSON", { planned_tasks: [] }, { input: { f: () => 1 } }, "RUNTIME_INVALID_OPTION"],
  ] as const)("%s", async ([, plan, options, code]) => {
    await expect(run(plan as never, { executors: [], ...(options as object) })).rejects.toMatchObject({
      name: "RuntimeError",
      code,
    });
  });

  test("the path of a cycle is told", async () => {
    const cycle = {
      planned_tasks: [
        { task_id: "a", dependencies: ["b"] },
        { task_id: "b", dependencies: ["a"] },
      ],
    };
    await expect(run(cycle, { executors: [] })).rejects.toMatchObject({ details: { path: ["a", "b", "a"] } });
  });

  test("two tools of one id", async () => {
    const executors = [tools({ a: echo }), tools({ a: echo })];
    await expect(run({ planned_tasks: [] }, { executors })).rejects.toMatchObject({
      code: "RUNTIME_DUPLICATE_RESOURCE",
    });
  });
});
