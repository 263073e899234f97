import { TaskState } from "@a2a-js/sdk";
import { connectAgents, serveAgent } from "@planloom/a2a";
import { defineTool, memoryJournal, Planloom } from "planloom";
import { expect, test, vi } from "vitest";
import { dying } from "../support/dying-journal.ts";
import { data, testAgent } from "./support.ts";

/** What an agent was given to push to. */
interface Config {
  readonly url: string;
  readonly token: string;
  readonly authentication: { readonly scheme: string; readonly credentials: string };
}

interface Call {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, Config>>;
}

/** Far longer than a test: what is looked at before then was pushed. */
const neverMs = 600_000;

/** An agent that offers to push and leaves the pushing to the test, and completes its task when it is asked to. */
async function pushing(connect: object = {}) {
  const configs: Config[] = [];
  const looks: string[] = [];
  const work = Promise.withResolvers<void>();
  const agent = await testAgent({
    async onTurn(turn) {
      turn.task();
      await work.promise;
      turn.artifact([data({ done: true })]);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
    before(_, response, body) {
      const { method, params, id } = JSON.parse(body || "{}") as Call;
      if (method === "GetTask") looks.push(method);
      const { taskPushNotificationConfig: sent } = (params?.configuration ?? {}) as {
        taskPushNotificationConfig?: Config;
      };
      if (sent !== undefined) configs.push(sent);
      if (method !== "CreateTaskPushNotificationConfig") return false;
      configs.push(params as unknown as Config);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: params }));
      return true;
    },
  });
  agent.card.capabilities = { streaming: true, pushNotifications: true };
  const settings = { pollMs: neverMs, push: { port: 0 }, ...connect };
  const connection = await connectAgents({ helper: { url: agent.url } }, settings);
  const journal = memoryJournal();
  const planloom = new Planloom({ executors: [connection.executor], journal });
  const plan = {
    planned_tasks: [{ task_id: "ask", execution_type: "agent" as const, agent_id: "helper", arguments: { a: 1 } }],
  };
  return {
    ...{ agent, connection, planloom, plan, configs, looks, journal },
    complete: () => work.resolve(),
    config: () => vi.waitFor(() => configs.at(-1) ?? Promise.reject(new Error("no configuration came"))),
    async [Symbol.asyncDispose]() {
      await planloom.close();
      await connection.close();
      await agent[Symbol.asyncDispose]();
    },
  };
}

function push({ url }: Config, headers: Readonly<Record<string, string>>, body = '{"task":{"id":"x"}}') {
  return fetch(url, { method: "POST", headers: { "content-type": "application/a2a+json", ...headers }, body });
}
const tokenOf = ({ token }: Config) => ({ "x-a2a-notification-token": token });

test.each([
  ["the token in its header", tokenOf],
  [
    "what it was given as authentication",
    (config: Config) => ({ authorization: `Bearer ${config.authentication.credentials}` }),
  ],
])(
  "an agent that offers it pushes with %s, and only then its task is looked at; no stream is held",
  async (_, headers) => {
    await using here = await pushing();
    const running = here.planloom.run(here.plan);
    await vi.waitFor(() => expect(here.looks).toHaveLength(1));
    here.complete();
    const config = await here.config();
    expect((await push(config, headers(config))).status).toBe(202);
    expect(await running).toMatchObject({ end_reason: "completed", results: [{ output: { done: true } }] });
    expect(here.looks).toHaveLength(2);
    expect(here.agent.calls).not.toContain("SendStreamingMessage");
  },
);

test("a push that comes late, twice, or before anything happened changes nothing, and ends with the task", async () => {
  await using here = await pushing();
  const running = here.planloom.run(here.plan);
  const config = await here.config();
  for (let round = 0; round < 3; round++) expect((await push(config, tokenOf(config))).status).toBe(202);
  await vi.waitFor(() => expect(here.looks.length).toBeGreaterThan(1));
  here.complete();
  const both = await Promise.all([push(config, tokenOf(config)), push(config, tokenOf(config))]);
  // A look that an earlier push asked for may have found the task completed, and the task has ended then.
  for (const { status } of both) expect([202, 404]).toContain(status);
  expect(await running).toMatchObject({ end_reason: "completed", results: [{ output: { done: true }, attempts: 1 }] });
  expect((await push(config, tokenOf(config))).status).toBe(404);
  expect(here.agent.messages).toHaveLength(1);
});

test("a push with another token, to another path, or by another method is refused, and nothing is looked at", async () => {
  await using here = await pushing();
  const running = here.planloom.run(here.plan);
  const config = await here.config();
  await vi.waitFor(() => expect(here.looks).toHaveLength(1));
  here.complete();
  const wrong = [
    {},
    { authorization: "Bearer " },
    { "x-a2a-notification-token": "x" },
    { authorization: `Basic ${config.token}` },
  ];
  for (const headers of wrong) expect((await push(config, headers)).status).toBe(401);
  for (const path of ["/", "/constructor", "/__proto__", `/${"0".repeat(32)}`]) {
    expect((await push({ ...config, url: new URL(path, config.url).href }, tokenOf(config))).status).toBe(404);
  }
  expect((await fetch(config.url)).status).toBe(405);
  expect(here.looks).toHaveLength(1);
  await push(config, tokenOf(config), "nonsense that nobody reads");
  expect((await running).end_reason).toBe("completed");
});

test("where no push comes the task is looked at all the same", async () => {
  await using here = await pushing({ pollMs: 20 });
  const running = here.planloom.run(here.plan);
  await here.config();
  here.complete();
  expect((await running).end_reason).toBe("completed");
});

test("after a crash the task is followed with a configuration of its own", async () => {
  await using here = await pushing();
  const life = dying(here.journal);
  const first = new Planloom({ executors: [here.connection.executor], journal: life.journal });
  const running = first.run(here.plan, { runId: "crash" }).catch(() => {});
  await vi.waitFor(async () => {
    const kept = await here.journal.getNestedTasks("crash");
    expect(kept.map(({ record }) => record.task_id)).toContain("sent-1-1");
  });
  life.die();
  await here.connection.close();
  await running;
  const before = here.looks.length;
  await using again = await connectAgents({ helper: { url: here.agent.url } }, { pollMs: neverMs, push: { port: 0 } });
  const resumed = new Planloom({ executors: [again.executor], journal: here.journal }).resume("crash");
  await vi.waitFor(() => expect(here.looks.length).toBeGreaterThan(before));
  here.complete();
  const [, config] = here.configs;
  expect((await push(config!, tokenOf(config!))).status).toBe(202);
  expect((await resumed).end_reason).toBe("completed");
  expect(here.agent.messages).toHaveLength(1);
});

test("closing the connection ends a task that waits for a push, and nothing listens any more", async () => {
  await using here = await pushing();
  const running = here.planloom.run(here.plan);
  const config = await here.config();
  await vi.waitFor(() => expect(here.looks).toHaveLength(1));
  await here.connection.close();
  expect((await running).results[0]).toMatchObject({ error: { details: { error_code: "A2A_CLOSED" } } });
  await expect(push(config, tokenOf(config))).rejects.toThrow();
});

test("another server may take the pushes, under the URL that agents are given", async () => {
  await using here = await pushing({ push: { url: "http://localhost:1/hooks/a2a" } });
  const running = here.planloom.run(here.plan);
  const config = await here.config();
  expect(config.url).toMatch(/^http:\/\/localhost:1\/hooks\/a2a\/[0-9a-f]{32}$/);
  await vi.waitFor(() => expect(here.looks).toHaveLength(1));
  here.complete();
  const request = new Request(config.url, { method: "POST", headers: tokenOf(config), body: "{}" });
  expect((await here.connection.takePush(request)).status).toBe(202);
  expect((await running).end_reason).toBe("completed");
});

test("options that give nowhere to push to, or something else than a URL, are refused", async () => {
  for (const push of [
    {},
    { url: "ftp://x" },
    { url: "http://u:p@x" },
    { url: "http://x/?key=1" },
    { port: -1 },
    { path: 1 },
  ]) {
    await expect(connectAgents({}, { push } as never)).rejects.toMatchObject({ code: "A2A_OPTION" });
  }
});

test("an address of this machine is not given to an agent that is elsewhere, which is then listened to", async () => {
  const agent = await testAgent({
    card: { capabilities: { streaming: true, pushNotifications: true } },
    onTurn(turn) {
      turn.reply([data("ok")]);
    },
  });
  const sent: string[] = [];
  // The name is another machine's; the bytes come here.
  const elsewhere: typeof fetch = (input, init) => {
    if (init?.body !== undefined) sent.push(String(init.body));
    return fetch(String(input).replace("agents.example.com", "127.0.0.1"), init);
  };
  agent.card.supportedInterfaces = [{ url: "/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
  const url = agent.url.replace("127.0.0.1", "agents.example.com");
  await using connection = await connectAgents({ helper: { url } }, { fetch: elsewhere, push: { port: 0 } });
  const planloom = new Planloom({ executors: [connection.executor] });
  const result = await planloom.run({ planned_tasks: [{ task_id: "a", execution_type: "agent", agent_id: "helper" }] });
  expect(result.end_reason).toBe("completed");
  expect(sent.join()).toContain("SendStreamingMessage");
  expect(sent.join()).not.toContain("taskPushNotificationConfig");
  await agent[Symbol.asyncDispose]();
});

test("an agent of the official SDK pushes every event, and what it pushed is read once", async () => {
  // It writes each push, and each that fails, to the console.
  for (const method of ["info", "error"] as const) vi.spyOn(console, method).mockImplementation(() => {});
  const work = Promise.withResolvers<void>();
  await using agent = await testAgent({
    card: { capabilities: { streaming: true, pushNotifications: true } },
    async onTurn(turn) {
      turn.task();
      await work.promise;
      turn.artifact([data(1)], { append: true });
      turn.artifact([data(2)], { append: true });
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
  });
  await using connection = await connectAgents({ helper: { url: agent.url } }, { pollMs: neverMs, push: { port: 0 } });
  await using planloom = new Planloom({ executors: [connection.executor] });
  const running = planloom.run({ planned_tasks: [{ task_id: "a", execution_type: "agent", agent_id: "helper" }] });
  await vi.waitFor(() => expect(agent.calls).toContain("GetTask"));
  work.resolve();
  expect((await running).results[0]).toMatchObject({ status: "completed", output: [1, 2] });
});

test("one Planloom pushes to another: a long task is neither streamed nor asked after", async () => {
  const work = Promise.withResolvers<void>();
  const slow = defineTool({
    id: "count_stock",
    description: "Count the stock",
    readOnly: true,
    async execute() {
      await work.promise;
      return { boxes: 12 };
    },
  });
  await using remote = new Planloom({ tools: [slow], journal: memoryJournal() });
  // Which port the receiver gets is known when it listens, so a free one is found first.
  const probe = await serveAgent(remote);
  const port = Number(new URL(probe.url).port);
  await probe.close();
  await using server = await serveAgent(remote, { push: [`http://127.0.0.1:${port}`] });
  await using connection = await connectAgents({ store: { url: server.url } }, { pollMs: neverMs, push: { port } });
  await using local = new Planloom({ executors: [connection.executor] });
  const running = local.run({
    planned_tasks: [{ task_id: "a", execution_type: "agent", agent_id: "store", instructions: "Count the stock" }],
  });
  await vi.waitFor(async () => expect(await (await remote.journal()).listRuns({ limit: 9 })).toHaveLength(1));
  work.resolve();
  expect((await running).results[0]).toMatchObject({ status: "completed", output: { boxes: 12 } });
});
