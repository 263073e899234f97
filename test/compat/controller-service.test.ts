import { controllerService, serveController } from "@planloom/compat";
import {
  type BehaviorController,
  type ControllerReply,
  HttpController,
  LlmController,
  type Model,
  type Phase1Request,
} from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import { Planner } from "@planloom/planner";
import { expect, test } from "vitest";

const look = { kind: "tool" as const, id: "look", description: "Looks around." };

/** A controller that answers as it is told, and keeps what it was asked. */
function controllerOf(phase1: () => ControllerReply | Promise<ControllerReply>, phase2?: () => ControllerReply) {
  const asked: string[] = [];
  const controller: BehaviorController = {
    name: "stub",
    async processPhase1({ phase_1_data }: Phase1Request) {
      asked.push(phase_1_data.task_input_data);
      return phase1();
    },
    async processPhase2({ phase_2_data }) {
      asked.push(phase_2_data.task_input_data);
      return phase2?.() ?? { success: false, message: "nothing" };
    },
  };
  return { controller, asked };
}

const post = (phase: 1 | 2, body: unknown) =>
  new Request(`http://localhost/process-phase-${phase}-task`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const task = (text: string, more: object = {}) => ({
  search_id: text,
  phase_1_data: { task_input_data: text, n_history_samples: 0, llm_data: {}, ...more },
});
const plan = { success: true, data: [{ task_id: "a", execution_type: "tool", tool_id: "look" }] };

test("a Planner plans through it over HTTP", async () => {
  await using served = await serveController({ controller: new EmbeddedController(), port: 0 });
  const planner = new Planner({ controller: new HttpController({ url: served.url }), resources: [look] });
  const { planned_tasks } = await planner.createPlan("Look around");
  expect(planned_tasks).toMatchObject([{ tool_id: "look" }]);
  expect(served.tasks()).toMatchObject([{ phase: 1, status: "complete" }]);
});

test.for<[string, Request, number, string]>([
  ["no search_id", post(1, { phase_1_data: { task_input_data: "x" } }), 400, "search_id"],
  ["no data", post(1, { search_id: "s" }), 400, "phase_1_data"],
  ["no text", post(1, { search_id: "s", phase_1_data: {} }), 400, "task_input_data"],
  ["a wrong number", post(1, task("x", { n_history_samples: -1 })), 400, "n_history_samples"],
  ["wrong resources", post(1, { ...task("x"), resources: [1] }), 400, "resources"],
  ["no JSON", post(1, "{"), 400, "JSON"],
  ["another path", new Request("http://localhost/plan", { method: "POST" }), 404, "/plan"],
  ["another method", new Request("http://localhost/process-phase-1-task"), 405, "GET"],
  ["a web page", new Request(post(1, task("x")), { headers: { origin: "https://a.example" } }), 403, "web page"],
  ["a long body", post(1, task("x".repeat(2_000))), 413, "1000 bytes"],
])("%s is refused and asks nobody", async ([, request, status, part]) => {
  const { controller, asked } = controllerOf(() => plan);
  const service = controllerService({ controller, maxBytes: 1_000 });
  const response = await service.fetch(request);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ success: false, message: expect.stringContaining(part) });
  expect(asked).toEqual([]);
  expect(service.tasks()).toEqual([]);
});

test.for<[string, () => Promise<ControllerReply>, string]>([
  ["refuses", async () => ({ success: false, message: "no tools" }), "no tools"],
  ["throws", () => Promise.reject(new Error("down")), "down"],
  ["never settles", () => new Promise(() => {}), "timeout"],
])("a controller that %s is a 500 with its reason", async ([, phase1, part]) => {
  const service = controllerService({ controller: controllerOf(phase1).controller, timeoutMs: 50 });
  const response = await service.fetch(post(1, task("x")));
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ success: false, status: "failed", message: expect.stringContaining(part) });
  expect(service.tasks()).toMatchObject([{ search_id: "x", status: "failed" }]);
});

test("a request is pending while it is answered", async () => {
  const answered = Promise.withResolvers<ControllerReply>();
  const service = controllerService({ controller: controllerOf(() => answered.promise).controller });
  const response = service.fetch(post(1, task("x")));
  await expect.poll(() => service.tasks()).toMatchObject([{ status: "pending" }]);
  answered.resolve(plan);
  await response;
  expect(service.tasks()).toMatchObject([{ status: "complete", data: plan.data }]);
});

test("the latest completed requests are its history, oldest first, and only where they are asked for", async () => {
  const { controller, asked } = controllerOf(() => (asked.length === 2 ? { success: false } : plan));
  const service = controllerService({ controller, maxHistory: 3 });
  for (const text of ["one", "fails", "two", "three"]) await service.fetch(post(1, task(text)));
  await service.fetch(post(1, task("now", { n_history_samples: 2 })));
  const contexts = ["two", "three"].map((each) => ({ task: each, result: plan.data }));
  expect(asked.slice(0, 4)).toEqual(["one", "fails", "two", "three"]);
  expect(JSON.parse(asked[4]!)).toEqual({ history: contexts, task: "now" });
  expect(service.tasks().map(({ input }) => input)).toEqual(["two", "three", "now"]);
});

test("a planner's history reaches the model behind it, through prompts in sections too", async () => {
  const asked: string[] = [];
  const reply = JSON.stringify({ tasks: [{ task_id: "t1", tool_id: "look", arguments: {} }] });
  const model: Model = {
    name: "fake",
    async generate({ messages }) {
      asked.push(messages.map(({ content }) => content).join("\n"));
      return { text: reply, toolCalls: [], finishReason: "stop" };
    },
  };
  await using served = await serveController({ controller: new LlmController({ model }), port: 0 });
  const planner = (nHistorySamples: number) =>
    new Planner({ controller: new HttpController({ url: served.url }), resources: [look], nHistorySamples });
  await planner(2).createPlan("Look at the harbour");
  await planner(2).createPlan("Look at the station");
  await planner(0).createPlan("Look at the tower");
  expect(asked.map((text) => text.includes("Look at the harbour"))).toEqual([true, true, false]);
  expect(asked[1]).toContain('"tool_id":"look"');
});

test("a task that nothing fits is planned anew, and the answer has the tasks in its place", async () => {
  const { controller, asked } = controllerOf(
    () => plan,
    () => ({ success: false, message: "no tool signs" }),
  );
  const body = { search_id: "s", phase_2_data: { task_input_data: "Sign it", n_history_samples: 0, llm_data: {} } };
  const response = await controllerService({ controller }).fetch(post(2, body));
  expect(await response.json()).toEqual({
    success: false,
    status: "failed",
    message: "Nothing fits the task: no tool signs",
    data: plan.data,
  });
  expect(asked).toEqual(["Sign it", expect.stringMatching(/^Sign it\n\nNothing .* no tool signs\n/)]);
});
