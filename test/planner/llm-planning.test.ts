import { LlmController, openaiModel } from "@planloom/controller";
import { type ChatStep, chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { PlannerTask, type Resource } from "@planloom/plan";
import { bindWith, Planner, type PlannerEvent, SubGraphRePlanner, ToolsPlanner } from "@planloom/planner";
import { describe, expect, test } from "vitest";

const list: Resource = {
  kind: "tool",
  id: "orders_list",
  description: "Lists orders",
  input_schema: { type: "object", properties: { status: { enum: ["open", "closed"] } }, required: ["status"] },
  output_schema: {
    type: "object",
    properties: {
      orders: {
        type: "array",
        items: { type: "object", properties: { id: { type: "string" }, customer_id: { type: "string" } } },
      },
    },
  },
};
const get: Resource = {
  kind: "tool",
  id: "invoices_list",
  description: "Lists invoices",
  input_schema: {
    type: "object",
    properties: { ids: { type: "array", items: { type: "string" } } },
    required: ["ids"],
  },
};
const resources = [list, get];
const tasks = [
  {
    task_id: "a",
    description: "Orders",
    execution_type: "tool",
    tool_id: "orders_list",
    arguments: { status: "open" },
    dependencies: [],
  },
  {
    task_id: "b",
    description: "Invoices",
    execution_type: "tool",
    tool_id: "invoices_list",
    arguments: { ids: "${a.orders.*.id}" },
    dependencies: ["a"],
  },
];
const good = chatBehaviours.answers({ tasks });
const withTasks = (...changed: object[]) =>
  chatBehaviours.answers({ tasks: tasks.map((task, index) => ({ ...task, ...changed[index] })) });

async function withModel<Value>(steps: readonly ChatStep[], use: (controller: LlmController) => Promise<Value>) {
  await using server = await startChatServer(steps);
  const model = openaiModel({ baseURL: server.baseURL, apiKey: "k", model: "m", maxRetries: 0 });
  const value = await use(new LlmController({ model }));
  return { value, requests: server.requests };
}

const lastMessage = (request: { body: Record<string, unknown> | undefined } | undefined) =>
  JSON.stringify((request?.body?.messages as unknown[] | undefined)?.at(-1) ?? "");

describe("a model that misbehaves over HTTP", () => {
  test.for([
    { name: "answers in a fence", steps: [chatBehaviours.fenced({ tasks })], attempts: 1 },
    { name: "answers in prose", steps: [chatBehaviours.inProse({ tasks })], attempts: 1 },
    { name: "thinks first", steps: [chatBehaviours.thinksFirst({ tasks })], attempts: 1 },
    { name: "is cut off", steps: [chatBehaviours.truncated({ tasks }), good], attempts: 2, feedback: "cut off" },
    {
      name: "names a tool that does not exist",
      steps: [chatBehaviours.wrongToolNames(tasks), good],
      attempts: 2,
      feedback: "no_such_tool",
    },
    { name: "writes a cycle of what is not read", steps: [chatBehaviours.cyclic(tasks)], attempts: 1 },
    {
      name: "writes a cycle of what is read",
      steps: [withTasks({ arguments: { status: "${b}" } }), good],
      attempts: 2,
      feedback: "cycle",
    },
    {
      name: "writes a value the enum has not",
      steps: [withTasks({ arguments: { status: "opened" } }), good],
      attempts: 2,
      feedback: "opened",
    },
    {
      name: "leaves a required argument out",
      steps: [withTasks({ arguments: { state: "open" } }), good],
      attempts: 2,
      feedback: "status",
    },
    {
      name: "refers to a path that is not there, where one fits",
      steps: [withTasks({}, { arguments: { ids: "${a.items.*.id}" } })],
      attempts: 1,
    },
    {
      name: "refers to a field of the list's elements as if there were one",
      steps: [withTasks({}, { arguments: { ids: "${a.id}" } })],
      attempts: 1,
    },
    {
      name: "calls a field by what it belongs to",
      steps: [withTasks({}, { arguments: { ids: "${a.orders.*.order_id}" } })],
      attempts: 1,
    },
    {
      name: "refers to a field that could be several",
      steps: [withTasks({}, { arguments: { ids: "${a.results}" } }), good],
      attempts: 2,
      feedback: "ids",
    },
    {
      name: "refers to the wrong type",
      steps: [withTasks({}, { arguments: { ids: "${a.orders[0].id}" } }), good],
      attempts: 2,
      feedback: "ids",
    },
    { name: "fails with 500", steps: [chatBehaviours.fails(), good], attempts: 2 },
    { name: "drops the connection", steps: [chatBehaviours.drops({ tasks }), good], attempts: 2 },
    { name: "says nothing", steps: [{ text: "" }, good], attempts: 2 },
  ])("$name", async ({ steps, attempts, feedback }) => {
    const events: PlannerEvent[] = [];
    const { value: plan, requests } = await withModel(steps, (controller) =>
      new Planner({ controller, resources, onEvent: (event) => events.push(event) }).createPlan(
        "Invoices of open orders",
      ),
    );
    expect(plan.planned_tasks.map(({ task_id, dependencies }) => [task_id, dependencies])).toEqual([
      ["a", []],
      ["b", ["a"]],
    ]);
    expect(events.filter(({ type }) => type === "plan-attempt")).toHaveLength(attempts);
    expect(plan.metadata?.planning).toMatchObject({ controller: "llm:m", attempts });
    if (feedback !== undefined) expect(lastMessage(requests.at(-1))).toContain(feedback);
  });

  test("what three attempts cost is known, whatever came of them", async () => {
    const events: PlannerEvent[] = [];
    const circle = withTasks({ arguments: { status: "${b}" } });
    const steps = [circle, chatBehaviours.wrongToolNames(tasks), circle];
    await withModel(steps, async (controller) => {
      const planner = new Planner({ controller, resources, onEvent: (event) => events.push(event) });
      await expect(planner.createPlan("g")).rejects.toMatchObject({
        code: "PLANNER_NO_VALID_PLAN",
        message: expect.stringMatching(/^Failed to generate valid plan after 3 attempts: /),
        details: {
          attempts: [
            { issues: [{ code: "cycle" }] },
            { issues: [{ code: "unknown_tool" }, { code: "unknown_tool" }] },
            {},
          ],
        },
      });
    });
    const calls = events.flatMap((event) => (event.type === "plan-attempt" ? event.calls : []));
    expect(calls.map(({ reply }) => reply?.usage)).toEqual(Array(3).fill({ inputTokens: 7, outputTokens: 3 }));
  });
});

describe("tasks that name nobody", () => {
  const unnamed = { tool_id: null };
  test("go back to the model with those that could be meant, whether or not they name a kind", async () => {
    for (const changed of [unnamed, { ...unnamed, execution_type: "" }]) {
      const { value, requests } = await withModel([withTasks({}, changed), good], (controller) =>
        new Planner({ controller, resources }).createPlan("Invoices of open orders"),
      );
      expect(value.planned_tasks.map(({ tool_id }) => tool_id)).toEqual(["orders_list", "invoices_list"]);
      expect(value.metadata?.issues).toBeUndefined();
      expect(JSON.stringify(requests[1]?.body)).toContain(
        'names nobody who executes it. (add one of: \\"invoices_list\\"',
      );
    }
  });

  test("are left to Stage 2 where the model is not asked again, and the plan says so", async () => {
    const { value, requests } = await withModel([withTasks({}, unnamed), withTasks({}, unnamed)], (controller) =>
      new Planner({ controller, resources, maxAttempts: 2 }).createPlan("Invoices of open orders"),
    );
    expect(requests).toHaveLength(2);
    expect(value.metadata?.issues).toMatchObject([
      { severity: "warning", task_id: "b", message: expect.stringContaining("chosen when it is its turn") },
    ]);
  });

  test("are nothing to remark where they wait, decide, or come from another planner", async () => {
    const waiting = { ...tasks[1], ...unnamed, execution_type: "", arguments: {}, wait: { for_ms: 5_000 } };
    const { value, requests } = await withModel(
      [chatBehaviours.answers({ tasks: [tasks[0], waiting] })],
      (controller) => new Planner({ controller, resources }).createPlan("Open orders, in a while"),
    );
    expect(requests).toHaveLength(1);
    expect(value.metadata?.issues).toBeUndefined();
    const other = {
      name: "other",
      processPhase1: async () => ({ success: true, data: [{ ...tasks[0], ...unnamed, arguments: {} }] }),
    };
    const plan = await new Planner({ controller: other as never, resources }).createPlan("Open orders");
    expect(plan.metadata?.issues).toBeUndefined();
  });
});

test("tries of the transport and of the planner are one budget", async () => {
  await using server = await startChatServer([chatBehaviours.fails()], { repeat: true });
  const model = openaiModel({ baseURL: server.baseURL, apiKey: "k", model: "m", retryDelayMs: 1 });
  const planner = new Planner({ controller: new LlmController({ model }), resources, maxAttempts: 4 });
  await expect(planner.createPlan("g")).rejects.toMatchObject({
    code: "PLANNER_NO_VALID_PLAN",
    cause: { code: "CONTROLLER_STATUS" },
  });
  expect(server.requests).toHaveLength(4);
});

test("a prose answer in place of the form counts as an attempt, a form that the endpoint refuses does not, and both are reported", async () => {
  const prose = { text: "I would rather not.", ignoresTools: true };
  await withModel([prose], async (controller) => {
    const planner = new Planner({ controller, resources, maxAttempts: 1 });
    await expect(planner.createPlan("g")).rejects.toMatchObject({ code: "PLANNER_NO_VALID_PLAN" });
  });
  const wordy = await withModel([prose, prose, prose], async (controller) => {
    const planner = new Planner({ controller, resources });
    await expect(planner.createPlan("g")).rejects.toMatchObject({ code: "PLANNER_NO_VALID_PLAN" });
  });
  expect(wordy.requests).toHaveLength(3);
  expect(lastMessage(wordy.requests[1])).toContain("I would rather not.");

  const reported = async (maxAttempts: number) => {
    await using server = await startChatServer([good, good], { refuses: ["response_format", "tool_choice"] });
    const model = openaiModel({ baseURL: server.baseURL, apiKey: "k", model: "m" });
    const planner = new Planner({ controller: new LlmController({ model }), resources, maxAttempts });
    const ended = await planner.createPlan("g").then(
      ({ metadata }) => metadata?.planning,
      ({ code, details }) => ({ code, attempts: details.attempts.length }),
    );
    return { ended, requests: server.requests.length };
  };
  for (const maxAttempts of [3, 1]) {
    expect(await reported(maxAttempts)).toEqual({
      ended: expect.objectContaining({ attempts: 1, model_calls: 1, model_requests: 3 }),
      requests: 3,
    });
  }
});

test("each attempt tells the requests that it took of the budget, and the calls that failed; a run's hook hears of them too", async () => {
  const fails = chatBehaviours.fails(503);
  await using server = await startChatServer([fails, fails, fails, fails, fails]);
  const model = openaiModel({ baseURL: server.baseURL, apiKey: "k", model: "m", maxRetries: 1, retryDelayMs: 1 });
  const controller = new LlmController({ model });
  const events: PlannerEvent[] = [];
  const onEvent = (event: PlannerEvent) => void events.push(event);
  const reported = () =>
    events.flatMap((event) =>
      "requests" in event ? [[event.requests, event.calls.map((call) => call.requests ?? 1)]] : [],
    );
  await expect(new Planner({ controller, resources, onEvent }).createPlan("g")).rejects.toThrow();
  // Two requests of the first attempt leave one for the second.
  expect(reported()).toEqual([
    [2, [2]],
    [1, [1]],
  ]);
  events.length = 0;
  const heard: unknown[] = [];
  const bind = bindWith({ controller, resources, onEvent, maxAttempts: 2 });
  const task = PlannerTask.parse({
    task_id: "a",
    execution_type: "tool",
    tool_id: "orders_list",
    description: "Orders",
  });
  const hooks = {
    signal: new AbortController().signal,
    beforeCall: async () => undefined,
    onCall: (call: unknown) => void heard.push(call),
  };
  await expect(bind({ task, input: {} } as never, hooks as never)).rejects.toThrow();
  expect(reported()).toEqual([[2, [2]]]);
  expect(heard).toHaveLength(1);
});

test("the name that maxAttempts of planners had before is refused", () => {
  const controller = { name: "none", processPhase1: () => Promise.reject(), processPhase2: () => Promise.reject() };
  const options = { controller, resources, maxRetries: 5 };
  const refusal = expect.objectContaining({ code: "PLANNER_CONFIG", details: { option: "maxRetries" } });
  for (const make of [Planner, SubGraphRePlanner, ToolsPlanner]) expect(() => new make(options)).toThrow(refusal);
  expect(() => bindWith(options)).toThrow(refusal);
});

test("a deterministic controller is not asked twice for the same refusal", async () => {
  const refusing = (deterministic: boolean) => {
    let asked = 0;
    const refuse = async () => {
      asked += 1;
      return { success: false, message: "Nothing is about letters." };
    };
    const controller = { name: "stern", deterministic, processPhase1: refuse, processPhase2: refuse };
    return { planner: new Planner({ controller, resources }), asked: () => asked };
  };
  const stern = refusing(true);
  await expect(stern.planner.createPlan("g")).rejects.toThrow(
    "Failed to generate valid plan after 1 attempts: Nothing is about letters.",
  );
  expect(stern.asked()).toBe(1);
  const other = refusing(false);
  await expect(other.planner.createPlan("g")).rejects.toThrow("after 3 attempts");
  expect(other.asked()).toBe(3);
});

test("Stage 2 is offered the optional arguments that the task or its input speak of, and all after a wrong answer", async () => {
  const properties = { city: { type: "string" }, units: { type: "string" }, verbose: { type: "boolean" } };
  const known: Resource = {
    kind: "tool",
    id: "weather",
    description: "Weather",
    input_schema: { type: "object", properties, required: ["city"] },
  };
  const task = PlannerTask.parse({
    task_id: "a",
    execution_type: "tool",
    tool_id: "weather",
    description: "Weather of Lyon",
  });
  const answer = (input_data: object) => chatBehaviours.answers({ uid: "weather", input_data });
  const { requests } = await withModel([answer({ city: 3 }), answer({ city: "Lyon" })], (controller) =>
    bindWith({ controller, resources: [known] })(
      { task, input: { place: "Lyon", units: "metric" } } as never,
      {} as never,
    ),
  );
  const offered = requests.map(({ body }) => {
    const { json_schema } = (body?.response_format ?? {}) as {
      json_schema: { schema: { properties: { input_data: object } } };
    };
    return Object.keys((json_schema.schema.properties.input_data as { properties: object }).properties);
  });
  expect(offered).toEqual([
    ["city", "units"],
    ["city", "units", "verbose"],
  ]);
});

test("Stage 2 over HTTP: a wrong input is corrected", async () => {
  const steps = [
    chatBehaviours.answers({ uid: "orders_list", input_data: { status: "all" } }),
    chatBehaviours.fenced({
      uid: "orders_list",
      input_data: { status: "open" },
      plan: "only open ones were asked for",
    }),
  ];
  const task = PlannerTask.parse({ task_id: "a", description: "List open orders", execution_type: "tool" });
  const { value, requests } = await withModel(steps, (controller) =>
    bindWith({ controller, resources })({ task, input: {} }, { signal: new AbortController().signal }),
  );
  expect(value).toEqual({ uid: "orders_list", input_data: { status: "open" }, plan: "only open ones were asked for" });
  expect(lastMessage(requests.at(-1))).toMatch(/status.*List open orders/s);
});

test("an abort ends the HTTP call", async () => {
  const abort = new AbortController();
  const step = () => {
    abort.abort("enough");
    return chatBehaviours.silent();
  };
  await withModel([step], async (controller) => {
    const planning = new Planner({ controller, resources }).createPlan("g", { signal: abort.signal });
    await expect(planning).rejects.toBe("enough");
  });
});
