import { draftPatch, type PlannerTaskInput, type PlanPatch, planHashes } from "@planloom/plan";
import {
  agentExecutor,
  approve,
  defineAgent,
  defineTool,
  fork,
  type Journal,
  memoryJournal,
  type Replan,
  type ReplanRegion,
  type ResumeOptions,
  type RunOptions,
  replay,
  resume,
  run,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { planOf, recorder, sleep, statuses } from "../../support/run-plans.ts";

type Handler = (input: Record<string, unknown>, context: { signal: AbortSignal }) => unknown;
const tools = (handlers: Record<string, Handler>) => [
  toolExecutor(Object.entries(handlers).map(([id, execute]) => defineTool({ id, description: id, execute }))),
];
const fails: Handler = () => {
  throw new Error("kaput");
};
const echo: Handler = (input) => ({ got: input });
const ask = (region: ReplanRegion, change: (id: string) => PlannerTaskInput | undefined): PlanPatch => {
  const drop: string[] = [];
  const tasks = region.marked.flatMap((id) => {
    const old = region.plan.planned_tasks.find(({ task_id }) => task_id === id)!;
    const next = change(id);
    if (next === undefined) drop.push(id);
    return next === undefined ? [] : [{ ...old, main_task_id: "", ...next, replaces: [id] }];
  });
  const { patch, issues } = draftPatch(region.plan, { tasks, drop });
  if (patch === undefined) throw new Error(issues[0]?.message);
  return patch;
};
/** Puts another tool in the place of whatever failed. */
const useInstead =
  (tool_id: string): Replan =>
  async (region) =>
    ask(region, () => ({ tool_id }));

describe("on failure", () => {
  test("the failed task is replaced, what needs it goes on with the new one, and the rest never waits", async () => {
    const { events, onEvent, types } = recorder();
    const plan = planOf(
      { a: [], b: ["a"], c: [], d: ["c"], e: [] },
      {
        b: { arguments: { x: "${a.got}" } },
        d: { arguments: { y: "${c}" } },
        e: { arguments: { both: ["${b}", "${d}"] } },
      },
    );
    const order: string[] = [];
    const result = await run(plan, {
      executors: tools({
        a: fails,
        b: echo,
        c: echo,
        d: (input) => {
          order.push("d");
          return input;
        },
        e: echo,
        spare: echo,
      }),
      replanPolicy: { on: ["failure"] },
      replan: async (region) => {
        await sleep(20);
        order.push("answer");
        return ask(region, () => ({ tool_id: "spare", arguments: { n: 1 } }));
      },
      onEvent,
    });
    expect(result.end_reason).toBe("completed");
    expect(order).toEqual(["d", "answer"]);
    expect(statuses(result)).toEqual({
      a_2: "completed",
      b: "completed",
      c: "completed",
      d: "completed",
      e: "completed",
    });
    expect(result.results[1]?.input).toEqual({ x: { n: 1 } });
    expect(result).toMatchObject({ replanned: true, replaced: [{ task_id: "a", status: "failed" }] });
    expect(result.plan.planned_tasks[0]).toMatchObject({ task_id: "a_2", main_task_id: "a" });
    expect(types().filter((type) => type.startsWith("patch"))).toEqual(["patch-request", "patch-apply"]);
    const applied = events.findIndex(({ type }) => type === "patch-apply");
    const started = events.findIndex((event) => event.type === "task-start" && event.taskId === "a_2");
    expect(applied).toBeLessThan(started);
    expect(types()).not.toContain("task-skip");
    const before = planHashes(plan);
    for (const [id, { definition_hash }] of planHashes(result.plan)) {
      if (id !== "a_2") expect(definition_hash).toBe(before.get(id)?.definition_hash);
    }
  });

  test("nothing is asked without a policy; a task may ask for itself", async () => {
    let asked = 0;
    const replan: Replan = async (region) => {
      asked++;
      return ask(region, () => ({ tool_id: "spare" }));
    };
    const executors = tools({ a: fails, b: fails, spare: echo });
    expect((await run(planOf({ a: [] }), { executors, replan })).end_reason).toBe("failed");
    expect(asked).toBe(0);
    const own = planOf({ a: [], b: [] }, { a: { on_failure: "replan" } });
    expect(statuses(await run(own, { executors, replan }))).toEqual({ a_2: "completed", b: "failed" });
    expect(asked).toBe(1);
    const contained = planOf({ a: [] }, { a: { on_failure: "continue" } });
    await run(contained, { executors, replan, replanPolicy: {} });
    expect(asked).toBe(1);
  });

  test("a task may become several, or none", async () => {
    const plan = planOf({ a: [], b: ["a"], alone: [] }, { b: { arguments: { x: "${a}" } } });
    const result = await run(plan, {
      executors: tools({ a: fails, alone: fails, b: echo, first: () => 3, second: ({ n }) => Number(n) + 1 }),
      replanPolicy: {},
      replan: async ({ plan: now }) =>
        draftPatch(now, {
          tasks: [
            { task_id: "a1", execution_type: "tool", tool_id: "first", replaces: ["a"] },
            { task_id: "a2", execution_type: "tool", tool_id: "second", arguments: { n: "${a1}" }, replaces: ["a"] },
          ],
          drop: ["alone"],
        }).patch,
    });
    expect(statuses(result)).toEqual({ a1: "completed", a2: "completed", b: "completed" });
    expect(result.output_data).toEqual({ b: { got: { x: 4 } } });
  });

  test("failures of one moment are asked about together, later ones afterwards", async () => {
    const asked: (readonly string[])[] = [];
    const result = await run(planOf({ a: [], b: [], c: [] }), {
      executors: tools({
        a: fails,
        b: fails,
        c: () => sleep(10).then(() => Promise.reject(new Error("late"))),
        spare: echo,
      }),
      replanPolicy: {},
      replan: async (region) => {
        asked.push(region.marked);
        await sleep(30);
        return ask(region, (id) => ({ tool_id: "spare", arguments: { id } }));
      },
    });
    expect(asked).toEqual([["a", "b"], ["c"]]);
    expect(result.end_reason).toBe("completed");
  });
});

describe("ends", () => {
  const executors = tools({ a: fails, b: fails, c: fails, d: echo, bad: fails, worse: fails, spare: echo });

  test.for([
    { name: "nothing to change", replan: async () => undefined, code: "unchanged" },
    { name: "an error", replan: async () => Promise.reject(new Error("no")), code: "failed" },
    { name: "a patch that breaks something", replan: async () => ({ plan_id: "?" }) as never, code: "refused" },
    { name: "the same again", replan: useInstead("a"), code: "refused" },
  ])("$name: the plan stands, the failure takes effect", async ({ replan, code }) => {
    const { events, onEvent } = recorder();
    const result = await run(planOf({ a: [], d: ["a"], c: [] }, { c: { tool_id: "d" } }), {
      executors,
      replanPolicy: {},
      replan,
      onEvent,
    });
    expect(result).toMatchObject({ end_reason: "failed" });
    expect(result.replanned).toBeUndefined();
    expect(statuses(result)).toEqual({ a: "failed", d: "skipped", c: "completed" });
    expect(events.filter(({ type }) => type === "patch-refuse")).toMatchObject([{ taskIds: ["a"], code }]);
  });

  test("no answer in time", async () => {
    const result = await run(planOf({ a: [] }), {
      executors,
      abortGraceMs: 10,
      replanPolicy: { timeoutMs: 20 },
      replan: () => new Promise(() => {}),
    });
    expect(result.end_reason).toBe("failed");
  });

  test("`maxReplans` counts answers of no use too", async () => {
    let asked = 0;
    const replan: Replan = async () => {
      asked++;
      throw new Error("no");
    };
    const slow = tools({ a: fails, x: () => sleep(50), b: fails });
    const result = await run(planOf({ a: [], x: [], b: ["x"] }), {
      executors: slow,
      replan,
      replanPolicy: { maxReplans: 1 },
    });
    expect(asked).toBe(1);
    expect(result.end_reason).toBe("round_limit");
  });

  test("replans without progress end as stalled", async () => {
    let asked = 0;
    const replan: Replan = async (region) => ask(region, () => ({ tool_id: "bad", arguments: { n: asked++ } }));
    const result = await run(planOf({ a: [], d: ["a"] }), {
      executors,
      replan,
      replanPolicy: { maxReplans: 20, maxStalls: 3 },
    });
    expect(result.end_reason).toBe("stalled");
    expect(asked).toBe(3);
    expect(statuses(result)).toEqual({ a_4: "failed", d: "skipped" });
    expect(result.plan.planned_tasks[0]?.main_task_id).toBe("a");
  });

  test("what was replaced is not replaced again where recursion is off", async () => {
    const replan = useInstead("bad");
    const result = await run(planOf({ a: [] }), { executors, replan, replanPolicy: { recursive: false } });
    expect(result).toMatchObject({ end_reason: "failed", replanned: true });
    expect(result.revisions).toHaveLength(1);
  });

  test("cancelling ends the question, and the run", async () => {
    const controller = new AbortController();
    let told: unknown;
    const result = await run(planOf({ a: [], d: ["a"] }), {
      executors,
      signal: controller.signal,
      replanPolicy: {},
      replan: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            told = signal.reason;
            reject(told);
          });
          setTimeout(() => controller.abort(new Error("enough")), 5);
        }),
    });
    expect(told).toMatchObject({ message: "enough" });
    expect(result.end_reason).toBe("cancelled");
    expect(statuses(result)).toEqual({ a: "failed", d: "cancelled" });
  });
});

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

  test("a run that was halted asks nobody any more", async () => {
    let asked = 0;
    const plan = planOf({ a: [], b: [] }, { a: { on_failure: "halt" } });
    const result = await run(plan, {
      executors: tools({ a: fails, b: () => sleep(20).then(() => Promise.reject(new Error("late"))) }),
      replanPolicy: {},
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
  ])("$name that will not hold is told once, for all that has not begun", async ({ policy, cause, options }) => {
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

describe("the revision chain", () => {
  type Given = RunOptions & Pick<ResumeOptions, "journal">;
  const options = (journal: Journal, more: Partial<RunOptions> = {}): Given => ({
    executors: tools({ a: fails, b: echo, c: echo, d: echo, spare: () => ({ n: 5 }) }),
    runId: "r1",
    replanPolicy: {},
    replan: useInstead("spare"),
    ...more,
    journal,
  });
  const plan = planOf(
    { x: [], a: ["x"], b: [], c: [], d: ["a", "c"] },
    { x: { tool_id: "c" }, b: { arguments: { n: "${a.n}" } } },
  );

  test("verify, replay, resume and fork go by the plan as it was and is", async () => {
    const journal = memoryJournal();
    const result = await run(plan, options(journal));
    expect(result.end_reason).toBe("completed");
    const stored = await journal.getRun("r1");
    expect(stored.plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(["x", "a_2", "b", "c", "d"]);
    expect(stored.first_plan?.planned_tasks.map(({ task_id }) => task_id)).toEqual(["x", "a", "b", "c", "d"]);
    expect(stored.revisions).toMatchObject([{ causes: [{ task_id: "a", cause: "failure" }] }]);
    expect(planHashes(stored.plan)).toEqual(planHashes(result.plan));
    expect(await verifyRun(journal, "r1")).toMatchObject({ ok: true, problems: [] });
    expect(await replay("r1", { journal })).toMatchObject({ replayed: 5, unfinished: [] });
    expect((await journal.listRuns())[0]).toMatchObject({ tasks: 5, completed: 5, failed: 0 });
    const again = await resume("r1", options(journal));
    expect(again.results.every(({ recorded }) => recorded === true)).toBe(true);
    expect(again.replanned).toBe(true);
    const forked = await fork("r1", "a_2", { ...options(journal), runId: "r2" });
    expect(forked.results.filter(({ recorded }) => recorded !== true).map(({ task_id }) => task_id)).toEqual([
      "a_2",
      "b",
      "d",
    ]);
    expect(await verifyRun(journal, "r2")).toMatchObject({ ok: true });
  });

  test("a run that is cut off goes on with its revised plan, and counts its replans", async () => {
    const journal = memoryJournal();
    const controller = new AbortController();
    const first = await run(
      plan,
      options(journal, {
        signal: controller.signal,
        onEvent: (event) => {
          if (event.type === "patch-apply") controller.abort();
        },
      }),
    );
    expect(first.end_reason).toBe("cancelled");
    expect(first.plan.planned_tasks[1]?.task_id).toBe("a_2");
    const { runId: _, ...rest } = options(journal, { replanPolicy: { maxReplans: 1 } });
    const second = await resume("r1", rest);
    expect(second.end_reason).toBe("completed");
    expect(second.revisions).toHaveLength(1);
    expect(await verifyRun(journal, "r1")).toMatchObject({ ok: true, problems: [] });
  });

  test("the policy is kept with the run", async () => {
    const journal = memoryJournal();
    await run(
      plan,
      options(journal, { replan: async () => undefined, replanPolicy: { scope: "remaining", maxReplans: 1 } }),
    );
    const resumed = await resume("r1", { executors: options(journal).executors, journal, replan: useInstead("spare") });
    expect(resumed).toMatchObject({ end_reason: "completed", replanned: true });
  });

  test("approval is asked only for what changed", async () => {
    const journal = memoryJournal();
    const gated = planOf(
      { x: [], a: [], b: ["a"], free: [] },
      { x: { tool_id: "c", approval: "required" }, b: { approval: "required" }, free: { tool_id: "c" } },
    );
    const given = options(journal, { replanPolicy: { approval: "required" } });
    const waiting = (result: Awaited<ReturnType<typeof run>>) =>
      result.results.filter(({ status }) => status === "waiting_approval").map(({ task_id }) => task_id);
    const first = await run(gated, given);
    expect(waiting(first)).toEqual(["x", "a_2"]);
    expect(first.end_reason).toBe("waiting_approval");
    await approve("r1", "x", { journal });
    await approve("r1", "a_2", { journal });
    const { runId: _, ...rest } = given;
    const second = await resume("r1", rest);
    expect(waiting(second)).toEqual(["b"]);
    await approve("r1", "b", { journal });
    expect((await resume("r1", rest)).end_reason).toBe("completed");
  });

  test("a revision that cannot be kept ends the run before anything new starts", async () => {
    const journal = memoryJournal();
    const started: string[] = [];
    const racing: Replan = async (region, context) => {
      const patch = await useInstead("spare")(region, context);
      // Somebody else takes the run over meanwhile.
      const { addRevision } = journal;
      journal.addRevision = async (id, revision, owner) => {
        await addRevision(id, { ...revision, patch: { ...revision.patch, patch_id: "theirs" } }, owner);
        return addRevision(id, revision, owner);
      };
      return patch;
    };
    const onEvent: RunOptions["onEvent"] = (event) => {
      if (event.type === "task-start") started.push(event.taskId);
    };
    await expect(run(plan, options(journal, { replan: racing, onEvent }))).rejects.toMatchObject({
      code: "RUNTIME_REVISION_CONFLICT",
      details: { expected: "", actual: "theirs" },
    });
    expect(started).not.toContain("a_2");
  });
});
