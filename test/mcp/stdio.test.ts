import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectMcpServers, type McpConnection, type McpLogEntry } from "@planloom/mcp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, context, isRunning, mcpError, stdioToolbox } from "./support.ts";

describe("a server over stdio", () => {
  let connection: McpConnection;
  const log: McpLogEntry[] = [];
  beforeAll(async () => {
    connection = await connectMcpServers(
      { mcpServers: { box: stdioToolbox() } },
      { onLog: (entry) => log.push(entry), maxResultBytes: 200_000, callTimeoutMs: 5_000 },
    );
  });
  afterAll(() => connection.close());

  test("offers its tools as resources", () => {
    const add = connection.resources.find(({ id }) => id === "box/add");
    expect(add).toMatchObject({
      kind: "tool",
      name: "add",
      description: "Adds.",
      tags: ["box"],
      sub_type: "tool",
      protocol_type: "mcp",
      read_only: true,
      idempotent: true,
      output_schema: { type: "object", required: ["sum"] },
    });
    expect(connection.executor.kind).toBe("tool");
    expect(connection.executor.resources()).toBe(connection.resources);
    expect(connection.servers).toEqual([{ name: "box", connected: true, tools: connection.resources.length }]);
    expect(connection.resources.find(({ id }) => id === "box/slow")).not.toHaveProperty("read_only");
  });

  test("a list travels wrapped and arrives as itself, schema and value", async () => {
    const range = connection.resources.find(({ id }) => id === "box/range");
    expect(range?.output_schema).toMatchObject({ type: "array", items: { type: "integer" } });
    expect(await call(connection, "box/range", { to: 3 })).toEqual([0, 1, 2]);
  });

  test.for<{ tool: string; input?: Record<string, unknown>; output: unknown }>([
    { tool: "add", input: { a: 1, b: 2 }, output: { sum: 3 } },
    { tool: "json_text", output: { rows: [1, 2] } },
    { tool: "plain_text", output: "one\ntwo" },
    { tool: "postcode", output: "01067" },
    { tool: "nothing", output: null },
    {
      tool: "picture",
      output: [
        { type: "text", text: "a dot" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    },
  ])("$tool gives its output", async ({ tool, input, output }) => {
    expect(await call(connection, `box/${tool}`, input)).toEqual(output);
  });

  test.for([
    { tool: "fails", code: "MCP_TOOL_FAILED", message: "box/fails failed: the shelf is empty" },
    { tool: "throws", code: "MCP_TOOL_FAILED", message: "a screw is loose" },
    { tool: "breaks_schema", code: "MCP_TOOL_FAILED", message: "sum" },
    { tool: "gone", code: "MCP_UNKNOWN_TOOL", message: "box/gone" },
  ])("$tool fails as $code", async ({ tool, code, message }) => {
    const error = await mcpError(call(connection, `box/${tool}`));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  test("input the tool does not take is its error, not a crash", async () => {
    const error = await mcpError(call(connection, "box/add", { a: "one" }));
    expect(error.code).toBe("MCP_TOOL_FAILED");
    expect(error.message).toContain("box/add");
  });

  test("a result over the limit fails its call alone", async () => {
    const [big, small] = await Promise.all([
      mcpError(call(connection, "box/big", { bytes: 300_000 })),
      call(connection, "box/add", { a: 2, b: 2 }),
    ]);
    expect(big.code).toBe("MCP_RESULT_TOO_LARGE");
    expect(small).toEqual({ sum: 4 });
    expect(await call(connection, "box/big", { bytes: 100_000 })).toHaveLength(100_000);
  });

  test("an abort rejects with its own reason and at once", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const slow = call(connection, "box/slow", { ms: 600_000 }, controller.signal);
    // Real time: the call has to reach the other process before.
    setTimeout(() => controller.abort(reason), 30);
    await expect(slow).rejects.toBe(reason);
    await expect(call(connection, "box/add", { a: 1, b: 1 }, controller.signal)).rejects.toBe(reason);
  });

  test("progress reaches the caller", async () => {
    const seen: unknown[] = [];
    const uid = "box/progress";
    let heard: Promise<unknown> | undefined;
    await connection.executor.execute(
      { uid, input_data: {} },
      context(undefined, (value) => {
        seen.push(value);
        heard = call(connection, "box/heard");
      }),
    );
    await heard;
    expect(seen).toEqual([expect.objectContaining({ progress: 1, total: 2 })]);
  });

  test("200 calls at once each get their own answer", async () => {
    const inputs = Array.from({ length: 200 }, (_, index) => index);
    const outputs = await Promise.all(inputs.map((a) => call(connection, "box/add", { a, b: 1 })));
    expect(outputs).toEqual(inputs.map((a) => ({ sum: a + 1 })));
  });

  test("stderr goes to the log, without terminal codes", () => {
    expect(log).toContainEqual({ server: "box", source: "stderr", level: "info", text: "toolbox is starting" });
  });
});

test("at most maxConcurrency calls are with a server at once", async () => {
  await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox() } }, { maxConcurrency: 2 });
  const started = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => call(connection, "box/slow", { ms: 60 })));
  expect(performance.now() - started).toBeGreaterThanOrEqual(3 * 60 - 5);
});

test("a call over callTimeoutMs fails, and the server stays usable", async () => {
  await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox() } }, { callTimeoutMs: 100 });
  const error = await mcpError(call(connection, "box/slow", { ms: 10_000 }));
  expect(error).toMatchObject({
    code: "MCP_TIMEOUT",
    outcome: "unknown",
    message: "box/slow gave no result within 100 ms.",
  });
  expect(await call(connection, "box/add", { a: 1, b: 1 })).toEqual({ sum: 2 });
});

test("a limit above 24 days is long", async () => {
  const long = { callTimeoutMs: 2 ** 33, timeoutMs: 2 ** 33 };
  await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox() } }, long);
  // Real time: a limit that is over at once ends the call before its server answers.
  expect(await call(connection, "box/slow", { ms: 50 })).toBeDefined();
});

test("a list of tools that changes is followed, and is the same object until then", async () => {
  await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox() } });
  const before = connection.resources;
  expect(before.some(({ id }) => id === "box/later")).toBe(false);
  expect(connection.executor.resources()).toBe(before);
  expect(await call(connection, "box/enable_later")).toBe("enabled");
  await expect.poll(() => connection.resources.some(({ id }) => id === "box/later"), { timeout: 10_000 }).toBe(true);
  expect(connection.resources.filter(({ id }) => id !== "box/later")).toEqual(before);
  expect(await call(connection, "box/later")).toBe("late");
});

test("a server that does not come up again has no tools", async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), "mcp-"));
  const mark = path.join(folder.path, "mark");
  await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox(`once:${mark}`) } });
  expect(connection.resources.length).toBeGreaterThan(0);
  await mcpError(call(connection, "box/crash"));
  await mcpError(call(connection, "box/add", { a: 1, b: 2 }));
  expect(connection.resources).toEqual([]);
});

test("a crash fails the calls in flight; the next call starts the server again", async () => {
  await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox() } });
  const [crash, bystander] = await Promise.all([
    mcpError(call(connection, "box/crash")),
    mcpError(call(connection, "box/slow", { ms: 10_000 })),
  ]);
  // Nobody knows what the server did before.
  expect([crash.code, crash.outcome]).toEqual(["MCP_CONNECTION_LOST", "unknown"]);
  expect(crash.message).toContain("code 7");
  expect(crash.message).toContain("something is about to break");
  expect(crash.details).toMatchObject({ server: "box", tool: "crash", exit: "code 7" });
  expect(bystander.code).toBe("MCP_CONNECTION_LOST");
  const again = await Promise.all([call(connection, "box/pid"), call(connection, "box/pid")]);
  expect(again[0]).toEqual(again[1]);
});

test("a server of the newest protocol revision alone is understood", async () => {
  await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox("modern-only") } });
  expect(connection.resources.find(({ id }) => id === "box/range")?.output_schema).toMatchObject({ type: "array" });
  expect(await call(connection, "box/range", { to: 2 })).toEqual([0, 1]);
  expect(await call(connection, "box/add", { a: 1, b: 2 })).toEqual({ sum: 3 });
});

test("words on stdout that are no messages go to the log", async () => {
  const log: McpLogEntry[] = [];
  await using connection = await connectMcpServers(
    { mcpServers: { box: stdioToolbox("noisy") } },
    { onLog: (entry) => log.push(entry) },
  );
  expect(await call(connection, "box/add", { a: 1, b: 2 })).toEqual({ sum: 3 });
  expect(log).toContainEqual(
    expect.objectContaining({ source: "client", text: expect.stringContaining("not a protocol") }),
  );
});

test("close ends the server, calls after it fail", async () => {
  const connection = await connectMcpServers({ mcpServers: { box: stdioToolbox() } });
  const { pid } = (await call(connection, "box/pid")) as { pid: number };
  const inFlight = mcpError(call(connection, "box/slow", { ms: 10_000 }));
  await connection.close();
  expect(isRunning(pid)).toBe(false);
  expect((await inFlight).code).toBe("MCP_CLOSED");
  expect(await mcpError(call(connection, "box/add"))).toMatchObject({ code: "MCP_CLOSED", retryable: false });
  await connection.close();
});

test("a server that ignores SIGTERM is killed after the grace", async () => {
  const connection = await connectMcpServers({ mcpServers: { box: stdioToolbox("stubborn") } }, { closeGraceMs: 100 });
  const { pid } = (await call(connection, "box/pid")) as { pid: number };
  const started = performance.now();
  await connection.close();
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(isRunning(pid)).toBe(false);
});

// What left the group is found in /proc.
const modes = ["helper", ...(process.platform === "linux" ? ["session", "daemon"] : [])];
test.for(modes)("what a server started ends with it: %s", async (mode) => {
  const log: McpLogEntry[] = [];
  const connection = await connectMcpServers(
    { mcpServers: { box: stdioToolbox(mode) } },
    { onLog: (entry) => log.push(entry) },
  );
  const helperOf = () => Number(/helper (\d+)/.exec(log.map(({ text }) => text).join("\n"))?.[1]);
  await expect.poll(helperOf).toBeGreaterThan(0);
  const helper = helperOf();
  expect(isRunning(helper)).toBe(true);
  await connection.close();
  await expect.poll(() => isRunning(helper), { timeout: 2_000 }).toBe(false);
});
