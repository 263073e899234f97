import {
  type ControllerReply,
  HybridController,
  LlmController,
  type Model,
  type ModelReply,
} from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { EmbeddedController } from "@planloom/embedded";
import type { PlanIssue, Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { defineTool, Planloom } from "planloom";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const tool = (id: string, description: string, argument: string): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties: { [argument]: { type: "string" } }, required: [argument] },
});
const resources = [
  tool("offices_list", "List offices of a city", "city"),
  tool("visits_list", "List visits to an office", "office"),
];
const answer = (tool_id: string, values: object) =>
  JSON.stringify({ tasks: [{ task_id: "t1", for: "it", tool_id, arguments: values }] });
const lyon = answer("offices_list", { city: "Lyon" });

/** Says the same of every request, and counts. */
function rulesThatSay(reply: ControllerReply | Error) {
  const rules = {
    name: "rules",
    asked: 0,
    processPhase1: async () => {
      rules.asked += 1;
      if (reply instanceof Error) throw reply;
      return reply;
    },
    processPhase2: async () => ({ success: false }),
  };
  return rules;
}
const refusing = { success: false, message: "No resource fits." };

function plannerOf(answers: readonly string[], rules: NonNullable<Parameters<LlmController["withRules"]>[0]>) {
  const model = scriptedModel(answers, { name: "m" });
  return { model, planner: new Planner({ controller: new LlmController({ model, rules }), resources }) };
}

describe("what rules have nothing for", () => {
  test("is not planned where nothing that the model calls is spoken of", async () => {
    const { planner, model } = plannerOf([lyon], rulesThatSay(refusing));
    await expect(planner.createPlan("Order a pizza for tonight")).rejects.toThrow(
      /No resource fits\. A model would call offices_list, of which the goal says nothing/,
    );
    expect(model.requests).toHaveLength(1);
  });

  test("is a proposal where it is, and what was made up is asked", async () => {
    const { planner } = plannerOf([lyon], rulesThatSay(refusing));
    const made = await planner.createPlan("Close the offices in Lyon");
    expect(made.metadata).toMatchObject({ proposal: true, issues: [{ code: "proposal" }] });
    const open = plannerOf([answer("offices_list", { city: "Springfield" })], rulesThatSay(refusing));
    await expect(open.planner.createPlan("Close the offices")).rejects.toMatchObject({
      code: "PLANNER_OPEN_QUESTIONS",
      details: { questions: [{ name: "t1.city" }] },
    });
  });

  test("says nothing of a request in another language, or without words", async () => {
    for (const goal of [
      "Bestelle mir eine Pizza für heute Abend",
      "Commande une pizza pour ce soir avec du vin",
      "给我订一个披萨",
      "g",
    ]) {
      const { planner } = plannerOf([lyon], rulesThatSay(refusing));
      expect((await planner.createPlan(goal)).metadata).not.toHaveProperty("proposal");
    }
  });

  test("is planned as ever where the rules fail, or there are none", async () => {
    for (const rules of [rulesThatSay(new Error("broken")), false] as const) {
      const model = scriptedModel([lyon], { name: "m" });
      const planner = new Planner({ controller: new LlmController({ model, rules }), resources });
      expect((await planner.createPlan("Order a pizza for tonight")).metadata).not.toHaveProperty("proposal");
    }
  });

  test("a plan is not changed by rules that have one", async () => {
    const { planner } = plannerOf([lyon], new EmbeddedController());
    const made = await planner.createPlan("List the offices of Lyon");
    expect(made.planned_tasks).toMatchObject([{ tool_id: "offices_list", arguments: { city: "Lyon" } }]);
    expect(made.metadata).not.toHaveProperty("proposal");
  });
});

describe("a part that rules have nothing for", () => {
  const goal = "List the offices in Lyon, then order a pizza";
  const list = tool("offices_list", "List offices of a city", "city");
  const mail = tool("meal_order", "Order a meal", "what");
  const beside = (resources: Resource[], answers: readonly string[], isHybrid: boolean) => {
    const model = scriptedModel(answers, { name: "m" });
    const draft = new EmbeddedController();
    const controller = isHybrid
      ? new HybridController({ draft, refine: new LlmController({ model }), minConfidence: 1 })
      : new LlmController({ model, rules: draft });
    return new Planner({ controller, resources }).createPlan(goal);
  };

  test("makes the plan a proposal that says so, of a model alone and of both", async () => {
    for (const isHybrid of [false, true]) {
      const made = await beside([list, resources[1]!], [lyon], isHybrid);
      expect(made.metadata).toMatchObject({ proposal: true });
      const issues = made.metadata?.issues as readonly PlanIssue[];
      expect(
        issues.filter(({ code, actual }) => code === "proposal" && /order a pizza/.test(actual ?? "")),
      ).toHaveLength(1);
    }
  });

  test("does not where a resource that the plan calls speaks of it", async () => {
    const both = JSON.stringify({
      tasks: [
        { task_id: "t1", for: "List the offices in Lyon", tool_id: "offices_list", arguments: { city: "Lyon" } },
        { task_id: "t2", for: "order a pizza", tool_id: "meal_order", arguments: { what: "pizza" } },
      ],
    });
    const made = await beside([list, mail], [both], false);
    expect(made.planned_tasks).toHaveLength(2);
    expect(made.metadata).not.toHaveProperty("proposal");
  });
});

describe("a required value that the model leaves out", () => {
  const drafted = (values: object, more: object = {}) => ({
    success: true,
    data: {
      planned_tasks: [{ task_id: "d", execution_type: "tool", tool_id: "offices_list", arguments: values }],
      metadata: { confidence: 0.9, ...more },
    },
  });
  const planWith = (answers: readonly string[], draft: ControllerReply) =>
    plannerOf(answers, rulesThatSay(draft)).planner.createPlan("Offices in Lyon");
  const nothing = answer("offices_list", { city: null });

  test("is the one that the rules read in the request", async () => {
    const made = await planWith([nothing], drafted({ city: "Lyon" }));
    expect(made.planned_tasks).toMatchObject([{ task_id: "t1", arguments: { city: "Lyon" } }]);
    expect(made.metadata).not.toHaveProperty("issues");
  });

  test("is asked where they are not sure of it, or read it from a task", async () => {
    const unsure = { provenance: { d: { city: { source: "goal", likelihood: 0.2 } } } };
    for (const [written, draft] of [
      [nothing, drafted({ city: "Lyon" }, unsure)],
      [nothing, drafted({ city: "${x.city}" })],
    ] as const)
      await expect(planWith([written], draft)).rejects.toMatchObject({ code: "PLANNER_OPEN_QUESTIONS" });
  });

  test("stays the model's where it gives one", async () => {
    const made = await planWith([answer("offices_list", { city: "Nice" })], drafted({ city: "Lyon" }));
    expect(made.planned_tasks).toMatchObject([{ arguments: { city: "Nice" } }]);
  });
});

describe("a model that is asked about its own plan", () => {
  const says = (yes: number): Partial<ModelReply> => ({
    text: yes < 0.5 ? "No" : "Yes",
    topTokens: [
      [
        { text: " yes", logprob: Math.log(yes * 0.75) },
        { text: "Yes", logprob: Math.log(yes * 0.25) },
        { text: "no", logprob: Math.log(1 - yes) },
      ],
    ],
    usage: { inputTokens: 150, outputTokens: 1 },
  });
  type Verify = "doubted" | "always" | "never";

  function verified(steps: Parameters<typeof scriptedModel>[0], rules: ControllerReply | false, verify?: Verify) {
    const model = Object.assign(scriptedModel(steps, { name: "m" }), { tellsTokens: true });
    const beside = rules === false ? rules : rulesThatSay(rules);
    const controller = new LlmController({ model, rules: beside, ...(verify && { verify }) });
    const planner = new Planner({ controller, resources });
    return { model, planner };
  }

  test("says of a plan that rules refuse that it is none, or surely one whatever the goal speaks of", async () => {
    const no = verified([lyon, says(0.2)], refusing);
    await expect(no.planner.createPlan("Close the offices in Lyon")).rejects.toThrow(
      /No resource fits\. A model would call offices_list, and says itself that this does not do it/,
    );
    const strange = verified([lyon, says(0.7)], refusing);
    await expect(strange.planner.createPlan("Let us have those in Lyon")).rejects.toThrow(/the goal says nothing/);
    const yes = await verified([lyon, says(0.9)], refusing).planner.createPlan("Let us have those in Lyon");
    expect(yes.metadata).toMatchObject({ proposal: true, planning: { model_calls: 2, estimated: true } });
    expect((yes.metadata as { planning: { input_tokens: number } }).planning.input_tokens).toBeGreaterThan(150);
  });

  test.for([
    { how: "hangs", heeds: true },
    { how: "hangs and takes no notice of its signal", heeds: false },
  ])("a question that $how does not hold the plan, which says so", async ({ heeds }) => {
    const model = scriptedModel([lyon], { name: "m" });
    let asked = 0;
    const hanging: Model = {
      ...model,
      tellsTokens: true,
      timeoutMs: 50_000,
      generate(request, options = {}) {
        if (++asked === 1) return model.generate(request, options);
        return new Promise((_, reject) => {
          if (heeds) options.signal?.addEventListener("abort", () => reject(options.signal?.reason));
        });
      },
    };
    const controller = new LlmController({ model: hanging, rules: false, verify: "always", verifyTimeoutMs: 30 });
    expect(controller.timeoutMs).toBe(50_030);
    const plan = await new Planner({ controller, resources }).createPlan("Show the offices in Lyon");
    expect(asked).toBe(2);
    expect(plan.planned_tasks).toHaveLength(1);
    expect(plan.metadata).toMatchObject({
      issues: [{ code: "unverified", severity: "warning", message: expect.stringMatching(/no answer.*within 30 ms/) }],
    });
    expect(plan.metadata).not.toHaveProperty("proposal");
  });

  test("is asked with one token, and shown the calls", async () => {
    const { model, planner } = verified([lyon, says(0.8)], refusing);
    await planner.createPlan("Close the offices in Lyon");
    const [, question] = model.requests;
    expect(question).toMatchObject({ maxTokens: 1, temperature: 0, topTokens: 10 });
    expect(question).not.toHaveProperty("schema");
    expect(question?.messages[1]?.content).toContain('- offices_list({"city":"Lyon"}): List offices of a city');
  });

  test("of every plan, where that is wanted: an unlikely one is a proposal", async () => {
    for (const rules of [{ success: true, data: [] }, false] as const) {
      const doubtful = await verified([lyon, says(0.1)], rules, "always").planner.createPlan("Offices in Lyon");
      expect(doubtful.metadata).toMatchObject({ proposal: true, issues: [{ code: "proposal", actual: "0.10" }] });
      const likely = await verified([lyon, says(0.9)], rules, "always").planner.createPlan("Offices in Lyon");
      expect(likely.metadata).not.toHaveProperty("proposal");
      expect(likely.metadata?.planning).toMatchObject({ model_calls: 2 });
    }
  });

  test("is not asked where nothing is doubted, or never, or where its replies cannot say", async () => {
    for (const [rules, verify] of [
      [{ success: true, data: [] }, undefined],
      [false, undefined],
      [refusing, "never"],
    ] as const) {
      const { model, planner } = verified([lyon], rules, verify);
      await planner.createPlan("Close the offices in Lyon");
      expect(model.requests).toHaveLength(1);
    }
  });

  test("is asked of the next plan too where one answer was neither yes nor no", async () => {
    const aloud = { text: "Well", topTokens: [[{ text: "Well", logprob: 0 }]] };
    const { model, planner } = verified([lyon, aloud, lyon, says(0.2)], refusing);
    expect((await planner.createPlan("Close the offices in Lyon")).metadata).toMatchObject({ proposal: true });
    await expect(planner.createPlan("Close the offices in Lyon")).rejects.toThrow(/says itself/);
    expect(model.requests).toHaveLength(4);
  });

  test("is asked once where its endpoint does not tell, and a call that fails says nothing", async () => {
    const { model, planner } = verified([lyon, "Yes", lyon], refusing, "always");
    for (const _ of [1, 2])
      expect((await planner.createPlan("Close the offices in Lyon")).metadata).toMatchObject({ proposal: true });
    expect(model.requests).toHaveLength(3);
    const broken = verified([lyon, new Error("gone")], refusing);
    expect((await broken.planner.createPlan("Close the offices in Lyon")).planned_tasks).toHaveLength(1);
    expect(() => new LlmController({ model, verify: "sometimes" as never })).toThrow(/`verify`/);
  });
});

test("what the rules considered is described first, of many resources", async () => {
  const many = Array.from({ length: 40 }, (_, at) => tool(`parcel_${at}`, `Do thing ${at} with a parcel`, "parcel"));
  const draft = {
    planned_tasks: [{ task_id: "t", execution_type: "tool", tool_id: "parcel_33", arguments: {} }],
    metadata: {
      confidence: 0.4,
      choices: { t: { text: "parcel", likelihood: 0.4, alternatives: [{ tool: "parcel_7" }] } },
    },
  };
  const model = scriptedModel([answer("parcel_7", { parcel: "P1" })], { name: "m" });
  const controller = new LlmController({ model, rules: rulesThatSay({ success: true, data: draft }) });
  await new Planner({ controller, resources: many }).createPlan("Weigh the parcel P1");
  const [{ content = "" } = {}] = model.requests[0]?.messages ?? [];
  const places = ["parcel_33", "parcel_7"].map((id) => content.indexOf(`"${id}"`));
  const others = many.map(({ id }) => content.indexOf(`"${id}"`)).filter((at) => at >= 0 && !places.includes(at));
  expect(places.every((at) => at >= 0 && others.every((other) => at < other))).toBe(true);
});

describe("of a Planloom", () => {
  const list = defineTool({
    id: "offices_list",
    description: "List offices of a city",
    readOnly: true,
    input: z.object({ city: z.string() }),
    execute: () => [],
  });

  test("the embedded planner is beside every model that plans alone, unless an option says otherwise", async () => {
    const model = () => scriptedModel([lyon], { name: "m" });
    for (const options of [{ model: model() }, { controller: new LlmController({ model: model() }) }]) {
      await using planloom = new Planloom({ ...options, tools: [list] });
      await expect(planloom.plan("Order a pizza for tonight")).rejects.toThrow(/No resource fits "Order a pizza/);
    }
    await using alone = new Planloom({
      controller: new LlmController({ model: model(), rules: false }),
      tools: [list],
    });
    expect((await alone.plan("Order a pizza for tonight")).planned_tasks).toHaveLength(1);
  });

  test("it has nothing to say where the model says itself that it cannot", async () => {
    const model = scriptedModel(['{"tasks": [{"cannot": "No pizzas here"}]}'], { name: "m" });
    await using planloom = new Planloom({ model, tools: [list] });
    await expect(planloom.plan("Order a pizza for tonight")).rejects.toThrow(/No pizzas here/);
  });
});

test("`rules` is a controller, or false", () => {
  const model = scriptedModel([], { name: "m" });
  expect(() => new LlmController({ model, rules: {} as never })).toThrow(/`rules`/);
});
