import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TaskState } from "@a2a-js/sdk";
import { connectAgents, type RemoteAgentOptions } from "@planloom/a2a";
import { approve, memoryJournal, Planloom, type RunEvent, waitingFor } from "planloom";
import { expect, test, vi } from "vitest";
import { dying } from "../support/dying-journal.ts";
import { data, type TestAgentOptions, testAgent, text } from "./support.ts";

const plan = (task: object = {}) => ({
  planned_tasks: [
    { task_id: "ask", execution_type: "agent" as const, agent_id: "helper", arguments: { city: "Oslo" }, ...task },
  ],
});

async function world(options: TestAgentOptions, own: Partial<RemoteAgentOptions> = {}, connect: object = {}) {
  const agent = await testAgent(options);
  const fast = { pollMs: 20, reconnectMs: 2_000, requestTimeoutMs: 2_000, ...connect };
  const connection = await connectAgents({ helper: { url: agent.url, ...own } }, fast);
  const planloom = new Planloom({ executors: [connection.executor], journal: memoryJournal() });
  return {
    ...{ agent, connection, planloom },
    async outcome(task: object = {}, runOptions: object = {}) {
      const result = await planloom.run(plan(task), runOptions);
      const { status, output, error } = result.results[0]!;
      return { status, output, code: error?.details?.error_code ?? error?.code, message: error?.message };
    },
    async [Symbol.asyncDispose]() {
      await planloom.close();
      await connection.close();
      await agent[Symbol.asyncDispose]();
    },
  };
}

/** The agent has said that it works on the task. */
const isWorking = (event: RunEvent) =>
  event.type === "task-progress" &&
  event.taskId === "ask" &&
  (event.progress as { state?: string }).state === "working";

const completes: TestAgentOptions["onTurn"] = (turn) => {
  turn.task();
  turn.artifact([data({ done: true })]);
  turn.status(TaskState.TASK_STATE_COMPLETED);
};

test.each([
  ["fails", TaskState.TASK_STATE_FAILED, "A2A_FAILED"],
  ["would not do it", TaskState.TASK_STATE_REJECTED, "A2A_REJECTED"],
])("an agent that %s says why", async (_, state, code) => {
  await using here = await world({
    onTurn(turn) {
      turn.task();
      turn.status(state, [text("the moon is full")]);
    },
  });
  expect(await here.outcome()).toMatchObject({
    status: "failed",
    code,
    message: expect.stringContaining("the moon is full"),
  });
});

test("an answer in the words of the Agents Planning System is its data, or a failure with its message", async () => {
  let success = true;
  await using here = await world({
    onTurn: (turn) => turn.reply([data(success ? { success, data: [1, 2] } : { success, message: "no rows" })]),
  });
  expect(await here.outcome()).toMatchObject({ status: "completed", output: [1, 2] });
  success = false;
  expect(await here.outcome()).toMatchObject({ status: "failed", message: expect.stringContaining("no rows") });
});

test("an agent that answers twice is heard once", async () => {
  await using here = await world({
    onTurn(turn) {
      completes(turn);
      turn.artifact([data("again")], { id: "second" });
      turn.status(TaskState.TASK_STATE_FAILED);
    },
  });
  expect(await here.outcome()).toMatchObject({ status: "completed", output: { done: true } });
});

test("cancelling the run cancels the agent's task", async () => {
  const cancelled: string[] = [];
  const begun = Promise.withResolvers<void>();
  await using here = await world({
    onCancel: (taskId) => cancelled.push(taskId),
    async onTurn(turn) {
      turn.task();
      begun.resolve();
      await new Promise(() => {});
    },
  });
  const stop = new AbortController();
  const running = here.outcome({}, { signal: stop.signal });
  await begun.promise;
  stop.abort(new Error("enough"));
  expect(await running).toMatchObject({ status: "cancelled" });
  expect(cancelled).toHaveLength(1);
});

test("a stream that breaks is taken up again, also after the agent was away for a moment", async () => {
  let streams = 0;
  await using here = await world({
    async onTurn(turn) {
      turn.task();
      while (streams < 2) await new Promise((resolve) => setTimeout(resolve, 5)); // until the connection was broken and made again
      turn.artifact([data({ streams: true })]);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
    before(_, response, body) {
      const { method } = JSON.parse(body || "{}") as { method?: string };
      if (method !== "SendStreamingMessage" && method !== "SubscribeToTask") return false;
      streams++;
      // Real time: the first events of the stream are on their way before it breaks.
      if (streams === 1) setTimeout(() => response.destroy(), 30);
      return false;
    },
  });
  expect(await here.outcome()).toMatchObject({ status: "completed", output: { streams: true } });
  expect(here.agent.messages).toHaveLength(1);
});

test("an agent that does not come back is given up after a while, and the error says that its task may go on", async () => {
  const begun = Promise.withResolvers<void>();
  await using here = await world(
    {
      async onTurn(turn) {
        turn.task();
        begun.resolve();
        await new Promise(() => {});
      },
    },
    {},
    { reconnectMs: 100 },
  );
  const heard = Promise.withResolvers<void>();
  const running = here.outcome({}, { onEvent: (event: RunEvent) => isWorking(event) && heard.resolve() });
  await begun.promise;
  await heard.promise;
  await here.agent.stop();
  expect(await running).toMatchObject({
    status: "failed",
    code: "A2A_CONNECTION_LOST",
    message: expect.stringContaining("may still be going on"),
  });
});

test("a message whose sending broke off is not sent again by itself, since the agent may have taken it", async () => {
  await using here = await world({
    onTurn: completes,
    before(request, _response) {
      if (request.url !== "/rpc") return false;
      request.socket.destroy();
      return true;
    },
  });
  expect(await here.outcome({ retry: { max_attempts: 3 } })).toMatchObject({ code: "A2A_CONNECTION_LOST" });
  expect(here.agent.calls).toHaveLength(1);
  await here.agent.stop();
  expect(await here.outcome({ retry: { max_attempts: 2 } })).toMatchObject({ code: "A2A_UNREACHABLE" });
});

test("after a crash the agent's task is followed, and not begun a second time", async () => {
  const release = Promise.withResolvers<void>();
  await using here = await world({
    async onTurn(turn) {
      turn.task();
      await release.promise;
      turn.artifact([data({ once: true })]);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
  });
  const journal = memoryJournal();
  const life = dying(journal);
  const first = new Planloom({ executors: [here.connection.executor], journal: life.journal });
  const heard = Promise.withResolvers<void>();
  const onEvent = (event: RunEvent) => isWorking(event) && heard.resolve();
  const running = first.run(plan(), { runId: "crash", onEvent }).catch(() => {});
  await heard.promise;
  await vi.waitFor(async () => {
    const kept = await journal.getNestedTasks("crash");
    expect(kept.map(({ record }) => record.task_id)).toContain("sent-1-1");
  });
  life.die();
  await here.connection.close();
  await running;
  release.resolve();
  await using again = await connectAgents({ helper: { url: here.agent.url } }, { pollMs: 20 });
  const resumed = await new Planloom({ executors: [again.executor], journal }).resume("crash");
  expect(resumed).toMatchObject({ end_reason: "completed", results: [{ output: { once: true } }] });
  expect(here.agent.messages).toHaveLength(1);
});

test("a process that died while it sent asks a person whether to send again", async () => {
  const reached = Promise.withResolvers<void>();
  let isDead = false;
  await using here = await world({
    onTurn: completes,
    async before(request) {
      if (request.url !== "/rpc" || isDead) return false;
      reached.resolve();
      await new Promise(() => {});
      return true;
    },
  });
  const journal = memoryJournal();
  const life = dying(journal);
  const first = new Planloom({ executors: [here.connection.executor], journal: life.journal });
  const running = first.run(plan(), { runId: "window" }).catch(() => {});
  await reached.promise;
  life.die();
  isDead = true;
  await here.connection.close();
  await running;
  await using again = await connectAgents({ helper: { url: here.agent.url } }, { pollMs: 20 });
  const second = new Planloom({ executors: [again.executor], journal });
  expect((await second.resume("window")).end_reason).toBe("waiting_approval");
  const [asked] = await waitingFor("window", { journal });
  expect(asked!.input?.question).toContain("Is it to be sent again?");
  await approve("window", asked!.id, { journal });
  expect(await second.resume("window")).toMatchObject({ end_reason: "completed" });
});

test.each([
  ["no JSON", "hello"],
  ["no card", "{}"],
  ["a name that is no text", '{"name": {"a": 1}}'],
  ["no interface", '{"name": "x", "supportedInterfaces": []}'],
  ["a broken address", '{"name": "x", "supportedInterfaces": [{"url": "http://[", "protocolBinding": "JSONRPC"}]}'],
  ["a list", "[]"],
])("a card that is %s is refused", async (_, body) => {
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(connectAgents({ helper: { url } })).rejects.toMatchObject({ code: "A2A_CARD" });
  } finally {
    server.close();
  }
});

test("garbage in place of an answer is an error that says so, and nothing hangs", async () => {
  const bodies = [
    ["application/json", "not json"],
    ["application/json", '{"jsonrpc":"1.0","id":1,"result":{}}'],
    ["application/json", '{"jsonrpc":"2.0","id":99,"result":{"task":{"id":"x"}}}'],
    ["text/event-stream", "data: {]\n\n"],
    [
      "text/event-stream",
      'data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"","status":{"state":"TASK_STATE_WORKING"}}}}\n\n',
    ],
    [
      "text/event-stream",
      'data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_ODD"}}}}\n\n',
    ],
    ["text/event-stream", ""],
    ["text/html", "<html>"],
  ] as const;
  let at = 0;
  await using here = await world({
    onTurn: completes,
    before(request, response) {
      if (request.url !== "/rpc") return false;
      const [type, body] = bodies[at]!;
      response.writeHead(200, { "content-type": type }).end(body);
      return true;
    },
  });
  for (at = 0; at < bodies.length; at++) {
    expect(await here.outcome()).toMatchObject({
      status: "failed",
      code: expect.stringMatching(/^A2A_(PROTOCOL|UNREACHABLE)$/),
    });
  }
});

test("a card that changes is noticed, and one that moves the agent elsewhere is refused", async () => {
  await using here = await world({ onTurn: completes }, {}, { cardMaxAgeMs: 1 });
  const before = here.connection.resources;
  await here.outcome();
  expect(here.connection.resources).toBe(before);
  here.agent.card = { ...here.agent.card, version: "2", description: "Does more" };
  await new Promise((resolve) => setTimeout(resolve, 5)); // the card has to be older than its greatest age
  await here.outcome();
  expect(here.connection.resources).toMatchObject([{ version: "2", description: "Does more" }]);
  here.agent.card = {
    ...here.agent.card,
    supportedInterfaces: [{ url: "http://elsewhere.example/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  };
  await new Promise((resolve) => setTimeout(resolve, 5)); // likewise
  expect(await here.outcome()).toMatchObject({ status: "failed", code: "A2A_ORIGIN" });
});

test("more than the limit is refused while it comes", async () => {
  await using here = await world(
    {
      onTurn(turn) {
        turn.task();
        for (let chunk = 0; chunk < 50; chunk++) turn.artifact([text("x".repeat(1_000))], { append: chunk > 0 });
        turn.status(TaskState.TASK_STATE_COMPLETED);
      },
    },
    {},
    { maxResultBytes: 20_000 },
  );
  expect(await here.outcome()).toMatchObject({ status: "failed", code: "A2A_RESULT_TOO_LARGE" });
});

test("an agent that is not there fails by itself, or leaves the others be where it is optional", async () => {
  const away = { url: "http://127.0.0.1:9" };
  await expect(connectAgents({ away })).rejects.toMatchObject({ code: "A2A_UNREACHABLE" });
  await expect(connectAgents({ away, other: away })).rejects.toMatchObject({ code: "A2A_CONNECT" });
  const connection = await connectAgents({ away: { ...away, optional: true }, off: { ...away, disabled: true } });
  expect(connection.agents).toMatchObject([{ name: "away", connected: false, error: { code: "A2A_UNREACHABLE" } }]);
  const planloom = new Planloom({ executors: [connection.executor] });
  await expect(planloom.run(plan({ agent_id: "away" }))).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
});

test("bad options name what is wrong", async () => {
  const bad: readonly (readonly [object, object?])[] = [
    [{ a: { url: "ftp://x" } }],
    [{ a: { url: "http://u:p@x" } }],
    [{ a: {} }],
    [{ a: { url: "http://x", tokn: "1" } }],
    [{ "a b": { url: "http://x" } }],
    [{ __proto__x: { url: "" } }],
    [{ a: { url: "http://x" } }, { pollMs: 0 }],
    [{ a: { url: "http://x" } }, { retries: 1 }],
  ];
  for (const [agents, options] of bad) {
    await expect(connectAgents(agents as never, options as never)).rejects.toMatchObject({ code: "A2A_OPTION" });
  }
});

test("credentials go as the card's schemes say, and an OAuth client gets its token first", async () => {
  const seen: string[] = [];
  const tokens = createServer((request, response) => {
    seen.push(`token ${request.headers.authorization}`);
    response.writeHead(200, { "content-type": "application/json" }).end('{"access_token":"tok","expires_in":3600}');
  });
  await new Promise<void>((resolve) => tokens.listen(0, "127.0.0.1", () => resolve()));
  const tokenUrl = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`;
  const schemes = {
    key: { apiKeySecurityScheme: { location: "header", name: "x-key" } },
    basic: { httpAuthSecurityScheme: { scheme: "Basic" } },
    oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes: { run: "" } } } } },
  };
  const cases: readonly (readonly [string, RemoteAgentOptions["credentials"], string])[] = [
    ["key", { key: "k-1234" }, "k-1234 undefined"],
    ["basic", { basic: { username: "ann", password: "pass" } }, `undefined Basic ${btoa("ann:pass")}`],
    ["oauth", { oauth: { clientId: "me", clientSecret: "shh-shh" } }, "undefined Bearer tok"],
  ];
  for (const [name, credentials, expected] of cases) {
    const got: string[] = [];
    await using here = await world(
      {
        card: { securitySchemes: schemes, securityRequirements: [{ schemes: { [name]: { list: [] } } }] },
        onTurn: completes,
        before(request) {
          if (request.url === "/rpc") got.push(`${request.headers["x-key"]} ${request.headers.authorization}`);
          return false;
        },
      },
      { credentials },
    );
    expect(await here.outcome()).toMatchObject({ status: "completed" });
    expect(got[0]).toBe(expected);
  }
  expect(seen).toEqual([`token Basic ${btoa("me:shh-shh")}`]);
  tokens.close();
});
