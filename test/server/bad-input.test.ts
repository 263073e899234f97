import { openApi } from "@planloom/server";
import { Planloom } from "planloom";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headOf, sendEndlessBody, sendEndlessHeaders, sendRaw, strangeIds } from "./raw-requests.ts";
import { callAt, type Loose, slowTool, startServer, type TestServer, weather } from "./support.ts";

const secret = (name: string) => `${name}-0123456789abcdef`;
const bearer = (name: string) => ({ authorization: `Bearer ${secret(name)}` });

let server: TestServer;
let otherRun: string;
let otherPlan: string;
const wait = slowTool();
/** What is answered to headers that never end, which are sent while all the tests below ask for other things. */
let endlessHeaders: Promise<string>;

beforeAll(async () => {
  const tokens = [
    { name: "own", token: secret("own") },
    { name: "acme", token: secret("acme"), tenant: "acme" },
  ];
  const tenants = { acme: { planloom: new Planloom({ tools: [weather] }) } };
  server = await startServer(
    { tokens, tenants, maxBodyBytes: 100_000, bodyTimeoutMs: 500 },
    { tools: [weather, wait] },
  );
  endlessHeaders = sendEndlessHeaders(server.running.port, "GET", "/healthz");
  const goal = "Get the weather of Berlin";
  otherRun = (await server.call("POST", "/runs", { goal }, bearer("acme"))).body.run_id;
  otherPlan = (await server.call("POST", "/plans", { goal }, bearer("acme"))).body.plan_id;
});
afterAll(() => server.running.close());

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly hasBody: boolean;
  /** Whether its body may have a plan. */
  readonly takesPlan: boolean;
  readonly isOpen: boolean;
}

/** Every endpoint, as its document describes it: a new one is driven, too. */
const operations: Operation[] = Object.entries((openApi() as Loose).paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Loose>).map(([method, operation]) => ({
    name: operation.operationId as string,
    method: method.toUpperCase(),
    path,
    hasBody: operation.requestBody !== undefined,
    takesPlan: operation.requestBody?.content["application/json"].schema.properties?.plan !== undefined,
    isOpen: operation.security === undefined,
  })),
);
const withIds = operations.filter(({ path }) => path.includes("{"));
const withBody = operations.filter(({ hasBody }) => hasBody);

/** The path with an id in the place of each name. */
const at = ({ path }: Operation, id: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(id));

/** A refusal is JSON with a code and a text for people, and tells nothing of the machine. */
function expectRefusal({ status, body }: { status: number; body: Loose }, statuses: readonly number[]): void {
  expect(statuses).toContain(status);
  expect(body.error.code).toMatch(/^(SERVER|RUNTIME|PLANLOOM|PLAN|PLANNER)_[A-Z_]+$/);
  expect(body.error.code).not.toBe("SERVER_INTERNAL");
  expect(body.error.message).toMatch(/^[A-Z`"/].{10,}/s);
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|at Object\./);
}

/** A body that every schema takes as far as it goes, so that ids are looked up. */
const fullBodies: Readonly<Record<string, unknown>> = {
  replacePlan: { plan: { planned_tasks: [] } },
  answerPlan: { answers: {} },
  replanPlan: { mark: ["a"] },
  forkRun: { from_task: "a" },
  replanRun: { mark: ["a"] },
  signalRun: { event: "paid" },
  answerCall: { id: "a", answer: "approve", content_hash: "0" },
};

describe.each(withIds)("$method $path", (operation) => {
  test.each(strangeIds)("an id that is %s is not found", async (_, id) => {
    const body = operation.hasBody ? (fullBodies[operation.name] ?? {}) : undefined;
    const reply = await server.call(operation.method, at(operation, id), body, bearer("own"));
    expectRefusal(reply, [404]);
  });

  test("an id of another tenant is not found, as one that there is nowhere", async () => {
    const id = operation.path.startsWith("/plans") ? otherPlan : otherRun;
    const body = operation.hasBody ? (fullBodies[operation.name] ?? {}) : undefined;
    const ask = (each: string) => server.call(operation.method, at(operation, each), body, bearer("own"));
    const [other, nowhere] = [await ask(id), await ask("none")];
    expectRefusal(other, [404]);
    expect(other.body.error.code).toBe(nowhere.body.error.code);
  });

  test("an id that is no UTF-8 is refused", async () => {
    const path = operation.path.replaceAll(/\{\w+\}/g, "%ff%fe");
    const body = operation.hasBody ? (fullBodies[operation.name] ?? {}) : undefined;
    expectRefusal(await server.call(operation.method, path, body, bearer("own")), [400, 404]);
  });
});

describe.each(operations.filter(({ isOpen }) => !isOpen))("$method $path", (operation) => {
  test("nothing is answered without a token, before anything is read", async () => {
    const path = at(operation, "none");
    expectRefusal(await server.call(operation.method, path, operation.hasBody ? "{" : undefined), [401]);
  });

  test("an unknown part of the query is refused, not ignored, and so is one of another type", async () => {
    if (operation.method !== "GET" || !["/runs", "/plans", "/approvals"].includes(operation.path)) return;
    expectRefusal(await server.call("GET", `${operation.path}?stauts=failed`, undefined, bearer("own")), [400]);
    for (const query of [
      "limit=0",
      "limit=x",
      "limit=1e9",
      "status=none",
      "cursor=zzz",
      "created_after=yesterday",
      "updated_before=never",
    ]) {
      const [name] = query.split("=") as [string];
      const takes = JSON.stringify((openApi() as Loose).paths[operation.path].get.parameters).includes(`"${name}"`);
      if (!takes) continue;
      const reply = await server.call("GET", `${operation.path}?${query}`, undefined, bearer("own"));
      expectRefusal(reply, [400]);
      // By the name that was written.
      expect(reply.body.error.message).toContain(name);
      if (/^(?:limit|status)/.test(query)) expect(reply.body.error.message).toMatch(/, got \S|received/);
    }
  });
});

const badBodies: readonly (readonly [name: string, body: string | Uint8Array, statuses: readonly number[]])[] = [
  ["nothing", "", [400, 404]],
  ["no JSON", "{", [400]],
  ["a list", "[]", [400]],
  ["a number", "5", [400]],
  ["null", "null", [400]],
  ["a text", '"x"', [400]],
  ["an unknown field", '{"gaol": 1, "__proto__": {"polluted": true}, "constructor": 1}', [400]],
  [
    "fields of wrong types",
    '{"goal": 5, "plan": [], "mark": "a", "from_task": 1, "mode": 1, "id": 1, "answers": 1, "concurrency": "x", "search_id": 1}',
    [400],
  ],
  ["broken UTF-8", Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), [400]],
  ["JSON that is 20,000 levels deep", `{"plan":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, [400]],
  ["a plan of 1e5 tasks", `{"plan":{"planned_tasks":[${'{"task_id":"t"},'.repeat(100_000)}{}]}}`, [413]],
];

describe.each(withBody)("$method $path", (operation) => {
  test.each(badBodies)("%s is refused", async (_, body, statuses) => {
    if (body === "" && operation.method === "POST" && /cancel|resume/.test(operation.path)) return;
    const response = await fetch(server.url + at(operation, "none"), {
      method: operation.method,
      headers: { "content-type": "application/json", ...bearer("own") },
      body: body as string,
    });
    expectRefusal({ status: response.status, body: await response.json() }, statuses);
    expect(({} as Loose).polluted).toBeUndefined();
  });

  test("a body of another type is refused with what to send", async () => {
    const headers = { ...bearer("own"), "content-type": "application/x-www-form-urlencoded" };
    const reply = await server.call(operation.method, at(operation, "none"), "a=1", headers);
    expectRefusal(reply, [415]);
    expect(reply.body.error.message).toContain("curl: --json");
  });

  test("a body that never ends is cut off by its bytes", async () => {
    const head = headFor(operation, "transfer-encoding: chunked");
    const answer = await sendEndlessBody(server.running.port, head, 100_000);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  test("a body of 50 MB is refused before it is sent, and the connection closed", async () => {
    const began = performance.now();
    const answer = await sendRaw(server.running.port, headFor(operation, `content-length: ${50 * 1024 * 1024}`));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    // What a plan is refused for has the same code as on the command line.
    expect(answer).toContain(operation.takesPlan ? "PLAN_TOO_LARGE" : "SERVER_BODY_TOO_LARGE");
    expect(answer.toLowerCase()).toContain("connection: close");
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

function headFor(operation: Operation, length: string): string {
  const authorization = `authorization: Bearer ${secret("own")}`;
  return headOf(operation.method, at(operation, "none"), "host: 127.0.0.1", authorization, length);
}

test("a body that never ends is cut off by the time, at every endpoint", async () => {
  const late = await Promise.all(
    withBody.map(async (operation) => {
      const begun = `${headFor(operation, "transfer-encoding: chunked")}1\r\n{\r\n`;
      return { name: operation.name, answer: await sendRaw(server.running.port, begun) };
    }),
  );
  expect(late.length).toBeGreaterThan(10);
  for (const { name, answer } of late) {
    expect.soft(answer, name).toMatch(/^HTTP\/1\.1 408 /);
    expect.soft(answer, name).toContain("SERVER_BODY_TIMEOUT");
  }
});

test("headers that never end are cut off, while others are answered", async () => {
  expect((await server.call("GET", "/healthz")).status).toBe(200);
  expect(await endlessHeaders).toMatch(/^HTTP\/1\.1 408 /);
}, 30_000);

test("a client that hangs up while a goal is planned starts nothing; while it listens, the run does not notice", async () => {
  const stop = new AbortController();
  const planned = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const controller = {
    name: "slow",
    async processPhase1(_: object, { signal }: { signal?: AbortSignal } = {}) {
      signals.push(signal!);
      planned.resolve();
      return new Promise<never>((_resolve, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
    },
    processPhase2: async () => ({ success: false }),
  };
  await using slow = await startServer({}, { controller });
  const asking = fetch(`${slow.url}/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ goal: "Get the weather of Berlin" }),
    signal: stop.signal,
  });
  await planned.promise;
  stop.abort();
  await expect(asking).rejects.toThrow();
  await expect.poll(() => signals[0]!.aborted, { timeout: 20_000 }).toBe(true);
  expect((await slow.call("GET", "/runs")).body.runs).toEqual([]);

  const plan = { planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "wait" }] };
  await server.call("POST", "/runs", { plan, run_id: "watched" }, bearer("own"));
  const leave = new AbortController();
  const listening = await fetch(`${server.url}/runs/watched/events`, { headers: bearer("own"), signal: leave.signal });
  const reader = listening.body!.getReader();
  await reader.read();
  leave.abort();
  await expect(reader.read()).rejects.toThrow();
  const listeners = async () =>
    /planloom_event_listeners (\d+)/.exec((await server.call("GET", "/metrics", undefined, bearer("own"))).body)?.[1];
  await expect.poll(listeners, { timeout: 20_000 }).toBe("0");
  expect((await server.call("GET", "/runs/watched", undefined, bearer("own"))).body.status).toBe("running");
  await server.call("POST", "/runs/watched/cancel", undefined, bearer("own"));
});

test("an unknown path and an unknown method say what there is", async () => {
  expectRefusal(await callAt(`${server.url}/none`, "GET"), [404]);
  const method = await callAt(`${server.url}/runs`, "PATCH");
  expectRefusal(method, [405]);
  expect(method.headers.get("allow")).toBe("POST, GET");
  expectRefusal(
    await server.call("GET", "/runs/none/events", undefined, { ...bearer("own"), "last-event-id": "x" }),
    [400],
  );
});

test("bytes that are no HTTP end the connection, and the server goes on", async () => {
  expect(await sendRaw(server.running.port, "\u0016\u0003\u0001\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
  expect((await server.call("GET", "/healthz")).status).toBe(200);
});

test("a body of too many levels is refused before anything reads it level by level", async () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const planOf = (value: string) =>
    `{"plan":{"planned_tasks":[{"task_id":"t","tool_id":"get_weather","arguments":{"city":${value}}}]}}`;
  for (const [path, body] of [
    ["/plans", planOf(deep(20_000))],
    ["/runs", planOf(`"a\\"${deep(30)}", "b":${deep(20_000)}`)],
    [`/runs/x/forks`, `{"from_task":"t","arguments":{"city":${deep(20_000)}}}`],
  ] as const) {
    const { status, body: refused } = await server.call("POST", path, body, bearer("own"));
    expect([status, refused.error.code, refused.error.details]).toEqual([400, "SERVER_NOT_JSON", { max_depth: 1_100 }]);
  }
  // Brackets within a text are none.
  const text = JSON.stringify(`"${"[".repeat(5_000)}\\`);
  expect((await server.call("POST", "/plans", planOf(text), bearer("own"))).status).toBe(201);
});
