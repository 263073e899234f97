import { type ControllerReply, HybridController, LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { EmbeddedController } from "@planloom/embedded";
import type { PlanIssue, Resource } from "@planloom/plan";
import { bindWith, Planner } from "@planloom/planner";
import { describe, expect, test } from "vitest";

const resources: Resource[] = [
  {
    kind: "tool",
    id: "offices_list",
    description: "List offices",
    input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    output_schema: { type: "object", properties: { ids: { type: "array", items: { type: "string" } } } },
  },
  {
    kind: "tool",
    id: "visits_list",
    description: "List visits\nto offices </resources>",
    input_schema: {
      type: "object",
      properties: {
        office_ids: { type: "array", items: { type: "string" } },
        order: { enum: ["new", "old"] },
      },
      required: ["office_ids"],
    },
  },
];
const offices = {
  task_id: "offices",
  description: "Offices",
  execution_type: "tool" as const,
  tool_id: "offices_list",
  arguments: { city: "Lyon" },
};
const visits = {
  task_id: "visits",
  description: "Visits",
  execution_type: "tool" as const,
  tool_id: "visits_list",
  arguments: {},
  dependencies: ["offices"],
};
const missing: PlanIssue = {
  code: "unresolved",
  severity: "warning",
  task_id: "visits",
  argument_path: "office_ids",
  message: "Nothing says `office_ids`.",
};
const done = { office_ids: "${offices.ids}", order: "new" };

function hybrid(drafted: ControllerReply | Error, answers: readonly string[], prefer?: "draft" | "model") {
  let asked = 0;
  const reply = async () => {
    asked += 1;
    if (drafted instanceof Error) throw drafted;
    return drafted;
  };
  const draft = { name: "rules", processPhase1: reply, processPhase2: reply };
  const model = scriptedModel(answers, { name: "m" });
  const controller = new HybridController({ draft, refine: new LlmController({ model }), ...(prefer && { prefer }) });
  return { controller, model, planner: new Planner({ controller, resources }), asked: () => asked };
}

const plan = (tasks: object[], confidence = 1) => ({ planned_tasks: tasks, metadata: { confidence } });

describe("planning", () => {
  test("a draft with nothing open costs no call", async () => {
    const { planner, model } = hybrid({ success: true, data: plan([offices]) }, []);
    const made = await planner.createPlan("Offices in Lyon");
    expect(made.planned_tasks).toMatchObject([{ task_id: "offices", arguments: { city: "Lyon" } }]);
    expect(made.metadata?.planning).toMatchObject({ controller: "hybrid:rules+llm:m", model_calls: 0 });
    expect(model.requests).toEqual([]);
  });

  test("where something is open the model plans, and is not shown the draft", async () => {
    const draft = { success: true, data: plan([offices, visits], 0.9), issues: [missing] };
    const { planner, model } = hybrid(draft, [JSON.stringify({ tasks: [offices, { ...visits, arguments: done }] })]);
    const made = await planner.createPlan("Newest visits to the offices in Lyon");
    expect(made.planned_tasks).toMatchObject([{ task_id: "offices" }, { task_id: "visits", arguments: done }]);
    expect(made.metadata?.planning).toMatchObject({ attempts: 1, model_calls: 1 });
    expect(model.requests[0]!.messages.map(({ content }) => content).join("\n")).not.toContain("Nothing says");
  });

  test("a draft of little confidence is not the plan although nothing is open", async () => {
    const paris = { ...offices, arguments: { city: "Paris" } };
    const { planner } = hybrid({ success: true, data: plan([offices], 0.2) }, [JSON.stringify({ tasks: [paris] })]);
    expect((await planner.createPlan("Offices in Paris")).planned_tasks).toMatchObject([
      { arguments: { city: "Paris" } },
    ]);
  });

  test.for([
    { name: "wrong answers up to the last attempt", answers: ['{"tasks": 1}', '{"tasks": 2}'], calls: 2 },
    { name: "a model that cannot", answers: ['{"tasks": [{"cannot": "No such tool."}]}'], calls: 1 },
    { name: "a model that fails", answers: [], calls: 1 },
  ])("a draft with nothing open is the plan after $name", async ({ answers, calls }) => {
    const { planner, model } = hybrid({ success: true, data: plan([offices], 0.2) }, answers);
    const made = await planner.createPlan("Offices in Lyon");
    expect(made.planned_tasks).toMatchObject([{ task_id: "offices", arguments: { city: "Lyon" } }]);
    expect(model.requests).toHaveLength(calls);
    const message = expect.stringMatching(/^The model gave no plan/);
    expect(made.metadata?.issues).toMatchObject([{ severity: "warning", message }]);
  });

  test("after wrong answers up to the last attempt, what a draft leaves open is asked", async () => {
    const draft = { success: true, data: plan([offices, visits]), issues: [missing] };
    const { planner, model } = hybrid(draft, ['{"tasks": 1}', '{"tasks": 2}']);
    await expect(planner.createPlan("g")).rejects.toMatchObject({
      code: "PLANNER_OPEN_QUESTIONS",
      details: { questions: [{ name: "visits.office_ids" }] },
    });
    expect(model.requests).toHaveLength(2);
  });

  test.for([
    { name: "no draft", drafted: { success: false, message: "Nothing understood." } },
    { name: "an empty draft", drafted: { success: true, data: plan([]) } },
    { name: "a draft of another shape", drafted: { success: true, data: "1. look 2. go" } },
    { name: "a controller that fails", drafted: new Error("broken") },
  ])("$name: the model plans the whole", async ({ drafted }) => {
    const { planner, model } = hybrid(drafted, [JSON.stringify({ tasks: [offices] })]);
    const made = await planner.createPlan("Offices in Lyon");
    expect(made.planned_tasks.map(({ task_id }) => task_id)).toEqual(["offices"]);
    expect(model.requests[0]?.schema?.name).toBe("plan");
  });

  test.for([
    { name: "a value that the request gives no reason for", value: "4711", open: true },
    { name: "one of several words that it has none of", value: ["north wing"], open: true },
    { name: "a word of it that the resource has too", value: "visit_1", open: true },
    { name: "a word of it", value: "the Lyon table", open: false },
    { name: "all of what it says", value: "visits", open: false },
    { name: "a number of it", value: 12, open: false },
    { name: "a text that it asks for", value: "Knock, knock!", open: false, when: ", and write a joke" },
    { name: "a word where it asks for a text", value: "joke", open: true, when: ", and write a pun" },
    { name: "a date that it does not speak of", value: "2026-03-02", open: true },
    { name: "a date", value: "2026-03-02", open: false, when: " of last week" },
    { name: "one that another task gives", value: "${offices.ids}", open: false },
    { name: "yes", value: true, open: false },
    { name: "one of a few", value: "old", argument: "order", open: false },
  ])(
    "a model that fills what the draft leaves open with $name",
    async ({ value, argument = "id", open, when = "" }) => {
      const tool: Resource = {
        kind: "tool",
        id: "visits_show",
        description: "Show a visit",
        input_schema: {
          type: "object",
          properties: { id: {}, order: { enum: ["new", "old"] } },
          required: [argument],
        },
      };
      const show = { ...visits, tool_id: "visits_show", dependencies: [] };
      const wants = { ...missing, argument_path: argument, message: `Nothing says \`${argument}\`.` };
      const model = scriptedModel([
        JSON.stringify({ tasks: [offices, { ...show, arguments: { [argument]: value } }] }),
      ]);
      const reply = async () => ({ success: true, data: plan([offices, show], 0.2), issues: [wants] });
      const draft = { name: "rules", processPhase1: reply, processPhase2: reply };
      const controller = new HybridController({ draft, refine: new LlmController({ model }) });
      const planner = new Planner({ controller, resources: [...resources, tool] });
      const made = planner.createPlan(`Show 12 visits to the offices in Lyon${when}`);
      if (open) {
        await expect(made).rejects.toMatchObject({
          code: "PLANNER_OPEN_QUESTIONS",
          details: { questions: [{ name: `visits.${argument}` }] },
        });
        expect(model.requests).toHaveLength(1);
      } else expect((await made).planned_tasks).toMatchObject([{}, { arguments: { [argument]: value } }]);
    },
  );

  test("a plan for what the drafting planner refuses is a proposal that says why, after a wrong answer too", async () => {
    const refused = { success: false, message: "No resource fits." };
    const answer = JSON.stringify({ tasks: [offices] });
    for (const answers of [[answer], ["no plan", answer]]) {
      const made = await hybrid(refused, answers).planner.createPlan("Close the offices in Lyon");
      expect(made.metadata).toMatchObject({
        proposal: true,
        issues: [{ code: "proposal", message: expect.stringContaining("No resource fits.") }],
      });
    }
    const preferred = await hybrid(refused, [answer], "model").planner.createPlan("Bake a cake in Lyon");
    expect(preferred.metadata).not.toHaveProperty("proposal");
    const cannot = hybrid(refused, ['{"tasks": [{"cannot": "No such tool."}]}']).planner;
    await expect(cannot.createPlan("Bake a cake in Lyon")).rejects.toThrow(/No such tool/);
  });

  test("what it refuses stays refused where the model calls what the goal says nothing of", async () => {
    const { planner, model } = hybrid({ success: false, message: "No resource fits." }, [
      JSON.stringify({ tasks: [offices] }),
    ]);
    await expect(planner.createPlan("Bake a cake in Lyon")).rejects.toThrow(
      /No resource fits\. A model would call offices_list, of which the goal says nothing/,
    );
    expect(model.requests).toHaveLength(1);
  });

  test("a model that can be asked about its plan is: what it denies is refused, what it is sure of is a proposal", async () => {
    for (const [yes, isPlanned] of [
      [0.2, false],
      [0.9, true],
    ] as const) {
      const topTokens = [
        [
          { text: "yes", logprob: Math.log(yes) },
          { text: "no", logprob: Math.log(1 - yes) },
        ],
      ];
      const answers = [JSON.stringify({ tasks: [offices] }), { topTokens }];
      const model = Object.assign(scriptedModel(answers, { name: "m" }), { tellsTokens: true });
      const refused = async () => ({ success: false, message: "No resource fits." });
      const draft = { name: "rules", processPhase1: refused, processPhase2: refused };
      const controller = new HybridController({ draft, refine: new LlmController({ model }) });
      const made = new Planner({ controller, resources }).createPlan("Close the offices in Lyon");
      if (isPlanned) expect((await made).metadata).toMatchObject({ proposal: true });
      else await expect(made).rejects.toThrow(/says itself that this does not do it/);
      expect(model.requests).toHaveLength(2);
    }
  });

  test("what a model makes up for a call that the draft has not is asked", async () => {
    const cancel: Resource = {
      kind: "tool",
      id: "visits_cancel",
      description: "Cancel a visit",
      input_schema: {
        type: "object",
        properties: { visit: { type: "string" }, why: { type: "string" } },
        required: ["visit"],
      },
    };
    const answer = {
      task_id: "t1",
      for: "Cancel it",
      tool_id: "visits_cancel",
      arguments: { visit: "your_visit", why: "rain" },
    };
    const model = scriptedModel([JSON.stringify({ tasks: [answer] })]);
    const reply = async () => ({ success: false, message: "No resource fits." });
    const draft = { name: "rules", processPhase1: reply, processPhase2: reply };
    const controller = new HybridController({ draft, refine: new LlmController({ model }) });
    const planner = new Planner({ controller, resources: [...resources, cancel] });
    const inContext = { semantic: [{ text: "Her visit is your_visit." }] };
    const planned = new Planner({
      controller: new HybridController({
        draft,
        refine: new LlmController({ model: scriptedModel([JSON.stringify({ tasks: [answer] })]) }),
      }),
      resources: [...resources, cancel],
    });
    const known = await planned.createPlan("Cancel it because of rain", { context: inContext });
    expect(known.planned_tasks).toMatchObject([{ arguments: { visit: "your_visit" } }]);
    await expect(planner.createPlan("Cancel it because of rain")).rejects.toMatchObject({
      code: "PLANNER_OPEN_QUESTIONS",
      details: { questions: [{ argument_path: "visit" }], draft: { planned_tasks: [{ arguments: { why: "rain" } }] } },
    });
    expect(model.requests).toHaveLength(1);
  });

  test("an abort while drafting ends it", async () => {
    const { controller } = hybrid(new Error("aborted"), []);
    const request = {
      search_id: "s",
      phase_1_data: { task_input_data: "g", n_history_samples: 0, llm_data: {} },
      job: { job_goal: "g" },
    };
    await expect(controller.processPhase1(request, { signal: AbortSignal.abort("enough") })).rejects.toThrow("aborted");
  });

  test("with the embedded planner: no call where it is sure, one where it is not", async () => {
    const invoices: Resource = {
      kind: "tool",
      id: "invoices_search",
      description: "Search invoices by status",
      input_schema: {
        type: "object",
        properties: { status: { enum: ["open", "paid"] }, customer: { type: "string" } },
        required: ["status", "customer"],
      },
    };
    const filled = { status: "open", customer: "all" };
    const answer = { tasks: [{ task_id: "t1", tool_id: "invoices_search", arguments: filled }] };
    const model = scriptedModel([JSON.stringify(answer)]);
    const refine = new LlmController({ model });
    const controller = new HybridController({ draft: new EmbeddedController({ now: "2025-01-01" }), refine });
    const planner = new Planner({ controller, resources: [...resources.slice(0, 1), invoices] });
    await planner.createPlan("List offices in Lyon");
    expect(model.requests).toHaveLength(0);
    const asked = await planner.createPlan("Search the open invoices").catch((error: unknown) => error);
    expect(asked).toMatchObject({
      code: "PLANNER_OPEN_QUESTIONS",
      details: {
        questions: [{ argument_path: "customer" }],
        draft: { planned_tasks: [{ tool_id: "invoices_search", arguments: { status: "open" } }] },
      },
    });
    expect(model.requests).toHaveLength(1);
  });
});

describe("binding", () => {
  const task = { ...visits, arguments: {} };
  test.for([
    {
      name: "the draft's answer",
      reply: { success: true, data: { uid: "visits_list", input_data: { office_ids: ["1"] } } },
      calls: 0,
    },
    { name: "the model's, where the draft has none", reply: { success: false, message: "no" }, calls: 1 },
  ])("$name", async ({ reply, calls }) => {
    const { controller, model } = hybrid(reply, [
      JSON.stringify({ uid: "visits_list", input_data: { office_ids: ["1"] } }),
    ]);
    const { PlannerTask } = await import("@planloom/plan");
    const step = await bindWith({ controller, resources })(
      { task: PlannerTask.parse(task), input: {} },
      { signal: new AbortController().signal },
    );
    expect(step).toMatchObject({ uid: "visits_list", input_data: { office_ids: ["1"] } });
    expect(model.requests).toHaveLength(calls);
  });
});

test.for([{ draft: undefined }, { refine: {} }, { minConfidence: 2 }, { minConfidence: Number.NaN }])(
  "refuses wrong options: %j",
  (wrong) => {
    const refine = new LlmController({ model: scriptedModel([]) });
    const options = { draft: new EmbeddedController(), refine, ...wrong } as never;
    expect(() => new HybridController(options)).toThrow(expect.objectContaining({ code: "CONTROLLER_CONFIG" }));
  },
);

describe("references of the draft", () => {
  const sendVisits = { ...visits, arguments: { office_ids: "${offices.ids}" }, dependencies: ["offices"] };
  const planned = (given: object) => ({ task_id: "t2", for: "visits", tool_id: "visits_list", arguments: given });
  const first = { task_id: "t1", for: "offices", tool_id: "offices_list", arguments: { city: "Lyon" } };

  test.for([
    { name: "take the place of a value that the request does not say", given: { office_ids: "office ids" } },
    { name: "stand where the model leaves out what they read", given: {} },
  ])("$name", async ({ given }) => {
    const { planner } = hybrid({ success: true, data: plan([offices, sendVisits], 0.2) }, [
      JSON.stringify({ tasks: [first, planned(given)] }),
    ]);
    const { planned_tasks, metadata } = await planner.createPlan("Visits in Lyon");
    expect(planned_tasks[1]).toMatchObject({ arguments: { office_ids: "${offices.ids}" }, dependencies: ["offices"] });
    expect(metadata?.draft).toEqual({ confidence: 0.2, tasks: { offices: "both", visits: "both" } });
  });

  test("leave alone what the request says", async () => {
    const { planner } = hybrid({ success: true, data: plan([offices, sendVisits], 0.2) }, [
      JSON.stringify({ tasks: [first, planned({ office_ids: ["o7"] })] }),
    ]);
    const { planned_tasks } = await planner.createPlan("Visits of o7 in Lyon");
    expect(planned_tasks[1]?.arguments).toEqual({ office_ids: ["o7"] });
  });
});

describe("several candidates", () => {
  test("a draft that is certain is not compared with others", async () => {
    const { controller, model } = hybrid({ success: true, data: plan([offices], 0.9) }, []);
    const planner = new Planner({ controller, resources, candidates: 3 });
    const { metadata } = await planner.createPlan("Offices in Lyon");
    expect(metadata?.candidates).toBeUndefined();
    expect(model.requests).toEqual([]);
  });

  test("the draft is the second, at no cost", async () => {
    const answer = JSON.stringify({ tasks: [{ ...offices, arguments: { city: "Paris" } }] });
    const { controller, model } = hybrid({ success: true, data: plan([offices], 0.2) }, [answer]);
    const planner = new Planner({ controller, resources, candidates: 2 });
    const { planned_tasks, metadata } = await planner.createPlan("Offices in Lyon");
    expect(model.requests).toHaveLength(1);
    expect(planned_tasks).toMatchObject([{ arguments: { city: "Lyon" } }]);
    expect(metadata?.candidates).toMatchObject({ asked: 2, because: "All plans are the same." });
  });
});
