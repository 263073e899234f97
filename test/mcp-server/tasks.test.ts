import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { type McpHttpOptions, serveMcpHttp } from "@planloom/mcp-server";
import { defineTool, type Journal, memoryJournal, Planloom } from "planloom";
import { expect, test } from "vitest";
import { z } from "zod";

const protocolVersion = "2026-07-28";
const tasks = "io.modelcontextprotocol/tasks";
const clientInfo = { name: "test", version: "1" };

/** A tool that ends when the test says so. */
function heldTool() {
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const tool = defineTool({
    id: "count_sheep",
    description: "Count sheep",
    input: z.object({}),
    readOnly: true,
    async execute(_, { signal }) {
      begun.resolve();
      const stopped = new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
      await Promise.race([held.promise, stopped]);
      return { sheep: 12 };
    },
  });
  return { tool, begun: begun.promise, release: () => held.resolve() };
}

const mail = defineTool({
  id: "send_mail",
  description: "Send a mail to a person",
  input: z.object({ to: z.string(), text: z.string() }),
  execute: ({ to }) => ({ sent: to }),
});

/** One request as it is on the wire, with the headers of streamable HTTP. */
async function post(url: string, request: { method: string; params?: Record<string, unknown> }, capabilities: object) {
  const { method, params = {} } = request;
  const name = params.name ?? params.taskId;
  const _meta = {
    ...(params._meta as object | undefined),
    "io.modelcontextprotocol/protocolVersion": protocolVersion,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": protocolVersion,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  const line = text.startsWith("{")
    ? text
    : text
        .split("\n")
        .findLast((each) => each.startsWith("data:"))!
        .slice(5);
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire; expectations check it
  return JSON.parse(line) as { result?: any; error?: any };
}

interface Setup {
  readonly tools: readonly ReturnType<typeof defineTool>[];
  readonly journal?: Journal;
  readonly server?: McpHttpOptions;
  readonly capabilities?: object;
}

async function connect({ tools, journal = memoryJournal(), server, capabilities = { elicitation: {} } }: Setup) {
  const planloom = new Planloom({ tools, journal });
  const running = await serveMcpHttp(planloom, { taskAfterMs: 0, ...server });
  const client = new Client(clientInfo, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
  const withTasks = { ...capabilities, extensions: { [tasks]: {} } };
  return {
    planloom,
    client,
    url: running.url,
    send: (method: string, params: Record<string, unknown>, given: object = withTasks) =>
      post(running.url, { method, params }, given),
    async [Symbol.asyncDispose]() {
      await client.close();
      await running.close();
      await planloom.close({ drainMs: 0 });
    },
  };
}

const call = (goal: string) => ({ name: "plan_create_and_execute", arguments: { goal } });
const mailGoal = "Send a mail to ann@example.com with the text 'Hello'";

test("the official client of the extension follows a run as a task to its result", async () => {
  const held = heldTool();
  await using session = await connect({ tools: [held.tool] });
  expect(session.client.getServerCapabilities()?.extensions).toEqual({ [tasks]: {} });
  const requester = createTaskSessionFromClient(session.client, {
    endpointId: "planloom",
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: { extensions: { [tasks]: {} } } },
    rawDispatch: async (request) => {
      const { method, params } = request as { method: string; params: Record<string, unknown> };
      const meta = (params._meta ?? {}) as Record<string, object>;
      const answer = await post(
        session.url,
        { method, params },
        meta["io.modelcontextprotocol/clientCapabilities"] ?? {},
      );
      return answer.error === undefined
        ? { kind: "result", result: answer.result }
        : { kind: "error", error: answer.error };
    },
  });
  const execution = await requester.callTool("plan_create_and_execute", { goal: "Count sheep" });
  expect(execution.kind).toBe("task");
  await held.begun;
  held.release();
  const { outcome } = await execution.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({
    structuredContent: { success: true, end_reason: "completed", steps_completed: 1 },
  });
  await requester.close();
});

test("a run that ends soon, and one of a client without the extension, are answered with the result", async () => {
  const held = heldTool();
  held.release();
  await using session = await connect({ tools: [held.tool], server: { taskAfterMs: 60_000 } });
  const soon = await session.send("tools/call", call("Count sheep"));
  expect(soon.result).toMatchObject({ resultType: "complete", structuredContent: { success: true } });
  await using strict = await connect({ tools: [held.tool] });
  const old = await strict.send("tools/call", call("Count sheep"), {});
  expect(old.result).toMatchObject({ resultType: "complete", structuredContent: { success: true } });
  // The SDK's own client does not declare the extension.
  const { structuredContent } = await strict.client.callTool(call("Count sheep"));
  expect(structuredContent).toMatchObject({ success: true });
});

test("a task says how far it is, and tasks/cancel stops its run", async () => {
  const held = heldTool();
  await using session = await connect({ tools: [held.tool] });
  const { result } = await session.send("tools/call", call("Count sheep"));
  expect(result).toMatchObject({ resultType: "task", status: "working", ttlMs: null, taskId: expect.any(String) });
  const { taskId } = result;
  expect((await session.send("tasks/get", { taskId })).result).toMatchObject({
    resultType: "complete",
    taskId,
    status: "working",
    statusMessage: "0 of 1 steps are completed.",
  });
  expect((await session.send("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  await expect.poll(async () => (await session.send("tasks/get", { taskId })).result.status).toBe("cancelled");
  // Once more changes nothing.
  expect((await session.send("tasks/cancel", { taskId })).error).toBeUndefined();
});

test("an approval is asked in the task, once, and the answer continues the run", async () => {
  await using session = await connect({ tools: [mail] });
  const { result } = await session.send("tools/call", call(mailGoal));
  const { taskId } = result;
  const asked = async () => (await session.send("tasks/get", { taskId })).result;
  await expect.poll(async () => (await asked()).status).toBe("input_required");
  const { inputRequests } = await asked();
  const [[key, request]] = Object.entries(inputRequests) as [[string, { method: string; params: { message: string } }]];
  expect(request).toMatchObject({
    method: "elicitation/create",
    params: { message: expect.stringMatching(/send_mail[\s\S]*ann@example\.com/) },
  });
  // An answer to what was not asked is left out.
  await session.send("tasks/update", { taskId, inputResponses: { other: { action: "accept", content: {} } } });
  expect((await asked()).status).toBe("input_required");
  const content = { approve: true, note: "fine" };
  const updated = await session.send("tasks/update", {
    taskId,
    inputResponses: { [key]: { action: "accept", content } },
  });
  expect(updated.result).toMatchObject({ resultType: "complete" });
  await expect.poll(async () => (await asked()).status).toBe("completed");
  expect((await asked()).result.structuredContent).toMatchObject({ success: true });
  const journal = await session.planloom.journal();
  expect(await journal.getAnswers(taskId)).toMatchObject([{ answer: "approve", note: "fine" }]);
});

test("a form that was closed is not shown again, and a client without forms learns who answers", async () => {
  await using session = await connect({ tools: [mail] });
  const { taskId } = (await session.send("tools/call", call(mailGoal))).result;
  const asked = async (given?: object) => (await session.send("tasks/get", { taskId }, given)).result;
  await expect.poll(async () => (await asked()).status).toBe("input_required");
  const formless = { extensions: { [tasks]: {} } };
  expect(await asked(formless)).toMatchObject({
    status: "working",
    statusMessage: expect.stringContaining(`planloom approve ${taskId}`),
  });
  const [key] = Object.keys((await asked()).inputRequests);
  // Without forms there is no person there who could have answered.
  const yes = { [key!]: { action: "accept", content: { approve: true } } };
  await session.send("tasks/update", { taskId, inputResponses: yes }, formless);
  expect((await asked()).status).toBe("input_required");
  await session.send("tasks/update", { taskId, inputResponses: { [key!]: { action: "cancel" } } });
  expect(await asked()).toMatchObject({
    status: "working",
    statusMessage: expect.stringContaining("planloom approve"),
  });
  expect((await session.planloom.runStatus(taskId)).status).toBe("waiting_approval");
});

test("a run that fails is a completed task whose result is an error", async () => {
  const broken = defineTool({
    id: "count_sheep",
    description: "Count sheep",
    input: z.object({}),
    readOnly: true,
    execute: () => Promise.reject(new Error("no sheep")),
  });
  await using session = await connect({ tools: [broken] });
  const first = (await session.send("tools/call", call("Count sheep"))).result;
  const ended = async () => (await session.send("tasks/get", { taskId: first.taskId })).result;
  await expect.poll(async () => (await ended()).status).toBe("completed");
  expect((await ended()).result).toMatchObject({ isError: true, structuredContent: { success: false } });
});

test("a task outlives its server: another one continues the run", async () => {
  const journal = memoryJournal();
  const held = heldTool();
  let taskId: string;
  {
    await using session = await connect({ tools: [held.tool], journal });
    taskId = (await session.send("tools/call", call("Count sheep"))).result.taskId;
    await held.begun;
  }
  const again = heldTool();
  again.release();
  await using session = await connect({ tools: [again.tool], journal });
  await expect
    .poll(async () => (await session.send("tasks/get", { taskId })).result, { timeout: 5_000 })
    .toMatchObject({ status: "completed", result: { structuredContent: { success: true } } });
});

test("unknown ids, runs of others, and clients without the extension are refused", async () => {
  await using session = await connect({ tools: [mail] });
  const foreign = await session.planloom.run({
    task_id: "p",
    planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "send_mail", arguments: { to: "x", text: "y" } }],
  });
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    for (const taskId of ["nope", "../../etc/passwd", "__proto__", foreign.run_id]) {
      const { error } = await session.send(method, { taskId, inputResponses: {} });
      expect(error, `${method} ${taskId}`).toMatchObject({ code: -32_602, data: { code: "RUNTIME_RUN_NOT_FOUND" } });
    }
    expect((await session.send(method, { taskId: 7 })).error).toMatchObject({ code: -32_602 });
    const { error } = await session.send(method, { taskId: foreign.run_id }, {});
    expect(error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { extensions: { [tasks]: {} } } } });
  }
});
