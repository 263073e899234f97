import { LlmController, type Phase1Request, planAnswerSchema, stepAnswerSchema } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { executionKinds, kindRecord, type Resource, TaskData } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { answerKinds } from "../../packages/controller/src/answers/answer-kinds.ts";
import { readPlanAnswer } from "../../packages/controller/src/answers/read-plan-answer.ts";

const orders: Resource = {
  kind: "tool",
  id: "shop/list_orders",
  description: "Lists orders. Newest come first.",
  input_schema: {
    type: "object",
    properties: {
      customer: { type: "string", description: "Whose orders." },
      status: { type: "string", enum: ["open", "shipped"], description: "Only those in this state." },
      limit: { type: "integer", description: "At most so many." },
      since: { type: "string", format: "date", description: "Only later ones." },
      place: { $ref: "#/$defs/place" },
    },
    required: ["customer"],
    $defs: { place: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
  },
  output_schema: {
    type: "array",
    items: {
      type: "object",
      properties: { id: { type: "string" }, buyer: { type: "object", properties: { mail: {} } } },
    },
  },
};
const ping: Resource = {
  kind: "tool",
  id: "ping",
  description: "Answers.",
  input_schema: { type: "object", properties: {} },
};
const anything: Resource = {
  kind: "tool",
  id: "anything",
  description: "Takes any.",
  input_schema: { type: "object" },
};
const writer: Resource = { kind: "llm", id: "default", description: "Writes." };
const clerk: Resource = { kind: "agent", id: "clerk", description: "Helps." };
const monthly: Resource = { kind: "dsl", id: "monthly", description: "Closes the month." };

const accepts = (schema: Readonly<Record<string, unknown>>, value: unknown) =>
  new Ajv2020({ strict: false }).validate(schema, value);
const list = (...tasks: unknown[]) => ({ tasks });
const call = (tool_id: string, values: unknown, more = {}) => ({
  task_id: "t1",
  for: "the orders",
  tool_id,
  arguments: values,
  ...more,
});
const strictOrders = { customer: "Ada", status: null, limit: null, since: null, place: null };

describe("what a model may answer", () => {
  const { schema } = planAnswerSchema([orders, anything, ping, writer, clerk, monthly]);

  test.for([
    { name: "a call", value: call("shop/list_orders", { customer: "Ada", limit: 3 }) },
    {
      name: "a reference in place of a value",
      value: call("shop/list_orders", { customer: "${t2}", limit: "${t2[0].n}" }),
    },
    { name: "null for what the goal does not say", value: call("shop/list_orders", { customer: null }) },
    { name: "an object behind a $ref", value: call("shop/list_orders", { customer: "Ada", place: { city: "Lyon" } }) },
    { name: "a call without arguments", value: call("ping", {}) },
    { name: "any arguments where none are known", value: call("anything", { x: [1] }) },
    { name: "an order without a reference", value: call("ping", {}, { waits: true }) },
    { name: "a prompt", value: { task_id: "t1", llm_id: "default", prompt: "Sum up ${t2}." } },
    { name: "an agent", value: { task_id: "t1", agent_id: "clerk", description: "Sort it out.", arguments: { a: 1 } } },
    { name: "a workflow", value: { task_id: "t1", for: "the month", workflow_id: "monthly", arguments: {} } },
    { name: "what cannot be done", value: { cannot: "No tool books flights." } },
  ])("$name", ({ value }) => expect(accepts(schema, list(value))).toBe(true));

  test.for([
    { name: "no task", value: list() },
    { name: "a tool that is not there", value: list(call("shop/orders", { customer: "Ada" })) },
    { name: "a task that names nobody", value: list({ task_id: "t1", arguments: {} }) },
    { name: "a missing argument", value: list(call("shop/list_orders", {})) },
    { name: "an unknown argument", value: list(call("shop/list_orders", { customer: "Ada", colour: "red" })) },
    { name: "another choice", value: list(call("shop/list_orders", { customer: "Ada", status: "lost" })) },
    { name: "a value of another type", value: list(call("shop/list_orders", { customer: "Ada", limit: "three" })) },
    { name: "a list of what it waits for", value: list(call("ping", {}, { after: ["t2"] })) },
    { name: "a call that is for no words of the request", value: list(call("ping", {}, { for: undefined })) },
    { name: "dependencies, which follow from references", value: list(call("ping", {}, { dependencies: ["t2"] })) },
    { name: "another request for tools where all are shown", value: list({ need_tools: "one for flights" }) },
    { name: "more tasks than anybody plans", value: list(...Array.from({ length: 101 }, () => call("ping", {}))) },
  ])("not $name", ({ value }) => expect(accepts(schema, value)).toBe(false));

  test("more tools are asked for where some are not shown", () => {
    const { schema } = planAnswerSchema([ping], { mayAskForMore: true });
    expect(accepts(schema, list({ need_tools: "one for flights" }))).toBe(true);
  });

  test("what the form of OpenAI allows is strict: every property required, optional ones nullable", () => {
    const { schema, strict } = planAnswerSchema([orders, ping]);
    expect(strict).toBe(true);
    expect(accepts(schema, list(call("shop/list_orders", strictOrders, { waits: null })))).toBe(true);
    expect(accepts(schema, list(call("shop/list_orders", { customer: "Ada" }, { waits: null })))).toBe(false);
    expect(objectsIn(schema).filter((each) => !isStrict(each))).toEqual([]);
    expect(planAnswerSchema([orders, anything]).strict).toBe(false);
  });

  test("with very many resources there is a branch a kind, and the ids are still known", () => {
    const many = Array.from({ length: 100 }, (_, at): Resource => ({ ...orders, id: `tool_${at}` }));
    const { schema, strict } = planAnswerSchema(many);
    expect(strict).toBe(false);
    expect(accepts(schema, list(call("tool_99", { any: 1 })))).toBe(true);
    expect(accepts(schema, list(call("tool_100", { any: 1 })))).toBe(false);
    expect(JSON.stringify(schema).length).toBeLessThan(5_000);
  });

  test("a schema that refers to itself ends somewhere", () => {
    const tree = { type: "object", properties: { left: { $ref: "#/$defs/tree" }, right: { $ref: "#/$defs/tree" } } };
    const input_schema = { type: "object", properties: { root: { $ref: "#/$defs/tree" } }, $defs: { tree } };
    const { schema } = planAnswerSchema([{ ...ping, input_schema }]);
    expect(JSON.stringify(schema).length).toBeLessThan(20_000);
    expect(accepts(schema, list(call("ping", { root: { left: { right: {} } } })))).toBe(true);
  });

  test("a step of a pinned tool has the tool's own schema", () => {
    const { schema, strict } = stepAnswerSchema([orders]);
    expect(strict).toBe(true);
    expect(accepts(schema, { uid: "shop/list_orders", input_data: strictOrders })).toBe(true);
    expect(accepts(schema, { uid: "shop/list_orders", input_data: { ...strictOrders, limit: "3" } })).toBe(false);
    expect(accepts(schema, { uid: "ping", input_data: {} })).toBe(false);
    const two = stepAnswerSchema([orders, ping]).schema;
    expect(accepts(two, { uid: "ping", input_data: {} })).toBe(true);
    expect(accepts(two, { uid: "ping", input_data: { customer: "Ada" } })).toBe(false);
  });
});

describe("optional arguments are offered where the goal speaks of them", () => {
  const offered = async (goal: string) => {
    const model = scriptedModel([JSON.stringify(list(call("shop/list_orders", { customer: "Ada" })))]);
    const planner = new Planner({ controller: new LlmController({ model }), resources: [orders] });
    await planner.createPlan(goal);
    const { schema } = model.requests[0]!.schema!;
    return objectsIn(schema)
      .flatMap(({ properties }) => (properties.customer === undefined ? [] : [Object.keys(properties)]))
      .flat();
  };

  test.for([
    { goal: "Orders of Ada", names: ["customer"] },
    { goal: "Orders of Ada that were shipped", names: ["customer", "status"] },
    { goal: "Orders of Ada, at most three", names: ["customer", "limit"] },
    { goal: "Orders of Ada from yesterday on", names: ["customer", "since"] },
    { goal: "Orders of Ada at this place", names: ["customer", "place"] },
    { goal: "Orders of Ada in Hamburg", names: ["customer", "place"] },
  ])("$goal", async ({ goal, names }) => expect((await offered(goal)).sort()).toEqual([...names].sort()));
});

describe("what comes of an answer", () => {
  test("a task names its resource by the field of its kind, of every kind", () => {
    const resources = executionKinds.map((kind): Resource => ({ kind, id: `the ${kind}`, description: "Works." }));
    const answer = readPlanAnswer(
      list(...executionKinds.map((kind) => ({ task_id: kind, [answerKinds[kind].field]: `the ${kind}` }))),
      resources,
    );
    const { planned_tasks } = TaskData.parse({
      planned_tasks: ("data" in answer ? (answer.data as { tasks: object[] }) : undefined)?.tasks,
    });
    expect(
      planned_tasks.map((task) => [task.execution_type, kindRecord(task.execution_type || "tool").pin.read(task)]),
    ).toEqual(executionKinds.map((kind) => [kind, `the ${kind}`]));
  });

  const plan = (answers: readonly unknown[], resources = [orders, ping, writer, clerk, monthly]) => {
    const model = scriptedModel(answers.map((answer) => JSON.stringify(answer)));
    const planner = new Planner({ controller: new LlmController({ model }), resources });
    return { model, result: planner.createPlan("Orders of Ada") };
  };

  test("tasks of every kind, named by the id of their resource alone", async () => {
    const { result } = plan([
      list(
        call("shop/list_orders", strictOrders, { after: null }),
        { task_id: "t2", llm_id: "default", prompt: "Sum up ${t1}.", after: null },
        { task_id: "t3", agent_id: "clerk", description: "Sort it out.", arguments: {}, after: ["t2"] },
        { task_id: "t4", workflow_id: "monthly", arguments: {}, after: [] },
      ),
    ]);
    const { planned_tasks } = await result;
    expect(planned_tasks).toMatchObject([
      {
        execution_type: "tool",
        tool_id: "shop/list_orders",
        arguments: { customer: "Ada" },
        description: "the orders",
      },
      {
        execution_type: "llm",
        parameters: { uid: "default" },
        arguments: { prompt: "Sum up ${t1}." },
        dependencies: ["t1"],
      },
      { execution_type: "agent", agent_id: "clerk", dependencies: ["t2"] },
      { execution_type: "dsl", parameters: { uid: "monthly" }, dependencies: [] },
    ]);
  });

  test("null for a required argument is a question, and the model is not asked again", async () => {
    const { model, result } = plan([list(call("shop/list_orders", { ...strictOrders, customer: null }))]);
    await expect(result).rejects.toMatchObject({
      code: "PLANNER_OPEN_QUESTIONS",
      details: { draft: { metadata: { questions: [{ task_id: "t1", argument_path: "customer" }] } } },
    });
    expect(model.requests).toHaveLength(1);
  });

  test("what cannot be done is a refusal, and the model is not asked again", async () => {
    const { model, result } = plan([list({ cannot: "There is no tool for flights." })]);
    await expect(result).rejects.toMatchObject({
      code: "PLANNER_NO_VALID_PLAN",
      message: expect.stringContaining("There is no tool for flights"),
      details: { attempts: [{ issues: [{ code: "unresolved" }] }] },
    });
    expect(model.requests).toHaveLength(1);
  });

  test("what cannot be done beside what can is said with the plan", async () => {
    const { result } = plan([list(call("ping", {}), { cannot: "There is no tool for flights." })]);
    const { planned_tasks, metadata } = await result;
    expect(planned_tasks).toHaveLength(1);
    expect(metadata?.issues).toMatchObject([{ code: "unresolved", message: expect.stringContaining("flights") }]);
  });

  test("what is wrong only in its form is mended without another call, and said", async () => {
    const count: Resource = {
      kind: "tool",
      id: "count",
      description: "Counts.",
      input_schema: { type: "object", properties: {} },
      output_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    };
    const written = [
      { ...call("count", {}), after: ["t1"] },
      { ...call("ping", {}), for: "Ada", after: ["t9"] },
      { task_id: "t3", tool_id: "shop/list_orders", arguments: { customer: "${t1.n}" } },
    ];
    const { model, result } = plan([list(...written)], [count, orders, ping]);
    const { planned_tasks } = await result;
    expect(model.requests).toHaveLength(1);
    expect(planned_tasks).toMatchObject([
      { task_id: "t1", dependencies: [] },
      { task_id: "t1_2", dependencies: [] },
      { task_id: "t3", dependencies: ["t1"], arguments: { customer: { $text: "${t1.n}" } } },
    ]);
  });

  test("a wrong answer is answered with more tools, all arguments and a higher temperature; the goal stays last", async () => {
    const tools = Array.from(
      { length: 60 },
      (_, at): Resource => ({ ...ping, id: `ping_${at}`, description: `Pings ${at}.` }),
    );
    const { model, result } = plan(
      [list({ need_tools: "orders of customers" }), list(call("shop/list_orders", { customer: "Ada" }))],
      [...tools, orders],
    );
    expect((await result).planned_tasks).toHaveLength(1);
    const [first, second] = model.requests;
    expect(first!.messages[0]!.content.match(/^"/gm)).toHaveLength(20);
    expect(second!.messages[0]!.content.match(/^"/gm)).toHaveLength(60);
    expect(second!.temperature).toBeGreaterThan(first!.temperature!);
    for (const { messages } of model.requests) expect(messages.at(-1)!.content).toMatch(/Goal: Orders of Ada$/);
  });
});

describe("what the request does not ask for is left out, and said", () => {
  const made = async (goal: string, ...tasks: unknown[]) => {
    const model = scriptedModel([JSON.stringify(list(...tasks))]);
    const resources = [orders, ping, { ...ping, id: "draw" }];
    const { planned_tasks, metadata } = await new Planner({
      controller: new LlmController({ model }),
      resources,
    }).createPlan(goal);
    return { planned_tasks, said: ((metadata?.issues ?? []) as { message: string }[]).map(({ message }) => message) };
  };
  const named = (task_id: string, tool_id: string, words: string, given: object = {}) => ({
    ...call(tool_id, given, { for: words }),
    task_id,
  });

  test("the same call once more; what reads it reads the first", async () => {
    const { planned_tasks, said } = await made(
      "Ping, then list the orders of Ada",
      named("t1", "ping", "Ping"),
      named("t2", "ping", "Ping"),
      named("t3", "shop/list_orders", "list the orders of Ada", { customer: { $text: "${t2}" } }),
    );
    expect(planned_tasks).toMatchObject([
      { task_id: "t1", description: "Ping" },
      { task_id: "t3", dependencies: ["t1"], arguments: { customer: { $text: "${t1}" } } },
    ]);
    expect(said).toMatchObject([expect.stringContaining('The same call as task "t1"')]);
  });

  test("but where it is wanted twice it stays", async () => {
    const { planned_tasks } = await made("Ping twice", named("t1", "ping", "Ping"), named("t2", "ping", "twice"));
    expect(planned_tasks).toHaveLength(2);
  });

  test("a bare call that is for nothing of the request that another is not for", async () => {
    const { planned_tasks, said } = await made(
      "Ping the server",
      named("t1", "ping", "Ping the server"),
      named("t2", "draw", "Add a title to the server"),
    );
    expect(planned_tasks.map(({ tool_id }) => tool_id)).toEqual(["ping"]);
    expect(said).toMatchObject([expect.stringContaining("does not ask for")]);
  });

  test("but one that others read, or that is for further words, stays", async () => {
    const { planned_tasks } = await made(
      "Ping the server and draw it",
      named("t1", "ping", "Ping the server"),
      named("t2", "draw", "draw it"),
    );
    expect(planned_tasks).toHaveLength(2);
  });

  test.for([
    { goal: "Orders of Ada", since: "2026-01-01", kept: undefined },
    { goal: "Orders of Ada since yesterday", since: "2026-01-01", kept: "2026-01-01" },
    { goal: "Orders of Ada in 2026", since: "2026-01-01", kept: "2026-01-01" },
  ])("an optional text that it gives no evidence for: $goal", async ({ goal, since, kept }) => {
    const { planned_tasks } = await made(goal, named("t1", "shop/list_orders", goal, { customer: "Ada", since }));
    expect(planned_tasks[0]?.arguments.since).toBe(kept);
  });

  test("a task that waits comes after all before it", async () => {
    const { planned_tasks } = await made(
      "List the orders of Ada and of Ida, then ping",
      named("t1", "shop/list_orders", "orders of Ada", { customer: "Ada" }),
      named("t2", "shop/list_orders", "of Ida", { customer: "Ida" }),
      { ...named("t3", "ping", "then ping"), waits: true },
    );
    expect(planned_tasks.map(({ dependencies }) => dependencies)).toEqual([[], [], ["t1", "t2"]]);
  });
});

test("a field that an output does not have is the only one that fits", async () => {
  const file = { type: "object", properties: { audio: { type: "string" } }, required: ["audio"] };
  const clean: Resource = {
    kind: "tool",
    id: "clean",
    description: "Cleans.",
    input_schema: file,
    output_schema: file,
  };
  const hear: Resource = { kind: "tool", id: "hear", description: "Transcribes.", input_schema: file };
  const model = scriptedModel([
    JSON.stringify(
      list(
        { task_id: "t1", for: "clean a.wav", tool_id: "clean", arguments: { audio: "a.wav" } },
        { task_id: "t2", for: "transcribe it", tool_id: "hear", arguments: { audio: "${t1.output}" } },
      ),
    ),
  ]);
  const planner = new Planner({ controller: new LlmController({ model }), resources: [clean, hear] });
  const { planned_tasks } = await planner.createPlan("Clean a.wav and transcribe it");
  expect(planned_tasks[1]).toMatchObject({ arguments: { audio: "${t1.audio}" }, dependencies: ["t1"] });
});

test("tasks that wait for later ones in a circle no longer do, where they do not read them", async () => {
  const model = scriptedModel([
    JSON.stringify(
      list(
        { ...call("shop/list_orders", { customer: "Ada" }), after: ["t2"] },
        { ...call("shop/list_orders", { customer: { $text: "${t1[0].id}" } }), task_id: "t2" },
      ),
    ),
  ]);
  const planner = new Planner({ controller: new LlmController({ model }), resources: [orders] });
  const { planned_tasks } = await planner.createPlan("Orders of Ada, and of the customer with that id");
  expect(planned_tasks.map(({ dependencies }) => dependencies)).toEqual([[], ["t1"]]);
});

test("prompts of one catalogue begin alike up to the goal, say the day and have no values to borrow", async () => {
  const answer = JSON.stringify(list(call("ping", {})));
  const model = scriptedModel([answer, answer]);
  const planner = new Planner({
    controller: new LlmController({ model }),
    resources: [ping, orders],
    present: () => new Date("2026-03-29T00:30:00Z"),
    timeZone: "Europe/Berlin",
  });
  await planner.createPlan("Orders of Ada");
  await planner.createPlan("Is the server there?");
  const [first, second] = model.requests.map(({ messages }) => messages.map(({ content }) => content).join("\n"));
  const same = [...first!].findIndex((character, at) => character !== second![at]);
  expect(first!.slice(same)).toBe("Orders of Ada");
  expect(first).toContain("Now: Sunday, 2026-03-29 01:30 (Europe/Berlin).");
  expect(first).toContain("gives: *.id, *.buyer.mail");
});

test("the schema in words is for models that are held to none; resources that only the text describes are not written again", async () => {
  const model = scriptedModel([JSON.stringify(list(call("ping", {})))]);
  const request: Phase1Request = {
    search_id: "s",
    phase_1_data: { task_input_data: 'Use "ping" once.', n_history_samples: 0, llm_data: {} },
    resources: [ping],
  };
  await new LlmController({ model }).processPhase1(request);
  const [, user] = model.requests[0]!.messages;
  expect(user!.content).toBe('Use "ping" once.');
});

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly additionalProperties: unknown;
}

function objectsIn(schema: unknown): ObjectSchema[] {
  if (typeof schema !== "object" || schema === null) return [];
  const inner = Object.values(schema).flatMap(objectsIn);
  return "type" in schema && schema.type === "object" && "properties" in schema
    ? [schema as unknown as ObjectSchema, ...inner]
    : inner;
}

function isStrict({ properties, required, additionalProperties }: ObjectSchema): boolean {
  return additionalProperties === false && Object.keys(properties).every((name) => required.includes(name));
}
