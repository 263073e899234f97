import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, folderPlans, memoryPlans, Planloom, type PlanloomOptions, TaskData } from "planloom";
import { handlePlanCommand, handlePlanTool, parsePlanCommand, planTools } from "planloom/plan-tools";
import { scriptedController } from "planloom/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const steps = [
  { task_id: "a", execution_type: "tool", tool_id: "number", title: "Take a number" },
  { task_id: "b", execution_type: "tool", tool_id: "double", arguments: { n: "${a}" }, dependencies: ["a"] },
];
let calls = 0;
const tools = [
  defineTool({ id: "number", description: "A number", execute: () => 4 }),
  defineTool({
    id: "double",
    description: "Twice a number",
    input: z.object({ n: z.number() }),
    execute: ({ n }) => {
      calls += 1;
      return n * 2;
    },
  }),
];
const answering = (...data: unknown[]) =>
  scriptedController(data.map((value) => ({ phase1: { success: true, data: value } })));
const wired = (options: PlanloomOptions = {}) =>
  new Planloom({ controller: answering(steps), tools, confirm: "never", ...options });
const ask = async (planloom: Planloom, name: string, args: unknown, more = {}) =>
  JSON.parse(await handlePlanTool(name, args, { planloom, ...more }));

describe("plan tools", () => {
  test("are OpenAI function definitions", () => {
    expect(planTools().map((tool) => [tool.type, tool.function.name, tool.function.parameters.required])).toEqual([
      ["function", "plan_create", ["goal"]],
      ["function", "plan_execute", ["plan_id"]],
      ["function", "plan_create_and_execute", ["goal"]],
    ]);
  });

  test("create, then execute what was created, with progress step by step", async () => {
    await using planloom = wired();
    const created = await ask(planloom, "plan_create", { goal: "Twice a number" });
    expect(created).toMatchObject({
      step_count: 2,
      steps: [
        { index: "a", title: "Take a number", tool: "number", depends_on: [] },
        { index: "b", tool: "double", arguments: { n: "${a}" }, depends_on: ["a"] },
      ],
    });
    const seen: string[] = [];
    const onEvent = (event: { type: string }) => seen.push(event.type);
    const executed = await ask(planloom, "plan_execute", JSON.stringify({ plan_id: created.plan_id }), { onEvent });
    expect(executed).toMatchObject({
      success: true,
      plan_id: created.plan_id,
      end_reason: "completed",
      steps_completed: 2,
      steps_total: 2,
      results: { a: 4, b: 8 },
    });
    expect(seen.filter((type) => type === "task-end")).toHaveLength(2);
    expect((await (await planloom.journal()).getRun(executed.run_id)).status).toBe("completed");
  });

  test("variables that the plan does not have are reported, and nothing runs", async () => {
    await using planloom = wired();
    const plans = memoryPlans();
    await plans.save(TaskData.parse({ task_id: "p", variables: { n: 1 }, planned_tasks: [steps[0]] }));
    const execute = (variables: unknown) => ask(planloom, "plan_execute", { plan_id: "p", variables }, { plans });
    expect(await execute({ m: 2 })).toEqual({ error: 'The plan has no variable "m".', variables: ["n"] });
    expect(await execute("n=2")).toEqual({ error: "The variables must be an object of values by name." });
    expect(await execute({ n: 2 })).toMatchObject({ success: true });
    expect(await execute(null)).toMatchObject({ success: true });
  });

  test("a failing step is an answer, not an exception", async () => {
    const failing = defineTool({
      id: "number",
      description: "None",
      execute: () => {
        throw new Error("no numbers today");
      },
    });
    await using planloom = wired({ tools: [failing, tools[1]!] });
    expect(await ask(planloom, "plan_create_and_execute", { goal: "Twice a number" })).toMatchObject({
      success: false,
      error: "Step a failed: no numbers today",
      steps_completed: 0,
      not_completed: [
        { step: "a", status: "failed" },
        { step: "b", status: "skipped" },
      ],
    });
  });

  test("a step that waits for a person says so", async () => {
    const gated = [steps[0], { ...steps[1], approval: "required" }];
    await using planloom = wired({ controller: answering(gated) });
    expect(await ask(planloom, "plan_create_and_execute", { goal: "Twice a number" })).toMatchObject({
      success: false,
      end_reason: "waiting_approval",
      error:
        "Step b waits for a person to approve its call (see questions); the run goes on when it is resumed after that.",
    });
  });

  test.for([
    { name: "plan_other", args: {}, error: "Unknown plan tool: plan_other" },
    { name: "toString", args: {}, error: "Unknown plan tool: toString" },
    { name: "plan_create", args: {}, error: "Goal description is required." },
    { name: "plan_create", args: { goal: 4 }, error: "Goal description is required." },
    { name: "plan_create", args: "{", error: "The arguments are not a JSON object." },
    { name: "plan_execute", args: null, error: "Plan ID is required." },
    { name: "plan_execute", args: { plan_id: "../x" }, error: "Plan not found: ../x" },
  ])("$name with $args: $error", async ({ name, args, error }) => {
    await using planloom = wired();
    expect(await ask(planloom, name, args)).toEqual({ error });
  });

  test("a planner without a valid plan, and one that is down, are distinguished", async () => {
    await using empty = wired({ controller: answering([], [], []) });
    expect(await ask(empty, "plan_create", { goal: "g" })).toMatchObject({ error: "Failed to generate a valid plan." });
    const down = { ...answering(), processPhase1: () => Promise.reject(new Error("down")) };
    await using broken = wired({ controller: down });
    expect(await ask(broken, "plan_create", { goal: "g" })).toEqual({ error: "Plan creation failed: down" });
  });

  test("a long answer is cut and says so", async () => {
    const long = defineTool({ id: "number", description: "Long", execute: () => '"é😀\n'.repeat(20_000) });
    const one = [{ task_id: "a", execution_type: "tool", tool_id: "number" }];
    await using planloom = wired({ controller: answering(one), tools: [long] });
    const text = await handlePlanTool("plan_create_and_execute", { goal: "g" }, { planloom, maxCharacters: 5_000 });
    expect(text.length).toBeLessThanOrEqual(5_000);
    expect(text.length).toBeGreaterThan(3_000);
    const { success, results } = JSON.parse(text);
    expect(success).toBe(true);
    expect(results.a).toMatchObject({ cut: true, characters: expect.any(Number) });
  });

  test("of more steps than have room the results of the last ones are kept, and the others are counted", async () => {
    const wordy = defineTool({ id: "number", description: "Long", execute: () => "word ".repeat(200) });
    const ids = Array.from({ length: 60 }, (_, number) => `s${number}`);
    const many = ids.map((task_id) => ({ task_id, execution_type: "tool", tool_id: "number" }));
    const last = { task_id: "last", execution_type: "tool", tool_id: "number", dependencies: ids };
    await using planloom = wired({ controller: answering([...many, last]), tools: [wordy] });
    const text = await handlePlanTool("plan_create_and_execute", { goal: "g" }, { planloom, maxCharacters: 5_000 });
    const { results, results_left_out } = JSON.parse(text);
    expect([Object.keys(results), results_left_out]).toEqual([["last"], 60]);
  });

  test("an abort while planning rejects with its reason", async () => {
    await using planloom = wired();
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(handlePlanTool("plan_create", { goal: "g" }, { planloom, signal })).rejects.toThrow("enough");
  });
});

const plan = (task_id: string) => TaskData.parse({ task_id, planned_tasks: steps });

describe.each(["folder", "memory"])("plans kept in a %s", (kind) => {
  const withStore = async (use: (store: ReturnType<typeof memoryPlans>, folder: string) => Promise<void>) => {
    const folder = await mkdtemp(join(tmpdir(), "planloom-plans-"));
    try {
      await use(kind === "folder" ? folderPlans(join(folder, "plans")) : memoryPlans(), folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  test("are found and deleted by whole ids, and listed", () =>
    withStore(async (store) => {
      expect(await store.list()).toEqual([]);
      for (const id of ["ab", "abc", "b1"]) await store.save(plan(id));
      expect((await store.load("ab")).task_id).toBe("ab");
      expect((await store.load("abc")).planned_tasks).toHaveLength(2);
      const missing = (candidates: string[]) => ({ code: "PLANLOOM_PLAN_NOT_FOUND", details: { candidates } });
      await expect(store.load("a")).rejects.toMatchObject({ code: "PLANLOOM_PLAN_NOT_FOUND" });
      await expect(store.load("b")).rejects.toMatchObject(missing(["b1"]));
      await expect(store.load("")).rejects.toMatchObject(missing([]));
      await expect(store.delete("zz")).rejects.toMatchObject(missing([]));
      await expect(store.delete("b")).rejects.toMatchObject(missing(["b1"]));
      const idsOf = async (prefix: string) => (await store.find(prefix)).map(({ id }) => id).sort();
      expect(await Promise.all(["a", "ab", "b", "", "z"].map(idsOf))).toEqual([["ab", "abc"], ["ab"], ["b1"], [], []]);
      expect(await store.delete("b1")).toBe("b1");
      expect((await store.list()).map(({ id }) => id).sort()).toEqual(["ab", "abc"]);
    }));

  test("are the store's own", () =>
    withStore(async (store) => {
      const mine = plan("mine");
      await store.save(mine);
      mine.planned_tasks.length = 0;
      (await store.load("mine")).planned_tasks.length = 1;
      expect((await store.load("mine")).planned_tasks).toHaveLength(2);
    }));

  test("leave the folder by no id, and take no other file for a plan", () =>
    withStore(async (store, folder) => {
      if (kind === "memory") return;
      await expect(store.save(plan("../out"))).rejects.toMatchObject({ code: "PLANLOOM_PLAN_ID" });
      expect(await readdir(folder)).toEqual([]);
      await store.save(plan("p"));
      await writeFile(join(folder, "plans", "notes.txt"), "");
      await writeFile(join(folder, "plans", "p_state.json"), '{"plan_id": "p", "completed_steps": []}');
      expect((await store.list()).map(({ id }) => id)).toEqual(["p"]);
      await store.save(plan("p_state"));
      expect((await store.list()).map(({ id }) => id).sort()).toEqual(["p", "p_state"]);
    }));
});

describe("/plan", () => {
  test.for([
    { line: "", read: { action: "list" } },
    { line: "create read  then write", read: { action: "create", description: "read then write" } },
    { line: "run abc --dry-run", read: { action: "run", planId: "abc", dryRun: true } },
    { line: "run --dry-run abc", read: { action: "run", planId: "abc", dryRun: true } },
    { line: "delete abc", read: { action: "delete", planId: "abc" } },
  ])("reads '$line'", ({ line, read }) => expect(parsePlanCommand(line)).toEqual(read));

  test.for([
    { line: "create", message: "Description required. Usage: /plan create <description>" },
    { line: "run --dry-run", message: "Plan ID required. Usage: /plan run <id>" },
    {
      line: "constructor",
      message: "Unknown action: constructor. Use create, list, show, run, delete, or resume.",
    },
    { line: "show nope", message: "Plan not found: nope" },
    { line: "resume nope", message: "No checkpoint found for plan nope. Use /plan run instead." },
  ])("refuses '$line'", async ({ line, message }) => {
    await using planloom = wired();
    const answer = handlePlanCommand(line, { planloom, plans: memoryPlans() });
    await expect(answer).rejects.toMatchObject({ code: "PLANLOOM_COMMAND", message });
  });

  test("goes from creation to resumption", async () => {
    await using planloom = wired();
    const plans = memoryPlans();
    const command = (line: string) => handlePlanCommand(line, { planloom, plans });
    await command("create Twice a number");
    const id = (await plans.list())[0]!.id;
    expect((await command("list")).text).toMatch(new RegExp(`^${id}  \\S`));
    const before = calls;
    expect(JSON.parse((await command(`run --dry-run ${id}`)).text)).toHaveLength(2);
    expect(calls).toBe(before);
    const { run } = await command(`run ${id}`);
    expect(run?.end_reason).toBe("completed");
    // A person types the beginning of an id.
    const resumed = await command(`resume ${id.slice(0, 8)}`);
    expect(resumed.run?.run_id).toBe(run?.run_id);
    expect(calls).toBe(before + 1);
    await command(`delete ${id}`);
    expect((await command("list")).text).toBe("No plans saved.");
  });

  test("the beginning of an id that fits two plans names neither", async () => {
    await using planloom = wired();
    const plans = memoryPlans();
    for (const task_id of ["order-47", "order-4711"])
      await plans.save(TaskData.parse({ task_id, planned_tasks: steps }));
    const command = (line: string) => handlePlanCommand(line, { planloom, plans });
    await expect(command("delete order-4")).rejects.toMatchObject({
      code: "PLANLOOM_COMMAND",
      message: expect.stringMatching(
        /^Several plans start with order-4: order-\d+, order-\d+\. Type more of the id\.$/,
      ),
    });
    await command("delete order-47");
    expect((await plans.list()).map(({ id }) => id)).toEqual(["order-4711"]);
  });
});
