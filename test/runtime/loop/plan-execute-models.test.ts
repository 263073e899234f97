import { scriptedModel } from "@planloom/controller/testing";
import {
  defineTool,
  type LoopEvent,
  loopVariables,
  memoryJournal,
  modelExecutor,
  type PlanExecuteOptions,
  planExecute,
  resumePlanExecute,
  toolExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { call, roles } from "../../support/loop-roles.ts";

test("an executor that is a model hands parts of a step on, under the budget of the run", async () => {
  const list = defineTool({ id: "list", description: "Rows.", execute: () => [1, 2] });
  const send = defineTool({ id: "send", description: "Sends.", execute: () => 1 });
  const script = () =>
    scriptedModel([
      call("delegate", { task: "Count the rows.", tools: ["list"] }),
      call("list", {}),
      "There are 2 rows.",
      "Two.",
    ]);
  const loop = (model: ReturnType<typeof scriptedModel>): PlanExecuteOptions => ({
    executors: [toolExecutor([list, send])],
    planner: () => ["Count"],
    executor: { model, delegation: {} },
    replanner: ({ ExecutedStep }) => ({ respond: ExecutedStep ?? "" }),
  });
  const model = script();
  const { response, end_reason } = await planExecute("How many rows?", loop(model));
  expect({ response, end_reason }).toEqual({ response: "Two.", end_reason: "responded" });
  const [first, part] = model.requests;
  expect(first?.tools?.map(({ name }) => name)).toEqual(["list", "send", "delegate"]);
  expect(part?.tools?.map(({ name }) => name)).toEqual(["list"]);
  expect(JSON.stringify(part?.messages)).not.toContain("How many rows?");

  const short = await planExecute("How many rows?", { ...loop(script()), budgets: { run: { calls: 4 } } });
  expect(short.end_reason).not.toBe("responded");
  expect(() => modelExecutor({ model, delegation: { depth: 9 } })).toThrow(
    /`delegation\.depth` to be an integer from 1 to 3 \(the executor\), got 9/,
  );
});

test("models in all three places: plan, tools, replan, a parsed answer, deltas", async () => {
  const planner = scriptedModel([call("plan", { steps: ["Find the price", "Convert it"] })]);
  const executor = scriptedModel([call("price", { q: "tea" }), "Tea is 4 EUR.", "That is 4.40 USD."]);
  const replanner = scriptedModel([
    call("plan", { steps: ["Convert 4 EUR to USD"] }),
    call("respond", { response: "Tea costs 4.40 USD." }),
  ]);
  const price = defineTool({ id: "price", description: "Price of a thing.", execute: () => 4 });
  const events: LoopEvent[] = [];
  const journal = memoryJournal();
  const result = await planExecute("What is tea in USD?", {
    journal,
    executors: [toolExecutor([price])],
    planner: { model: planner },
    executor: { model: executor },
    replanner: { model: replanner },
    onEvent: (event) => void events.push(event),
  });
  expect(result).toMatchObject({
    end_reason: "responded",
    response: "Tea costs 4.40 USD.",
    rounds: 2,
    session: {
      UserInput: ["What is tea in USD?"],
      Plan: { steps: ["Convert 4 EUR to USD"] },
      ExecutedStep: "That is 4.40 USD.",
      ExecutedSteps: [
        { step: "Find the price", result: "Tea is 4 EUR." },
        { step: "Convert 4 EUR to USD", result: "That is 4.40 USD." },
      ],
    },
  });
  expect(await journal.getCalls(result.run_id)).toHaveLength(6);
  expect(planner.requests[0]).toMatchObject({ toolChoice: { name: "plan" } });
  expect(replanner.requests[0]).toMatchObject({ toolChoice: "required" });
  expect(replanner.requests[0]!.tools?.map(({ name }) => name)).toEqual(["plan", "respond"]);
  expect(replanner.requests[1]!.messages[1]!.content).toContain("Result: That is 4.40 USD.");
  expect(events.map(({ type }) => type).filter((type) => type !== "loop-delta")).toEqual([
    "loop-message",
    "loop-plan",
    "loop-round",
    "loop-message",
    "loop-step",
    "loop-message",
    "loop-plan",
    "loop-round",
    "loop-message",
    "loop-step",
    "loop-message",
    "loop-action",
    "loop-action",
    "loop-end",
  ]);
  expect(events.filter((event) => event.type === "loop-delta").map(({ text }) => text)).toEqual([
    "Tea is 4 EUR.",
    "That is 4.40 USD.",
  ]);
  for (const [index, { seq }] of events.entries()) if (index > 0) expect(seq).toBeGreaterThan(events[index - 1]!.seq);
});

test("tools, prompts and the form of the plan can be replaced; the answer is parsed", async () => {
  const planner = scriptedModel([call("todo", { first: "look", second: "book" })]);
  const replanner = scriptedModel([call("finish", { price: 5, currency: "EUR" })]);
  const schema = (names: string[], type: string) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type }])),
    required: names,
  });
  const { options, executed } = roles(undefined, []);
  const result = await planExecute(["Hello", "Book it"], {
    ...options,
    planner: {
      model: planner,
      planTool: { name: "todo", description: "", parameters: schema(["first", "second"], "string") },
      readPlan: (value) => Object.values(value as Record<string, string>),
      messages: ({ UserInput }) => [{ role: "user", content: `Plan: ${UserInput.join(" / ")}` }],
    },
    replanner: {
      model: replanner,
      respondTool: { name: "finish", description: "", parameters: schema(["price"], "number") },
      messages: (_, { respond_tool, plan_tool }) => [{ role: "user", content: `${plan_tool} or ${respond_tool}?` }],
    },
  });
  expect(result.response).toEqual({ price: 5, currency: "EUR" });
  expect(executed).toEqual(["look"]);
  expect(planner.requests[0]!.messages).toEqual([{ role: "user", content: "Plan: Hello / Book it" }]);
  expect(replanner.requests[0]!.messages[0]!.content).toBe("plan or finish?");
});

test("a conversation with roles reaches the planner as one, the other two as a text, and a resumed loop again", async () => {
  const input = [
    { role: "system" as const, content: "Prices are in EUR." },
    "I need paper.",
    { role: "assistant" as const, content: "Which size?" },
    { role: "user" as const, content: "A4" },
  ];
  const planner = scriptedModel([call("plan", { steps: ["Order"], note: "not asked for" })]);
  const executor = scriptedModel(["Ordered."]);
  const replanner = scriptedModel([call("respond", { response: "Done." })]);
  const journal = memoryJournal();
  const models = { planner: { model: planner }, executor: { model: executor }, replanner: { model: replanner } };
  const result = await planExecute(input, { journal, executors: [], ...models });
  expect(result).toMatchObject({ end_reason: "responded", session: { UserInput: input, Plan: { steps: ["Order"] } } });
  expect(result.session.Plan).not.toHaveProperty("note");
  const [asked] = planner.requests;
  expect(asked?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  expect(asked?.messages[0]?.content).toMatch(/Prices are in EUR\.\n\nNow: [^\n]+$/);
  for (const { requests } of [executor, replanner]) {
    expect(requests[0]?.messages.at(-1)?.content).toContain(
      "system: Prices are in EUR.\nI need paper.\nassistant: Which size?\nA4\n",
    );
  }
  const again = await resumePlanExecute(result.run_id, { journal, executors: [], ...models });
  expect(again.session.UserInput).toEqual(input);
  const wrong = [{ role: "tool", content: "x" }];
  await expect(planExecute(wrong as unknown as string[], { executors: [], ...models })).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
    message: expect.stringContaining("{ role: system | user | assistant, content: text }"),
  });
});

test("a plan type of one's own keeps its fields: from a model, from a function, in prompts, after repeats and on resume", async () => {
  const parameters = { type: "object", properties: { goals: { type: "array" }, why: { type: "string" } } };
  const planTool = { name: "make_plan", description: "Plans.", parameters };
  const readPlan = (value: unknown) => {
    const { goals, why } = value as { goals: { text: string; weight: number }[]; why: string };
    // The heaviest goal is the first step.
    const steps = [...goals].sort((a, b) => b.weight - a.weight).map(({ text }) => text);
    return { steps, goals, why };
  };
  const goals = [
    { text: "light", weight: 1 },
    { text: "heavy", weight: 9 },
  ];
  const planner = scriptedModel([call("make_plan", { goals, why: "first things first" })]);
  const executed: string[] = [];
  const seen: unknown[] = [];
  const journal = memoryJournal();
  const options = {
    journal,
    executors: [],
    planner: { model: planner, planTool, readPlan },
    executor({ step, session }) {
      executed.push(step);
      seen.push(session.Plan?.why);
      return `did ${step}`;
    },
    replanner: ({ ExecutedSteps }) =>
      ExecutedSteps.length < 2 ? { plan: { steps: ["heavy", "light"], why: "what is left" } } : { respond: "ok" },
  } satisfies PlanExecuteOptions;
  const result = await planExecute("Lift", options);
  expect([executed, seen]).toEqual([
    ["heavy", "light"],
    ["first things first", "what is left"],
  ]);
  expect(result.session.Plan).toEqual({ steps: ["light"], why: "what is left" });
  expect(loopVariables({ ...result.session, Plan: { steps: ["light"], goals } }, 1_000).plan).toBe(
    JSON.stringify({ steps: ["light"], goals }),
  );
  const again = await resumePlanExecute(result.run_id, options);
  expect(again.session.Plan).toEqual(result.session.Plan);
  expect(executed).toHaveLength(2);
});

test("a replanner that is a model reads what was cut of a result, which is no attempt, and then chooses", async () => {
  const long = `${"x".repeat(5_000)} the price is 7351 ${"y".repeat(5_000)}`;
  const replanner = scriptedModel([
    call("read_output", { of: "step-1", search: "price" }),
    call("read_output", { of: "step-9" }),
    call("respond", { response: "7351" }),
  ]);
  const journal = memoryJournal();
  const result = await planExecute("What is the price?", {
    journal,
    executors: [],
    planner: () => ({ steps: ["Look"] }),
    executor: () => long,
    replanner: { model: replanner, attempts: 1, maxPromptCharacters: 2_000 },
  });
  expect(result).toMatchObject({ end_reason: "responded", response: "7351" });
  const [first, second, third] = replanner.requests;
  expect(first?.tools?.map(({ name }) => name)).toEqual(["plan", "respond", "read_output"]);
  expect(first?.messages.at(-1)?.content).not.toContain("7351");
  expect(second?.messages.at(-1)).toMatchObject({
    role: "tool",
    content: expect.stringContaining("the price is 7351"),
  });
  expect(third?.messages.at(-1)?.content).toMatch(/no output.*step-9.*step-1/);
});

test("a replanner is offered no reader where nothing was cut, and chooses after 20 readings", async () => {
  const reads = Array.from({ length: 20 }, () => call("read_output", { of: "step-1" }));
  const replanner = scriptedModel([...reads, call("respond", { response: "done" })]);
  const options = { executors: [], planner: () => ({ steps: ["Look"] }) };
  const long = {
    ...options,
    executor: () => "z".repeat(9_000),
    replanner: { model: replanner, maxPromptCharacters: 2_000 },
  };
  expect(await planExecute("x", long)).toMatchObject({ response: "done" });
  expect(replanner.requests.at(-1)?.tools?.map(({ name }) => name)).toEqual(["plan", "respond"]);

  const short = scriptedModel([call("respond", { response: "done" })]);
  await planExecute("x", { ...options, executor: () => "short", replanner: { model: short } });
  expect(short.requests[0]?.tools?.map(({ name }) => name)).toEqual(["plan", "respond"]);
});
