import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type AgentServer, serveAgent } from "@planloom/a2a";
import { type McpHttpServer, serveMcpHttp } from "@planloom/mcp-server";
import { type RunningServer, serve } from "@planloom/server";
import {
  approve,
  cancelRun,
  deny,
  folderPlans,
  type Planloom,
  Planloom as PlanloomClass,
  SqliteJournal,
} from "planloom";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";
import { headOf, sendEndlessBody, sendEndlessHeaders, sendRaw, strangeIds } from "./raw-requests.ts";
import { callAt } from "./support.ts";

// One table of what is refused, and every surface on one home: the library, HTTP, the tools of the MCP server, A2A and the command line say the same code.

const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
const config = `
import { defineTool } from ${library};
const properties = { to: { type: "string" }, copies: { type: "integer" } };
export default { tools: [
  defineTool({ id: "send_letter", description: "Send a letter to a person", input: { type: "object", properties, required: ["to", "copies"] }, execute: () => "sent" }),
] };
`;

let home: Awaited<ReturnType<typeof temporaryHome>>;
let journal: SqliteJournal;
let planloom: Planloom;
let server: RunningServer;
let mcp: McpHttpServer;
let agent: AgentServer;
let client: Client;
/** What the servers wrote of errors that callers do not see. */
const logged: object[] = [];
/** The id of a plan that lacks an argument. */
let draft: string;

beforeAll(async () => {
  home = await temporaryHome();
  const file = join(home.path, "planloom.config.mjs");
  await writeFile(file, config);
  const { default: given } = await import(pathToFileURL(file).href);
  const folder = join(home.path, "home");
  const saved = await cli(["plan", "Send a letter to Ada"]);
  draft = saved.plan_id;
  journal = await SqliteJournal.open(join(folder, "journal.sqlite"), { events: true });
  planloom = new PlanloomClass({ ...given, journal });
  const plans = folderPlans(join(folder, "plans"));
  const bodyTimeoutMs = 3_000;
  server = await serve(planloom, { port: 0, plans, bodyTimeoutMs });
  mcp = await serveMcpHttp(planloom, {
    plans,
    approveByCall: true,
    bodyTimeoutMs,
    log: { error: (about) => logged.push(about) },
  });
  agent = await serveAgent(planloom, {
    bodyTimeoutMs,
    maxBodyBytes: 8 * 1024 * 1024,
    log: { error: (about) => logged.push(about) },
  });
  client = new Client({ name: "table", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url)));
  const plan = { planned_tasks: [{ task_id: "letter", tool_id: "send_letter", arguments: { to: "Ada", copies: 1 } }] };
  const waits = { planned_tasks: [{ task_id: "paid", wait: { event: "payment" } }] };
  await planloom.run(plan, { runId: "done", metadata: { a2a: { context_id: "c" } } });
  await planloom.run(plan, { runId: "asks", confirm: "writes" });
  await planloom.run(plan, { runId: "denied", confirm: "writes" });
  await deny("denied", "letter", { journal });
  await planloom.run(waits, { runId: "stopped", metadata: { a2a: { context_id: "c" } } });
  await planloom.run(waits, { runId: "theirs", metadata: { a2a: { context_id: "c", tenant: "theirs" } } });
  await cancelRun("stopped", { journal });
});
afterAll(async () => {
  await client.close();
  await mcp.close();
  await agent.close();
  await server.close();
  await journal.close();
  await home.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire has no type; expectations check it
type Loose = any;

async function cli(args: readonly string[]): Promise<Loose> {
  const needsTools = ["plan", "run", "edit", "fork"].includes(args[0]!);
  const config = needsTools ? ["--config", join(home.path, "planloom.config.mjs")] : [];
  const { stdout, code } = await runCliHere([...args, ...config, "--json"], home.env, home.path);
  return { ...JSON.parse(stdout), exitCode: code };
}

interface Refusal {
  readonly name: string;
  readonly code: string;
  readonly library?: (planloom: Planloom) => Promise<unknown> | unknown;
  readonly http?: readonly [method: string, path: string, body?: object];
  readonly mcp?: readonly [tool: string, input: object];
  readonly cli?: readonly string[];
  /** A method of JSON-RPC and its parameters; of a message its data alone. */
  readonly a2a?: readonly [method: string, params: object];
}

const enc = encodeURIComponent;
const table: readonly Refusal[] = [
  ...strangeIds.map(
    ([what, id]): Refusal => ({
      name: `the id of a run that is ${what}`,
      code: "RUNTIME_RUN_NOT_FOUND",
      library: (instance) => instance.runStatus(id),
      http: ["GET", `/runs/${enc(id)}`],
      mcp: ["plan_status", { run_id: id }],
      cli: ["cancel", id],
      a2a: ["GetTask", { id }],
    }),
  ),
  ...strangeIds.map(
    ([what, id]): Refusal => ({
      name: `the id of a plan that is ${what}`,
      code: "PLANLOOM_PLAN_NOT_FOUND",
      library: () => folderPlans(join(home.path, "home", "plans")).load(id),
      http: ["GET", `/plans/${enc(id)}`],
      mcp: ["plan_execute", { plan_id: id }],
      cli: ["edit", id],
    }),
  ),
  {
    name: "an approval for a run that has ended",
    code: "RUNTIME_NOT_WAITING",
    library: () => approve("done", "letter", { journal }),
    http: ["POST", "/runs/done/approvals", { id: "letter", answer: "approve", content_hash: "0" }],
    mcp: ["plan_approve", { run_id: "done", call_id: "letter", answer: "approve" }],
    cli: ["approve", "done", "letter"],
  },
  {
    name: "an approval of a question that is not asked any more",
    code: "RUNTIME_QUESTION_CHANGED",
    library: () => approve("asks", "letter", { journal, contentHash: "0" }),
    http: ["POST", "/runs/asks/approvals", { id: "letter", answer: "approve", content_hash: "0" }],
    mcp: ["plan_approve", { run_id: "asks", call_id: "letter", content_hash: "0", answer: "approve" }],
    cli: ["approve", "asks", "letter", "--content-hash", "0"],
  },
  {
    name: "an approval for a task that there is none of",
    code: "RUNTIME_TASK_NOT_FOUND",
    library: () => approve("asks", "lettre", { journal }),
    http: ["POST", "/runs/asks/approvals", { id: "lettre", answer: "approve", content_hash: "0" }],
    mcp: ["plan_approve", { run_id: "asks", call_id: "lettre", answer: "approve" }],
    cli: ["approve", "asks", "lettre"],
  },
  {
    name: "a yes after a no",
    code: "RUNTIME_ALREADY_DENIED",
    library: () => approve("denied", "letter", { journal }),
    mcp: ["plan_approve", { run_id: "denied", call_id: "letter", answer: "approve" }],
    cli: ["approve", "denied", "letter"],
  },
  {
    name: "a second cancel",
    code: "RUNTIME_NOT_RUNNING",
    library: () => cancelRun("stopped", { journal }),
    http: ["POST", "/runs/stopped/cancel", {}],
    cli: ["cancel", "stopped"],
  },
  {
    name: "a signal to a run that has ended",
    code: "RUNTIME_RUN_ENDED",
    library: (instance) => instance.signal("done", "payment"),
    http: ["POST", "/runs/done/signals", { event: "payment" }],
    cli: ["signal", "done", "payment"],
  },
  {
    name: "a fork from a task that there is none of",
    code: "RUNTIME_TASK_NOT_FOUND",
    library: (instance) => instance.fork("done", "__proto__"),
    http: ["POST", "/runs/done/forks", { from_task: "__proto__" }],
    cli: ["fork", "done", "__proto__"],
  },
  {
    name: "an answer to a question that nobody asks",
    code: "PLANNER_ANSWER_INVALID",
    http: ["POST", "/plans/DRAFT/answers", { answers: { constructor: 1 } }],
    mcp: ["plan_execute", { plan_id: "DRAFT", answers: { constructor: 1 } }],
    cli: ["run", "DRAFT", "--set", "constructor=1"],
  },
  {
    name: "an answer of another type",
    code: "PLANNER_ANSWER_INVALID",
    http: ["POST", "/plans/DRAFT/answers", { answers: { "send_letter.copies": "many" } }],
    mcp: ["plan_execute", { plan_id: "DRAFT", answers: { "send_letter.copies": "many" } }],
    cli: ["run", "DRAFT", "--set", "send_letter.copies=many"],
  },
  {
    name: "a goal of blanks",
    code: "PLANNER_GOAL_EMPTY",
    library: (instance) => instance.plan("   "),
    http: ["POST", "/plans", { goal: "   " }],
    mcp: ["plan_create", { goal: "   " }],
    cli: ["plan", "   "],
    a2a: ["SendMessage", { goal: "   " }],
  },
  {
    name: "a goal of 120,000 characters",
    code: "PLANNER_GOAL_TOO_LARGE",
    library: (instance) => instance.plan("words ".repeat(20_000)),
    http: ["POST", "/plans", { goal: "words ".repeat(20_000) }],
    mcp: ["plan_create", { goal: "words ".repeat(20_000) }],
    cli: ["plan", "words ".repeat(20_000)],
    a2a: ["SendMessage", { goal: "words ".repeat(20_000) }],
  },
  {
    name: "a plan whose tasks wait for one another",
    code: "PLANLOOM_INVALID_PLAN",
    library: (instance) => instance.run(circle()),
    http: ["POST", "/runs", { plan: circle() }],
    cli: ["run", "circle.json"],
    a2a: ["SendMessage", { plan: circle() }],
  },
  {
    name: "a cancel of a run that there is not",
    code: "RUNTIME_RUN_NOT_FOUND",
    library: () => cancelRun("nowhere", { journal }),
    http: ["POST", "/runs/nowhere/cancel", {}],
    cli: ["cancel", "nowhere"],
    a2a: ["CancelTask", { id: "nowhere" }],
  },
  {
    name: "a cancel of a run that has completed",
    code: "RUNTIME_NOT_RUNNING",
    library: () => cancelRun("done", { journal }),
    http: ["POST", "/runs/done/cancel", {}],
    cli: ["cancel", "done"],
    a2a: ["CancelTask", { id: "done" }],
  },
  {
    name: "a run of another tenant, or of another door, by its id",
    code: "RUNTIME_RUN_NOT_FOUND",
    a2a: ["CancelTask", { id: "theirs" }],
  },
  {
    name: "a message to a task that there is not",
    code: "RUNTIME_RUN_NOT_FOUND",
    a2a: ["SendMessage", { taskId: "__proto__" }],
  },
];

function circle() {
  const task = (task_id: string, needs: string) => ({
    task_id,
    tool_id: "send_letter",
    arguments: { to: "Ada", copies: 1 },
    dependencies: [needs],
  });
  return { planned_tasks: [task("a", "b"), task("b", "a")] };
}

/** What is refused with a code and a text, and tells nothing of how it was found out. */
function expectCode(said: { code?: unknown; message?: unknown }, code: string): void {
  expect(said.code).toBe(code);
  expect(said.message).toMatch(/^[A-Z`"/].{10,}/s);
  expect(said.message).not.toMatch(/node_modules|\.ts:\d|at Object\./);
}

describe.each(table.map((row) => [row.name, row] as const))("%s", (_, row) => {
  test.runIf(row.library)("is refused by the library", async () => {
    const error = await Promise.resolve(row.library!(planloom)).then(
      () => ({}),
      (thrown: unknown) => thrown as object,
    );
    expectCode(error, row.code);
  });

  test.runIf(row.http)("is refused over HTTP", async () => {
    const [method, path, body] = row.http!;
    const reply = await callAt(server.url + path.replace("DRAFT", draft), method, body);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expectCode(reply.body.error, row.code);
  });

  test.runIf(row.mcp)("is refused by the tool of MCP", async () => {
    const [name, input] = row.mcp!;
    const given = JSON.parse(JSON.stringify(input).replace("DRAFT", draft));
    const { isError, structuredContent } = await client.callTool({ name, arguments: given });
    const { code, error } = structuredContent as { code?: string; error?: string };
    expect(isError).toBe(true);
    expectCode({ code, message: error }, row.code);
  });

  test.runIf(row.a2a)("is refused over A2A", async () => {
    const [method, params] = row.a2a!;
    const reply = await (method === "SendMessage" ? message(params) : callAgent(method, params));
    if (reply.error !== undefined) {
      const details: Loose[] = reply.error.data;
      const { reason: code } = details.find(({ domain }) => domain === "planloom");
      expect(reply.error.code).toBeLessThan(-32_000);
      expect(row.code).toBe(code);
      expect(reply.error.message).not.toMatch(/node_modules|\.ts:\d/);
      return;
    }
    const { state, message: said } = reply.result.task.status;
    expect(state).toMatch(/FAILED|REJECTED/);
    const [words, about] = said.parts;
    expectCode({ code: about.data.code, message: words.text }, row.code);
  });

  test.runIf(row.cli)("is refused on the command line", async () => {
    await writeFile(join(home.path, "circle.json"), JSON.stringify(circle()));
    const { error, exitCode } = await cli(row.cli!.map((word) => word.replace("DRAFT", draft)));
    expectCode(error, row.code);
    expect(exitCode).toBe(2);
  });
});

/** Sends one message to the agent, to the task `taskId` of the data where that is given. */
async function message(data: object) {
  const taskId = "taskId" in data ? data.taskId : undefined;
  const about = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ data }] };
  return callAgent("SendMessage", { message: { ...about, ...(taskId !== undefined && { taskId }) } });
}

async function callAgent(method: string, params: object) {
  const headers = { "content-type": "application/json", "a2a-version": "1.0" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(`${agent.url}/a2a`, { method: "POST", headers, body });
  return (await response.json()) as Loose;
}

describe("no surface says what the files of its machine are called", () => {
  const insides = () => new RegExp(`${home.path}|journal\\.sqlite|node_modules|\\.json`);

  test("a run that there is not", async () => {
    const http = await callAt(`${server.url}/runs/nowhere`, "GET");
    const tool = await client.callTool({ name: "plan_status", arguments: { run_id: "nowhere" } });
    expect([http.body.error.code, (tool.structuredContent as Loose).code]).toEqual([
      "RUNTIME_RUN_NOT_FOUND",
      "RUNTIME_RUN_NOT_FOUND",
    ]);
    expect(JSON.stringify([http.body, tool])).not.toMatch(insides());
  });

  test("a saved plan whose file is damaged", async () => {
    await writeFile(join(home.path, "home/plans/damaged.json"), "{ broken");
    const http = await callAt(`${server.url}/plans/damaged`, "GET");
    const tool = await client.callTool({ name: "plan_execute", arguments: { plan_id: "damaged" } });
    expect([http.body.error.code, (tool.structuredContent as Loose).code]).toEqual(["PLAN_INVALID", "PLAN_INVALID"]);
    expect(JSON.stringify([http.body, tool])).not.toMatch(insides());
    await rm(join(home.path, "home/plans/damaged.json"));
  });

  test("a fault of the machine itself has an id, and the log has the fault", async () => {
    const fault = vi.spyOn(planloom, "draft").mockRejectedValue(new Error(`ENOSPC: ${home.path}/home/journal.sqlite`));
    const tool = await client.callTool({ name: "plan_create", arguments: { goal: "Send a letter to Ada" } });
    const { result } = await message({ goal: "Send a letter to Ada" });
    fault.mockRestore();
    const http = await callAt(`${server.url}/process-phase-1-task`, "GET");
    expect(JSON.stringify([http.body, tool, result])).not.toMatch(insides());
    expect(tool).toMatchObject({ isError: true, structuredContent: { code: "SERVER_INTERNAL" } });
    expect(result.task.status.state).toBe("TASK_STATE_FAILED");
    const ids = logged.map((about) => (about as { request_id: string }).request_id);
    expect(ids).toHaveLength(2);
    expect(JSON.stringify(tool)).toContain(ids[0]);
    expect(JSON.stringify(result)).toContain(ids[1]);
    expect(String((logged[0] as { err: Error }).err)).toContain("ENOSPC");
  });

  test("A2A: what is no plan is refused with its code, and not with the words of a schema library", async () => {
    const { result } = await message({ plan: { planned_tasks: 7 } });
    expect(JSON.stringify(result)).toContain("PLAN_INVALID");
    expect(JSON.stringify(result)).not.toContain("invalid_type");
    const subgraph = (await message({ subgraph: 7 })).result;
    expect(subgraph.task.status.state).toBe("TASK_STATE_REJECTED");
    expect(JSON.stringify(subgraph)).toContain("Expected `subgraph`");
  });
});

test("A2A: a second cancel of a task changes nothing, and says how it is, as the protocol wants it", async () => {
  const { result, error } = await callAgent("CancelTask", { id: "stopped" });
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ id: "stopped", status: { state: "TASK_STATE_CANCELED" } });
});

test("nothing of the table has changed a run", async () => {
  const ids = ["done", "asks", "denied", "stopped", "theirs"];
  const statuses = await Promise.all(ids.map(async (id) => (await planloom.runStatus(id)).status));
  expect(statuses).toEqual(["completed", "waiting_approval", "waiting_approval", "cancelled", "waiting"]);
  expect(await journal.getAnswers("asks")).toEqual([]);
  expect(({} as Loose).polluted).toBeUndefined();
});

describe("what is wrong before a request is read has one code over HTTP, MCP and A2A", () => {
  const doors = [
    ["http", () => server.port, "/runs"],
    ["mcp", () => Number(new URL(mcp.url).port), "/mcp"],
    ["a2a", () => Number(new URL(agent.url).port), "/a2a"],
  ] as const;
  /** What takes a plan says that the plan is too large, as the command line does of a file. */
  const tooLarge = (path: string) => (path === "/runs" ? "PLAN_TOO_LARGE" : "SERVER_BODY_TOO_LARGE");
  const head = (path: string, ...lines: string[]) =>
    headOf("POST", path, "accept: application/json, text/event-stream", ...lines);

  test.each(doors)("%s: another name in Host, as a page that rebinds its own gets it", async (_, port, path) => {
    const answer = await sendRaw(
      port(),
      `${head(path, "host: evil.example", "connection: close", "content-length: 2")}{}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 421 /);
    expect(answer).toContain("SERVER_HOST");
  });

  test.each(doors)("%s: a page of another origin", async (_, port, path) => {
    const lines = ["host: 127.0.0.1", "origin: https://evil.example", "connection: close", "content-length: 2"];
    const answer = await sendRaw(port(), `${head(path, ...lines)}{}`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain("SERVER_ORIGIN");
  });

  test.each(doors)("%s: a body of 50 MB, before it is sent", async (_, port, path) => {
    const answer = await sendRaw(port(), head(path, "host: 127.0.0.1", `content-length: ${50 * 1024 * 1024}`));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain(tooLarge(path));
  });

  test.each(doors)("%s: a body that stalls, while others are answered", async (_, port, path) => {
    const stalled = connect(port());
    stalled.write(`${head(path, "host: 127.0.0.1", "content-length: 20")}{`);
    expect((await callAt(`${server.url}/healthz`, "GET")).status).toBe(200);
    const answer = await text(stalled);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain("SERVER_BODY_TIMEOUT");
  });

  test.each(doors)("%s: a body that is no UTF-8", async (_, port, path) => {
    const socket = connect(port());
    const body = Buffer.concat([Buffer.from('{"goal":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    socket.write(head(path, "host: 127.0.0.1", "connection: close", `content-length: ${body.length}`));
    socket.write(body);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("SERVER_NOT_JSON");
  });

  test.each(doors)(
    "%s: a client that hangs up in the middle of its body leaves nothing behind",
    async (_, port, path) => {
      const before = (await journal.listRuns({ limit: Number.POSITIVE_INFINITY })).length;
      const socket = connect(port());
      socket.write(`${head(path, "host: 127.0.0.1", "content-length: 2000")}{"goal":`, () => socket.destroy());
      await once(socket, "close");
      expect((await callAt(`${server.url}/healthz`, "GET")).status).toBe(200);
      expect(await journal.listRuns({ limit: Number.POSITIVE_INFINITY })).toHaveLength(before);
    },
  );

  test.each(doors)("%s: a body in pieces that never ends", async (_, port, path) => {
    const answer = await sendEndlessBody(
      port(),
      head(path, "host: 127.0.0.1", "transfer-encoding: chunked"),
      8 * 1024 * 1024,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain(tooLarge(path));
  });

  // Over HTTP bad-input.test.ts does the same.
  test.concurrent.each(doors.slice(1))(
    "%s: headers that never end, while others are answered",
    {
      timeout: 30_000,
    },
    async (_, port, path) => {
      const answer = sendEndlessHeaders(port(), "POST", path);
      expect((await callAt(`${server.url}/healthz`, "GET")).status).toBe(200);
      expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    },
  );

  test("MCP: wrong types and missing or unknown fields are refused by each tool", async () => {
    const { tools } = await client.listTools();
    expect(tools.length).toBe(5);
    for (const { name } of tools) {
      for (const input of [
        {},
        { goal: 7, plan_id: [], run_id: {} },
        { goal: "x", plan_id: "x", run_id: "x", gaol: 1 },
      ]) {
        const refused = await client.callTool({ name, arguments: input }).then(
          ({ isError }) => isError,
          () => true,
        );
        expect(refused, `${name} ${JSON.stringify(input)}`).toBe(true);
      }
    }
  });
});
