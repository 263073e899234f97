import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpController, HybridController, LlmController, openaiModel } from "@planloom/controller";
import { chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { EmbeddedController, MemoryController } from "@planloom/embedded";
import { PlannerTask } from "@planloom/plan";
import { bindWith, Planner, PlannerError } from "@planloom/planner";
import { expect, onTestFinished, test, vi } from "vitest";

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
  // Nor one of a controller behind HTTP, which has no stream to keep it open.
  const late = createServer((request, response) => {
    request.resume().on("end", () => {
      setTimeout(() => response.end(JSON.stringify({ success: true, data: [] })), 2_500);
    });
  });
  await new Promise<void>((resolve) => late.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void late.close());
  const { port } = late.address() as AddressInfo;
  const controller = new HttpController({ url: `http://127.0.0.1:${port}`, retries: 0 });
  const request = { search_id: "s", phase_1_data: { task_input_data: "x", n_history_samples: 0, llm_data: {} } };
  await expect(controller.processPhase1(request)).resolves.toMatchObject({ success: true, data: [] });
}, 30_000);

test("a planner waits for longer than the model's own limit, which says what to do; the caller's limit goes before", async () => {
  const slow = { name: "slow", timeoutMs: 2_000_000, generate: () => new Promise<never>(() => {}) };
  const llm = new LlmController({ model: slow });
  const draft = new EmbeddedController();
  const remembering = (controller: LlmController) =>
    new MemoryController({ controller, remembered: () => Promise.resolve([]) });
  const limitOf = (controller: ConstructorParameters<typeof Planner>[0]["controller"]) =>
    new Planner({ controller }).config.timeoutMs;
  for (const controller of [llm, new HybridController({ draft, refine: llm }), remembering(llm)])
    expect(limitOf(controller)).toBe(2_001_000);
  expect(limitOf(new HttpController({ url: "http://127.0.0.1:9", timeoutMs: 900_000 }))).toBe(901_000);
  // What takes less leaves the usual limit.
  expect(limitOf(draft)).toBe(600_000);
  expect(limitOf(new LlmController({ model: { ...slow, timeoutMs: 60_000 } }))).toBe(600_000);
  expect(new Planner({ controller: llm, timeoutMs: 5_000 }).config.timeoutMs).toBe(5_000);

  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const resources = [{ kind: "tool", id: "t", description: "does it" }] as const;
  const task = PlannerTask.parse({ task_id: "a", execution_type: "tool", description: "does it" });
  const bound = bindWith({ controller: llm, resources })({ task, input: {} } as never, {} as never);
  let ended: unknown;
  bound.catch((error: unknown) => {
    ended = error;
  });
  await vi.advanceTimersByTimeAsync(2_000_500);
  expect(ended).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect(ended).toBeDefined(), { timeout: 2_000 });
  expect(ended).toBeInstanceOf(PlannerError);
  expect(ended).toMatchObject({ code: "PLANNER_TIMEOUT" });
});

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
