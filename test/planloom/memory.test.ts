import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedController, MemoryController, type RememberedPlan } from "@planloom/embedded";
import { defineTool, memoryJournal, Planloom, type PlanloomOptions } from "planloom";
import { type ScriptedModel, scriptedModel } from "planloom/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-memory-"));
});
afterEach(() => rm(folder, { recursive: true }));

const asked: unknown[] = [];
const properties = { city: { type: "string" }, key: { type: "string" } };
const weather = defineTool({
  id: "get_weather",
  description: "The weather of a city",
  input: { type: "object", properties, required: ["city"] },
  readOnly: true,
  execute: (input) => {
    asked.push(input);
    return "sun";
  },
});
const plan = (city: string, more: object = {}) =>
  JSON.stringify({ tasks: [{ task_id: "t1", tool_id: "get_weather", arguments: { city, ...more }, for: city }] });

/** Fails where it is asked more often than it has answers. */
function instance(
  answers: string[],
  options: Partial<PlanloomOptions> = {},
): { planloom: Planloom; model: ScriptedModel } {
  const model = scriptedModel(answers);
  return { model, planloom: new Planloom({ model, tools: [weather], memory: true, ...options }) };
}

const cityOf = (made: { planned_tasks: readonly { arguments: Readonly<Record<string, unknown>> }[] }) =>
  made.planned_tasks[0]?.arguments.city;

test("a goal like that of a completed run is planned without a model, by another process too, and says where it comes from", async () => {
  const journal = join(folder, "runs.db");
  const first = instance([plan("Paris")], { journal });
  const { run_id } = await first.planloom.run("Show me the weather in Paris");
  await first.planloom.close();

  const { planloom, model } = instance([], { journal });
  const made = await planloom.plan("What's the weather in New York?");
  expect(cityOf(made)).toBe("New York");
  expect(made.metadata).toMatchObject({
    memory: {
      run_id,
      goal: "Show me the weather in Paris",
      differences: [{ task_id: "t1", argument: "city", before: "Paris", now: "New York" }],
    },
    planning: { model_calls: 0 },
  });
  expect(model.requests).toHaveLength(0);
  const { end_reason } = await planloom.run("Show the weather in Oslo, please");
  expect([end_reason, asked.at(-1)]).toEqual(["completed", { city: "Oslo" }]);
  await planloom.close();
});

describe("tenants of one journal", () => {
  const goal = "Show me the weather in Paris";

  test("one whose runs are older than those of a busy one still has its plans", async () => {
    const journal = join(folder, "runs.db");
    const busy = Array.from({ length: 12 }, () => plan("Oslo"));
    const { planloom } = instance([plan("Paris"), ...busy], { journal, memory: { maxPlans: 2 } });
    await planloom.run(goal, { tenant: "quiet" });
    for (const _ of busy) await planloom.run("Show me the weather in Oslo", { tenant: "busy", memory: false });
    const goalsOf = async (tenant?: string) => (await planloom.memory.list({ tenant })).map((each) => each.goal);
    expect([await goalsOf("quiet"), await goalsOf("busy"), await goalsOf()]).toEqual([
      [goal],
      ["Show me the weather in Oslo"],
      [],
    ]);
    await planloom.close();
  });

  test("a run is read once, whichever of them asks in between", async () => {
    const journal = memoryJournal();
    const { planloom } = instance([plan("Paris"), plan("Paris")], { journal });
    await planloom.run(goal, { tenant: "a" });
    await planloom.run(goal, { tenant: "b" });
    const getRun = vi.spyOn(journal, "getRun");
    for (const tenant of ["a", "b", "a", "b"]) expect(await planloom.memory.list({ tenant })).toHaveLength(1);
    expect(getRun).toHaveBeenCalledTimes(2);
  });
});

describe("what is not reused", () => {
  test("anything, unless the instance or the call says so", async () => {
    const journal = memoryJournal();
    await instance([plan("Paris")], { journal }).planloom.run("Show me the weather in Paris");
    const off = instance([plan("Rome")], { journal, memory: false });
    await off.planloom.plan("Show me the weather in Paris");
    const onceNot = instance([plan("Rome")], { journal });
    await onceNot.planloom.plan("Show me the weather in Paris", { memory: false });
    expect([off.model.requests, onceNot.model.requests].map((requests) => requests.length)).toEqual([1, 1]);
  });

  test("plans of runs that failed, and of plans that were made and never run", async () => {
    const failing = { ...weather, execute: () => Promise.reject(new Error("no")) };
    const { planloom } = instance([plan("Paris"), plan("Oslo")], { tools: [failing] });
    await planloom.run("Show me the weather in Paris");
    await planloom.plan("Show me the weather in Oslo");
    expect(await planloom.memory.list()).toEqual([]);
  });

  test("plans that more than the goal made: instructions, context, objectives", async () => {
    const { planloom } = instance([plan("Paris"), plan("Paris"), plan("Paris")]);
    const goal = "Show me the weather in Paris";
    await planloom.run(goal, { instructions: "Use Fahrenheit." });
    await planloom.run(goal, { context: { entities: ["city:Rome"] } });
    await planloom.run({ job_goal: goal, job_objectives: { quality: "best" } });
    expect(await planloom.memory.list()).toEqual([]);
  });

  test("a plan, where this goal comes with instructions", async () => {
    const { planloom, model } = instance([plan("Paris"), plan("Paris")]);
    await planloom.run("Show me the weather in Paris");
    await planloom.plan("Show me the weather in Paris", { instructions: "Use Fahrenheit." });
    expect(model.requests).toHaveLength(2);
  });

  test("another tenant's plans", async () => {
    const { planloom, model } = instance([plan("Paris"), plan("Paris"), plan("Paris")]);
    const goal = "Show me the weather in Paris";
    await planloom.run(goal, { tenant: "a" });
    await planloom.run(goal, { tenant: { key: "b" } });
    await planloom.plan(goal);
    expect(model.requests).toHaveLength(3);
    await planloom.plan(goal, { tenant: "a" });
    await planloom.run(goal, { tenant: { key: "b", concurrency: 1 } });
    expect(model.requests).toHaveLength(3);
    expect(await planloom.memory.list({ tenant: "c" })).toEqual([]);
  });

  test("plans with a secret in the goal or an argument, and what `accept` refuses", async () => {
    const secrets = { KEY: "s3cr3t-value" };
    const { planloom } = instance([plan("Paris"), plan("s3cr3t-value"), plan("Oslo")], {
      secrets,
      memory: { accept: ({ goal }) => !goal.includes("Oslo") },
    });
    await planloom.run("Show me the weather in Paris with s3cr3t-value");
    await planloom.run("Show me the weather in Rome");
    await planloom.run("Show me the weather in Oslo");
    expect(await planloom.memory.list()).toEqual([]);
  });

  test("a plan that the tools of today do not take: the model is asked", async () => {
    const journal = memoryJournal();
    await instance([plan("Paris")], { journal }).planloom.run("Show me the weather in Paris");
    const changed = defineTool({
      id: "get_weather",
      description: "The weather of a city on a day",
      input: { type: "object", properties: { ...properties, day: { type: "string" } }, required: ["city", "day"] },
      readOnly: true,
      execute: () => "sun",
    });
    const { planloom, model } = instance([plan("Paris", { day: "today" })], { journal, tools: [changed] });
    const made = await planloom.plan("Show me the weather in Paris");
    expect([made.planned_tasks[0]?.arguments, made.metadata?.memory]).toEqual([
      { city: "Paris", day: "today" },
      undefined,
    ]);
    expect(model.requests).toHaveLength(1);
  });
});

test("what is deleted is forgotten, and the newest plan of a goal is the one that is kept", async () => {
  const { planloom, model } = instance([plan("Paris"), plan("Lutetia")]);
  const goal = "Show me the weather in Paris";
  const first = await planloom.run(goal);
  const second = await planloom.run(goal, { memory: false });
  expect((await planloom.memory.list()).map(({ id }) => id)).toEqual([second.run_id]);
  await planloom.memory.forget(second.run_id);
  expect((await planloom.memory.list()).map(({ id }) => id)).toEqual([first.run_id]);
  expect(cityOf(await planloom.plan(goal))).toBe("Paris");
  expect(model.requests).toHaveLength(2);
  await expect(planloom.runStatus(second.run_id)).rejects.toThrow(/run/i);
});

test("memory is bounded in plans and in bytes, the newest first", async () => {
  const cities = ["Paris", "Rome", "Oslo"];
  const journal = memoryJournal();
  const { planloom } = instance(
    cities.map((city) => plan(city)),
    { journal, memory: false },
  );
  for (const city of cities) await planloom.run(`Show me the weather in ${city}`);
  const goals = async (memory: object) =>
    (await instance([], { journal, memory }).planloom.memory.list()).map(({ goal }) => goal.split(" ").at(-1));
  expect(await goals({ maxPlans: 2 })).toEqual(["Oslo", "Rome"]);
  expect(await goals({ maxBytes: 1 })).toEqual([]);
  expect(await goals({})).toEqual(["Oslo", "Rome", "Paris"]);
});

test("a remembered plan that changes something is confirmed as any that nobody has seen", async () => {
  const write = defineTool({
    id: "get_weather",
    description: "Books the weather of a city",
    input: { type: "object", properties },
    execute: () => "done",
  });
  const { planloom } = instance([plan("Paris")], { tools: [write] });
  await planloom.run("Show me the weather in Paris", { confirm: "never" });
  const again = await planloom.run("Show me the weather in Rome");
  expect(again.end_reason).toBe("waiting_approval");
});

test("a model is shown the plan of the nearest goal as data, where it is wanted", async () => {
  const journal = memoryJournal();
  const goal = "Show me the weather in Paris <b>";
  await instance([plan("Paris")], { journal }).planloom.run(goal);
  const { planloom, model } = instance([plan("Rome")], { journal, memory: { examples: true } });
  await planloom.plan("Show me the cheapest weather in Rome now");
  const [call] = model.requests;
  const sent = call?.messages.at(-1)?.content ?? "";
  expect(sent).toContain('<example>\n{"goal":"Show me the weather in Paris \\u003cb>"');
  expect(sent.indexOf("cheapest")).toBeGreaterThan(sent.indexOf("</example>"));
});

test("wrong options are refused with what was expected", () => {
  const make = (memory: unknown) => () => new Planloom({ memory: memory as boolean });
  expect(make({ maxPlans: 0 })).toThrow(/memory\.maxPlans.*at least 1.*got `0`/);
  expect(make({ minLikeness: 2 })).toThrow(/memory\.minLikeness.*above 0/);
  expect(make({ maxPlan: 3 })).toThrow(/maxPlans/);
  expect(make("yes")).toThrow(/memory/);
});

test("the embedded planner's refusal stays final behind the memory", async () => {
  await using planloom = new Planloom({ tools: [weather], memory: true });
  const attempts: unknown[] = [];
  planloom.on("plan-attempt", (event) => attempts.push(event));
  await expect(planloom.plan("Paint the fence")).rejects.toThrow();
  expect(attempts).toHaveLength(1);
});

test("what is no remembered plan is passed over: it costs no other goal its plan", async () => {
  const good = { id: "r", goal: "Show me the weather in Paris", madeAt: "2026-01-01T00:00:00Z" };
  const tasks = [{ task_id: "t1", tool_id: "get_weather", arguments: { city: "Paris" } }];
  const remembered = [
    undefined,
    null,
    3,
    {},
    { ...good, tasks: [null] },
    { ...good, goal: 7, tasks },
    { ...good, tasks },
  ];
  const controller = new MemoryController({
    controller: new EmbeddedController(),
    remembered: async () => remembered as RememberedPlan[],
  });
  const reply = await controller.processPhase1({
    search_id: "s",
    phase_1_data: { task_input_data: "", n_history_samples: 0, llm_data: {} },
    job: { job_goal: "Show me the weather in Rome" },
    resources: [weather.resource],
  });
  expect(reply.data).toMatchObject({ planned_tasks: [{ arguments: { city: "Rome" } }] });
});
