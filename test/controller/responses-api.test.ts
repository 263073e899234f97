import { openaiModel } from "@planloom/controller";
import { type ChatServer, type ChatStep, startChatServer } from "@planloom/controller/testing";
import { expect, onTestFinished, test } from "vitest";

async function world(steps: readonly ChatStep[], options: object = {}) {
  const server: ChatServer = await startChatServer(steps);
  onTestFinished(() => server.close());
  const own = { api: "responses", baseURL: server.baseURL, model: "m", apiKey: "k", environment: {} } as const;
  return { server, model: openaiModel({ ...own, retryDelayMs: 1, ...options }) };
}

const user = { role: "user", content: "Hi" } as const;

test("a request keeps nothing at the endpoint and asks for encrypted thoughts", async () => {
  const { server, model } = await world([{ text: "{}" }], {
    reasoningEffort: "low",
    extraBody: { service_tier: "flex" },
  });
  await model.generate({
    messages: [{ role: "system", content: "Be brief." }, user],
    maxTokens: 70,
    temperature: 0.1,
    schema: { name: "x", schema: { type: "object" }, strict: true },
    tools: [{ name: "f", description: "F", parameters: { type: "object" } }],
  });
  expect(server.requests[0]).toMatchObject({ path: "/v1/responses" });
  expect(server.requests[0]?.body).toEqual({
    model: "m",
    store: false,
    stream: true,
    include: ["reasoning.encrypted_content"],
    service_tier: "flex",
    reasoning: { effort: "low" },
    temperature: 0.1,
    max_output_tokens: 70,
    input: [{ role: "system", content: "Be brief." }, user],
    text: { format: { type: "json_schema", name: "x", schema: { type: "object" }, strict: true } },
    tools: [{ type: "function", name: "f", description: "F", parameters: { type: "object" }, strict: false }],
    tool_choice: "auto",
  });
});

test("a model that does not think refuses encrypted thoughts once", async () => {
  const refusal = { status: 400, body: '{"error":{"message":"Encrypted content is not supported with this model."}}' };
  const { server, model } = await world([refusal, { text: "Hello" }, { text: "Again" }]);
  expect(await model.generate({ messages: [user] })).toMatchObject({
    text: "Hello",
    requests: 2,
    adjustments: [expect.stringContaining("thoughts were refused")],
  });
  await model.generate({ messages: [user] });
  expect(server.requests.map(({ body }) => body?.include !== undefined)).toEqual([true, false, false]);
});

test("thoughts that do not fit any more are left out", async () => {
  const items = [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" }];
  const call = { id: "c", name: "f", arguments: "{}", providerData: { id: "fc_1", reasoning: items } };
  const refusal = {
    status: 400,
    body: '{"error":{"message":"The encrypted content for item rs_1 could not be verified."}}',
  };
  const { server, model } = await world([refusal, { text: "Hello" }]);
  await model.generate({
    messages: [
      user,
      { role: "assistant", content: "<think>Hm.</think>Wait.", toolCalls: [call] },
      { role: "tool", toolCallId: "c", content: "1" },
    ],
  });
  const bare = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
  const [text, result] = [
    { role: "assistant", content: "Wait." },
    { type: "function_call_output", call_id: "c", output: "1" },
  ];
  expect(server.requests.map(({ body }) => body?.input)).toEqual([
    [user, ...items, text, { ...bare, id: "fc_1" }, result],
    [user, text, bare, result],
  ]);
});

test("a response that failed counts as the status that it names; one that ends without its items has those that came before", async () => {
  const stream = (...events: object[]): ChatStep => ({
    status: 200,
    headers: { "content-type": "text/event-stream" },
    body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
  });
  const failed = {
    type: "response.failed",
    response: { status: "failed", output: [], error: { code: "server_error", message: "Oh." } },
  };
  const item = { type: "message", content: [{ type: "output_text", text: "Hello" }] };
  const { server, model } = await world([
    stream(failed),
    stream({ type: "error", code: "rate_limit_exceeded", message: "Slow down." }),
    stream(
      { type: "response.output_item.done", item },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ),
  ]);
  expect(await model.generate({ messages: [user] })).toMatchObject({ text: "Hello", requests: 3 });
  expect(server.left).toBe(0);
  const other = await world([{ status: 200, body: '{"choices":[]}' }]);
  await expect(other.model.generate({ messages: [user] })).rejects.toThrow(
    /response with `output`.*got something else/,
  );
});

test("an endpoint without it says which option to change", async () => {
  const { model } = await world([{ status: 404, body: "Not found" }]);
  await expect(model.generate({ messages: [user] })).rejects.toMatchObject({
    retryable: false,
    message: expect.stringMatching(/no Responses API at .*leave `api` at "chat"/),
  });
});
