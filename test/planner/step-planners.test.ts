import type { ControllerReply } from "@planloom/controller";
import { scriptedController } from "@planloom/controller/testing";
import { PlannerTask, type Resource } from "@planloom/plan";
import {
  AgentsPlanner,
  bindWith,
  DSLPlanner,
  LLMSelectorPlanner,
  type PlannerEvent,
  readStepReply,
  subPlanners,
  ToolsPlanner,
} from "@planloom/planner";
import { describe, expect, test } from "vitest";

const search: Resource = {
  kind: "tool",
  id: "web/search",
  name: "search",
  description: "Searches",
  input_schema: { type: "object", properties: { q: { type: "string" }, n: { type: "integer" } }, required: ["q"] },
};
const fetchPage: Resource = { kind: "tool", id: "web/fetch", description: "Fetches a page" };
const agent: Resource = {
  kind: "agent",
  id: "agent-42",
  description: "Reads documents",
  traits: ["patient"],
  input_schema: { type: "object", properties: { doc: { type: "string" } }, required: ["doc"] },
};
const poet: Resource = { kind: "agent", id: "agent-7", description: "Writes verse" };
const model: Resource = {
  kind: "llm",
  id: "small",
  description: "A small model",
  input_schema: { type: "object", properties: { prompt: { type: "string" } } },
};
const workflow: Resource = {
  kind: "dsl",
  id: "nightly",
  description: "Nightly report",
  input_schema: { type: "object", properties: { day: { type: "integer" } } },
};
const resources = [search, fetchPage, agent, poet, model, workflow];
const signal = new AbortController().signal;

const answering = (...replies: ControllerReply[]) => scriptedController(replies.map((phase2) => ({ phase2 })));
const answer = (uid: string, input_data?: unknown, more: object = {}): ControllerReply => ({
  success: true,
  data: { uid, ...(input_data === undefined ? {} : { input_data }), ...more },
});

describe("seed 003's flow", () => {
  test("an agent is chosen and its input written", async () => {
    const controller = answering(answer("agent-42", { doc: "Full report" }, { plan: "it reads" }));
    const planner = new AgentsPlanner({ controller });
    planner.prepareAgents(resources);
    planner.addTaskDescription("Summarize the following input...");
    planner.addInputConversion({ text: "Full report" });
    const description = planner.getFullDescription();
    for (const part of ["agent-42", "patient", '"doc"', "Summarize the following", "Full report"]) {
      expect(description).toContain(part);
    }
    expect(description).not.toContain("web/search");
    const step = await planner.createPlan({ task_description: description }, { llmData: { model: "gpt-4" } });
    expect(step).toEqual({ uid: "agent-42", input_data: { doc: "Full report" }, plan: "it reads" });
    expect(controller.requests[0]?.request).toMatchObject({
      search_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      phase_2_data: { task_input_data: description, n_history_samples: 0, llm_data: { model: "gpt-4" } },
      input: { text: "Full report" },
    });
  });

  test.for([
    { planner: ToolsPlanner, prepare: "prepareTools", uid: "web/fetch" },
    { planner: LLMSelectorPlanner, prepare: "prepareLlms", uid: "small" },
    { planner: DSLPlanner, prepare: "prepareWorkflows", uid: "nightly" },
  ] as const)("$prepare", async ({ planner, prepare, uid }) => {
    const subject = new planner({ controller: answering(answer(uid, { a: 1 })) });
    const prepared = (subject as unknown as Record<string, (list: readonly Resource[]) => string>)[prepare]?.(
      resources,
    );
    expect(prepared).toContain(uid);
    expect(await subject.createPlan({ task_description: "Do it" })).toEqual({ uid, input_data: { a: 1 } });
  });

  test("output_module goes through, from the request or from the task", async () => {
    const subject = new DSLPlanner({ controller: answering() });
    subject.prepareWorkflows(resources);
    expect(await subject.createPlan({ input: { day: 1 }, output_module: "totals" })).toMatchObject({
      output_module: "totals",
    });
    const task = PlannerTask.parse({
      execution_type: "dsl",
      parameters: { output_module: "rows" },
      arguments: { day: 1 },
    });
    expect(await subject.createPlan({ task })).toMatchObject({ output_module: "rows", input_data: { day: 1 } });
  });
});

describe("validation, feedback and retry", () => {
  test("an unknown id and a wrong input are fed back", async () => {
    const controller = answering(
      answer("web/serch", { q: "x" }),
      answer("search", { q: 1 }),
      answer("search", { q: "x" }),
    );
    const events: PlannerEvent[] = [];
    const planner = new ToolsPlanner({ controller, onEvent: (event) => events.push(event) });
    planner.prepareTools(resources);
    expect(await planner.createPlan({ task_description: "Find x" })).toEqual({
      uid: "web/search",
      input_data: { q: "x" },
    });
    const feedback = controller.requests[2]?.request.feedback;
    expect(feedback).toMatchObject([
      { issues: [{ code: "unknown_tool", repair: { operation: "replace", candidates: ["web/search", "web/fetch"] } }] },
      { issues: [{ code: "invalid_argument", argument_path: "q" }] },
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      "bind-start",
      "bind-attempt",
      "bind-attempt",
      "bind-attempt",
      "bind-end",
    ]);
  });

  test("the last failure says what was wrong each time", async () => {
    const planner = new ToolsPlanner({ controller: answering(answer("nope"), answer("search", {})), maxAttempts: 2 });
    planner.prepareTools(resources);
    await expect(planner.createPlan({ task_description: "Find x" })).rejects.toMatchObject({
      code: "PLANNER_NO_VALID_STEP",
      message: expect.stringMatching(/^Failed to generate valid input for the tool after 2 attempts: .*q/),
      details: { attempts: [{ issues: [{ code: "unknown_tool" }] }, { issues: [{ code: "missing_argument" }] }] },
    });
  });

  test("a task of another kind is refused", async () => {
    const planner = new DSLPlanner({ controller: answering() });
    planner.prepareWorkflows(resources);
    const task = PlannerTask.parse({ task_id: "t", execution_type: "tool", tool_id: "search" });
    await expect(planner.createPlan({ task })).rejects.toMatchObject({ code: "PLANNER_INPUT_INVALID" });
  });

  test("a kind without resources is refused before any call", async () => {
    const planner = new LLMSelectorPlanner({ controller: answering() });
    planner.prepareLlms([search]);
    await expect(planner.createPlan({ task_description: "x" })).rejects.toMatchObject({
      code: "PLANNER_RESOURCES_EMPTY",
    });
  });
});

describe("readStepReply", () => {
  test.for([
    {
      name: "the planner document's answer",
      data: { uid: "u", input_data: { k: 1 }, plan: "why" },
      step: { uid: "u", input: { k: 1 }, plan: "why" },
    },
    {
      name: "the controller document's",
      data: { status: "success", processed_data: { uid: "u" } },
      step: { uid: "u" },
    },
    { name: "other spellings", data: { tool_id: "u", args: { k: 1 } }, step: { uid: "u", input: { k: 1 } } },
    { name: "text", data: '```json\n{"uid":"u","input_data":{}}\n```', step: { uid: "u", input: {} } },
    { name: "an input as text", data: { uid: "u", input_data: '{"k":1}' }, step: { uid: "u", input: { k: 1 } } },
    { name: "a plan that is a list", data: { uid: "u", plan: ["a"] }, step: { uid: "u", plan: '["a"]' } },
  ])("$name", ({ data, step }) => expect(readStepReply(data)).toEqual({ step }));

  test.for([{ data: null }, { data: [] }, { data: {} }, { data: { uid: 7 } }, { data: { uid: "u", input_data: [1] } }])(
    "no step: $data",
    ({ data }) => expect(readStepReply(data)).toMatchObject({ issues: [{ code: "unreadable", severity: "error" }] }),
  );
});

describe("bindWith", () => {
  const task = (fields: object) => PlannerTask.parse({ task_id: "a", description: "Find x", ...fields });

  test.for([
    {
      name: "pinned, complete and valid",
      fields: { execution_type: "tool", tool_id: "web/search" },
      input: { q: "x" },
      uid: "web/search",
    },
    {
      name: "pinned by another spelling",
      fields: { execution_type: "tool", tool_id: "web__search" },
      input: { q: "x" },
      uid: "web/search",
    },
    {
      name: "pinned, nothing declared, nothing given",
      fields: { execution_type: "tool", tool_id: "web/fetch" },
      input: {},
      uid: "web/fetch",
    },
    { name: "the only one of its kind", fields: { execution_type: "llm" }, input: { prompt: "x" }, uid: "small" },
    {
      name: "kind by sub_type",
      fields: { parameters: { sub_type: "tools" }, tool_id: "web/search" },
      input: { q: "x" },
      uid: "web/search",
    },
    {
      name: "an agent with an instruction",
      fields: { execution_type: "agent", agent_id: "agent-7" },
      input: { theme: "rain" },
      uid: "agent-7",
    },
  ])("asks nobody: $name", async ({ fields, input, uid }) => {
    const bind = bindWith({ controller: answering(), resources });
    expect(await bind({ task: task(fields), input }, { signal })).toEqual({ uid, input_data: input });
  });

  test.for([
    {
      name: "an argument is missing",
      fields: { execution_type: "tool", tool_id: "web/search" },
      input: {},
      offered: 1,
    },
    {
      name: "an argument is wrong",
      fields: { execution_type: "tool", tool_id: "web/search" },
      input: { q: 7 },
      offered: 1,
    },
    { name: "several could do it", fields: { execution_type: "tool" }, input: { q: "x" }, offered: 2 },
    {
      name: "the only one of its kind got no input",
      fields: { execution_type: "llm" },
      input: {},
      offered: 1,
      uid: "small",
    },
    { name: "the kind is open", fields: {}, input: { q: "x" }, offered: 6 },
  ])("asks when $name", async ({ fields, input, offered, uid = "web/search" }) => {
    const controller = answering(answer(uid, { q: "asked" }));
    const bind = bindWith({ controller, resources });
    expect(await bind({ task: task(fields), input }, { signal })).toEqual({
      uid,
      input_data: { q: "asked" },
    });
    const sent = controller.requests[0]?.request;
    expect(sent?.resources).toHaveLength(offered);
    expect(sent).toMatchObject({ input, task: { task_id: "a", description: "Find x" } });
  });

  test("an agent without a schema and without input gets its instruction from Stage 2", async () => {
    const controller = answering(answer("agent-7", { theme: "x" }));
    const bind = bindWith({ controller, resources });
    const step = await bind({ task: task({ execution_type: "agent", agent_id: "agent-7" }), input: {} }, { signal });
    expect(step.input_data).toEqual({ theme: "x" });
  });

  test("a controller that names only the resource leaves the input as it is", async () => {
    const bind = bindWith({ controller: answering(answer("search")), resources });
    expect(await bind({ task: task({ execution_type: "tool" }), input: { q: "x" } }, { signal })).toEqual({
      uid: "web/search",
      input_data: { q: "x" },
    });
  });

  test("the only one of its kind that does not say what it takes is asked for", async () => {
    const loose: Resource = { kind: "dsl", id: "loose", description: "Takes anything" };
    const bind = bindWith({ controller: answering(answer("loose", { day: "monday" })), resources: [loose] });
    const step = await bind({ task: task({ execution_type: "dsl" }), input: { text: "x" } }, { signal });
    expect(step.input_data).toEqual({ day: "monday" });
  });

  test("a pin is kept against the controller", async () => {
    const bind = bindWith({ controller: answering(answer("web/fetch", {})), resources, maxAttempts: 1 });
    await expect(
      bind({ task: task({ execution_type: "tool", tool_id: "search" }), input: {} }, { signal }),
    ).rejects.toMatchObject({
      code: "PLANNER_NO_VALID_STEP",
      details: { task_id: "a" },
    });
  });

  test("a pin to nothing names what there is", async () => {
    const bind = bindWith({ controller: answering(), resources });
    await expect(
      bind({ task: task({ execution_type: "tool", tool_id: "web/serch" }), input: {} }, { signal }),
    ).rejects.toMatchObject({
      code: "PLANNER_RESOURCE_UNKNOWN",
      details: { uid: "web/serch", candidates: ["web/search", "web/fetch"] },
    });
  });

  test("resources may come and go", async () => {
    let now: readonly Resource[] = [];
    const bind = bindWith({ controller: answering(), resources: () => now });
    const request = { task: task({ execution_type: "llm" }), input: { prompt: "x" } };
    await expect(bind(request, { signal })).rejects.toMatchObject({ code: "PLANNER_RESOURCES_EMPTY" });
    now = [model];
    expect((await bind(request, { signal })).uid).toBe("small");
  });

  test("an abort reaches the controller", async () => {
    const bind = bindWith({ controller: answering(answer("search", { q: "x" })), resources });
    const aborted = AbortSignal.abort("enough");
    await expect(bind({ task: task({ execution_type: "tool" }), input: {} }, { signal: aborted })).rejects.toBe(
      "enough",
    );
  });
});

test("every kind has its sub-planner", () => {
  expect(Object.entries(subPlanners).every(([kind, subPlanner]) => subPlanner.kind === kind)).toBe(true);
});
