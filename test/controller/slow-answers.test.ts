import { openaiModel } from "@planloom/controller";
import { chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { expect, onTestFinished, test } from "vitest";

const key = Symbol.for("undici.globalDispatcher.1");
type Dispatcher = { dispatch(options: Record<string, unknown>, handler: unknown): boolean };
const globals = globalThis as unknown as Record<symbol, Dispatcher>;
const asks = { messages: [{ role: "user", content: "Go" }] } as const;

test("the limits of Node's fetch do not end a call that may take longer", async () => {
  await using server = await startChatServer([{ text: "Late.", delayMs: 2_500 }], { repeat: true });
  // Loads what sets the dispatcher.
  await fetch(`${server.baseURL}/nothing`, { method: "POST", body: "{}" }).then((response) => response.text());
  const before = globals[key]!;
  onTestFinished(() => {
    globals[key] = before;
  });
  // As Node has it, with 0.3 seconds in place of 300.
  const Agent = before.constructor as new (options: object) => Dispatcher;
  globals[key] = new Agent({ headersTimeout: 300, bodyTimeout: 300 });
  const body = JSON.stringify({ messages: [] });
  const plain = fetch(`${server.baseURL}/chat/completions`, { method: "POST", body });
  await expect(plain).rejects.toMatchObject({ cause: { code: "UND_ERR_HEADERS_TIMEOUT" } });
  const model = openaiModel({ baseURL: server.baseURL, model: "m", environment: {}, maxRetries: 0, stream: false });
  expect((await model.generate(asks)).text).toBe("Late.");
}, 30_000);

test("a model may read for long before it writes; silence counts from its first word on", async () => {
  await using server = await startChatServer([
    { text: "A text.", delayMs: 400 },
    chatBehaviours.slow("Words and words", 400),
  ]);
  const model = openaiModel({
    baseURL: server.baseURL,
    model: "m",
    environment: {},
    maxRetries: 0,
    idleTimeoutMs: 150,
  });
  expect((await model.generate(asks)).text).toBe("A text.");
  await expect(model.generate(asks)).rejects.toMatchObject({ code: "CONTROLLER_TIMEOUT", details: { idle: true } });
});
