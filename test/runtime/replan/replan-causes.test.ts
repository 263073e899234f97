import { draftPatch } from "@planloom/plan";
import {
  agentExecutor,
  defineAgent,
  defineTool,
  memoryJournal,
  type ReplanRegion,
  resume,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { ask, echo, fails, tools, useInstead } from "../../support/replans.ts";
import { planOf, recorder, statuses } from "../../support/run-plans.ts";

describe("other causes", () => {
  test("an output that fits no schema, or fails a check, is consumed by nobody", async () => {
    const consumed: unknown[] = [];
    const executors = [
      toolExecutor([
        defineTool({ id: "noisy", description: "", execute: () => ({ rows: [] }) }),
        defineTool({ id: "clean", description: "", execute: () => ({ rows: [1] }) }),
        defineTool({ id: "use", description: "", execute: (input) => void consumed.push(input) }),
      ]),
    ];
    const plan = planOf(
      { a: [], b: ["a"] },
      { a: { tool_id: "noisy" }, b: { tool_id: "use", arguments: { r: "${a.rows}" } } },
    );
    const causes: unknown[] = [];
    const result = await run(plan, {
      executors,
      replanPolicy: {
        on: [],
        check: (task, output) =>
          task.task_id.startsWith("a") && (output as { rows: unknown[] }).rows.length === 0 ? "no rows" : undefined,
      },
      replan: async (region) => {
        causes.push(...region.causes, region.failures.get("a"));
        return ask(region, () => ({ tool_id: "clean" }));
      },
    });
    expect(causes).toMatchObject([
      { task_id: "a", cause: "output" },
      { code: "TASK_OUTPUT_INVALID", details: { output: { rows: [] } } },
    ]);
    expect(consumed).toEqual([{ r: [1] }]);
    expect(result.end_reason).toBe("completed");
  });

  test("marked tasks are replaced before they run; what had consumed a marked output is done again", async () => {
    const done = { status: "completed" as const, output: { n: 1 } };
    const plan = planOf(
      { a: [], b: [], c: [], d: [] },
      {
        a: { ...done, mark_replan: true },
        b: { ...done, arguments: { x: "${a.n}" } },
        c: { arguments: { x: "${b.n}" } },
        d: done,
      },
    );
    const { events, onEvent } = recorder();
    const result = await run(plan, {
      executors: tools({ a: fails, b: ({ x }) => ({ n: Number(x) * 10 }), c: echo, d: fails, spare: () => ({ n: 7 }) }),
      replanPolicy: { on: ["marked"] },
      replan: useInstead("spare"),
      onEvent,
    });
    expect(events.find(({ type }) => type === "patch-apply")).toMatchObject({
      replaced: [{ task_id: "a", replaced_by: ["a_2"] }],
      renewed: [{ task_id: "b", new_task_id: "b_2" }],
    });
    expect(result.output_data).toEqual({ c: { got: { x: 70 } }, d: { n: 1 } });
    expect(statuses(result)).toEqual({ a_2: "completed", b_2: "completed", c: "completed", d: "completed" });
  });

  test("a resource that takes something else than before is looked at before its tasks run", async () => {
    let list = tools({ a: echo, b: echo })[0]!;
    const executor = {
      kind: "tool" as const,
      resources: () => list.resources(),
      execute: (step: never, context: never) => list.execute(step, context),
    };
    const asked: unknown[] = [];
    const result = await run(planOf({ a: [], b: ["a"], c: ["a"] }, { c: { tool_id: "gone" } }), {
      executors: [
        {
          ...executor,
          execute: async (step: never, context: never) => {
            const output = await list.execute(step, context);
            list = toolExecutor([
              defineTool({ id: "a", description: "a", execute: echo }),
              defineTool({ id: "b", description: "b", input: { type: "object", required: ["n"] }, execute: echo }),
            ]);
            return output;
          },
        },
      ],
      replanPolicy: { on: ["resource"] },
      replan: async (region) => {
        asked.push(...region.causes);
        const tasks = region.optional.map((id) => ({
          task_id: id,
          execution_type: "tool" as const,
          tool_id: "b",
          arguments: { n: 1 },
          replaces: [id],
        }));
        return draftPatch(region.plan, { tasks, drop: [...region.marked] }).patch;
      },
    });
    expect(asked).toMatchObject([
      { task_id: "b", cause: "resource" },
      { task_id: "c", cause: "resource" },
    ]);
    expect(statuses(result)).toEqual({ a: "completed", b_2: "completed" });
  });

  test("a tool that is gone is seen in the tasks of a list, before it begins and when an element fails", async () => {
    let list = tools({ a: echo, b: echo })[0]!;
    const executor = {
      kind: "tool" as const,
      resources: () => list.resources(),
      execute: async (step: never, context: never) => {
        const output = await list.execute(step, context);
        list = tools({ a: echo })[0]!;
        return output;
      },
    };
    const each = (id: string, tool_id: string) => ({
      task_id: id,
      tool_id: null,
      execution_type: "" as const,
      for_each: { items: [1], tasks: [{ task_id: `${id}_call`, tool_id }] },
    });
    const causes: unknown[] = [];
    const plan = planOf({ a: [], c: ["a"], d: [] }, { c: each("c", "b"), d: each("d", "b") });
    await run(plan, {
      executors: [executor],
      concurrency: 1,
      replanPolicy: { on: ["resource"] },
      replan: async (region) => {
        causes.push(...region.causes.map(({ task_id, cause }) => `${task_id} ${cause}`));
        return undefined;
      },
    });
    expect([...new Set(causes)].sort()).toEqual(["c resource", "d resource"]);
  });

  test("an output that does not fit its agent's schema fails, where outputs are watched", async () => {
    const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const agent = (id: string, answer: unknown) =>
      defineAgent({ id, description: id, output, send: async () => ({ success: true, data: answer }) });
    const executors = [agentExecutor([agent("wild", { n: "many" }), agent("tame", { n: 3 })])];
    const plan = planOf({ a: [] }, { a: { execution_type: "agent", tool_id: null, agent_id: "wild" } });
    const result = await run(plan, {
      executors,
      replanPolicy: { on: ["output"] },
      replan: async (region) => ask(region, () => ({ agent_id: "tame" })),
    });
    expect(result).toMatchObject({ end_reason: "completed", output_data: { a_2: { n: 3 } } });
    expect(result.replaced).toMatchObject([{ error: { code: "TASK_OUTPUT_INVALID" } }]);
  });

  test("a resource that changed between two sessions is looked at when the run goes on", async () => {
    const journal = memoryJournal();
    const plan = planOf({ a: [], b: ["a"], c: ["a"] });
    const tool = (id: string, more = {}) => defineTool({ id, description: id, execute: echo, ...more });
    const controller = new AbortController();
    await run(plan, {
      executors: [toolExecutor([tool("a"), tool("b"), tool("c")])],
      journal,
      runId: "r",
      concurrency: 1,
      signal: controller.signal,
      replanPolicy: { on: ["resource"] },
      replan: async () => undefined,
      onEvent: ({ type }) => {
        if (type === "task-end") controller.abort();
      },
    });
    const causes: unknown[] = [];
    const input = { type: "object", properties: { n: { type: "integer" } } };
    const resumed = await resume("r", {
      executors: [toolExecutor([tool("a"), tool("b", { input }), tool("c")])],
      journal,
      replan: async (region) => {
        causes.push(...region.causes, region.optional);
        return undefined;
      },
    });
    expect(causes).toMatchObject([{ task_id: "b", cause: "resource" }, ["b"]]);
    expect(resumed.end_reason).toBe("completed");
  });

  test.for([
    { name: "an agent that was upgraded", before: { version: "1.4" }, after: { version: "2.0" } },
    { name: "an agent that is reached elsewhere", before: { endpoint: "a" }, after: { endpoint: "b" } },
  ])("$name is looked at before its tasks run", async ({ before, after }) => {
    const agent = (more: object) =>
      agentExecutor([
        defineAgent({ id: "guide", description: "", send: () => ({ success: true, data: {} }), ...more }),
        defineAgent({ id: "other", description: "", send: () => ({ success: true, data: {} }) }),
      ]);
    let current = agent(before);
    const agents = {
      kind: "agent" as const,
      resources: () => current.resources(),
      execute: (step: never, context: never) => current.execute(step, context),
    };
    const asked: unknown[] = [];
    const upgrade = () => {
      current = agent(after);
      return {};
    };
    const by = (agent_id: string) => ({ execution_type: "agent" as const, tool_id: null, agent_id });
    const result = await run(planOf({ a: [], b: ["a"], c: ["a"] }, { b: by("guide"), c: by("other") }), {
      executors: [...tools({ a: upgrade }), agents],
      replanPolicy: { on: ["resource"] },
      replan: async ({ causes, marked, optional }) => {
        asked.push({ causes, marked, optional });
        return undefined;
      },
    });
    expect(asked).toMatchObject([{ causes: [{ task_id: "b", cause: "resource" }], marked: [], optional: ["b"] }]);
    expect(result.end_reason).toBe("completed");
  });

  test("a run that was halted asks nobody any more", async () => {
    let asked = 0;
    const { promise: halted, resolve: halt } = Promise.withResolvers<void>();
    const plan = planOf({ a: [], b: [] }, { a: { on_failure: "halt" } });
    const result = await run(plan, {
      executors: tools({ a: fails, b: () => halted.then(() => Promise.reject(new Error("late"))) }),
      replanPolicy: {},
      onEvent: ({ type }) => void (type === "task-error" && setImmediate(halt)),
      replan: async () => {
        asked++;
        return undefined;
      },
    });
    expect(asked).toBe(0);
    expect(statuses(result)).toEqual({ a: "failed", b: "failed" });
  });

  test.for([
    { name: "a deadline", policy: { deadlineMs: 50 }, cause: "deadline", options: {} },
    {
      name: "a budget",
      policy: { on: ["budget"] as const },
      cause: "budget",
      options: { budgets: { run: { cost: 15 } } },
    },
  ])("$name that will not hold is reported once, for all that has not begun", async ({ policy, cause, options }) => {
    const plan = planOf(
      { a: [], b: ["a"], c: ["b"] },
      {
        b: { estimate_data: { duration_ms: 5_000, cost: 10 } },
        c: { estimate_data: { duration_ms: 1_000, cost: 10 } },
      },
    );
    const asked: ReplanRegion[] = [];
    const executors = tools({ a: echo, b: echo, c: echo });
    const result = await run(plan, {
      ...options,
      executors,
      replanPolicy: policy,
      replan: async (region) => {
        asked.push(region);
        return undefined;
      },
    });
    expect(asked).toMatchObject([{ marked: [], optional: ["b", "c"], causes: [{ cause }] }]);
    expect(result.results.map(({ status }) => status).slice(0, 2)).toEqual(["completed", "completed"]);
  });

  test("what a review concerns does not start between the answer before it and its own question", async () => {
    const started: string[] = [];
    const regions: ReplanRegion[] = [];
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let failing = () => {};
    const failed = new Promise<void>((resolve) => {
      failing = resolve;
    });
    const result = await run(planOf({ a: [], b: [], c: ["b"] }), {
      executors: tools({
        a: fails,
        b: async () => failed,
        c: () => started.push("c"),
        spare: echo,
      }),
      replanPolicy: { on: ["failure"], every: 1, maxReplans: 2 },
      onEvent: (event) => {
        if (event.type === "task-end" && event.taskId === "b") setImmediate(answer);
      },
      replan: async (region) => {
        regions.push(region);
        if (regions.length > 1) return undefined;
        failing();
        await answered;
        expect(started).toEqual([]);
        return ask(region, () => ({ tool_id: "spare" }));
      },
    });
    expect(result.end_reason).toBe("completed");
    expect(regions[0]?.marked).toEqual(["a"]);
    expect(regions[1]?.optional).toContain("c");
    expect(started).toEqual(["c"]);
  });

  test("after every k tasks whatever has not begun may be changed", async () => {
    const asked: (readonly string[])[] = [];
    const result = await run(planOf({ a: [], b: ["a"], c: ["b"], d: ["c"] }), {
      executors: tools({ a: echo, b: echo, c: echo, d: echo }),
      replanPolicy: { every: 2, maxReplans: 9 },
      replan: async (region) => {
        asked.push(region.optional);
        return draftPatch(region.plan, { tasks: [], drop: ["d"] }).patch;
      },
    });
    expect(asked).toEqual([["c", "d"]]);
    expect(statuses(result)).toEqual({ a: "completed", b: "completed", c: "completed" });
  });
});
