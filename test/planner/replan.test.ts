import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { planHashes, type Resource, type SubGraph } from "@planloom/plan";
import { PlannerError, type PlannerEvent, SubGraphRePlanner } from "@planloom/planner";
import { expect, test } from "vitest";
import { planOf, task } from "../support/plans.ts";
import { good, plan, replanner, requestOf, resources, tool, whole } from "../support/replanning.ts";

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
