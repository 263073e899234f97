import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { createServer } from "@planloom/server";
import { type Client, ClientError, createClient } from "@planloom/server/client";
import { memoryJournal, Planloom } from "planloom";
import type { SubscribedEvent } from "planloom/events";
import { expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { sendMail, startServer, weather } from "./support.ts";

const mailPlan = {
  planned_tasks: [
    { task_id: "m", execution_type: "tool", tool_id: "send_mail", arguments: { to: "ada", text: "Hello" } },
  ],
};

async function all(events: AsyncIterable<SubscribedEvent>): Promise<SubscribedEvent[]> {
  const list: SubscribedEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

test("a client plans, changes the plan, runs it, answers and looks, typed by the server's schemas", async () => {
  await using server = await startServer({ tokens: [{ name: "ada", token: "ada-0123456789abcdef" }] });
  const client = createClient({ url: `${server.url}/`, token: "ada-0123456789abcdef" });
  expect((await client.listResources()).resources.map(({ id }) => id)).toEqual(["get_weather", "send_mail"]);
  const draft = await client.createPlan({ goal: "Send a mail to Ada" });
  expect([draft.status, draft.questions.length]).toEqual(["draft", 1]);
  expect((await client.listPlans({ status: ["draft"][0] as "draft" })).plans).toMatchObject([{ status: "draft" }]);
  const name = String(draft.questions[0]!.name);
  const ready = await client.answerPlan({ plan_id: draft.plan_id, answers: { [name]: "Hello" } });
  expect([ready.status, ready.issues.filter(({ severity }) => severity === "error")]).toEqual(["ready", []]);
  const { run_id } = await client.createRun({ plan_id: draft.plan_id, confirm: "writes", metadata: { order: 7 } });
  expectTypeOf(run_id).toBeString();
  const events: SubscribedEvent[] = [];
  for await (const event of client.runEvents(run_id)) {
    events.push(event);
    if (event.type !== "task-waiting") continue;
    const { waiting } = await client.getRun({ run_id });
    const [{ id, content_hash }] = waiting as [{ id: string; content_hash: string }];
    const { answer } = await client.answerCall({ run_id, id, content_hash, answer: "approve" });
    expect(answer).toMatchObject({ by: "ada" });
  }
  expect(events.at(-1)).toMatchObject({ type: "run-end", endReason: "completed" });
  const seqs = events.flatMap((event) => ("seq" in event ? [event.seq] : []));
  expect(seqs).toEqual(seqs.map((_, index) => index));
  const { runs } = await client.listRuns({ status: ["completed", "failed"], metadata: { order: 7 } });
  expect(runs.map((run) => run.run_id)).toEqual([run_id]);
  expectTypeOf(runs[0]!.status).toExtend<string>();
  expect(await client.metrics()).toContain('planloom_runs_ended_total{end_reason="completed"} 1');
});

test("what the server refuses is an error with its code", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  const refused = client.getRun({ run_id: "../x y/%2e" });
  await expect(refused).rejects.toThrow(ClientError);
  await expect(refused).rejects.toMatchObject({ status: 404, code: "RUNTIME_RUN_NOT_FOUND" });
  // In a path two dots are a step, which would ask another endpoint.
  await expect(client.deletePlan({ plan_id: ".." })).rejects.toMatchObject({ status: 404, code: "SERVER_NOT_FOUND" });
  await expect(all(client.runEvents("."))).rejects.toMatchObject({ status: 404 });
  await expect(all(client.runEvents("none"))).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
  // @ts-expect-error a misspelt field does not compile, and is refused where there are no types
  await expect(client.createRun({ gaol: "x" })).rejects.toMatchObject({ code: "SERVER_INVALID_REQUEST" });
});

test("an address where nothing answers, or something else, is an error that says so, and no stream waits for it", async () => {
  const gone = await startServer();
  await gone[Symbol.asyncDispose]();
  const client = createClient({ url: gone.url });
  const unreachable = {
    code: "SERVER_UNREACHABLE",
    message: `The server at ${gone.url} cannot be reached: ECONNREFUSED.`,
    details: { url: gone.url },
  };
  await expect(client.listRuns()).rejects.toMatchObject(unreachable);
  await expect(all(client.runEvents("r"))).rejects.toMatchObject(unreachable);
  await expect(client.listRuns({}, { signal: AbortSignal.abort() })).rejects.toThrow(DOMException);

  const page = async () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } });
  const other = createClient({ url: "http://site.example", fetch: page });
  await expect(other.listRuns()).rejects.toMatchObject({
    code: "HTTP_ERROR",
    message: expect.stringContaining("Welcome"),
  });
  await expect(all(other.runEvents("r"))).rejects.toMatchObject({
    code: "HTTP_ERROR",
    message: expect.stringContaining("events, got text/html"),
  });
});

test.for([undefined, "", "localhost:8888", "127.0.0.1:8888", "ftp://x", 7])(
  "a client refuses the address %j",
  (url) => {
    expect(() => createClient({ url } as never)).toThrow(
      expect.objectContaining({
        name: "ClientError",
        code: "SERVER_OPTION",
        message: expect.stringContaining("`url`"),
      }),
    );
  },
);

test("in a page an address may be relative to it", async () => {
  vi.stubGlobal("location", { href: "https://board.example/app/" });
  const asked: unknown[] = [];
  const fetch = async (url: unknown) => {
    asked.push(url);
    return Response.json({ runs: [] });
  };
  await createClient({ url: "/planloom", fetch }).listRuns();
  expect(asked).toEqual(["/planloom/runs"]);
  vi.unstubAllGlobals();
});

test("an input without what the path needs is refused before anything is sent", async () => {
  const client = createClient({ url: "http://127.0.0.1:1" });
  await expect(client.getRun("first" as never)).rejects.toMatchObject({ code: "SERVER_OPTION" });
  await expect(client.getRun({} as never)).rejects.toThrow("Expected the input of `getRun` to have `run_id`.");
});

test("one key starts one run, whatever the client does", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  const start = () => client.createRun({ plan: mailPlan, confirm: "never" }, { idempotencyKey: "once" });
  expect((await start()).run_id).toBe((await start()).run_id);
  expect((await client.listRuns()).runs).toHaveLength(1);
});

test("where a stream breaks off the client comes back, and each event is there once, in order", async () => {
  const journal = memoryJournal({ events: true });
  const planloom = new Planloom({ tools: [weather, sendMail], journal });
  const server = createServer(planloom);
  const tasks = Array.from({ length: 20 }, (_, at) => ({
    task_id: `t${at}`,
    execution_type: "tool",
    tool_id: "get_weather",
    arguments: { city: "Berlin" },
    dependencies: at === 0 ? [] : [`t${at - 1}`],
  }));
  let asked = 0;
  const client = createClient({
    url: "http://localhost",
    async fetch(input, init) {
      const response = await server.fetch(new Request(input as string, init));
      if (!String(input).endsWith("/events")) return response;
      asked += 1;
      return asked < 4 ? brokenOff(response, 40 * asked) : response;
    },
  });
  const { run_id } = await client.createRun({ plan: { planned_tasks: tasks } });
  const events = await all(client.runEvents(run_id));
  const seqs = events.flatMap((event) => ("seq" in event ? [event.seq] : []));
  expect(seqs).toEqual(Array.from({ length: 42 }, (_, index) => index));
  expect(asked).toBe(4);
  await server.close();
});

test.for([
  { name: "a list", head: "HTTP/1.1 200 OK", type: "application/json", ask: (client: Client) => client.listRuns() },
  {
    name: "a refusal",
    head: "HTTP/1.1 404 Not Found",
    type: "application/json",
    ask: (client: Client) => client.listRuns(),
  },
  { name: "the metrics", head: "HTTP/1.1 200 OK", type: "text/plain", ask: (client: Client) => client.metrics() },
])("an answer whose connection breaks is an error with a code: $name", async ({ head, type, ask }) => {
  const server = createSocketServer((socket) => {
    socket.once("data", () => {
      socket.write(`${head}\r\ncontent-type: ${type}\r\ncontent-length: 900\r\n\r\n{"runs":[`, () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const error = await ask(createClient({ url: `http://127.0.0.1:${port}` })).catch((each: unknown) => each);
  expect(error).toMatchObject({
    ...{ name: "ClientError", status: 0, code: "SERVER_UNREACHABLE", cause: expect.any(TypeError) },
    message: expect.stringMatching(/broke off: .*same `idempotencyKey`/),
  });
});

/** The response, whose connection breaks after so many bytes: in the middle of an event. */
function brokenOff(response: Response, bytes: number): Response {
  const reader = response.body!.getReader();
  let left = 200 + bytes;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else if (value.byteLength < left) controller.enqueue(value);
      else {
        controller.enqueue(value.subarray(0, left));
        controller.error(new TypeError("terminated"));
        await reader.cancel();
      }
      left -= value?.byteLength ?? 0;
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
