import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpController, openaiEncoder, openaiModel } from "@planloom/controller";
import { expect, onTestFinished, test } from "vitest";

/** Gives `answer` without end, as fast as the reader takes it. @returns its address, and how many bytes went out on the last connection */
async function endless(head: Record<string, string>, status: number, first: string, again: string) {
  let sent = 0;
  let closed = Promise.withResolvers<void>();
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    sent = 0;
    closed = Promise.withResolvers<void>();
    response.on("close", () => closed.resolve());
    response.writeHead(status, head);
    response.write(first);
    const more = again.repeat(Math.ceil(4_096 / again.length));
    const write = () => {
      while (!response.destroyed) {
        sent += more.length;
        if (!response.write(more)) break;
      }
    };
    response.on("drain", write);
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, sent: () => sent, closed: () => closed.promise };
}

const limit = 200_000;
/** What sockets of both sides may hold beside what was read. */
const buffers = 16_000_000;
const sse = { "content-type": "text/event-stream" };
const json = { "content-type": "application/json" };
const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

test.for([
  { name: "one line without end", head: sse, first: "data: ", again: "x" },
  { name: "comments without end", head: sse, first: ": ping\n\n", again: ": ping\n\n" },
  { name: "empty lines without end", head: sse, first: "\n", again: "\n" },
  {
    name: "events without end",
    head: sse,
    first: event({ role: "assistant" }),
    again: event({ content: "and so on " }),
    code: "CONTROLLER_RUNAWAY",
    said: "and so on",
  },
  { name: "events that say nothing", head: sse, first: "", again: "x\n\n", said: "an event counts for 64" },
  { name: "events without a choice", head: sse, first: "", again: `data: {"choices":[]}\n\n` },
  {
    name: "arguments of a tool call without end",
    head: sse,
    first: event({ tool_calls: [{ index: 0, id: "1", function: { name: "f", arguments: "{" } }] }),
    again: event({ tool_calls: [{ index: 0, function: { arguments: "xxxxxxxxxx" } }] }),
    code: "CONTROLLER_RUNAWAY",
    said: "xxxxxxxxxx",
  },
  {
    name: "tool calls without end",
    head: sse,
    first: "",
    again: event({ tool_calls: [{ id: "1", function: { name: "f" } }] }),
  },
  { name: "a whole answer without end", head: json, first: `{"choices":[{"message":{"content":"`, again: "x" },
])(
  "a model's endpoint that sends $name ends in an error, and its connection with it",
  async ({ head, first, again, code = "CONTROLLER_PROTOCOL", said = String(limit) }) => {
    const server = await endless(head, 200, first, again);
    const model = openaiModel({
      apiKey: "k",
      model: "m",
      baseURL: server.url,
      maxResponseBytes: limit,
      maxRetries: 0,
      stream: true,
      structuredOutput: "text",
    });
    const error = await model
      .generate({ messages: [{ role: "user", content: "go" }] })
      .then(() => undefined)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "ControllerError", code });
    expect((error as Error).message).toContain(said);
    await server.closed();
    expect(server.sent()).toBeLessThan(limit + buffers);
  },
);

test.for([
  { name: "a reply", status: 200, code: "CONTROLLER_PROTOCOL" },
  { name: "a refusal", status: 400, code: "CONTROLLER_STATUS" },
  { name: "the body of a redirect", status: 302, code: "CONTROLLER_STATUS" },
])("$name without end of an HTTP controller ends in an error", async ({ status, code }) => {
  const server = await endless({ ...json, location: "http://127.0.0.1:1/" }, status, `{"success":true,"data":"`, "x");
  const controller = new HttpController({ url: server.url, maxResponseBytes: limit, retries: 0 });
  const request = { search_id: "s", phase_1_data: { task_input_data: "x", n_history_samples: 0, llm_data: {} } };
  await expect(controller.processPhase1(request)).rejects.toMatchObject({ code });
  await server.closed();
  expect(server.sent()).toBeLessThan(limit + buffers);
});

test("vectors without end end in an error", async () => {
  const server = await endless(json, 200, `{"data":[{"index":0,"embedding":[`, "0.5,");
  const encode = openaiEncoder({
    apiKey: "k",
    model: "m",
    baseURL: server.url,
    maxResponseBytes: limit,
    maxRetries: 0,
  });
  await expect(encode(["a"])).rejects.toMatchObject({ code: "CONTROLLER_PROTOCOL" });
  await server.closed();
  expect(server.sent()).toBeLessThan(limit + buffers);
});
