import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
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
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";
import { headOf, sendEndlessBody, sendEndlessHeaders, sendRaw, strangeIds } from "./raw-requests.ts";
import { callAt } from "./support.ts";

// One table of what is refused, and every surface on one home: the library, HTTP, the tools of the MCP server and the command line say the same code.

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
let client: Client;
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
  server = await serve(planloom, { port: 0, plans });
  mcp = await serveMcpHttp(planloom, { plans, approveByCall: true });
  client = new Client({ name: "table", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url)));
  const plan = { planned_tasks: [{ task_id: "letter", tool_id: "send_letter", arguments: { to: "Ada", copies: 1 } }] };
  const waits = { planned_tasks: [{ task_id: "paid", wait: { event: "payment" } }] };
  await planloom.run(plan, { runId: "done" });
  await planloom.run(plan, { runId: "asks", confirm: "writes" });
  await planloom.run(plan, { runId: "denied", confirm: "writes" });
  await deny("denied", "letter", { journal });
  await planloom.run(waits, { runId: "stopped" });
  await cancelRun("stopped", { journal });
});
afterAll(async () => {
  await client.close();
  await mcp.close();
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
  },
  {
    name: "a goal of 120,000 characters",
    code: "PLANNER_GOAL_TOO_LARGE",
    library: (instance) => instance.plan("words ".repeat(20_000)),
    http: ["POST", "/plans", { goal: "words ".repeat(20_000) }],
    mcp: ["plan_create", { goal: "words ".repeat(20_000) }],
    cli: ["plan", "words ".repeat(20_000)],
  },
  {
    name: "a plan whose tasks wait for one another",
    code: "PLANLOOM_INVALID_PLAN",
    library: (instance) => instance.run(circle()),
    http: ["POST", "/runs", { plan: circle() }],
    cli: ["run", "circle.json"],
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

  test.runIf(row.cli)("is refused on the command line", async () => {
    await writeFile(join(home.path, "circle.json"), JSON.stringify(circle()));
    const { error, exitCode } = await cli(row.cli!.map((word) => word.replace("DRAFT", draft)));
    expectCode(error, row.code);
    expect(exitCode).toBe(2);
  });
});

test("nothing of the table has changed a run", async () => {
  const statuses = ["done", "asks", "denied", "stopped"].map(async (id) => (await planloom.runStatus(id)).status);
  expect(await Promise.all(statuses)).toEqual(["completed", "waiting_approval", "waiting_approval", "cancelled"]);
  expect(await journal.getAnswers("asks")).toEqual([]);
  expect(({} as Loose).polluted).toBeUndefined();
});

describe("what is wrong before a request is read has one code over HTTP and MCP", () => {
  const doors = [
    ["http", () => server.port, "/runs"],
    ["mcp", () => Number(new URL(mcp.url).port), "/mcp"],
  ] as const;
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
    expect(answer).toContain("SERVER_BODY_TOO_LARGE");
  });

  test.each(doors)("%s: a body in pieces that never ends", async (_, port, path) => {
    const answer = await sendEndlessBody(
      port(),
      head(path, "host: 127.0.0.1", "transfer-encoding: chunked"),
      8 * 1024 * 1024,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain("SERVER_BODY_TOO_LARGE");
  });

  // Over HTTP bad-input.test.ts does the same.
  test("mcp: headers that never end, while others are answered", { timeout: 30_000 }, async () => {
    const answer = sendEndlessHeaders(Number(new URL(mcp.url).port), "POST", "/mcp");
    expect((await callAt(`${server.url}/healthz`, "GET")).status).toBe(200);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
  });

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
