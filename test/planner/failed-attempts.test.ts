import { LlmController, openaiModel } from "@planloom/controller";
import { type ChatBehaviour, chatBehaviours, startChatServer } from "@planloom/controller/testing";
import type { Resource } from "@planloom/plan";
import { Planner, type PlannerEvent } from "@planloom/planner";
import { expect, test } from "vitest";

const resources: Resource[] = [
  { kind: "tool", id: "weather", description: "Weather", input_schema: { type: "object" } },
];
const plan = { tasks: [{ task_id: "a", description: "d", execution_type: "tool", tool_id: "weather", arguments: {} }] };

async function planWith(steps: readonly ChatBehaviour[], refuses: readonly string[] = []) {
  await using server = await startChatServer(steps, { refuses });
  const model = openaiModel({ baseURL: server.baseURL, model: "m", apiKey: "k", retryDelayMs: 1, environment: {} });
  const events: PlannerEvent[] = [];
  const planner = new Planner({
    controller: new LlmController({ model }),
    resources,
    onEvent: (event) => events.push(event),
  });
  const result = await planner.createPlan("Weather in Lyon").catch((error: unknown) => error);
  return { result, events, requests: server.requests.length };
}

const failed = (status: number, error: object) => chatBehaviours.fails(status, JSON.stringify({ error }));

test.for<{ what: string; step: ChatBehaviour; code: string; says: RegExp }>([
  {
    what: "without credit",
    step: failed(429, { message: "You exceeded your current quota.", code: "insufficient_quota" }),
    code: "CONTROLLER_QUOTA",
    says: /Add credit/,
  },
  {
    what: "for an unknown model",
    step: failed(404, { message: "The model `m` does not exist." }),
    code: "CONTROLLER_MODEL_NOT_FOUND",
    says: /Check the name/,
  },
  {
    what: "that is too long",
    step: failed(400, { message: "the request exceeds the available context size" }),
    code: "CONTROLLER_CONTEXT_EXCEEDED",
    says: /fewer tools/,
  },
  {
    what: "that is refused for a reason that names nothing",
    step: failed(400, { message: "invalid request" }),
    code: "CONTROLLER_STATUS",
    says: /refuse the same request again.*ask for less/,
  },
  {
    what: "that a proxy answers with its login page",
    step: chatBehaviours.page(),
    code: "CONTROLLER_PROTOCOL",
    says: /a web page \("Welcome"\).*base URL/,
  },
  {
    what: "that is to wait for an hour",
    step: chatBehaviours.rateLimited("3600"),
    code: "CONTROLLER_RATE_LIMIT",
    says: /`maxRetryDelayMs`/,
  },
  {
    what: "whose tokens all go into thoughts",
    step: { text: "", reasoning: "Hm.", finishReason: "length" },
    code: "CONTROLLER_LENGTH",
    says: /Raise `maxTokens`/,
  },
])("planning ends after one request $what, and says what to do", async ({ step, code, says }) => {
  const { result, events, requests } = await planWith([step, chatBehaviours.answers(plan)]);
  expect(result).toMatchObject({ code, message: expect.stringMatching(says) });
  expect(requests).toBe(1);
  expect(events.at(-1)).toMatchObject({ type: "plan-error", code, message: expect.stringMatching(says) });
  // What it cost is said with the attempt, as of any other.
  const message = expect.stringMatching(says);
  expect(events.at(-2)).toMatchObject({
    type: "plan-attempt",
    requests: 1,
    calls: [{ error: message }],
    issues: [{ message }],
  });
});

test.for<{ what: string; step: ChatBehaviour; says: RegExp }>([
  { what: "thoughts alone", step: { reasoning: "Hm.", ignoresTools: true }, says: /thoughts alone.*`reasoningEffort`/ },
  {
    what: "cut off in its first words",
    step: { text: "The plan", finishReason: "length" },
    says: /cut off.*`maxTokens`/,
  },
])("an answer that is $what says so", async ({ step, says }) => {
  const { result } = await planWith([step, step, step]);
  expect(result).toMatchObject({ code: "PLANNER_NO_VALID_PLAN", message: expect.stringMatching(says) });
});

test("an answer that ran away is an attempt, and the attempt says so", async () => {
  const { result, events, requests } = await planWith([
    { text: `{"tasks": [${'{"task_id": "a"}, '.repeat(2_000)}` },
    chatBehaviours.answers(plan),
  ]);
  expect(result).toMatchObject({ planned_tasks: [{ task_id: "a" }] });
  expect(requests).toBe(2);
  const [first] = events.filter(({ type }) => type === "plan-attempt");
  expect(first).toMatchObject({ issues: [{ message: expect.stringMatching(/more than 8 tasks.*stopped after/) }] });
});

test("what a thought says is not repeated as the answer that was wrong", async () => {
  const wrong = { ...plan, tasks: [{ ...plan.tasks[0], tool_id: "snow" }] };
  const { result, events } = await planWith([
    { reasoning: "The user wants snow.", text: JSON.stringify(wrong) },
    chatBehaviours.answers(plan),
  ]);
  expect(result).toMatchObject({ planned_tasks: [{ tool_id: "weather" }] });
  const [, second] = events.filter((event) => event.type === "plan-attempt");
  const asked = JSON.stringify(second?.type === "plan-attempt" ? second.calls[0]?.request.messages : "");
  expect(asked).toContain("snow");
  expect(asked).not.toContain("The user wants snow");
});

test("an endpoint that refuses three parts of a request leaves all attempts for the first plan", async () => {
  const parts = ["response_format", "temperature", "stream_options"];
  const prose = chatBehaviours.answers("I would look it up.");
  const { result, events, requests } = await planWith([prose, prose, chatBehaviours.answers(plan)], parts);
  expect(result).toMatchObject({ planned_tasks: [{ tool_id: "weather" }], metadata: { planning: { attempts: 3 } } });
  expect(events.flatMap((event) => (event.type === "plan-attempt" ? [event.requests] : []))).toEqual([1, 1, 1]);
  expect(requests).toBe(6);
});

test.for([
  { what: "refuses the next request", step: failed(400, { message: "invalid request" }), code: "CONTROLLER_STATUS" },
  { what: "has no credit left", step: failed(402, { message: "Insufficient Balance" }), code: "CONTROLLER_QUOTA" },
])("a draft that lacks arguments alone is kept where the model $what", async ({ step, code }) => {
  const text = { type: "string" };
  const takes = { type: "object", properties: { city: text, day: text }, required: ["city", "day"] } as const;
  const half = { tasks: [{ ...plan.tasks[0], arguments: { city: "Lyon" } }] };
  await using server = await startChatServer([chatBehaviours.answers(half), step]);
  const model = openaiModel({ baseURL: server.baseURL, model: "m", apiKey: "k", retryDelayMs: 1, environment: {} });
  const planner = new Planner({
    controller: new LlmController({ model }),
    resources: [{ ...resources[0]!, input_schema: takes }],
  });
  const error = await planner.createPlan("Weather in Lyon, please").catch((each: unknown) => each);
  expect(error).toMatchObject({
    ...{ code: "PLANNER_OPEN_QUESTIONS", cause: { code } },
    details: { questions: [{ argument_path: "day" }], draft: { planned_tasks: [{ tool_id: "weather" }] } },
  });
  expect(server.requests).toHaveLength(2);
});

test("an error counts attempts as the limit counts them: each request, though one answer was asked for", async () => {
  const down = failed(503, { message: "overloaded" });
  const { result, requests } = await planWith([down, down, down]);
  expect(requests).toBe(3);
  expect(result).toMatchObject({ message: expect.stringMatching(/^Failed to generate valid plan after 3 attempts: /) });
});
