import { generateKeyPairSync } from "node:crypto";
import { agentHandler, connectAgents, serveAgent } from "@planloom/a2a";
import { approve, defineTool, memoryJournal, Planloom, SqliteJournal } from "planloom";
import { inProcessDispatcher, waitingFor } from "planloom/runtime";
import { expect, test } from "vitest";
import { z } from "zod";

/** A Planloom with a tool that reads and one that writes. */
function offering(options: object = {}) {
  const sent: unknown[] = [];
  const forecast = defineTool({
    id: "get_forecast",
    description: "Get the weather forecast for a city",
    readOnly: true,
    input: z.object({ city: z.string(), days: z.number().int() }),
    execute: ({ city, days }) => ({ city, days, sun: true }),
  });
  const mail = defineTool({
    id: "send_mail",
    description: "Send a mail to a person",
    input: z.object({ to: z.string(), text: z.string() }),
    execute(input) {
      sent.push(input);
      return { sent: true };
    },
  });
  return { planloom: new Planloom({ tools: [forecast, mail], journal: memoryJournal(), ...options }), sent };
}

/** A Planloom that has another as its agent `remote`. */
async function pair(options: Parameters<typeof serveAgent>[1] = {}, remoteOptions: object = {}) {
  const { planloom: remote, sent } = offering(remoteOptions);
  const server = await serveAgent(remote, options);
  const credentials = options.token === undefined ? {} : { credentials: { token: options.token } };
  const connection = await connectAgents({ remote: { url: server.url, ...credentials } }, { pollMs: 20 });
  const journal = await SqliteJournal.open(":memory:");
  const local = new Planloom({ executors: [connection.executor], journal });
  return {
    ...{ remote, sent, server, connection, journal, local },
    run: (goal: string, runId: string, input: object = {}) =>
      local.run(
        {
          planned_tasks: [
            {
              task_id: "ask",
              execution_type: "agent",
              agent_id: "remote",
              instructions: goal,
              arguments: { ...input },
            },
          ],
        },
        { runId },
      ),
    async [Symbol.asyncDispose]() {
      await local.close();
      await connection.close();
      await server.close();
      await remote.close();
    },
  };
}

test("one Planloom is an agent of another: its card has its tools as skills, and a goal is planned and run there", async () => {
  await using here = await pair();
  expect(here.connection.resources[0]).toMatchObject({
    name: "Planloom",
    skills: expect.arrayContaining([expect.stringContaining("get_forecast: Get the weather forecast")]),
  });
  const result = await here.run("Get the weather forecast for Oslo for 3 days", "goal");
  expect(result.results[0]).toMatchObject({ status: "completed", output: { city: "Oslo", days: 3, sun: true } });
});

test("what a plan lacks there is asked here, and the answer fills it", async () => {
  await using here = await pair();
  expect((await here.run("Get the weather forecast for Oslo", "asks")).end_reason).toBe("waiting_approval");
  const [question] = await waitingFor("asks", { journal: here.journal });
  expect(question!.input).toMatchObject({
    question: expect.stringContaining("get_forecast.days"),
    about: { data: { questions: [{ name: "get_forecast.days" }] } },
  });
  await approve("asks", question!.id, { journal: here.journal, input: { ...question!.input, answer: "4" } });
  const result = await here.local.resume("asks");
  expect(result.results[0]).toMatchObject({ status: "completed", output: { days: 4 } });
});

test("a call that writes waits for a person where the agent runs, or for a message where that is allowed", async () => {
  const goal = "Send a mail to ann@example.com with the text 'Hello'";
  await using byMessage = await pair({ approveByMessage: true });
  expect((await byMessage.run(goal, "m")).end_reason).toBe("waiting_approval");
  expect(byMessage.sent).toEqual([]);
  const [asked] = await waitingFor("m", { journal: byMessage.journal });
  expect(asked!.input?.question).toContain("May send_mail be called");
  await approve("m", asked!.id, { journal: byMessage.journal });
  expect(await byMessage.local.resume("m")).toMatchObject({ end_reason: "completed" });
  expect(byMessage.sent).toHaveLength(1);

  await using atTheAgent = await pair();
  expect((await atTheAgent.run(goal, "a")).end_reason).toBe("waiting_approval");
  const [waits] = await waitingFor("a", { journal: atTheAgent.journal });
  expect(waits!.input?.question).toContain("waits for an authorization");
  const { about } = waits!.input as unknown as { about: { data: { run_id: string } } };
  const journal = await atTheAgent.remote.journal();
  const { run_id } = about.data;
  const [there] = await waitingFor(run_id, { journal });
  await approve(run_id, there!.id, { journal });
  await approve("a", waits!.id, { journal: atTheAgent.journal });
  expect(await atTheAgent.local.resume("a")).toMatchObject({ end_reason: "completed" });
  expect(atTheAgent.sent).toHaveLength(1);
});

test("a goal that nothing fits fails here with what the agent says", async () => {
  await using here = await pair();
  const result = await here.run("Paint the fence green", "no");
  expect(result.results[0]).toMatchObject({ status: "failed", error: { details: { error_code: "A2A_FAILED" } } });
});

test("without the token nothing is done, and the card says what is wanted", async () => {
  await using here = await pair({ token: "s3cret-token" });
  expect((await here.run("Get the weather forecast for Oslo for 3 days", "t")).end_reason).toBe("completed");
  await expect(connectAgents({ remote: { url: here.server.url } })).rejects.toMatchObject({
    code: "A2A_AUTH",
    message: expect.stringContaining("token"),
  });
  const wrong = await connectAgents({ remote: { url: here.server.url, credentials: { token: "other-token" } } });
  const local = new Planloom({ executors: [wrong.executor] });
  const result = await local.run({ planned_tasks: [{ task_id: "a", execution_type: "agent", agent_id: "remote" }] });
  expect(result.results[0]).toMatchObject({ status: "failed", error: { details: { error_code: "A2A_AUTH" } } });
  expect(JSON.stringify(result)).not.toContain("other-token");
});

test("a signed card is trusted by its key alone", async () => {
  const pairOfKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [ours, theirs] = [pairOfKeys(), pairOfKeys()];
  const { planloom } = offering();
  await using server = await serveAgent(planloom, {
    sign: { key: ours.privateKey.export({ format: "jwk" }) as Record<string, unknown>, kid: "one" },
  });
  const key = (keys: typeof ours, kid: string) =>
    ({ ...keys.publicKey.export({ format: "jwk" }), kid }) as Record<string, unknown>;
  const trusted = await connectAgents({ a: { url: server.url, keys: [key(theirs, "two"), key(ours, "one")] } });
  expect(trusted.resources).toHaveLength(1);
  for (const keys of [[key(theirs, "one")], [key(ours, "two")], []]) {
    await expect(connectAgents({ a: { url: server.url, keys } })).rejects.toMatchObject({ code: "A2A_SIGNATURE" });
  }
});

test("a run of an agent that began before a restart is found again by its id", async () => {
  const journal = memoryJournal();
  const first = offering({ journal });
  await using server = await serveAgent(first.planloom);
  const send = async (url: string, method: string, params: object) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return (await response.json()) as {
      result: { task: { id: string; status: { state: string } } };
      error: { code: number };
    };
  };
  const parts = [{ text: "Get the weather forecast for Oslo for 3 days" }];
  const message = { messageId: "m1", role: "ROLE_USER", parts };
  const { result } = await send(`${server.url}/a2a`, "SendMessage", { message });
  expect(result.task.status.state).toBe("TASK_STATE_COMPLETED");
  const again = await send(`${server.url}/a2a`, "SendMessage", { message });
  expect(again.result.task.id).toBe(result.task.id);
  await using restarted = await serveAgent(new Planloom({ tools: [], journal }));
  const found = await send(`${restarted.url}/a2a`, "GetTask", { id: result.task.id });
  expect(found.result).toMatchObject({
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [{ parts: [{ data: { city: "Oslo", days: 3 } }] }],
  });
  expect((await send(`${restarted.url}/a2a`, "GetTask", { id: "../../etc" })).error.code).toBe(-32001);
});

test("bad requests and foreign hosts are refused", async () => {
  const { planloom } = offering();
  await using server = await serveAgent(planloom, { maxBodyBytes: 10_000 });
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/a2a`, { method: "POST", body, headers: { "a2a-version": "1.0", ...headers } });
  expect((await post("x".repeat(20_000))).status).toBe(413);
  const foreign = await post("{}", { origin: "https://evil.example" });
  expect([foreign.status, await foreign.json()]).toMatchObject([403, { code: "SERVER_ORIGIN" }]);
  expect((await fetch(`${server.url}/a2a`, { method: "PUT" })).status).toBe(405);
  for (const body of ["nonsense", "[]", "{}", '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', "\uD800"]) {
    expect(await (await post(body)).json()).toMatchObject({ error: { code: expect.any(Number) } });
  }
  await expect(serveAgent(planloom, { host: "0.0.0.0" })).rejects.toMatchObject({ code: "A2A_OPTION" });
  for (const [options, code] of [
    [{ sign: { key: { kty: "EC" }, kid: "k" } }, "A2A_OPTION"],
    [{ publish: () => Promise.resolve(true) }, "PLAN_CALLBACK"],
  ] as const) {
    await expect(serveAgent(planloom, options as never)).rejects.toMatchObject({ code });
    const response = await agentHandler(planloom, options as never).fetch(
      new Request("http://localhost/.well-known/agent-card.json"),
    );
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining(code)]);
  }
  await expect(serveAgent({} as never)).rejects.toMatchObject({ code: "A2A_OPTION" });
});

test("an agent whose runs are dispatched says what was predicted beside what a run took", async () => {
  const dispatch = { to: inProcessDispatcher(), environment: { overheadMs: 5 } };
  const { planloom } = offering({ dispatch });
  await using _ = planloom;
  await using server = await serveAgent(planloom);
  const message = {
    ...{ messageId: "m", role: "ROLE_USER" },
    parts: [{ text: "Get the weather forecast for Oslo for 3 days" }],
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } });
  const headers = { "content-type": "application/json", "a2a-version": "1.0" };
  const reply = await fetch(server.url, { method: "POST", headers, body });
  const { result } = (await reply.json()) as { result: { task: { status: { message: { parts: object[] } } } } };
  const [words, data] = result.task.status.message.parts;
  expect(words).toMatchObject({ text: expect.stringMatching(/^\d+ ms were predicted, and it took \d+ ms\.$/) });
  expect(data).toMatchObject({ data: { predicted_ms: expect.any(Number), duration_ms: expect.any(Number) } });
});
