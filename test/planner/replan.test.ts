import { type ControllerReply, HttpController, LlmController, type Phase1Request } from "@planloom/controller";
import { type ControllerStep, scriptedController, scriptedModel } from "@planloom/controller/testing";
import { type PlannerTask, planHashes, type Resource, type SubGraph, type TaskData } from "@planloom/plan";
import { PlannerError, type PlannerEvent, SubGraphRePlanner, type SubGraphRePlannerOptions } from "@planloom/planner";
import { describe, expect, test } from "vitest";
import { planOf, task } from "../support/plans.ts";

const rows = { type: "array", items: { type: "object", properties: { id: { type: "string" } } } };
const resources: Resource[] = [
  { kind: "tool", id: "list_old", description: "Lists", output_schema: { type: "object", properties: { rows } } },
  {
    kind: "tool",
    id: "list_new",
    description: "Lists anew",
    input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    output_schema: { type: "object", properties: { rows }, additionalProperties: false },
  },
  {
    kind: "tool",
    id: "clean",
    description: "Cleans",
    output_schema: { type: "object", properties: { city: { type: "string" } } },
  },
  { kind: "agent", id: "writer", description: "Writes" },
  { kind: "llm", id: "small", description: "A model" },
  { kind: "dsl", id: "flow", description: "A workflow" },
];
const tool = (task_id: string, more: object): PlannerTask =>
  task({ task_id, execution_type: "tool", main_task_id: "plan", description: `Do ${task_id}`, ...more });

const plan = (): TaskData =>
  planOf([
    tool("city", { tool_id: "clean", status: "completed", output: { city: "Lyon" } }),
    tool("list", { tool_id: "list_old", arguments: { where: "${city.city}" }, status: "failed", mark_replan: true }),
    task({
      task_id: "write",
      execution_type: "agent",
      agent_id: "writer",
      arguments: { ids: "${list.rows.*.id}" },
      status: "skipped",
      description: "Write",
    }),
    tool("secret", { tool_id: "clean", arguments: { note: "not to be shown" } }),
  ]);
const whole = (data: TaskData): SubGraph => ({ subgraph_id: "s", tasks: data.planned_tasks, dependencies: [] });
const good = {
  task_id: "list",
  replaces: ["list"],
  description: "List",
  execution_type: "tool",
  tool_id: "list_new",
  arguments: { city: "${city.city}" },
};

function replanner(replies: (ControllerReply | Error)[], options: Partial<SubGraphRePlannerOptions> = {}) {
  const controller = scriptedController(replies.map((phase1): ControllerStep => ({ phase1 })));
  return { controller, replanner: new SubGraphRePlanner({ controller, resources, ...options }) };
}

test("a subgraph that depends on others is replanned by itself, as the seed's example does for each", async () => {
  const { planned_tasks } = plan();
  const groups: SubGraph[] = [
    { subgraph_id: "one", tasks: planned_tasks.slice(0, 1), dependencies: [] },
    { subgraph_id: "two", tasks: planned_tasks.slice(1, 3), dependencies: ["one"] },
  ];
  const { replanner: subject, controller } = replanner([{ success: true, data: { tasks: [good] } }]);
  const after: SubGraph[] = [];
  for (const group of groups) {
    const { subgraph, plan: alone } = await subject.replaceReplanTasks(group);
    after.push(subgraph);
    expect(alone.planned_tasks).toEqual(subgraph.tasks);
  }
  expect(controller.requests).toHaveLength(1);
  expect(after[0]).toBe(groups[0]);
  expect(after[1]).toMatchObject({
    subgraph_id: "two",
    dependencies: ["one"],
    tasks: [
      // Nobody says which plan it is of, so what it stands for is kept.
      { task_id: "list_2", main_task_id: "plan", dependencies: ["city"], arguments: { city: "${city.city}" } },
      { task_id: "write", arguments: { ids: "${list_2.rows.*.id}" } },
    ],
  });
});
const requestOf = (controller: ReturnType<typeof scriptedController>, index = 0): Phase1Request =>
  controller.requests[index]!.request as Phase1Request;

test("replaces what is marked and nothing else; the failure and the neighbours are sent, strangers are not", async () => {
  const before = plan();
  const events: PlannerEvent[] = [];
  const { controller, replanner: subject } = replanner([{ success: true, data: { tasks: [good] } }], {
    onEvent: (event) => events.push(event),
  });
  const subgraph: SubGraph = { ...whole(before), tasks: before.planned_tasks.slice(1, 3) };
  const failures = new Map([["list", { code: "TASK_FAILED", message: "410 Gone" }]]);
  const {
    subgraph: now,
    patch,
    plan: after,
  } = await subject.replaceReplanTasks(subgraph, {
    plan: before,
    customAppendText: "Ensure memory efficiency.",
    failures,
  });
  expect(now.tasks.map(({ task_id }) => task_id)).toEqual(["list_2", "write"]);
  expect(now.tasks[0]).toMatchObject({
    main_task_id: "list",
    tool_id: "list_new",
    dependencies: ["city"],
    mark_replan: false,
    status: "pending",
  });
  expect(now.tasks[1]).toMatchObject({ arguments: { ids: "${list_2.rows.*.id}" }, status: "pending" });
  expect(after.planned_tasks.map(({ task_id }) => task_id)).toEqual(["city", "list_2", "write", "secret"]);
  expect(patch).toMatchObject({
    plan_id: "plan",
    base: "",
    replacements: [{ task_id: "list", replaced_by: ["list_2"] }],
  });
  for (const id of ["city", "write", "secret"]) {
    expect(planHashes(after).get(id)!.definition_hash).toBe(planHashes(before).get(id)!.definition_hash);
  }
  expect(before).toEqual(plan());

  const request = requestOf(controller);
  expect(request.replan).toMatchObject({
    plan_id: "plan",
    note: "Ensure memory efficiency.",
    tasks: [
      {
        task: { task_id: "list", tool_id: "list_old" },
        failure: { message: "410 Gone" },
        inputs: [{ task_id: "city", status: "completed", output: { city: "Lyon" } }],
        consumers: [{ task_id: "write", reads: ["rows.*.id"] }],
      },
    ],
  });
  const text = request.phase_1_data.task_input_data;
  for (const part of [
    "410 Gone",
    "Ensure memory efficiency.",
    "list_new",
    "writer",
    "small",
    "flow",
    "rows.*.id",
    "Lyon",
  ]) {
    expect(text).toContain(part);
  }
  expect(JSON.stringify(request)).not.toContain("not to be shown");
  expect(events.map(({ type }) => type)).toEqual(["replan-start", "replan-attempt", "replan-end"]);
});

test("consumers are described with the schemas that what they read must fit, where these are known", async () => {
  const ids = { type: "array", items: { type: "string" } };
  const count: Resource = {
    kind: "tool",
    id: "count",
    description: "Counts",
    input_schema: { type: "object", properties: { ids, label: { type: "string" } } },
  };
  const values = { ids: "${list.rows.*.id}", label: "of ${list.rows[0].id}" };
  const all = planOf([...plan().planned_tasks, tool("sum", { tool_id: "count", arguments: values })]);
  const { controller, replanner: subject } = replanner([{ success: true, data: { tasks: [good] } }], {
    resources: [...resources, count],
  });
  await subject.replaceReplanTasks(whole(all), { plan: all });
  const { replan, phase_1_data } = requestOf(controller);
  expect(replan?.tasks[0]?.consumers).toMatchObject([
    { task_id: "write" },
    { task_id: "sum", reads: ["rows.*.id", "rows[0].id"], expects: [{ path: "rows.*.id", schema: ids }] },
  ]);
  expect(phase_1_data.task_input_data).toContain(`output rows.*.id as ${JSON.stringify(ids)}, output rows[0].id`);
});

test("nothing marked: no call, the same objects", async () => {
  const { controller, replanner: subject } = replanner([]);
  const before = planOf([tool("a", {})]);
  const subgraph = whole(before);
  const result = await subject.replaceReplanTasks(subgraph, { plan: before });
  expect(result.subgraph).toBe(subgraph);
  expect(result.plan).toBe(before);
  expect(result.patch).toBeUndefined();
  expect(controller.requests).toEqual([]);
});

test("a proposal with issues goes back with them; the next one counts", async () => {
  const wrong = { ...good, arguments: { city: "${city.town}", extra: "${secret.city}" } };
  const { controller, replanner: subject } = replanner([
    { success: true, data: { tasks: [wrong] } },
    { success: true, data: { tasks: [good] } },
  ]);
  const { patch } = await subject.replaceReplanTasks(whole(plan()), { plan: plan() });
  expect(patch?.tasks[0]).toMatchObject({ tool_id: "list_new" });
  const second = requestOf(controller, 1);
  const [feedback] = second.feedback!;
  expect(feedback!.issues.map(({ code }) => code)).toContain("patch_boundary");
  expect(second.phase_1_data.task_input_data).toContain("secret");
});

test("feedback calls the new tasks as the answer did, not as they are called in the plan", async () => {
  const { controller, replanner: subject } = replanner([
    { success: true, data: { tasks: [{ ...good, tool_id: "magic", arguments: { city: "${list-2.city}" } }] } },
    { success: true, data: { tasks: [good] } },
  ]);
  const { patch } = await subject.replaceReplanTasks(whole(plan()), { plan: plan() });
  expect(patch?.tasks[0]?.task_id).toBe("list_2");
  const { feedback, phase_1_data } = requestOf(controller, 1);
  expect(feedback![0]!.issues.map(({ task_id }) => task_id)).toContain("list");
  expect(JSON.stringify(feedback![0]!.issues)).not.toContain("list_2");
  expect(phase_1_data.task_input_data).toContain('task "list" at tool_id');
  expect(phase_1_data.task_input_data).toContain("${list-2.city}");
});

test.for<{ name: string; data: unknown; says: RegExp }>([
  { name: "no answer for a marked task", data: { tasks: [] }, says: /neither a replacement nor/ },
  { name: "dropping what is read", data: { tasks: [], drop: ["list"] }, says: /read by "write"/ },
  { name: "dropping what is not marked", data: { tasks: [good], drop: ["secret"] }, says: /only marked tasks/ },
  {
    name: "replacing what is not marked",
    data: { tasks: [good, { ...good, task_id: "x", replaces: ["city"] }] },
    says: /not marked/,
  },
  {
    name: "an output its consumers cannot read",
    data: { tasks: [{ ...good, tool_id: "clean", arguments: {} }] },
    says: /rows/,
  },
  { name: "an invented tool", data: { tasks: [{ ...good, tool_id: "magic" }] }, says: /magic/ },
  {
    name: "reading what comes after",
    data: { tasks: [{ ...good, arguments: { city: "${write.text}" } }] },
    says: /write/,
  },
  { name: "no plan at all", data: "I am sorry", says: /tasks/ },
  { name: "nothing", data: undefined, says: /tasks/ },
])("$name: the old plan stands and the error says so", async ({ data, says }) => {
  const { controller, replanner: subject } = replanner(
    [1, 2].map(() => ({ success: true, data })),
    { maxAttempts: 2 },
  );
  const before = plan();
  const error = await subject.replaceReplanTasks(whole(before), { plan: before }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PlannerError);
  expect(error).toMatchObject({ code: "PLANNER_NO_VALID_REPLAN", details: { task_ids: ["list"] } });
  expect((error as PlannerError).message).toMatch(says);
  expect((error as PlannerError).message).toMatch(/^The plan was not changed/);
  expect(controller.requests).toHaveLength(2);
  expect(before).toEqual(plan());
});

test("several for one, and one dropped", async () => {
  const before = planOf([...plan().planned_tasks, tool("banner", { tool_id: "clean", mark_replan: true })]);
  const data = {
    tasks: [
      {
        task_id: "prepare",
        replaces: ["list"],
        execution_type: "tool",
        tool_id: "clean",
        arguments: { a: "${city.city}" },
      },
      { ...good, arguments: { city: "${prepare.city}" }, dependencies: ["prepare"] },
    ],
    drop: ["banner"],
  };
  const { plan: after, patch } = await replanner([{ success: true, data }]).replanner.replaceReplanTasks(
    whole(before),
    { plan: before },
  );
  expect(after.planned_tasks.map(({ task_id }) => task_id)).toEqual(["city", "prepare", "list_2", "write", "secret"]);
  expect(patch!.replacements).toMatchObject([
    { task_id: "list", output_from: "list_2" },
    { task_id: "banner", replaced_by: [] },
  ]);
});

test("a marked completed task is replaced; what consumed it is listed as new", async () => {
  const before = planOf([
    tool("list", { tool_id: "list_old", status: "completed", output: { noise: 1 }, mark_replan: true }),
    task({
      task_id: "write",
      execution_type: "agent",
      agent_id: "writer",
      arguments: { ids: "${list.rows}" },
      status: "completed",
    }),
  ]);
  const { controller, replanner: subject } = replanner([
    {
      success: true,
      data: [{ task_id: "list", execution_type: "tool", tool_id: "list_new", arguments: { city: "Lyon" } }],
    },
  ]);
  const { patch, subgraph } = await subject.replaceReplanTasks(whole(before), { plan: before });
  expect(requestOf(controller).replan!.tasks[0]).toMatchObject({ output: { noise: 1 } });
  expect(patch!.renewed).toEqual([{ task_id: "write", new_task_id: "write_2" }]);
  expect(subgraph.tasks.map(({ task_id, status }) => [task_id, status])).toEqual([
    ["list_2", "pending"],
    ["write_2", "pending"],
  ]);
});

test.for(["planloom", "kirha", "planner-agent"] as const)(
  "a model is asked in Planloom's form, protocol %s",
  async (protocol) => {
    const model = scriptedModel([{ text: `<think>hm</think>\n${JSON.stringify({ tasks: [good], reason: "moved" })}` }]);
    const controller = new LlmController({ model, protocol });
    const { patch } = await new SubGraphRePlanner({ controller, resources }).replaceReplanTasks(whole(plan()), {
      plan: plan(),
    });
    expect(patch).toMatchObject({ reason: "moved", tasks: [{ task_id: "list_2" }] });
    const [request] = model.requests;
    expect(request!.messages[0]!.content).toContain("repair plans");
    expect(JSON.stringify(request!.schema)).toContain('"enum":["list"]');
  },
);

describe("a model that replans", () => {
  const said = (tasks: readonly object[], more: object = {}) => JSON.stringify({ reason: "r", tasks, ...more });
  const anew = (city: unknown) => ({ task_id: "list", replaces: ["list"], tool_id: "list_new", arguments: { city } });
  const asks = (answers: readonly string[], more: Partial<SubGraphRePlannerOptions> = {}, before = plan()) => {
    const model = scriptedModel([...answers]);
    const subject = new SubGraphRePlanner({ controller: new LlmController({ model }), resources, ...more });
    return { model, made: subject.replaceReplanTasks(whole(before), { plan: before }) };
  };

  test("may only answer with tasks that resources take, each for marked ones; what is read may not go", async () => {
    const { model, made } = asks([said([anew("Lyon")])]);
    expect((await made).patch).toMatchObject({ reason: "r", tasks: [{ tool_id: "list_new", execution_type: "tool" }] });
    const [request] = model.requests;
    const { properties } = request!.schema!.schema as { properties: Readonly<Record<string, unknown>> };
    const { tasks, drop } = properties;
    const branches = (tasks as { items: { anyOf: { properties: Record<string, unknown> }[] } }).items.anyOf;
    const named = (keys: string[]) => keys.find((key) => key.endsWith("_id") && key !== "task_id") ?? keys[0];
    expect(branches.map(({ properties }) => named(Object.keys(properties)))).toEqual([
      "tool_id",
      "tool_id",
      "tool_id",
      "agent_id",
      "llm_id",
      "workflow_id",
      "cannot",
    ]);
    expect(branches[1]?.properties).toMatchObject({
      replaces: { items: { enum: ["list"] } },
      tool_id: { const: "list_new" },
      arguments: { required: ["city"] },
    });
    expect(drop).toBeUndefined();
    expect(request!.messages[0]!.content).not.toContain('"drop"');
    // The kinds and values of one fixed example were copied by small models.
    expect(request!.messages[0]!.content).not.toMatch(/Lyon|execution_type/);
  });

  test("is offered to drop what no task reads", async () => {
    const before = planOf([...plan().planned_tasks, tool("banner", { tool_id: "clean", mark_replan: true })]);
    const { model, made } = asks([said([anew("Lyon")], { drop: ["banner"] })], {}, before);
    expect((await made).patch?.replacements).toMatchObject([
      { task_id: "list" },
      { task_id: "banner", replaced_by: [] },
    ]);
    const [request] = model.requests;
    expect(JSON.stringify(request!.schema)).toContain(
      '"drop":{"type":"array","items":{"type":"string","enum":["banner"]}}',
    );
    expect(request!.messages[0]!.content).toMatch(/Of these: "banner"\.$/);
  });

  test("is not asked again for what is wrong in the form alone", async () => {
    const numbers = { type: "object", properties: { number: { type: "number" } }, additionalProperties: false };
    const known = resources.map((each) => (each.id === "clean" ? { ...each, output_schema: numbers } : each));
    const { model, made } = asks([said([anew("${city.town}")])], { resources: known });
    const { patch } = await made;
    expect(model.requests).toHaveLength(1);
    expect(patch?.tasks[0]?.arguments).toEqual({ city: { $text: "${city.number}" } });
  });

  test("that says that nothing can do it is believed", async () => {
    const { model, made } = asks([JSON.stringify({ reason: "r", tasks: [{ cannot: "list the moons" }] })]);
    await expect(made).rejects.toThrow(/No resource does this: list the moons/);
    expect(model.requests).toHaveLength(1);
  });

  test("is asked again at a higher temperature, unless the caller set one", async () => {
    const wrong = said([{ ...anew("Lyon"), tool_id: "magic" }]);
    for (const [given, temperatures] of [
      [{}, [0.1, 0.4, 0.7]],
      [{ temperature: 0.3 }, [0.3, 0.3, 0.3]],
    ] as const) {
      const { model, made } = asks([wrong, wrong, wrong], given);
      await expect(made).rejects.toThrow(/magic/);
      expect(model.requests.map(({ temperature }) => temperature)).toEqual(
        temperatures.map((each) => expect.closeTo(each)),
      );
    }
  });
});

test("a remote controller gets the structured part", async () => {
  let body: { replan?: unknown } = {};
  const controller = new HttpController({
    url: "http://localhost:8888",
    fetch: async (_url, request) => {
      body = JSON.parse(String(request?.body));
      return Response.json({ success: true, data: [good] });
    },
  });
  await new SubGraphRePlanner({ controller, resources }).replaceReplanTasks(whole(plan()), { plan: plan() });
  expect(body.replan).toMatchObject({ plan_id: "plan", tasks: [{ task: { task_id: "list" } }] });
});

test("prompts can be replaced; an abort ends it with the reason", async () => {
  const { controller, replanner: subject } = replanner([{ success: true, data: [good] }], {
    prompts: { replan: (request) => `MARKED ${request.tasks.length}` },
  });
  await subject.replaceReplanTasks(whole(plan()), { plan: plan() });
  expect(requestOf(controller).phase_1_data.task_input_data).toContain("MARKED 1");
  const aborted = AbortSignal.abort(new Error("enough"));
  await expect(subject.replaceReplanTasks(whole(plan()), { plan: plan(), signal: aborted })).rejects.toThrow("enough");
  await expect(subject.replaceReplanTasks(whole(plan()), { plan: planOf([tool("other", {})]) })).rejects.toMatchObject({
    code: "PLANNER_REPLAN_INPUT",
  });
});

test("however much was done and said, what is sent stays within bounds", async () => {
  const long = { text: "x".repeat(100_000) };
  const done = Array.from({ length: 300 }, (_, n) =>
    tool(`done_${n}`, { tool_id: "clean", status: "completed", output: long, result_variable: `v${n}` }),
  );
  const left = Array.from({ length: 30 }, (_, n) =>
    tool(`left_${n}`, {
      tool_id: "clean",
      arguments: Object.fromEntries(done.slice(0, 5).map((each, i) => [`a${i}`, `\${${each.task_id}.text}`])),
    }),
  );
  const all = planOf([...done, ...left]);
  const { controller, replanner: subject } = replanner([{ success: true, data: { tasks: [] } }]);
  const optional = left.map(({ task_id }) => task_id);
  await subject.replaceReplanTasks({ ...whole(all), tasks: [] }, { plan: all, optional });
  const { replan, phase_1_data } = requestOf(controller);
  expect(phase_1_data.task_input_data.length).toBeLessThan(250_000);
  expect(JSON.stringify(replan).length).toBeLessThan(600_000);
  for (const { task_id } of [...left, ...done]) expect(phase_1_data.task_input_data).toContain(`"${task_id}"`);
});

describe("optional tasks", () => {
  const marked = { subgraph_id: "s", tasks: [] as PlannerTask[], dependencies: [] };
  const given = planOf([task({ task_id: "a" }), task({ task_id: "b", dependencies: ["a"] })]);

  test("stay when the answer does not name them, and then there is no patch", async () => {
    const controller = scriptedController([{ phase1: { success: true, data: { tasks: [] } } }]);
    const made = await new SubGraphRePlanner({ controller }).replaceReplanTasks(marked, {
      plan: given,
      optional: ["b"],
    });
    expect(made).toEqual({ subgraph: marked, plan: given });
    const [asked] = controller.requests;
    expect(asked?.phase === 1 && asked.request.replan?.tasks).toMatchObject([
      { task: { task_id: "b" }, optional: true },
    ]);
    expect(asked?.phase === 1 && asked.request.phase_1_data.task_input_data).toMatch(/optional: it may stay/);
  });

  test("may be replaced, and what the caller says of the patch goes back to the controller", async () => {
    const answer = (description: string) => ({ tasks: [{ task_id: "b", replaces: ["b"], description }] });
    const controller = scriptedController([
      { phase1: { success: true, data: answer("as before") } },
      { phase1: { success: true, data: answer("better") } },
    ]);
    const made = await new SubGraphRePlanner({ controller }).replaceReplanTasks(marked, {
      plan: given,
      optional: ["b"],
      verify: ({ tasks }) =>
        tasks[0]?.description === "better" ? [] : [{ code: "task_repeated", severity: "error", message: "Not again." }],
    });
    expect(made.plan.planned_tasks).toMatchObject([{ task_id: "a" }, { description: "better", dependencies: ["a"] }]);
    const [, again] = controller.requests;
    expect(JSON.stringify(again?.request.feedback)).toContain("Not again.");
  });
});

test("a condition of what is replaced holds for what replaces it, and what the answer asks for holds in addition", async () => {
  const guarded = () =>
    planOf(
      plan().planned_tasks.map((each) =>
        each.task_id === "list" ? { ...each, when: { condition: '${city.city} = "Lyon"' } } : each,
      ),
    );
  for (const [when, condition] of [
    [undefined, '${city.city} = "Lyon"'],
    ["true", '(${city.city} = "Lyon") and (true)'],
    ['${city.city} = "Lyon"', '${city.city} = "Lyon"'],
  ] as const) {
    const answer = { ...good, ...(when !== undefined && { when: { condition: when } }) };
    const { replanner: subject } = replanner([{ success: true, data: { tasks: [answer] } }]);
    const { patch } = await subject.replaceReplanTasks(whole(guarded()), { plan: guarded() });
    expect(patch?.tasks[0]?.when).toEqual({ condition });
  }
});

test.for([
  ["several tasks of which one has no condition", ["list", "secret"], undefined, /cannot replace both/],
  ["a condition that is closed too early", ["list"], "true) or (true", /a whole expression/],
  ["the same behind quotes in a comment", ["list"], "true /*'*/) or (true /*'*/)", /a whole expression/],
  [
    "the same behind quotes in references",
    ["list"],
    '${city["it\'s"]} = 1) or (${city["it\'s"]} = 1',
    /a whole expression/,
  ],
] as const)("an answer cannot take a condition away by %s", async ([, replaces, when, refused]) => {
  const guarded = planOf(
    plan().planned_tasks.map((each) => ({
      ...each,
      mark_replan: replaces.some((id) => id === each.task_id),
      ...(each.task_id === "list" && { when: { condition: '${city.city} = "Lyon"' } }),
    })),
  );
  const answer = { ...good, replaces, ...(when !== undefined && { when: { condition: when } }) };
  const { replanner: subject } = replanner([{ success: true, data: { tasks: [answer] } }], { maxAttempts: 1 });
  await expect(subject.replaceReplanTasks(whole(guarded), { plan: guarded })).rejects.toMatchObject({
    code: "PLANNER_NO_VALID_REPLAN",
    message: expect.stringMatching(refused),
  });
});
