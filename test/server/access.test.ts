import { createServer, serve } from "@planloom/server";
import { defineTool, Planloom } from "planloom";
import { expect, test } from "vitest";
import { z } from "zod";
import { sendMail, slowTool, startServer, weather } from "./support.ts";

const secret = (name: string) => `${name}-0123456789abcdef`;
const bearer = (name: string) => ({ authorization: `Bearer ${secret(name)}` });
const mailPlan = {
  planned_tasks: [
    { task_id: "m", execution_type: "tool", tool_id: "send_mail", arguments: { to: "ada", text: "Hello" } },
  ],
};

test("a token does what its scopes say, and nothing goes without one", async () => {
  const tokens = [
    { name: "reader", token: secret("reader"), scopes: ["read"] as const },
    { name: "runner", token: secret("runner"), scopes: ["read", "run"] as const },
    { name: "boss", token: secret("boss") },
  ];
  await using server = await startServer({ tokens });
  const none = await server.call("GET", "/runs");
  expect([none.status, none.body.error.code, none.headers.get("www-authenticate")]).toEqual([
    401,
    "SERVER_UNAUTHENTICATED",
    "Bearer",
  ]);
  expect((await server.call("GET", "/runs", undefined, { authorization: "Bearer nonsense" })).status).toBe(401);
  expect((await server.call("GET", "/healthz")).status).toBe(200);
  expect((await server.call("GET", "/runs", undefined, bearer("reader"))).status).toBe(200);
  const run = (name: string, confirm?: string) =>
    server.call("POST", "/runs", { plan: mailPlan, ...(confirm && { confirm }) }, bearer(name));
  expect((await run("reader")).body.error).toMatchObject({ code: "SERVER_SCOPE", details: { scope: "run" } });
  // Who may not approve may not have calls made unasked.
  expect((await run("runner", "never")).body.error).toMatchObject({
    code: "SERVER_SCOPE",
    details: { scope: "approve" },
  });
  // Nor made a second time unasked, where it is unknown whether they were carried out.
  const body = { plan: mailPlan, on_unknown: "retry" };
  const unasked = { code: "SERVER_SCOPE", details: { scope: "approve" } };
  expect((await server.call("POST", "/runs", body, bearer("runner"))).body.error).toMatchObject(unasked);
  const { run_id } = (await run("runner", "writes")).body;
  const resume = (name: string, on_unknown: string) =>
    server.call("POST", `/runs/${run_id}/resume`, { on_unknown }, bearer(name));
  expect((await resume("runner", "retry")).body.error).toMatchObject(unasked);
  const waiting = async () => (await server.call("GET", `/runs/${run_id}`, undefined, bearer("boss"))).body.waiting;
  await expect.poll(waiting).toHaveLength(1);
  const [{ content_hash }] = await waiting();
  const answer = { id: "m", answer: "approve", content_hash, by: "Somebody Else" };
  const approve = (name: string) => server.call("POST", `/runs/${run_id}/approvals`, answer, bearer(name));
  expect((await approve("runner")).status).toBe(403);
  // The name is the token's, whatever the request says.
  expect((await approve("boss")).body.answer).toMatchObject({ by: "boss" });
});

test("who may not approve does not change or repeat a run in which nobody is asked", async () => {
  const tokens = [
    { name: "runner", token: secret("runner"), scopes: ["read", "run"] as const },
    { name: "boss", token: secret("boss") },
  ];
  const sent: string[] = [];
  const wipe = defineTool({
    id: "wipe",
    description: "Wipe a disk",
    input: z.object({ disk: z.string() }),
    destructive: true,
    execute: ({ disk }) => void sent.push(disk),
  });
  await using server = await startServer({ tokens }, { tools: [wipe] });
  const plan = { planned_tasks: [{ task_id: "w", tool_id: "wipe", arguments: { disk: "a" } }] };
  const begin = async (name: string, confirm?: string) => {
    const { run_id } = (await server.call("POST", "/runs", { plan, confirm }, bearer(name))).body;
    const status = async () => (await server.call("GET", `/runs/${run_id}`, undefined, bearer(name))).body.status;
    await expect.poll(status).not.toBe("running");
    return run_id;
  };
  const unasked = await begin("boss", "never");
  const fork = (run: string, name: string) =>
    server.call("POST", `/runs/${run}/forks`, { from_task: "w", arguments: { disk: "all" } }, bearer(name));
  const replan = (run: string) => server.call("POST", `/runs/${run}/replan`, { mark: ["w"] }, bearer("runner"));
  for (const { status, body } of [await fork(unasked, "runner"), await replan(unasked)]) {
    expect([status, body.error.code, body.error.details]).toEqual([403, "SERVER_SCOPE", { scope: "approve" }]);
  }
  // What people are asked about is asked again.
  expect((await fork(await begin("runner"), "runner")).status).toBe(202);
  expect(sent).toEqual(["a"]);
  expect((await fork(unasked, "boss")).status).toBe(202);
  await expect.poll(() => sent).toEqual(["a", "all"]);
});

test("a tenant sees its own home and tools, and nothing of another's", async () => {
  const tokens = ["acme", "umbrella"].map((name) => ({ name, token: secret(name), tenant: name }));
  const homes = {
    acme: { planloom: new Planloom({ tools: [weather] }) },
    umbrella: { planloom: new Planloom({ tools: [sendMail] }) },
  };
  await using server = await startServer({
    tokens: [...tokens, { name: "own", token: secret("own") }],
    tenants: homes,
  });
  const { run_id } = (await server.call("POST", "/runs", { goal: "Get the weather of Berlin" }, bearer("acme"))).body;
  const saved = await server.call("POST", "/plans", { goal: "Get the weather of Berlin" }, bearer("acme"));
  for (const other of ["umbrella", "own"]) {
    for (const [method, path, body] of [
      ["GET", `/runs/${run_id}`],
      ["GET", `/runs/${run_id}/events`],
      ["GET", `/runs/${run_id}/plan`],
      ["DELETE", `/runs/${run_id}`],
      ["POST", `/runs/${run_id}/cancel`],
      ["POST", `/runs/${run_id}/resume`],
      ["POST", `/runs/${run_id}/forks`, { from_task: "a" }],
      ["POST", `/runs/${run_id}/approvals`, { id: "a", answer: "deny", content_hash: "0" }],
      ["GET", `/plans/${saved.body.plan_id}`],
      ["DELETE", `/plans/${saved.body.plan_id}`],
    ] as const) {
      const reply = await server.call(method, path, body, bearer(other));
      expect([path, reply.status]).toEqual([path, 404]);
    }
    expect((await server.call("GET", "/runs", undefined, bearer(other))).body.runs).toEqual([]);
    expect((await server.call("GET", "/plans", undefined, bearer(other))).body.plans).toEqual([]);
  }
  const ids = async (name: string) =>
    (await server.call("GET", "/resources", undefined, bearer(name))).body.resources.map(
      ({ id }: { id: string }) => id,
    );
  expect(await ids("umbrella")).toEqual(["send_mail"]);
  expect((await server.call("GET", "/metrics", undefined, bearer("acme"))).status).toBe(403);
  expect((await server.call("GET", "/metrics", undefined, bearer("own"))).status).toBe(200);
});

test.for<[string, Record<string, string>, number, string | undefined]>([
  ["this machine's name", { host: "localhost:1" }, 200, undefined],
  ["a name that was pointed here", { host: "evil.example" }, 421, "SERVER_HOST"],
  ["a page of another site", { origin: "https://evil.example" }, 403, "SERVER_ORIGIN"],
  ["a page without an origin", { origin: "null" }, 403, "SERVER_ORIGIN"],
  ["a page of an allowed site", { origin: "https://board.example" }, 200, undefined],
])("%s: %j is answered with %i", async ([, headers, status, code]) => {
  const server = createServer(new Planloom(), { cors: ["https://board.example"] });
  const response = await server.fetch(new Request("http://127.0.0.1:8888/healthz", { headers }));
  expect(response.status).toBe(status);
  const body = (await response.json()) as { error?: { code: string } };
  expect(body.error?.code).toBe(code);
  await server.close();
});

test("a page's own origin is let in, and an allowed one gets the header for it", async () => {
  await using server = await startServer({ cors: ["https://board.example"] });
  expect((await server.call("GET", "/healthz", undefined, { origin: server.url })).status).toBe(200);
  const headers = { origin: "https://board.example", "access-control-request-method": "POST" };
  const preflight = await server.call("OPTIONS", "/runs", undefined, headers);
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("https://board.example");
});

test("beyond this machine, and for pages of any origin, it listens with a token alone", async () => {
  await expect(serve(new Planloom(), { host: "0.0.0.0", port: 0 })).rejects.toMatchObject({
    code: "SERVER_UNPROTECTED",
    details: { host: "0.0.0.0" },
  });
  const tokens = [{ name: "a", token: secret("a") }];
  await expect(serve(new Planloom(), { cors: ["*"], port: 0 })).rejects.toMatchObject({
    code: "SERVER_UNPROTECTED",
    details: { cors: "*" },
  });
  await using server = await startServer({ host: "0.0.0.0", cors: ["*"], tokens });
  expect((await server.call("GET", "/runs", undefined, bearer("a"))).status).toBe(200);
});

test("a port that is taken is an error that says so", async () => {
  await using server = await startServer();
  await expect(serve(new Planloom(), { port: server.running.port })).rejects.toMatchObject({
    code: "SERVER_LISTEN",
    message: expect.stringContaining("another program listens there"),
  });
});

test("requests beyond the rate are refused with the time to wait, guesses of tokens too", async () => {
  let now = 0;
  const tokens = ["a", "b"].map((name) => ({ name, token: secret(name) }));
  await using server = await startServer({ tokens, rateLimit: { limit: 2, intervalMs: 1_000 }, now: () => now });
  const statusOf = async (headers: Record<string, string>) => {
    const reply = await server.call("GET", "/runs", undefined, headers);
    return [reply.status, reply.headers.get("retry-after")];
  };
  expect([await statusOf(bearer("a")), await statusOf(bearer("a"))]).toEqual([
    [200, null],
    [200, null],
  ]);
  expect(await statusOf(bearer("a"))).toEqual([429, "1"]);
  expect(await statusOf(bearer("b"))).toEqual([200, null]);
  now = 500;
  expect(await statusOf(bearer("a"))).toEqual([200, null]);
  expect(await statusOf(bearer("a"))).toEqual([429, "1"]);
  const guess = { authorization: "Bearer guess" };
  expect([(await statusOf(guess))[0], (await statusOf(guess))[0], (await statusOf(guess))[0]]).toEqual([401, 401, 429]);
});

test.for<[string, object]>([
  ["tokens[0].token", { tokens: [{ name: "a", token: "short" }] }],
  [
    "tokens[1].name",
    {
      tokens: [
        { name: "a", token: secret("a") },
        { name: "a", token: secret("b") },
      ],
    },
  ],
  ["tokens[0].scopes", { tokens: [{ name: "a", token: secret("a"), scopes: ["all"] }] }],
  ["tokens[0].tenant", { tokens: [{ name: "a", token: secret("a"), tenant: "none" }] }],
  ["basePath", { basePath: "planloom/" }],
  ["planloom", { tenants: { acme: {} } }],
])("a wrong %s is refused before anything listens", ([option, options]) => {
  expect(() => createServer(new Planloom(), options)).toThrow(
    expect.objectContaining({ code: "SERVER_OPTION", details: expect.objectContaining({ option }) }),
  );
});

test("a server that stops refuses what is new, lets calls end, and its runs are taken up again", async () => {
  const wait = slowTool(150);
  await using server = await startServer({}, { tools: [wait] });
  const tasks = ["a", "b"].map((task_id, at) => ({
    task_id,
    execution_type: "tool",
    tool_id: "wait",
    dependencies: at === 0 ? [] : ["a"],
  }));
  await server.call("POST", "/runs", { plan: { planned_tasks: tasks }, run_id: "r" });
  await expect.poll(() => wait.begun.length).toBe(1);
  const journal = await server.planloom.journal();
  await server.running.close({ drainMs: 5_000 });
  expect(await journal.getRun("r")).toMatchObject({ status: "drained" });
  const next = createServer(new Planloom({ tools: [wait], journal }), {});
  expect(await next.start()).toBe(1);
  await expect.poll(async () => (await journal.getRun("r")).status).toBe("completed");
  expect(wait.begun).toHaveLength(2);
  await next.close();
});

test("mounted below a path, it answers there", async () => {
  const server = createServer(new Planloom({ tools: [weather] }), { basePath: "/planloom" });
  const answer = async (path: string) => (await server.fetch(new Request(`http://localhost${path}`))).status;
  expect([await answer("/planloom/healthz"), await answer("/healthz")]).toEqual([200, 404]);
  expect(await answer("/planloom/readyz")).toBe(503);
  await server.start();
  expect(await answer("/planloom/readyz")).toBe(200);
  await server.close();
  expect(await answer("/planloom/readyz")).toBe(503);
  expect(await answer("/planloom/runs")).toBe(503);
});
