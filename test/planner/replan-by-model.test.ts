import { HttpController, LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { SubGraphRePlanner, type SubGraphRePlannerOptions } from "@planloom/planner";
import { describe, expect, test } from "vitest";
import { planOf } from "../support/plans.ts";
import { good, plan, replanner, requestOf, resources, tool, whole } from "../support/replanning.ts";

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
