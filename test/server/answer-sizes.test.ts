import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentHandler } from "@planloom/a2a";
import { serveMcpHttp } from "@planloom/mcp-server";
import { Planloom } from "planloom";
import { maxAnsweredIssues } from "planloom/serving";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere } from "../support/run-cli.ts";
import { slowTool, startServer, type TestServer, weather } from "./support.ts";

const broken = 2_100;
/** Each task depends on one that there is not. */
const plan = {
  planned_tasks: Array.from({ length: broken }, (_, task) => ({
    ...{ task_id: `t${task}`, dependencies: [`x${task}`], description: "" },
    ...{ execution_type: "tool", tool_id: "get_weather", arguments: { city: "Berlin" } },
  })),
};
let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), "planloom-answers-"));
  await writeFile(join(folder, "plan.json"), JSON.stringify(plan));
});
afterAll(async () => {
  await server.running.close();
  await rm(folder, { recursive: true, force: true });
});

const bounded = { issue_count: broken, more_issues: true };

test("what is wrong with a plan of many broken tasks is answered in part, and how much there is", async () => {
  const validated = await server.call("POST", "/validate", { plan });
  expect(validated.body).toMatchObject({ valid: false, ...bounded });
  expect(validated.body.issues).toHaveLength(maxAnsweredIssues);
  const run = await server.call("POST", "/runs", { plan });
  expect(run.body.error).toMatchObject({ code: "PLANLOOM_INVALID_PLAN", details: bounded });
  expect(run.body.error.details.issues).toHaveLength(maxAnsweredIssues);
  const json = await runCliHere(["validate", join(folder, "plan.json"), "--json", "--no-config"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, ...bounded });
  expect(JSON.parse(json.stdout).issues).toHaveLength(maxAnsweredIssues);
  const refused = await runCliHere(["run", join(folder, "plan.json"), "--json", "--no-config"]);
  expect(JSON.parse(refused.stdout).error).toMatchObject({
    code: "PLANLOOM_INVALID_PLAN",
    // Here nobody has the tool either.
    details: { issue_count: 2 * broken, more_issues: true },
  });
  expect(JSON.parse(refused.stdout).error.details.issues).toHaveLength(maxAnsweredIssues);
  const { stdout } = await runCliHere(["validate", join(folder, "plan.json"), "--no-config"]);
  expect(stdout).toContain("2,100 issues");
  expect(stdout).toContain("… and 1,100 more");
  expect(stdout.split("\n").length).toBeLessThan(broken);
});

test("a plan with few issues is answered whole", async () => {
  const few = await server.call("POST", "/validate", { plan: { planned_tasks: plan.planned_tasks.slice(0, 2) } });
  expect(few.body).toMatchObject({ issue_count: 2, more_issues: false });
  expect(few.body.issues).toHaveLength(2);
});

const streams = "text/event-stream, application/json";
const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: streams, ...headers },
    body: JSON.stringify(body),
  });
const refusal = { status: 503, code: "SERVER_TOO_MANY_LISTENERS", retry: "5" };

test("MCP: one client more than may listen is refused, until another one hangs up", async () => {
  const wait = slowTool();
  await using planloom = new Planloom({ tools: [weather, wait] });
  await using mcp = await serveMcpHttp(planloom, { maxListeners: 1, taskAfterMs: 600_000 });
  const call = {
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: "plan_create_and_execute", arguments: { goal: "Wait for something" } },
  };
  const version = { "mcp-protocol-version": "2025-06-18" };
  const leave = new AbortController();
  const first = fetch(mcp.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: streams, ...version },
    body: JSON.stringify(call),
    signal: leave.signal,
  });
  first.catch(() => {});
  await expect.poll(() => wait.begun.length, { timeout: 10_000 }).toBe(1);
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
  const second = await post(mcp.url, list, version);
  const { error } = (await second.json()) as { error: { data: { code: string } } };
  expect({ status: second.status, code: error.data.code, retry: second.headers.get("retry-after") }).toEqual(refusal);
  leave.abort();
  await expect.poll(async () => (await post(mcp.url, list, version)).status, { timeout: 10_000 }).toBe(200);
});

test("A2A: one client more than may listen is refused, until another one hangs up", async () => {
  const wait = slowTool();
  await using planloom = new Planloom({ tools: [weather, wait] });
  const agent = agentHandler(planloom, { maxListeners: 1 });
  const ask = (id: number, method: string, params: object) =>
    agent.fetch(
      new Request("http://localhost/a2a", {
        method: "POST",
        headers: { "content-type": "application/json", "a2a-version": "1.0" },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      }),
    );
  const parts = [{ text: "Wait for something" }];
  const first = await ask(1, "SendStreamingMessage", { message: { messageId: "m", role: "ROLE_USER", parts } });
  expect(first.headers.get("content-type")).toBe("text/event-stream");
  const second = await ask(2, "GetTask", { id: "none" });
  const { code } = (await second.json()) as { code: string };
  expect({ status: second.status, code, retry: second.headers.get("retry-after") }).toEqual(refusal);
  await first.body!.cancel();
  expect((await ask(3, "GetTask", { id: "none" })).status).toBe(200);
  agent.close();
});
