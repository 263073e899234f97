import { trace } from "@opentelemetry/api";
import { connectMcpServers } from "@planloom/mcp";
import { openTelemetry } from "@planloom/otel";
import { createServer } from "@planloom/server";
import { defineTool, Planloom } from "planloom";
import { HttpController, openaiModel } from "planloom/controller";
import { traceHeaders, withTraceHeaders } from "planloom/plan";
import { childProcessDispatcher, inProcessDispatcher } from "planloom/runtime";
import { startChatServer } from "planloom/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stdioToolbox } from "../mcp/support.ts";
import { startControllerServer } from "../support/controller-server.ts";
import { type MemorySdk, memorySdk, type ReadableSpan } from "../support/otel-sdk.ts";
import { options as workerOptions } from "../support/traced-worker.ts";

let sdk: MemorySdk;
beforeEach(() => {
  sdk = memorySdk();
});
afterEach(() => sdk.shutdown());

const parentOf = (span: ReadableSpan): string => {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
};
const outside = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
const where = defineTool({
  id: "where",
  description: "The trace it is called in",
  readOnly: true,
  execute: () => traceHeaders(),
});
const plan = { planned_tasks: [{ task_id: "look", execution_type: "tool" as const, tool_id: "where" }] };

test("a request to a model carries the span of that call", async () => {
  await using server = await startChatServer([{ text: JSON.stringify(plan) }]);
  const model = openaiModel({ baseURL: server.baseURL, model: "small", apiKey: "k", environment: {} });
  await using planloom = new Planloom({ tools: [where], model, telemetry: openTelemetry() });
  await planloom.run("Where am I?");
  const chat = sdk.span("chat small");
  expect(server.requests[0]!.headers.traceparent).toBe(parentOf(chat));
  expect(chat.attributes["gen_ai.provider.name"]).toBe("openai");
});

test("a request to a controller behind HTTP carries the span of the question", async () => {
  const server = await startControllerServer([{ body: { success: true, data: plan } }]);
  await using planloom = new Planloom({
    tools: [where],
    controller: new HttpController({ url: server.url }),
    telemetry: openTelemetry(),
  });
  await planloom.run("Where am I?").finally(() => server.close());
  expect(server.requests[0]!.headers.traceparent).toBe(parentOf(sdk.span(/^ask_controller http/)));
});

test("a tool of an MCP server gets the span of its call in `_meta`", async () => {
  await using mcp = await connectMcpServers({ mcpServers: { box: stdioToolbox() } });
  await using planloom = new Planloom({ executors: [mcp.executor], telemetry: openTelemetry(), confirm: "never" });
  const { results } = await planloom.run({
    planned_tasks: [{ task_id: "meta", execution_type: "tool", tool_id: "box/meta" }],
  });
  expect(results[0]!.output).toMatchObject({ traceparent: parentOf(sdk.span("execute_tool box/meta")) });
});

test("a request to the server goes on in its trace, through the run to the tool", async () => {
  await using planloom = new Planloom({ tools: [where], telemetry: openTelemetry() });
  const server = createServer(planloom, {});
  await server.start();
  const response = await server.fetch(
    new Request("http://localhost/runs", {
      method: "POST",
      headers: { host: "localhost", "content-type": "application/json", ...outside },
      body: JSON.stringify({ plan, run_id: "r1" }),
    }),
  );
  expect(response.status).toBe(202);
  await expect.poll(async () => (await planloom.runStatus("r1")).status).toBe("completed");
  const request = sdk.span("POST /runs");
  expect(request.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  const [output] = await (await planloom.journal()).getTasks("r1");
  expect(output!.output).toEqual({ traceparent: parentOf(sdk.span("execute_tool where")) });
  expect(new Set(sdk.spans().map((span) => span.spanContext().traceId))).toEqual(
    new Set(["0af7651916cd43dd8448eb211c80319c"]),
  );
  await server.close();
});

test("headers in no valid form begin a trace of their own", async () => {
  await using planloom = new Planloom({ tools: [where] });
  const server = createServer(planloom, {});
  await server.start();
  const ask = (traceparent: string) =>
    server.fetch(
      new Request("http://localhost/runs", {
        method: "POST",
        headers: { host: "localhost", "content-type": "application/json", traceparent },
        body: JSON.stringify({ plan, run_id: traceparent.slice(0, 8) }),
      }),
    );
  await ask("00-zz");
  await ask(outside.traceparent);
  const outputOf = async (runId: string) => {
    await expect.poll(async () => (await planloom.runStatus(runId)).status).toBe("completed");
    return (await (await planloom.journal()).getTasks(runId))[0]!.output;
  };
  expect(await outputOf("00-zz")).toEqual({});
  // Without telemetry a trace passes through unchanged.
  expect(await outputOf("00-0af76")).toEqual(outside);
  await server.close();
});

test("a worker process does its work within the span of its subgraph", async () => {
  const workers = childProcessDispatcher({
    module: new URL("../support/traced-worker.ts", import.meta.url),
    keepWorkers: 1,
  });
  await using planloom = new Planloom({ ...workerOptions, telemetry: openTelemetry(), dispatch: { to: workers } });
  const { results } = await planloom.run(plan).finally(() => workers.close());
  const output = results[0]!.output as { pid: number };
  const subgraph = sdk.span(/^subgraph/);
  expect(output).toMatchObject({ traceparent: parentOf(subgraph) });
  expect(output.pid).not.toBe(process.pid);
  expect(sdk.tree()).toContain(`task look < ${subgraph.name}`);
  expect(subgraph.attributes["planloom.dispatcher"]).toBe("child-process");
});

test("a subgraph in this process has its tasks within it", async () => {
  await using planloom = new Planloom({
    tools: [where],
    telemetry: openTelemetry(),
    dispatch: { to: inProcessDispatcher() },
  });
  await planloom.run(plan);
  const subgraph = sdk.span(/^subgraph/);
  expect(sdk.tree()).toContain(`task look < ${subgraph.name}`);
  expect(sdk.tree()).toContain("execute_tool where < task look");
});

test("a run is begun in the trace of its caller, active span or headers", async () => {
  await using planloom = new Planloom({ tools: [where], telemetry: openTelemetry() });
  await withTraceHeaders(outside, () => planloom.run(plan));
  expect(sdk.span("invoke_workflow run").parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  await trace.getTracer("app").startActiveSpan("job", async (span) => {
    await planloom.run(plan);
    span.end();
  });
  expect(sdk.tree()).toContain("invoke_workflow run < job");
});

test("runs at once do not get into one another's traces, also where one waits for a slot of the other", async () => {
  const slow = defineTool({
    id: "where",
    description: "The trace it is called in",
    readOnly: true,
    async execute() {
      await new Promise((resolve) => setImmediate(resolve));
      return traceHeaders();
    },
  });
  await using planloom = new Planloom({ tools: [slow], telemetry: openTelemetry(), concurrency: 1 });
  const several = {
    planned_tasks: ["a", "b", "c"].map((task_id) => ({ task_id, execution_type: "tool" as const, tool_id: "where" })),
  };
  const runs = await Promise.all([1, 2, 3].map(() => planloom.run(several)));
  for (const { run_id } of runs) {
    const own = sdk.spans().filter(({ attributes }) => attributes["planloom.run.id"] === run_id);
    expect(new Set(own.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(own.filter(({ name }) => name.startsWith("execute_tool"))).toHaveLength(3);
  }
  expect(sdk.tree().filter((line) => line.includes("elsewhere"))).toEqual([]);
});
