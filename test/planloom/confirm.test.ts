import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  approve,
  type Confirm,
  defineAgent,
  defineTool,
  defineWorkflow,
  memoryJournal,
  Planloom,
  type PlanloomOptions,
  SqliteJournal,
  TaskData,
  waitingFor,
} from "planloom";
import { handlePlanTool } from "planloom/plan-tools";
import { scriptedController, scriptedModel } from "planloom/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";

let called: string[] = [];
beforeEach(() => {
  called = [];
});
const noting = (id: string, declared: { readOnly?: boolean; destructive?: boolean } = {}) =>
  defineTool({
    id,
    description: `Does ${id}`,
    ...declared,
    input: z.looseObject({}),
    execute: () => {
      called.push(id);
      return { id };
    },
  });
const tools = [
  noting("look", { readOnly: true }),
  noting("write"),
  noting("erase", { destructive: true }),
  noting("odd", { readOnly: false, destructive: true }),
];
const task = (tool_id: string, more = {}) => ({ task_id: tool_id, execution_type: "tool" as const, tool_id, ...more });
const data = [
  task("look"),
  task("write", { dependencies: ["look"], arguments: { id: "${look.id}" } }),
  task("erase"),
  task("odd"),
];
const seen = TaskData.parse({ planned_tasks: data });
const planning = (steps: readonly unknown[] = data, options: PlanloomOptions = {}) =>
  new Planloom({ controller: scriptedController([{ phase1: { success: true, data: steps } }]), tools, ...options });
const waitingIn = (result: { readonly results: readonly { status: string; task_id: string }[] }) =>
  result.results.filter(({ status }) => status === "waiting_approval").map(({ task_id }) => task_id);

test.each<[string, Confirm, string | undefined]>([
  [
    "throws",
    () => {
      throw new Error("no such user");
    },
    "`confirm` threw: no such user",
  ],
  ["is async", (async () => false) as never, "cannot be async"],
  ["says so", () => true, undefined],
])("the question says why it is asked where `confirm` %s", async (_, confirm, why) => {
  const journal = memoryJournal();
  await using planloom = new Planloom({ tools, confirm, journal });
  const asked = await planloom.run(TaskData.parse({ planned_tasks: [task("look"), task("erase")] }));
  const questions = asked.results.map(({ question }) => question?.confirm_error);
  if (why === undefined) expect(questions).toEqual([undefined, undefined]);
  else for (const question of questions) expect(question).toContain(why);
  // It is no part of what the answer is bound to.
  for (const id of ["look", "erase"]) await approve(asked.run_id, id, { journal });
  const { end_reason } = await planloom.resume(asked.run_id);
  expect(end_reason).toBe("completed");
});

describe("what is asked about", () => {
  const rows: readonly [string, Confirm | undefined, readonly string[], readonly string[]][] = [
    ["a goal", undefined, ["write", "erase", "odd"], ["erase", "odd"]],
    ["writes", "writes", ["write", "erase", "odd"], ["write", "erase", "odd"]],
    ["destructive", "destructive", ["erase", "odd"], ["erase", "odd"]],
    ["never", "never", [], []],
    ["a function", ({ uid }) => uid === "look", ["look"], ["look"]],
    [
      "a function that throws",
      () => {
        throw new Error("no");
      },
      ["look", "erase", "odd"],
      ["look", "erase", "odd"],
    ],
    ["a function that is async", (async () => false) as never, ["look", "erase", "odd"], ["look", "erase", "odd"]],
  ];
  test.for(rows)(
    "%s: of a goal, of a plan handed in, and as one option of all runs",
    async ([, confirm, goal, plan]) => {
      const options = confirm === undefined ? {} : { confirm };
      await using once = planning();
      const ofGoal = await once.run("g", options);
      expect(waitingIn(ofGoal)).toEqual(goal);
      expect(called.filter((id) => goal.includes(id))).toEqual([]);
      expect(waitingIn(await once.run(seen, options))).toEqual(plan);
      await using always = planning(data, options);
      expect(waitingIn(await always.run("g", { confirm: undefined }))).toEqual(goal);
      expect(waitingIn(await always.run(seen))).toEqual(plan);
      const dry = always.dryRun(seen).steps.filter(({ needs_approval }) => needs_approval);
      // What waits for a task that waits is shown as well.
      expect(new Set(dry.map(({ task_id }) => task_id))).toEqual(
        new Set(
          confirm === undefined || typeof confirm === "string" ? plan : plan.length === 1 ? plan : [...plan, "write"],
        ),
      );
    },
  );

  test("approval.allow names resources that nobody is asked about; gates stay", async () => {
    await using planloom = planning([task("write"), task("erase", { approval: "required" })]);
    const result = await planloom.run("g", { approval: { allow: ["write", "erase"] } });
    expect(waitingIn(result)).toEqual(["erase"]);
    expect(called).toEqual(["write"]);
    const misspelt = planloom.run(seen, { approval: { allow: ["wriet"] } });
    await expect(misspelt).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
      details: { option: "approval.allow" },
    });
    const odd = planloom.run(seen, { confirm: "sometimes" as never });
    await expect(odd).rejects.toMatchObject({ code: "PLANLOOM_OPTION", details: { option: "confirm" } });
  });

  test("workflows and agents that are a model are not asked about; the calls they make are", async () => {
    const workflow = defineWorkflow({
      id: "flow",
      description: "Looks, writes",
      plan: { planned_tasks: [task("look"), task("write")] },
    });
    const model = scriptedModel([
      {
        toolCalls: [
          { id: "1", name: "look", arguments: "{}" },
          { id: "2", name: "write", arguments: "{}" },
        ],
      },
    ]);
    const worker = defineAgent({ id: "worker", description: "Works", model, tools: ["look", "write"] });
    const courier = defineAgent({
      id: "courier",
      description: "Far away",
      send: () => ({ success: true, data: called.push("courier") }),
    });
    const reader = defineAgent({
      id: "reader",
      description: "Reads far away",
      readOnly: true,
      send: () => ({ success: true, data: called.push("reader") }),
    });
    const steps = [
      { task_id: "reader", execution_type: "agent", agent_id: "reader", arguments: { prompt: "Do it." } },
      { task_id: "flow", execution_type: "dsl", parameters: { uid: "flow" }, arguments: { prompt: "Do it." } },
      { task_id: "worker", execution_type: "agent", agent_id: "worker", arguments: { prompt: "Do it." } },
      { task_id: "courier", execution_type: "agent", agent_id: "courier", arguments: { prompt: "Do it." } },
    ];
    await using planloom = planning(steps, { workflows: [workflow], agents: [worker, courier, reader] });
    const result = await planloom.run("g");
    expect(result.end_reason).toBe("waiting_approval");
    expect(called.toSorted()).toEqual(["look", "look", "reader"]);
    const journal = await planloom.journal();
    const asked = (await waitingFor(result.run_id, { journal })).map(({ uid }) => uid);
    expect(asked.toSorted()).toEqual(["courier", "write", "write"]);
  });
});

describe("every door", () => {
  test("a stream of a plan starts no write before the yes", async () => {
    const call = (each: unknown) => JSON.stringify(each);
    const model = scriptedModel([`{"tasks":[${[task("look"), task("write")].map(call).join(",")}]}`]);
    await using planloom = new Planloom({ model, tools });
    const result = await planloom.run(planloom.planStream("g"));
    expect(called).toEqual(["look"]);
    expect(waitingIn(result)).toEqual(["write"]);
  });

  test("plan tools ask, also about a plan that was made before, and hand on the questions", async () => {
    for (const confirm of [undefined, "never"] as const) {
      called = [];
      await using planloom = planning([task("write", { arguments: { to: "all" } })]);
      const options = { planloom, ...(confirm !== undefined && { confirm }) };
      const { plan_id } = JSON.parse(await handlePlanTool("plan_create", { goal: "g" }, options));
      const answer = JSON.parse(await handlePlanTool("plan_execute", { plan_id }, options));
      expect(called).toEqual(confirm === undefined ? [] : ["write"]);
      expect(answer.questions).toEqual(
        confirm === undefined ? [{ id: "write", tool: "write", arguments: { to: "all" } }] : undefined,
      );
    }
    await using planloom = planning([task("write")]);
    const answer = JSON.parse(await handlePlanTool("plan_create_and_execute", { goal: "g" }, { planloom }));
    expect(answer).toMatchObject({ success: false, end_reason: "waiting_approval", questions: [{ id: "write" }] });
  });

  test("calls of a plan-execute loop are asked about", async () => {
    const model = scriptedModel([{ toolCalls: [{ id: "1", name: "write", arguments: '{"n":1}' }] }, "done"]);
    const journal = memoryJournal();
    await using planloom = new Planloom({ model, tools, journal });
    const roles = { planner: () => ["Write"], replanner: () => ({ respond: "ok" }) };
    const first = await planloom.planExecute("Go", roles);
    expect(first).toMatchObject({ end_reason: "waiting_approval", waiting: [{ uid: "write", input: { n: 1 } }] });
    expect(called).toEqual([]);
    await approve(first.run_id, first.waiting[0]!.id, { journal });
    expect((await planloom.resumePlanExecute(first.run_id, roles)).end_reason).toBe("responded");
    expect(called).toEqual(["write"]);
  });

  test("a resumed run and a fork ask as the run did, in another process too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "planloom-"));
    try {
      const file = join(folder, "j.sqlite");
      const first = planning(data, { journal: file });
      const { run_id } = await first.run("g");
      await first.close();
      await using second = new Planloom({ tools, journal: file });
      expect(waitingIn(await second.resume(run_id))).toEqual(["write", "erase", "odd"]);
      expect(waitingIn(await second.fork(run_id, "look"))).toEqual(["write", "erase", "odd"]);
      await approve(run_id, "write", { journal: await second.journal() });
      expect(waitingIn(await second.resume(run_id))).toEqual(["erase", "odd"]);
      expect(waitingIn(await second.resume(run_id, { approval: { allow: ["odd"] } }))).toEqual(["erase"]);
      expect((await second.resume(run_id, { confirm: "never" })).end_reason).toBe("completed");
      expect(called.toSorted()).toEqual(["erase", "look", "look", "odd", "write"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("a policy of one's own is given again, by the instance or by the call", async () => {
    const journal = await SqliteJournal.open(":memory:");
    const confirm: Confirm = ({ uid }) => uid === "look";
    await using first = planning(data, { journal, confirm });
    const { run_id } = await first.run("g");
    await using without = new Planloom({ tools, journal });
    await expect(without.resume(run_id)).rejects.toMatchObject({ details: { option: "confirm" } });
    expect(waitingIn(await first.resume(run_id))).toEqual(["look"]);
    expect(waitingIn(await without.resume(run_id, { confirm: "writes" }))).toEqual(["write"]);
    await journal.close();
  });
});
