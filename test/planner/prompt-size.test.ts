import {
  type BehaviorController,
  LlmController,
  type ModelRequest,
  type Phase1Request,
  type Phase2Request,
  promptCharactersOf,
} from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { EmbeddedController } from "@planloom/embedded";
import { PlannerTask, type Resource, TaskData } from "@planloom/plan";
import { bindWith, Planner, SubGraphRePlanner, ToolsPlanner } from "@planloom/planner";
import { expect, test } from "vitest";

const subjects = ["orders", "invoices", "parcels", "payments", "letters", "rooms", "trains", "meals", "songs", "maps"];

/** `count` tools; one in fifty is about refunds. */
function tools(count: number, description = "Reads them from the archive of the company."): Resource[] {
  return Array.from({ length: count }, (_, at): Resource => {
    const subject = at % 50 === 7 ? "refunds" : subjects[at % subjects.length]!;
    return {
      kind: "tool",
      id: `archive/list_${subject}_${at}`,
      name: `list_${subject}_${at}`,
      description: `Lists ${subject}. ${description}`,
      input_schema: {
        type: "object",
        properties: { limit: { type: "integer", description: `How many ${subject} at most. ${description}` } },
      },
    };
  });
}

function charactersOf({ messages, schema }: ModelRequest): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0) + JSON.stringify(schema?.schema ?? "").length;
}

function recording(answer: unknown) {
  const requests: ModelRequest[] = [];
  const model = {
    name: "recording",
    async generate(request: ModelRequest) {
      requests.push(request);
      return { text: typeof answer === "string" ? answer : JSON.stringify(answer), toolCalls: [] };
    },
  };
  return { model, requests };
}

const refundTask = {
  task_id: "a",
  description: "List refunds",
  execution_type: "tool",
  tool_id: "archive/list_refunds_7",
  arguments: { limit: 3 },
  dependencies: [],
};

test.for(["planloom", "kirha", "planner-agent"] as const)(
  "5,000 tools: a Stage 1 request in the form %s is within the bound, with what fits the goal",
  { timeout: 60_000 },
  async (protocol) => {
    const { model, requests } = recording(
      protocol === "planloom"
        ? { tasks: [refundTask] }
        : protocol === "kirha"
          ? `<plan>[{"thought":"", "toolName":"list_refunds_7","arguments":{"limit":3}}]</plan>`
          : { steps: [{ tool: "list_refunds_7", params: { limit: 3 }, depends_on: [] }] },
    );
    const controller = new LlmController({ model, protocol, maxResources: Number.POSITIVE_INFINITY });
    const planner = new Planner({ controller, resources: tools(5_000), maxPromptCharacters: 60_000, maxAttempts: 1 });
    const plan = await planner.createPlan("List the last three refunds").catch((error: Error) => error);

    const [request] = requests;
    expect(charactersOf(request!)).toBeLessThanOrEqual(60_000);
    // The room is used.
    expect(charactersOf(request!)).toBeGreaterThan(55_000);
    const text = request!.messages.map(({ content }) => content).join("\n");
    const shown = new Set(text.match(/list_[a-z]+_\d+/g));
    const refunds = [...shown].filter((name) => name.includes("refunds"));
    expect(refunds).toHaveLength(100);
    if (protocol !== "kirha") expect(text).toContain(`${5_000 - shown.size} more resources are not shown`);
    if (protocol === "planloom") {
      expect((plan as TaskData).metadata?.planning).toMatchObject({
        resources_shown: shown.size,
        resources_left_out: 5_000 - shown.size,
      });
    }
  },
);

test("descriptions and schemas are shortened alike before a resource is left out", async () => {
  const { model, requests } = recording({ tasks: [refundTask] });
  const resources = tools(100, "A long story of how it came to be. ".repeat(50));
  const planner = new Planner({
    controller: new LlmController({ model, maxResources: Number.POSITIVE_INFINITY }),
    resources,
    maxPromptCharacters: 37_500,
  });
  const plan = await planner.createPlan("List the last three refunds");

  expect(charactersOf(requests[0]!)).toBeLessThanOrEqual(37_500);
  const text = requests[0]!.messages[0]!.content;
  for (const { id } of resources) expect(text).toContain(id);
  expect(text).not.toContain("not shown");
  const lengths = new Set([...text.matchAll(/: Lists [a-z]+\. (.*)$/gm)].map(([, words]) => words!.length));
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(20);
  expect(plan.metadata?.planning).toMatchObject({ resources_shown: 100, resources_left_out: 0 });
});

test("one tool with a description and a schema of megabytes is shown in short", async () => {
  const { model, requests } = recording({ tasks: [{ ...refundTask, tool_id: "big", arguments: { needed: "x" } }] });
  const properties = Object.fromEntries(
    Array.from({ length: 50_000 }, (_, at) => [`option_${at}`, { type: "string" }]),
  );
  const big: Resource = {
    kind: "tool",
    id: "big",
    description: "d".repeat(5_000_000),
    input_schema: {
      type: "object",
      properties: { ...properties, needed: { type: "string" } },
      required: ["needed"],
    },
  };
  const planner = new Planner({ controller: new LlmController({ model }), resources: [big, ...tools(3)] });
  await planner.createPlan("List refunds");
  expect(charactersOf(requests[0]!)).toBeLessThanOrEqual(400_000);
  const text = requests[0]!.messages[0]!.content;
  expect(text).toContain("- needed (string)");
  expect(text).toMatch(/and \d+ more arguments/);
  for (const { id } of tools(3)) expect(text).toContain(id);
});

test("the structured request stays whole, and says which resources the text describes", async () => {
  const seen: Phase1Request[] = [];
  const controller: BehaviorController = {
    name: "own",
    async processPhase1(request) {
      seen.push(request);
      return { success: true, data: { tasks: [refundTask] } };
    },
    processPhase2: () => Promise.reject(new Error("not asked")),
  };
  const resources = tools(1_000);
  await new Planner({ controller, resources, maxPromptCharacters: 30_000 }).createPlan("List refunds");
  const [request] = seen;
  expect(request!.resources).toBe(resources);
  expect(request!.phase_1_data.task_input_data.length).toBeLessThanOrEqual(30_000);
  expect(request!.shown_resources!.length).toBeLessThan(1_000);
  for (const { id } of request!.shown_resources!) expect(request!.phase_1_data.task_input_data).toContain(id);

  seen.length = 0;
  await new Planner({ controller, resources: tools(10) }).createPlan("List refunds");
  expect(seen[0]).not.toHaveProperty("shown_resources");
});

test("a controller that asks no model is given all of it, whatever the bound", async () => {
  const planner = new Planner({
    controller: new EmbeddedController(),
    resources: tools(300),
    maxPromptCharacters: 1_000,
  });
  const plan = await planner.createPlan("List refunds");
  expect(plan.metadata?.planning).not.toHaveProperty("resources_left_out");
});

test("what cannot be cut is refused before any model is asked, in every stage", async () => {
  const { model, requests } = recording({});
  const controller = new LlmController({ model });
  const options = { controller, maxPromptCharacters: 20_000 };
  const resources = tools(20);
  const tooLarge = { code: "PLANNER_PROMPT_TOO_LARGE", details: { maxPromptCharacters: 20_000, resources: 20 } };
  const goal = `List refunds ${"and more ".repeat(5_000)}`;
  await expect(new Planner({ ...options, resources }).createPlan(goal)).rejects.toMatchObject(tooLarge);
  await expect(new Planner({ ...options, resources }).createPlan({ task_description: goal })).rejects.toMatchObject({
    code: "PLANNER_PROMPT_TOO_LARGE",
  });
  const task = PlannerTask.parse({ task_id: "a", description: goal, execution_type: "tool" });
  const bind = bindWith({ ...options, resources });
  const context = { signal: new AbortController().signal };
  await expect(bind({ task, input: {} } as never, context as never)).rejects.toMatchObject(tooLarge);
  const step = new ToolsPlanner(options);
  step.prepareTools(resources);
  await expect(step.createPlan({ task })).rejects.toMatchObject(tooLarge);
  const replanner = new SubGraphRePlanner({ ...options, resources });
  const subgraph = { subgraph_id: "s", tasks: [{ ...task, mark_replan: true }], dependencies: [] };
  await expect(replanner.replaceReplanTasks(subgraph as never)).rejects.toMatchObject(tooLarge);
  expect(requests).toHaveLength(0);
});

test("Stage 2 and replans are within the bound with what fits the task", { timeout: 60_000 }, async () => {
  const resources = tools(3_000);
  const task = PlannerTask.parse({ task_id: "a", description: "List the refunds", execution_type: "tool" });
  const stage2 = recording({ uid: "archive/list_refunds_7", input_data: { limit: 1 } });
  const bind = bindWith({
    controller: new LlmController({ model: stage2.model, maxResources: Number.POSITIVE_INFINITY }),
    resources,
    maxPromptCharacters: 40_000,
  });
  const context = { signal: new AbortController().signal };
  await expect(bind({ task, input: {} } as never, context as never)).resolves.toMatchObject({
    uid: "archive/list_refunds_7",
  });
  const replan = recording({ tasks: [{ ...refundTask, replaces: ["a"] }] });
  const replanner = new SubGraphRePlanner({
    controller: new LlmController({ model: replan.model, maxResources: Number.POSITIVE_INFINITY }),
    resources,
    maxPromptCharacters: 40_000,
  });
  const plan = { ...TaskData.parse({ task_id: "p" }), planned_tasks: [{ ...task, mark_replan: true }] };
  const subgraph = { subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] };
  const { patch } = await replanner.replaceReplanTasks(subgraph as never, { plan });
  expect(patch?.tasks).toHaveLength(1);
  for (const { requests } of [stage2, replan]) {
    expect(charactersOf(requests[0]!)).toBeLessThanOrEqual(40_000);
    const text = requests[0]!.messages.map(({ content }) => content).join("\n");
    expect(new Set(text.match(/list_refunds_\d+/g)).size).toBe(60);
    expect(text).toMatch(/\d+ more resources are not shown/);
  }
});

test("feedback counts too: a second attempt is within the bound", async () => {
  const { model, requests } = recording({ tasks: [{ ...refundTask, tool_id: `nothing${"x".repeat(3_000)}` }] });
  const planner = new Planner({
    controller: new LlmController({ model }),
    resources: tools(1_000),
    maxPromptCharacters: 30_000,
    maxAttempts: 3,
  });
  await expect(planner.createPlan("List refunds")).rejects.toMatchObject({ code: "PLANNER_NO_VALID_PLAN" });
  expect(requests).toHaveLength(3);
  for (const request of requests) expect(charactersOf(request)).toBeLessThanOrEqual(30_000);
});

test("a model request over the caller's bound is refused by the controller itself", async () => {
  const controller = new LlmController({ model: scriptedModel([]) });
  const request: Phase2Request = {
    search_id: "s",
    phase_2_data: { task_input_data: "x".repeat(9_000), n_history_samples: 0, llm_data: {} },
  };
  expect(promptCharactersOf(controller, request)).toBeGreaterThan(9_000);
  await expect(controller.processPhase2(request, { maxPromptCharacters: 5_000 })).rejects.toMatchObject({
    code: "CONTROLLER_PROMPT_TOO_LARGE",
    details: { maxPromptCharacters: 5_000 },
  });
});

test.for([0, 1.5, Number.NaN, "many"])("%s is no bound", (maxPromptCharacters) => {
  const options = { controller: new EmbeddedController(), maxPromptCharacters: maxPromptCharacters as number };
  for (const make of [
    () => new Planner(options),
    () => new ToolsPlanner(options),
    () => bindWith({ ...options, resources: [] }),
    () => new SubGraphRePlanner(options),
  ])
    expect(make).toThrowError(
      expect.objectContaining({ code: "PLANNER_CONFIG", details: { option: "maxPromptCharacters" } }),
    );
});

test.for([
  { name: "throws", promptCharacters: () => Promise.reject(new Error("no")) as never },
  { name: "gives no number", promptCharacters: () => Number.NaN },
])("a `promptCharacters` that $name ends planning, by name", async ({ promptCharacters }) => {
  const controller: BehaviorController = {
    name: "own",
    promptCharacters,
    processPhase1: () => Promise.reject(new Error("not asked")),
    processPhase2: () => Promise.reject(new Error("not asked")),
  };
  await expect(new Planner({ controller, resources: tools(3) }).createPlan("List refunds")).rejects.toMatchObject({
    code: "PLAN_CALLBACK",
    message: expect.stringContaining("controller.promptCharacters"),
  });
});

test("what gives an id that a described tool needs is described too, though the goal shares no word with it", async () => {
  const text = { type: "string" } as const;
  const needing: Resource = {
    kind: "tool",
    id: "refund_images",
    description: "Images of a refund.",
    input_schema: { type: "object", properties: { claim_id: text }, required: ["claim_id"] },
  };
  const giving: Resource = {
    kind: "tool",
    id: "open_cases",
    description: "Cases of a customer.",
    input_schema: { type: "object", properties: { query: text } },
    output_schema: { type: "array", items: { type: "object", properties: { claim_id: text } } },
  };
  const { model, requests } = recording({
    tasks: [{ task_id: "t1", for: "refunds", tool_id: "archive/list_refunds_7", arguments: {} }],
  });
  const resources = [...tools(200), needing, giving];
  await new Planner({ controller: new LlmController({ model }), resources }).createPlan(
    "Show the images of the refund of Nora",
  );
  const { content } = requests[0]!.messages[0]!;
  expect(content).toContain('claim_id (string from "open_cases")');
  expect(content).toContain('"open_cases"(query?)');
});
