import {
  type BehaviorController,
  type ControllerReply,
  controllerService,
  LlmController,
  type Model,
  memorySamples,
  type Phase1Request,
} from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import { expect, onTestFinished, test } from "vitest";

const look = { kind: "tool" as const, id: "look", description: "Looks around." };

/** A controller that answers as the test says, and keeps what it was asked. */
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

const task = (text: string, more: object = {}) => ({
  search_id: text,
  phase_1_data: { task_input_data: text, n_history_samples: 0, llm_data: {}, ...more },
});
const plan = { success: true, data: [{ task_id: "a", execution_type: "tool", tool_id: "look" }] };

test.for<[string, 1 | 2, unknown, string]>([
  ["no object", 1, [1], "object"],
  ["no search_id", 1, { phase_1_data: { task_input_data: "x" } }, "search_id"],
  ["no data", 1, { search_id: "s" }, "phase_1_data"],
  ["data of the other phase", 2, { search_id: "s", phase_1_data: { task_input_data: "x" } }, "phase_2_data"],
  ["no text", 1, { search_id: "s", phase_1_data: {} }, "task_input_data"],
  ["a blank text", 1, { search_id: "s", phase_1_data: { task_input_data: " " } }, "task_input_data"],
  ["a wrong number", 1, task("x", { n_history_samples: -1 }), "n_history_samples"],
  ["wrong settings", 1, task("x", { llm_data: [] }), "llm_data"],
  ["wrong resources", 1, { ...task("x"), resources: [1] }, "resources"],
  ["a wrong job", 1, { ...task("x"), job: { job_goal: 5 } }, "job"],
  ["wrong feedback", 1, { ...task("x"), feedback: [{ issues: "no" }] }, "feedback"],
  ["wrong sections", 1, { ...task("x"), sections: [1] }, "sections"],
])("%s is refused and asks nobody", async ([, phase, body, part]) => {
  const { controller, asked } = controllerOf(() => plan);
  const service = controllerService({ controller });
  const reply = await service.answer(phase, body);
  expect(reply).toEqual({ status: 400, body: { success: false, message: expect.stringContaining(part) } });
  expect(asked).toEqual([]);
  expect(service.tasks()).toEqual([]);
});

test.for<[string, () => Promise<ControllerReply>, string]>([
  ["refuses", async () => ({ success: false, message: "no tools" }), "no tools"],
  ["throws", () => Promise.reject(new Error("down")), "down"],
  ["never settles", () => new Promise(() => {}), "timeout"],
])("a controller that %s is a 500 with its reason", async ([, phase1, part]) => {
  const service = controllerService({ controller: controllerOf(phase1).controller, timeoutMs: 50 });
  const reply = await service.answer(1, task("x"));
  expect(reply).toEqual({
    status: 500,
    body: { success: false, status: "failed", message: expect.stringContaining(part) },
  });
  expect(service.tasks()).toMatchObject([{ search_id: "x", status: "failed" }]);
});

test("a request is pending while it is answered", async () => {
  const answered = Promise.withResolvers<ControllerReply>();
  const service = controllerService({ controller: controllerOf(() => answered.promise).controller });
  const reply = service.answer(1, task("x"));
  await expect.poll(() => service.tasks()).toMatchObject([{ status: "pending" }]);
  answered.resolve(plan);
  await reply;
  expect(service.tasks()).toMatchObject([{ status: "complete", data: plan.data }]);
});

test("a caller that leaves is a failure at once, whatever the controller does", async () => {
  const gone = new AbortController();
  const service = controllerService({ controller: controllerOf(() => new Promise(() => {})).controller });
  const reply = service.answer(1, task("x"), { signal: gone.signal });
  gone.abort(new Error("left"));
  expect(await reply).toMatchObject({ status: 500, body: { message: "left" } });
});

test("the latest completed requests are its history, oldest first, and only where they are asked for", async () => {
  const { controller, asked } = controllerOf(() => (asked.length === 2 ? { success: false } : plan));
  const service = controllerService({ controller, maxTasks: 3 });
  for (const text of ["one", "fails", "two", "three"]) await service.answer(1, task(text));
  await service.answer(1, task("now", { n_history_samples: 2 }));
  const contexts = ["two", "three"].map((each) => ({ task: each, result: plan.data }));
  expect(asked.slice(0, 4)).toEqual(["one", "fails", "two", "three"]);
  expect(JSON.parse(asked[4]!)).toEqual({ history: contexts, task: "now" });
  expect(service.tasks().map(({ input }) => input)).toEqual(["two", "three", "now"]);
});

test("the history of a step has steps alone, and is in the order in which the requests came", async () => {
  const slow = Promise.withResolvers<ControllerReply>();
  const replies: (ControllerReply | Promise<ControllerReply>)[] = [slow.promise, plan];
  const { controller, asked } = controllerOf(
    () => replies.shift() ?? plan,
    () => ({ success: true, data: { uid: "look", input_data: {} } }),
  );
  let at = 0;
  const service = controllerService({ controller, now: () => at++ });
  const first = service.answer(1, task("first"));
  await service.answer(1, task("second"));
  await service.answer(2, { search_id: "s", phase_2_data: { task_input_data: "step" } });
  slow.resolve(plan);
  await first;
  await service.answer(1, task("now", { n_history_samples: 9 }));
  expect(JSON.parse(asked.at(-1)!).history.map(({ task }: { task: string }) => task)).toEqual(["first", "second"]);
  await service.answer(2, { search_id: "s", phase_2_data: { task_input_data: "next", n_history_samples: 1 } });
  expect(JSON.parse(asked.at(-1)!).history).toEqual([{ task: "step", result: { uid: "look", input_data: {} } }]);
});

test("a history is no part of what a controller without a model plans", async () => {
  const service = controllerService({ controller: new EmbeddedController(), resources: [look] });
  await service.answer(1, task("Look around"));
  const { body } = await service.answer(1, task("Look around", { n_history_samples: 1 }));
  expect(body).toMatchObject({ success: true, data: { planned_tasks: [{ tool_id: "look" }] } });
});

test("the store of samples keeps the newest of each phase", async () => {
  const samples = memorySamples(2);
  for (const at of [3, 1, 2]) samples.add({ search_id: `${at}`, phase: 1, task: `${at}`, result: at, at });
  samples.add({ search_id: "x", phase: 2, task: "x", result: 0, at: 0 });
  expect((await samples.latest(1, 5)).map(({ at }) => at)).toEqual([2, 3]);
  expect(await samples.latest(1, 0)).toEqual([]);
  expect(await samples.latest(2, 5)).toHaveLength(1);
});

test("a model gets the day where the request does not say, and has as long as its own limit", async () => {
  const asked: string[] = [];
  const model: Model = {
    name: "fake",
    timeoutMs: 500_000,
    async generate({ messages }) {
      asked.push(messages.map(({ content }) => content).join("\n"));
      return { text: '{"tasks":[{"task_id":"t1","tool_id":"look","arguments":{}}]}', toolCalls: [] };
    },
  };
  const limits: number[] = [];
  const before = AbortSignal.timeout;
  AbortSignal.timeout = (ms) => {
    limits.push(ms);
    return before(ms);
  };
  onTestFinished(() => {
    AbortSignal.timeout = before;
  });
  const now = () => Date.parse("2026-03-04T09:30:00Z");
  const controller = new LlmController({ model });
  const service = controllerService({ controller, resources: [look], now, timeZone: "Europe/Berlin" });
  await service.answer(1, task("Look at the harbour today"));
  expect(asked[0]).toContain("Now: Wednesday, 2026-03-04 10:30 (Europe/Berlin).");
  await service.answer(1, { ...task("Look"), time: { now: "2026-05-01T00:00:00Z", time_zone: "UTC" } });
  expect(asked[1]).toContain("Now: Friday, 2026-05-01 00:00 (UTC).");
  expect(limits).toEqual([500_000, 500_000]);
});

test("a history reaches a model, through prompts in sections too", async () => {
  const asked: string[] = [];
  const reply = JSON.stringify({ tasks: [{ task_id: "t1", tool_id: "look", arguments: {} }] });
  const model: Model = {
    name: "fake",
    async generate({ messages }) {
      asked.push(messages.map(({ content }) => content).join("\n"));
      return { text: reply, toolCalls: [], finishReason: "stop" };
    },
  };
  const service = controllerService({ controller: new LlmController({ model }), resources: [look] });
  const ask = (text: string, n_history_samples: number) =>
    service.answer(1, { ...task(text, { n_history_samples }), sections: [`Goal: ${text}`, "Plan it."] });
  await ask("Look at the harbour", 2);
  await ask("Look at the station", 2);
  await ask("Look at the tower", 0);
  expect(asked.map((text) => text.includes("Look at the harbour"))).toEqual([true, true, false]);
  expect(asked[1]).toContain('"tool_id":"look"');
});

test("a task that nothing fits is planned anew, and the answer has the tasks in its place", async () => {
  const { controller, asked } = controllerOf(
    () => plan,
    () => ({ success: false, message: "no tool signs" }),
  );
  const body = { search_id: "s", phase_2_data: { task_input_data: "Sign it", n_history_samples: 0, llm_data: {} } };
  expect(await controllerService({ controller }).answer(2, body)).toEqual({
    status: 500,
    body: { success: false, status: "failed", message: "Nothing fits the task: no tool signs", data: plan.data },
  });
  expect(asked).toEqual(["Sign it", expect.stringMatching(/^Sign it\n\nNothing .* no tool signs\n/)]);
});
