import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { LlmController, openaiModel } from "@planloom/controller";
import { Planner, type PlannerEvent } from "@planloom/planner";
import { defineLlm, Planloom } from "planloom";
import { expect, onTestFinished, test } from "vitest";

type Api = "chat" | "responses";
interface Place {
  readonly name: string;
  /** What is sent before the socket is destroyed; nothing: not even a head. */
  readonly sent?: (api: Api, stream: boolean) => string;
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const text = (api: Api) =>
  api === "chat"
    ? { choices: [{ index: 0, delta: { content: "Hel" } }] }
    : { type: "response.output_text.delta", delta: "Hel" };
const call = (api: Api) =>
  api === "chat"
    ? {
        choices: [
          { index: 0, delta: { tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: '{"a"' } }] } },
        ],
      }
    : { type: "response.function_call_arguments.delta", delta: '{"a"' };

const places: readonly Place[] = [
  { name: "before the head" },
  { name: "after the head", sent: () => "" },
  { name: "within the answer", sent: (api, stream) => (stream ? event(text(api)) : '{"choices":[{"mess') },
  { name: "within an event", sent: (api, stream) => (stream ? `${event(text(api))}data: {"cho` : '{"output":[{') },
  {
    name: "within a call",
    sent: (api, stream) => (stream ? event(call(api)) : '{"choices":[{"message":{"tool_calls":[{'),
  },
];

/** A server that destroys the socket of the first `breaks` requests, and answers later ones with `answer`. */
async function breakingServer(api: Api, { sent }: Place, breaks: number, answer = "Hello") {
  let requests = 0;
  const server = createServer((incoming, response) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (piece) => {
      body += piece;
    });
    incoming.on("end", () => {
      requests += 1;
      const { stream = false } = JSON.parse(body) as { stream?: boolean };
      const socket = response.socket as Socket;
      if (requests > breaks) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(wholeAnswer(api, answer)));
        return;
      }
      if (sent === undefined) {
        socket.destroy();
        return;
      }
      response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
      response.flushHeaders();
      const written = sent(api, stream);
      if (written === "") socket.write("", () => socket.destroy());
      else response.write(written, () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseURL: `http://127.0.0.1:${port}/${crypto.randomUUID()}/v1`, requests: () => requests };
}

function wholeAnswer(api: Api, answer: string): object {
  return api === "chat"
    ? { choices: [{ index: 0, message: { content: answer }, finish_reason: "stop" }] }
    : { status: "completed", output: [{ type: "message", content: [{ type: "output_text", text: answer }] }] };
}

const messages = [{ role: "user", content: "Hi" }] as const;
const settings = { model: "m", apiKey: "k", environment: {}, retryDelayMs: 1 };
const cases = (["chat", "responses"] as const).flatMap((api) =>
  [true, false].flatMap((stream) => places.map((place) => ({ api, stream, place, where: place.name }))),
);

test.for(cases)(
  "a connection that breaks $where is asked again: $api, streamed: $stream",
  async ({ api, stream, place }) => {
    const server = await breakingServer(api, place, 1);
    const model = openaiModel({ ...settings, api, stream, baseURL: server.baseURL });
    expect(await model.generate({ messages })).toMatchObject({ text: "Hello", requests: 2 });
  },
);

test.for(cases)("one that breaks each time $where is an error with a code: $api, streamed: $stream", async (row) => {
  const { api, stream, place } = row;
  const server = await breakingServer(api, place, 9);
  const model = openaiModel({ ...settings, api, stream, baseURL: server.baseURL });
  const error = await model.generate({ messages }).catch((each: unknown) => each);
  const isWithin = place.sent !== undefined;
  expect(error).toMatchObject({
    ...{ name: "ControllerError", code: "CONTROLLER_UNREACHABLE", retryable: true },
    details: { tries: 3, ...(isWithin && { brokenOff: true }) },
    message: expect.stringMatching(isWithin ? /broke off: .*proxy in between/ : /Is the server running/),
  });
  expect(server.requests()).toBe(3);
});

const place = places[2]!;

test("planning counts each as one of its attempts, and its event says so", async () => {
  const tasks = [{ task_id: "a", description: "d", execution_type: "tool", tool_id: "weather", arguments: {} }];
  const server = await breakingServer("chat", place, 2, JSON.stringify({ tasks }));
  const resource = { kind: "tool", id: "weather", description: "Weather", input_schema: { type: "object" } } as const;
  const plan = async (maxAttempts: number) => {
    const events: PlannerEvent[] = [];
    const controller = new LlmController({ model: openaiModel({ ...settings, baseURL: server.baseURL }) });
    const planner = new Planner({
      controller,
      resources: [resource],
      maxAttempts,
      onEvent: (each) => events.push(each),
    });
    const result = await planner.createPlan("Weather in Lyon").catch((error: unknown) => error);
    return { result, attempts: events.filter(({ type }) => type === "plan-attempt") };
  };
  const failed = await plan(2);
  expect(failed.result).toMatchObject({ code: "PLANNER_NO_VALID_PLAN", cause: { code: "CONTROLLER_UNREACHABLE" } });
  expect(failed.attempts).toMatchObject([{ requests: 2, issues: [{ message: expect.stringContaining("broke off") }] }]);
  expect(server.requests()).toBe(2);
  const found = await plan(3);
  expect(found.attempts).toMatchObject([{ requests: 1, issues: [] }]);
});

test("a run retries an llm task itself, as often as it is to, and reports each try", async () => {
  const server = await breakingServer("chat", place, 2);
  const model = openaiModel({ ...settings, baseURL: server.baseURL });
  await using planloom = new Planloom({ llms: [defineLlm({ id: "writer", description: "Writes.", model })] });
  const task = {
    task_id: "w",
    execution_type: "llm",
    parameters: { uid: "writer" },
    arguments: { prompt: "Hi" },
  } as const;
  const errors: unknown[] = [];
  planloom.on("task-retry", ({ error }) => errors.push(error));
  const options = { retry: { max_attempts: 3, initial_delay_ms: 1 } };
  const result = await planloom.run({ planned_tasks: [task] }, options);
  expect(result.end_reason).toBe("completed");
  expect(errors).toMatchObject([1, 2].map(() => ({ message: expect.stringContaining("broke off") })));
  expect(server.requests()).toBe(3);
});
