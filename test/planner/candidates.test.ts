import { type BehaviorController, ControllerError, ControllerErrorCode, LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { Resource } from "@planloom/plan";
import { type CandidateOptions, Planner, type PlannerEvent } from "@planloom/planner";
import { describe, expect, test } from "vitest";

const text = { type: "string" } as const;
const tool = (id: string, description: string, properties: Record<string, unknown>, cost?: number): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required: Object.keys(properties) },
  ...(cost !== undefined && { estimate: { cost } }),
});
const resources = [
  tool("weather", "Tells the weather of a city.", { city: text }, 1),
  tool("forecast", "Tells the weather of a city.", { city: text }, 5),
  tool("book", "Books a table.", { city: text, guests: { type: "integer" } }),
];
const weather = (city: string, tool_id = "weather") => answer({ tool_id, arguments: { city } });
const answer = (...tasks: object[]) =>
  JSON.stringify({ tasks: tasks.map((task, at) => ({ task_id: `t${at + 1}`, for: "it", ...task })) });

function planning(
  answers: readonly Parameters<typeof scriptedModel>[0][number][],
  candidates: number | CandidateOptions,
) {
  const model = scriptedModel(answers);
  const events: PlannerEvent[] = [];
  const planner = new Planner({
    controller: new LlmController({ model, temperature: 0 }),
    resources,
    candidates,
    onEvent: (event) => events.push(event),
  });
  return { model, planner, events };
}
const goal = "What is the weather in Oslo?";

describe("the best of several plans", () => {
  test("is the one that the others agree with, though it came last", async () => {
    const { planner, model } = planning([weather("Rome"), weather("Oslo"), weather("Oslo")], 3);
    const { planned_tasks, metadata } = await planner.createPlan(goal);
    expect(planned_tasks).toMatchObject([{ tool_id: "weather", arguments: { city: "Oslo" } }]);
    expect(metadata?.candidates).toMatchObject({
      asked: 3,
      chosen: 2,
      because: "Of 3 plans it has the highest score.",
      plans: [
        { grounded: 0, tools: ["weather"] },
        { grounded: 1, covered: 1, agreement: expect.any(Number) },
        { grounded: 1 },
      ],
    });
    expect(metadata?.planning).toMatchObject({ attempts: 3, model_calls: 3 });
    expect(model.requests.map(({ temperature }) => temperature)).toEqual([0, 0.7, 0.7]);
  });

  test("no more are asked for once most are the same", async () => {
    const { planner, model } = planning([weather("Oslo"), weather("Oslo")], 3);
    const { metadata } = await planner.createPlan(goal);
    expect(model.requests).toHaveLength(2);
    expect(metadata?.candidates).toMatchObject({ stopped: "agreed", because: "All plans are the same." });
  });

  test("among equals the cheaper one", async () => {
    const { planner } = planning([weather("Oslo", "forecast"), weather("Oslo")], 2);
    const { planned_tasks } = await planner.createPlan(goal);
    expect(planned_tasks).toMatchObject([{ tool_id: "weather" }]);
  });

  test("a plan that leaves out half of the goal loses", async () => {
    const book = { tool_id: "book", arguments: { city: "Oslo", guests: 4 } };
    const both = answer({ tool_id: "weather", arguments: { city: "Oslo" } }, { ...book, for: "table" });
    const { planner } = planning([weather("Oslo"), both], 2);
    const { planned_tasks } = await planner.createPlan("Tell me the weather in Oslo and book a table for 4 guests");
    expect(planned_tasks).toHaveLength(2);
  });

  const book = answer({ tool_id: "book", arguments: { city: "Oslo", guests: 2 } });

  test("two for another tool lose against the one that does what the goal says, and do not end the sampling", async () => {
    const { planner, model } = planning([book, book, weather("Oslo")], 3);
    const { planned_tasks, metadata } = await planner.createPlan(goal);
    expect(planned_tasks).toMatchObject([{ tool_id: "weather" }]);
    expect(metadata?.candidates).toMatchObject({ chosen: 3, because: expect.stringContaining("most of the goal") });
    expect(model.requests).toHaveLength(3);
  });

  test("two for another tool lose against what the planner without a model would call", async () => {
    const report = tool("report", "Reports the rain of a city.", { city: text });
    const data = { planned_tasks: [{ task_id: "d", tool_id: "report" }], metadata: { confidence: 0.5 } };
    const rules: BehaviorController = {
      name: "rules",
      processPhase1: () => Promise.resolve({ success: true, data }),
      processPhase2: () => Promise.resolve({ success: false }),
    };
    const model = scriptedModel([weather("Oslo"), weather("Oslo"), weather("Oslo", "report")]);
    const planner = new Planner({
      controller: new LlmController({ model, rules }),
      resources: [...resources, report],
      candidates: 3,
    });
    const { planned_tasks, metadata } = await planner.createPlan("Oslo, please");
    expect(planned_tasks).toMatchObject([{ tool_id: "report" }]);
    expect(metadata?.candidates).toMatchObject({ plans: [{ drafted: 0 }, { drafted: 0 }, { drafted: 1 }] });
  });

  test("what is not valid is counted and not asked for again", async () => {
    const { planner, model, events } = planning([weather("Oslo"), "no plan", weather("Oslo")], 3);
    const { metadata } = await planner.createPlan(goal);
    expect(model.requests).toHaveLength(3);
    expect(metadata?.candidates).toMatchObject({ invalid: 1, plans: [{}, {}] });
    expect(events.flatMap((event) => (event.type === "plan-attempt" ? [event.attempt] : []))).toEqual([1, 2, 3]);
  });

  test("a call that fails ends the sampling, not the planning", async () => {
    const { planner } = planning([weather("Oslo")], 3);
    const { metadata } = await planner.createPlan(goal);
    expect(metadata?.candidates).toMatchObject({ chosen: 1, because: "It is the only valid plan." });
  });

  test("a call that was refused, and paid for, is counted all the same", async () => {
    const usage = { inputTokens: 50, outputTokens: 6 };
    const refused = new ControllerError(ControllerErrorCode.REFUSED, "No.", { details: { usage } });
    const { planner, events } = planning([{ text: weather("Oslo"), usage }, refused], 3);
    const { metadata } = await planner.createPlan(goal);
    expect(metadata?.candidates).toMatchObject({ chosen: 1, stopped: "failed" });
    expect(metadata?.planning).toMatchObject({ attempts: 2, model_calls: 2, input_tokens: 100, output_tokens: 12 });
    const attempts = events.filter(({ type }) => type === "plan-attempt");
    expect(attempts).toMatchObject([{}, { attempt: 2, calls: [{ usage }], issues: [{ message: "No." }] }]);
  });
});

describe("limits", () => {
  const costly = { text: weather("Oslo"), usage: { inputTokens: 100, outputTokens: 10 } };
  const other = { text: weather("Rome"), usage: { inputTokens: 100, outputTokens: 10 } };

  test.for([
    { limits: { count: 3, maxModelCalls: 2 }, calls: 2, stopped: "model_calls" },
    { limits: { count: 3, maxTokens: 329 }, calls: 2, stopped: "tokens" },
    { limits: { count: 3, maxTokens: 1 }, calls: 1, stopped: "tokens" },
    { limits: { count: 2 }, calls: 2, stopped: undefined },
  ])("$limits", async ({ limits, calls, stopped }) => {
    const { planner, model } = planning([costly, other, costly], limits);
    const { metadata } = await planner.createPlan(goal);
    expect(model.requests).toHaveLength(calls);
    expect(metadata).toMatchObject({ candidates: { asked: limits.count } });
    expect((metadata as { candidates: { stopped?: string } }).candidates.stopped).toBe(stopped);
  });

  test("an abort between two plans rejects with its reason", async () => {
    const abort = new AbortController();
    const model = scriptedModel([weather("Oslo"), weather("Rome")]);
    const planner = new Planner({
      controller: new LlmController({ model, onCall: () => abort.abort(new Error("enough")) }),
      resources,
      candidates: 2,
    });
    await expect(planner.createPlan(goal, { signal: abort.signal })).rejects.toThrow("enough");
  });

  test("a call may ask for its own number; with `onTask` there is one", async () => {
    const { planner, model } = planning([weather("Oslo"), weather("Rome")], 2);
    await planner.createPlan(goal, { candidates: 1 });
    expect(model.requests).toHaveLength(1);
    await planner.createPlan(goal, { onTask: () => {} });
    expect(model.requests).toHaveLength(2);
  });

  test.for([
    0,
    17,
    1.5,
    { count: 0 },
    { count: 2, maxTokens: 0 },
    { count: 2, temperature: 3 },
    { count: 2, sorts: 1 },
  ])("%j is refused", (candidates) => {
    const options = { controller: new LlmController({ model: scriptedModel([]) }), candidates: candidates as number };
    expect(() => new Planner(options)).toThrow(/candidates|sorts/);
  });
});
