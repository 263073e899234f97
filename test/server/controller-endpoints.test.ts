import { HttpController, LlmController, Planloom } from "planloom";
import { Planner } from "planloom/planner";
import { scriptedModel } from "planloom/testing";
import { expect, test } from "vitest";
import { startServer, weather } from "./support.ts";

const prompt = (text: string, more: object = {}) => ({
  search_id: "s1",
  phase_1_data: { task_input_data: text, n_history_samples: 0, llm_data: {}, ...more },
});

test("a Planner plans through the server, over HTTP", async () => {
  await using server = await startServer();
  const planner = new Planner({
    controller: new HttpController({ url: server.url }),
    resources: new Planloom({ tools: [weather] }).resources,
  });
  const { planned_tasks } = await planner.createPlan("Get the weather of Berlin");
  expect(planned_tasks).toMatchObject([{ tool_id: "get_weather", arguments: { city: "Berlin" } }]);
});

test("what cannot be done and what is not said are the same over HTTP: one request, a refusal or a question", async () => {
  const script = (answer: object) => {
    const model = scriptedModel([JSON.stringify(answer)]);
    return { model, controller: new LlmController({ model }) };
  };
  const plan = async (controller: LlmController) => {
    await using server = await startServer({}, { controller });
    const over = new Planner({
      controller: new HttpController({ url: server.url, retries: 0 }),
      resources: new Planloom({ tools: [weather] }).resources,
    });
    return await over.createPlan("Get the weather").then(
      () => undefined,
      (error: unknown) => error,
    );
  };
  const cannot = script({ tasks: [{ cannot: "book a flight" }] });
  expect(await plan(cannot.controller)).toMatchObject({
    code: "PLANNER_NO_VALID_PLAN",
    message: expect.stringContaining("after 1 attempts: No resource does this: book a flight."),
  });
  expect(cannot.model.requests).toHaveLength(1);
  const open = script({
    tasks: [{ task_id: "t1", for: "the weather", tool_id: "get_weather", arguments: { city: null } }],
  });
  expect(await plan(open.controller)).toMatchObject({
    code: "PLANNER_OPEN_QUESTIONS",
    details: { questions: [{ task_id: "t1", argument_path: "city" }] },
  });
  expect(open.model.requests).toHaveLength(1);
});

test("an HttpController asks for samples where its planner does not", async () => {
  const asked: number[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    const { phase_1_data } = JSON.parse(String(init?.body)) as { phase_1_data: { n_history_samples: number } };
    asked.push(phase_1_data.n_history_samples);
    return Response.json({ success: false, message: "no" });
  };
  const request = (n_history_samples: number) => ({
    search_id: "s",
    phase_1_data: { task_input_data: "x", n_history_samples, llm_data: {} },
  });
  const controller = new HttpController({ url: "http://127.0.0.1:9", nHistorySamples: 3, fetch });
  await controller.processPhase1(request(0));
  await controller.processPhase1(request(5));
  await new HttpController({ url: "http://127.0.0.1:9", fetch }).processPhase1(request(0));
  expect(asked).toEqual([3, 5, 0]);
});

test("both stages answer in the form of the Agents Planning System", async () => {
  await using server = await startServer();
  const first = await server.call("POST", "/process-phase-1-task", prompt("Get the weather of Berlin"));
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ success: true, data: { planned_tasks: [{ tool_id: "get_weather" }] } });
  const second = await server.call("POST", "/process-phase-2-task", {
    search_id: "s2",
    phase_2_data: { task_input_data: "Get the weather of Bonn", n_history_samples: 0, llm_data: {} },
  });
  expect(second.body).toMatchObject({ success: true, data: { uid: "get_weather", input_data: { city: "Bonn" } } });
});

test("a request that cannot be read is 400, one that finds nothing is 500 with the tasks planned anew", async () => {
  const asked: string[] = [];
  const controller = {
    name: "stub",
    async processPhase1({ phase_1_data }: { phase_1_data: { task_input_data: string } }) {
      asked.push(phase_1_data.task_input_data);
      return { success: true, data: [{ task_id: "a", execution_type: "tool", tool_id: "get_weather" }] };
    },
    processPhase2: async () => ({ success: false, message: "no tool signs" }),
  };
  await using server = await startServer({}, { controller });
  const unread = await server.call("POST", "/process-phase-1-task", { phase_1_data: { task_input_data: "x" } });
  expect([unread.status, unread.body.success]).toEqual([400, false]);
  expect(unread.body.message).toContain("search_id");
  const broken = await server.call("POST", "/process-phase-2-task", "{");
  expect([broken.status, broken.body.success, broken.body.error.code]).toEqual([400, false, "SERVER_NOT_JSON"]);
  const nothing = await server.call("POST", "/process-phase-2-task", {
    search_id: "s",
    phase_2_data: { task_input_data: "Sign it" },
  });
  expect(nothing.status).toBe(500);
  expect(nothing.body).toMatchObject({ success: false, status: "failed", data: [{ task_id: "a" }] });
  expect(asked).toEqual([expect.stringMatching(/^Sign it\n\nNothing .* no tool signs\n/)]);
});

test("samples are kept and shown, also over HTTP, and each tenant has its own", async () => {
  const asked: string[] = [];
  const controllerOf = (name: string) => ({
    name,
    async processPhase1({ phase_1_data }: { phase_1_data: { task_input_data: string } }) {
      asked.push(phase_1_data.task_input_data);
      return { success: true, data: [] };
    },
    processPhase2: async () => ({ success: false }),
  });
  const token = (name: string) => `${name}-0123456789abcdef`;
  const tokens = ["own", "acme"].map((name) => ({
    name,
    token: token(name),
    ...(name === "acme" && { tenant: "acme" }),
  }));
  const acme = new Planloom({ controller: controllerOf("acme") });
  await using server = await startServer(
    { tokens, tenants: { acme: { planloom: acme } } },
    { controller: controllerOf("own") },
  );
  const ask = (name: string, text: string, n_history_samples = 0) =>
    server.call("POST", "/process-phase-1-task", prompt(text, { n_history_samples }), {
      authorization: `Bearer ${token(name)}`,
    });
  await ask("own", "one");
  await ask("own", "two");
  await ask("own", "now", 2);
  expect(JSON.parse(asked.at(-1)!)).toEqual({
    history: [
      { task: "one", result: [] },
      { task: "two", result: [] },
    ],
    task: "now",
  });
  await ask("acme", "mine", 2);
  expect(asked.at(-1)).toBe("mine");
});
