import { fromAiSdk, LlmController, type Model, openaiModel } from "@planloom/controller";
import { type ChatBehaviour, scriptedModel, startChatServer } from "@planloom/controller/testing";
import type { PlannerTaskInput } from "@planloom/plan";
import { MockLanguageModelV4 } from "ai/test";
import { defineLlm, Planloom } from "planloom";
import { expect, onTestFinished, test } from "vitest";

const prices = { m: { input: 1, output: 10 } };
/** 400 characters, as a question and as an answer: about 100 tokens. */
const question = "What is it? ".repeat(34).slice(0, 400);
const text = Array.from({ length: 100 }, (_, index) => String(index).padStart(4, " ")).join("");

async function modelAt(behaviour: ChatBehaviour, options: Parameters<typeof openaiModel>[0] = {}): Promise<Model> {
  const server = await startChatServer([behaviour], { repeat: true });
  onTestFinished(() => server.close());
  return openaiModel({ baseURL: server.baseURL, model: "m", apiKey: "k", environment: {}, prices, ...options });
}

const none: ChatBehaviour = { text, usage: null };
const zero: ChatBehaviour = { text, usage: { prompt_tokens: 0, completion_tokens: 0 } };

test.for(
  (["chat", "responses"] as const).flatMap((api) =>
    [true, false].flatMap((stream) => [
      { api, stream, says: "nothing", behaviour: none },
      { api, stream, says: "0 and 0", behaviour: zero },
    ]),
  ),
)(
  "an endpoint that counts $says: a token for 4 characters, priced and marked: $api, streamed: $stream",
  async (row) => {
    const model = await modelAt(row.behaviour, { api: row.api, stream: row.stream });
    const { usage } = await model.generate({ messages: [{ role: "user", content: question }] });
    expect(usage).toEqual({
      ...{ inputTokens: 100, outputTokens: 100, estimated: true },
      cost: expect.closeTo((100 + 1_000) / 1_000_000, 9),
    });
  },
);

test("calls, tools and the schema count as well", async () => {
  const tool = { name: "f", description: "d".repeat(200), parameters: { type: "object" } };
  const call = { name: "f", arguments: JSON.stringify({ text: "x".repeat(387) }) };
  const model = await modelAt({ toolCalls: [call], usage: null });
  const { usage } = await model.generate({ messages: [{ role: "user", content: question }], tools: [tool] });
  expect(usage).toMatchObject({ outputTokens: 100, estimated: true });
  expect(usage?.inputTokens).toBeGreaterThan(150);
});

test("likewise a model of the AI SDK", async () => {
  const generated = { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" }, warnings: [] };
  const sdk = new MockLanguageModelV4({ modelId: "m", doGenerate: async () => generated as never });
  const { usage } = await fromAiSdk(sdk, { stream: false, prices }).generate({
    messages: [{ role: "user", content: question }],
  });
  expect(usage).toMatchObject({ inputTokens: 100, outputTokens: 100, estimated: true });
});

test("what is counted is not marked", async () => {
  const model = await modelAt({ text, usage: { prompt_tokens: 7, completion_tokens: 3 } });
  expect((await model.generate({ messages: [{ role: "user", content: question }] })).usage).toEqual({
    ...{ inputTokens: 7, outputTokens: 3, cost: expect.closeTo(37 / 1_000_000, 9) },
  });
});

const asks = (id: string, dependencies: string[] = []): PlannerTaskInput => ({
  ...{ task_id: id, execution_type: "llm", parameters: { uid: "writer" } },
  ...{ arguments: { prompt: question }, dependencies },
});

test.for([
  { what: "an endpoint that counts nothing", make: () => modelAt(none) },
  { what: "a model of one's own", make: async () => scriptedModel([{ text }, { text }, { text }]) },
])("a budget of tokens ends a run over $what, and its sums are marked", async ({ make }) => {
  const model = await make();
  await using planloom = new Planloom({ llms: [defineLlm({ id: "writer", description: "Writes.", model })] });
  const plan = { planned_tasks: [asks("a"), asks("b", ["a"]), asks("c", ["b"])] };
  const result = await planloom.run(plan, { budgets: { run: { tokens: 300 } } });
  expect(result.end_reason).toBe("budget");
  expect(result.results.map(({ status }) => status)).toEqual(["completed", "completed", "skipped"]);
  expect(result.usage).toMatchObject({ input_tokens: 200, output_tokens: 200, estimated: true });
});

test("the facts of a plan say that its tokens are a guess, and its events too", async () => {
  const tasks = [
    {
      task_id: "a",
      description: "d",
      execution_type: "llm",
      parameters: { uid: "writer" },
      arguments: { prompt: "Write" },
    },
  ];
  const model = await modelAt({ text: JSON.stringify({ tasks }), usage: null });
  const controller = new LlmController({ model, rules: false });
  await using planloom = new Planloom({
    controller,
    llms: [defineLlm({ id: "writer", description: "Writes.", model })],
  });
  const attempts: unknown[] = [];
  planloom.on("plan-attempt", (event) => attempts.push(event));
  const plan = await planloom.plan("Write something");
  expect(plan.metadata?.planning).toMatchObject({ model_calls: 1, estimated: true });
  expect(attempts).toMatchObject([{ calls: [{ reply: { usage: { estimated: true } } }] }]);
});

test("a call of a model of one's own that lacks its arguments is no reason to fail in the count", async () => {
  const model = { name: "own", generate: async () => ({ text, toolCalls: [{ id: "a", name: "f" }, null] }) as never };
  await using planloom = new Planloom({ llms: [defineLlm({ id: "writer", description: "Writes.", model })] });
  const result = await planloom.run({ planned_tasks: [asks("a")] });
  expect(result.end_reason).toBe("completed");
  expect(result.usage).toMatchObject({ input_tokens: 100, output_tokens: 101, estimated: true });
});
