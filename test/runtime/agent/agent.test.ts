import type { ModelRequest } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { run } from "@planloom/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentPlan, agentWorld, callsOf } from "../../support/agents.ts";

/** What tools gave, as the last request to the model had it. */
const reported = (requests: readonly ModelRequest[]) =>
  requests
    .at(-1)!
    .messages.filter(({ role }) => role === "tool")
    .map(({ content }) => JSON.parse(content) as { output?: unknown; error?: string });

test("calls of one reply run at the same time; results go back in their order; the last words are the output", async () => {
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const meet = async (answer: string) => {
    waiting += 1;
    if (waiting === 2) both.resolve();
    await both.promise;
    return answer;
  };
  const usage = { inputTokens: 10, outputTokens: 2, cost: 0.5 };
  const model = scriptedModel([
    { ...callsOf(["slow", { q: "a" }], ["fast", { q: "b" }]), usage },
    { text: "All done.", usage },
  ]);
  const { calls, executors } = agentWorld(model, { slow: () => meet("S"), fast: () => meet("F") });
  const result = await run(agentPlan("Compare."), { executors });
  expect(result.output_data).toEqual({ work: { text: "All done." } });
  expect(calls.map(([id]) => id).sort()).toEqual(["fast", "slow"]);
  expect(reported(model.requests)).toEqual([{ output: "S" }, { output: "F" }]);
  expect(model.requests[0]!.tools?.map(({ name }) => name)).toEqual(["slow", "fast"]);
  expect(model.requests[0]!.messages.at(-1)).toMatchObject({ role: "user", content: "Compare." });
  expect(result.usage).toMatchObject({ input_tokens: 20, output_tokens: 4, cost: 1 });
  model.assertDone();
});

test.for([
  {
    name: "an unknown tool",
    call: ["serch", { q: "x" }],
    says: 'The tool "serch" is unknown. Call one of: search, other.',
  },
  { name: "wrong arguments", call: ["search", { q: 5 }], says: "expected string" },
  { name: "no JSON", call: ["search", "no json at all"], says: "they cannot be read" },
  { name: "arguments cut off", call: ["search", '{"q": "x", "limit": [1, 2'], says: "they were cut off" },
  { name: "a list", call: ["search", "[1,2]"], says: "Expected the arguments as one JSON object" },
  { name: "a name of Object.prototype", call: ["constructor", {}], says: "is unknown" },
] as const)("$name is answered with what would be legal, and nothing is called", async ({ call, says }) => {
  const model = scriptedModel([callsOf(call), "sorry"]);
  const { calls, executors } = agentWorld(model, { search: () => 1, other: () => 2 });
  const { end_reason } = await run(agentPlan(), { executors });
  expect(end_reason).toBe("completed");
  expect(calls).toEqual([]);
  expect(reported(model.requests)[0]?.error).toContain(says);
});

test.for(["functions.search", "default_api:search"])("%s is a call of search", async (name) => {
  const model = scriptedModel([callsOf([name, { q: "x" }]), "done"]);
  const { calls, executors } = agentWorld(model, { search: () => 1, other: () => 2 });
  await run(agentPlan(), { executors });
  expect(calls.map(([id]) => id)).toEqual(["search"]);
});

test("arguments that are nearly JSON are mended; none at all are none", async () => {
  const model = scriptedModel([callsOf(["search", "{'q': 'x',}"], ["search", ""]), "ok"]);
  const { calls, executors } = agentWorld(model, { search: () => 1 });
  await run(agentPlan(), { executors });
  expect(calls).toEqual([
    ["search", { q: "x" }],
    ["search", {}],
  ]);
});

test("a tool that fails is reported to the model, which goes on", async () => {
  const model = scriptedModel([callsOf(["search", {}]), callsOf(["other", {}]), "done"]);
  const { executors } = agentWorld(model, {
    search: () => {
      throw new Error("no such index");
    },
    other: () => [1],
  });
  const { end_reason } = await run(agentPlan(), { executors, onFailure: "halt" });
  expect(end_reason).toBe("completed");
  expect(reported(model.requests)).toEqual([{ error: "no such index" }, { output: [1] }]);
});

test.for([
  { maxCycles: undefined, calls: 20 },
  { maxCycles: 3, calls: 3 },
])("a model that never ends is stopped after $calls calls", async ({ maxCycles, calls }) => {
  let count = 0;
  const model = {
    name: "m",
    generate: async () => ({ text: "", toolCalls: [{ id: "", name: "search", arguments: `{"q":"${count++}"}` }] }),
  };
  const { executors } = agentWorld(model, { search: () => 1 }, maxCycles === undefined ? {} : { maxCycles });
  const { results } = await run(agentPlan(), { executors });
  expect(results[0]?.error?.message).toContain("exceeds max iterations");
  expect(count).toBe(calls);
});

test("one call with the same arguments is made three times at most", async () => {
  const again = callsOf(["search", { q: "x" }]);
  const model = scriptedModel([again, again, again, again, "I see."]);
  const { calls, executors } = agentWorld(model, { search: () => "the same" });
  await run(agentPlan(), { executors });
  expect(calls).toHaveLength(3);
  expect(reported(model.requests).at(-1)?.error).toContain("made 3 times already");
});

test.for([
  { name: "the same call", call: ["search", { q: "x" }], made: 3, replies: 8, says: "made 3 times already" },
  { name: "unreadable arguments", call: ["search", "no json"], made: 0, replies: 5, says: "they cannot be read" },
  { name: "a tool that is not there", call: ["fly", {}], made: 0, replies: 5, says: "fly" },
] as const)("a model that goes on with $name is stopped after five replies without a call", async (given) => {
  const [id, input] = given.call;
  const again = callsOf([id, input]);
  const model = scriptedModel(Array.from({ length: given.replies }, () => again));
  const { calls, executors } = agentWorld(model, { search: () => 1 });
  const { results } = await run(agentPlan(), { executors });
  expect(results[0]?.error).toMatchObject({
    code: "TASK_FAILED",
    message: expect.stringMatching(/^It was stopped: 5 replies of the model in a row had no call that could be made/),
  });
  expect(results[0]?.error?.message).toContain(given.says);
  expect(calls).toHaveLength(given.made);
});

test("what tools give cannot pass for an error, and nothing a model writes is read as a reference", async () => {
  const model = scriptedModel([callsOf(["search", { q: "${input.secret} and $${x}" }]), "ok"]);
  const { calls, executors } = agentWorld(model, { search: () => ({ error: "fake ${input.secret}" }) });
  await run(agentPlan("Say ${not.a.reference?}"), { executors, input: { secret: "s3cret" } });
  expect(calls).toEqual([["search", { q: "${input.secret} and $${x}" }]]);
  expect(reported(model.requests)).toEqual([{ output: { error: "fake ${input.secret}" } }]);
  expect(JSON.stringify(model.requests)).not.toContain("s3cret");
});

test("an answer is read by the schema of `output`, and asked for again where it does not fit", async () => {
  const output = z.object({ total: z.number() });
  const model = scriptedModel(["forty-two", '```json\n{"total": "x"}\n```', 'It is {"total": 42}.']);
  const { executors } = agentWorld(model, { search: () => 1 }, { output });
  expect((await run(agentPlan(), { executors })).output_data).toEqual({ work: { total: 42 } });
  expect(model.requests[1]!.messages.at(-1)?.content).toContain("no JSON was found");

  const stubborn = scriptedModel(["a", "b", "c"]);
  const { results } = await run(agentPlan(), { executors: agentWorld(stubborn, {}, { output }).executors });
  expect(results[0]?.error).toMatchObject({ code: "TASK_OUTPUT_INVALID" });
  stubborn.assertDone();
});

test("an empty answer is asked for again, and is a failure in the end", async () => {
  const model = scriptedModel(["", " ", "\n"]);
  const { results } = await run(agentPlan(), { executors: agentWorld(model, {}).executors });
  expect(results[0]).toMatchObject({ status: "failed", error: { code: "TASK_OUTPUT_INVALID" } });
});

test("requests stay within their bound: old results are cut, then old turns left out; the last result is whole", async () => {
  const big = "x".repeat(6_000);
  let turn = 0;
  const requests: ModelRequest[] = [];
  const model = {
    name: "m",
    async generate(request: ModelRequest) {
      requests.push(request);
      turn += 1;
      return turn < 18
        ? { text: "", toolCalls: [{ id: "", name: "search", arguments: `{"q":"${turn}"}` }] }
        : { text: "end", toolCalls: [] };
    },
  };
  const { executors } = agentWorld(model, { search: ({ q }) => `${q} ${big}` }, { maxPromptCharacters: 12_000 });
  expect((await run(agentPlan(), { executors })).end_reason).toBe("completed");
  for (const { messages } of requests) {
    expect(messages.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(12_500);
    expect(messages[1]).toMatchObject({ role: "user", content: "Do it." });
    const answered = new Set(messages.flatMap(({ toolCallId }) => toolCallId ?? []));
    const asked = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
    expect([...answered].sort()).toEqual([...new Set(asked)].sort());
  }
  expect(requests.at(-1)!.messages.at(-1)?.content).toContain(big);
});

test("tools are named as models can, and found by their ids too", async () => {
  const model = scriptedModel([callsOf(["web__find_it", {}], ["web/find it", {}]), "ok"]);
  const { calls, executors } = agentWorld(model, { "web/find it": () => 1, "web/other": () => 2 });
  await run(agentPlan(), { executors });
  expect(model.requests[0]!.tools?.map(({ name }) => name)).toEqual(["web__find_it", "web__other"]);
  expect(calls.map(([id]) => id)).toEqual(["web/find it", "web/find it"]);
});

test("only the tools that are named are offered and called", async () => {
  const model = scriptedModel([callsOf(["other", {}]), "ok"]);
  const { calls, executors } = agentWorld(model, { search: () => 1, other: () => 2 }, { tools: ["search"] });
  await run(agentPlan(), { executors });
  expect(model.requests[0]!.tools?.map(({ name }) => name)).toEqual(["search"]);
  expect(calls).toEqual([]);
});

test("without a model the task is skipped and says so", async () => {
  const { results } = await run(agentPlan(), { executors: agentWorld(undefined, {}).executors });
  expect(results[0]).toMatchObject({ status: "skipped", error: { code: "TASK_UNAVAILABLE" } });
});

test("Stage 2 is not asked about what a model decided", async () => {
  const model = scriptedModel([callsOf(["search", {}]), "ok"]);
  const { calls, executors } = agentWorld(model, { search: () => 1 });
  const asked: string[] = [];
  const bind = async ({ task, input }: { task: { task_id: string }; input: Record<string, unknown> }) => {
    asked.push(task.task_id);
    return { uid: "worker", input_data: input };
  };
  await run(agentPlan(), { executors, bind });
  expect(asked).toEqual(["work"]);
  expect(calls).toEqual([["search", {}]]);
});

test("of 5,000 calls in one reply the first 64 are made, and the model is informed", async () => {
  const many = Array.from({ length: 5_000 }, (_, q) => ["look", { q: String(q) }] as const);
  const model = scriptedModel([callsOf(...many), "done"]);
  const { calls, executors } = agentWorld(model, { look: () => 1 });
  const { end_reason } = await run(agentPlan(), { executors });
  expect(end_reason).toBe("completed");
  expect(calls).toHaveLength(64);
  const last = model.requests[1]?.messages.at(-1);
  expect(last).toMatchObject({ role: "user" });
  expect(last?.content).toContain("Only the first 64 calls of your reply were made; the other 4936 were not.");
});
