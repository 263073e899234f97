import path from "node:path";
import { connectMcpServers, type McpLogEntry } from "@planloom/mcp";
import { describe, expect, test, vi } from "vitest";
import { call, fixtures, mcpError } from "./support.ts";

const raw = (mode = "") => ({
  mcpServers: {
    raw: {
      command: "node",
      args: ["--disable-warning=ExperimentalWarning", path.join(fixtures, "raw-server.ts"), mode],
    },
  },
});

describe("a server that does what it should not", () => {
  test.for([
    { mode: "refuses", code: "MCP_PROTOCOL", says: "not today" },
    { mode: "nonsense", code: "MCP_PROTOCOL", says: "raw" },
    { mode: "duplicate", code: "MCP_DUPLICATE_NAME", says: "wrong" },
    { mode: "endless", code: "MCP_PROTOCOL", says: "raw" },
  ])("$mode: $code", async ({ mode, code, says }) => {
    const error = await mcpError(connectMcpServers(raw(mode)));
    expect(error.code).toBe(code);
    expect(error.message).toContain(says);
  });

  test("tools come page by page; outputs are checked here too", async () => {
    const log: McpLogEntry[] = [];
    await using connection = await connectMcpServers(raw(), { onLog: (entry) => log.push(entry) });
    expect(connection.resources).toHaveLength(11);
    const wrong = await mcpError(call(connection, "raw/wrong"));
    expect(wrong).toMatchObject({ code: "MCP_OUTPUT_INVALID", details: { server: "raw", tool: "wrong" } });
    expect(wrong.message).toContain("sum");
    expect((await mcpError(call(connection, "raw/missing"))).code).toBe("MCP_OUTPUT_INVALID");
    expect((await mcpError(call(connection, "raw/hollow"))).code).toBe("MCP_OUTPUT_INVALID");
    expect((await mcpError(call(connection, "raw/weird"))).code).toBe("MCP_PROTOCOL");
    // A pattern that would backtrack without end is decided all the same, and holds nobody.
    expect((await mcpError(call(connection, "raw/backtracks"))).code).toBe("MCP_OUTPUT_INVALID");
    // One that nobody can decide in time says nothing about the output.
    expect(await call(connection, "raw/looks-ahead")).toEqual({ a: `${"a".repeat(60)}!` });
    // Nor does a schema that cannot be read.
    expect(await call(connection, "raw/unreadable")).toEqual({ a: "x" });
    expect(log).toContainEqual(
      expect.objectContaining({ source: "client", text: expect.stringContaining("unreadable") }),
    );
  });

  test("many changes of the list are asked for together; one with two tools of a name changes nothing", async () => {
    const log: McpLogEntry[] = [];
    await using connection = await connectMcpServers(raw("changes"), { onLog: (entry) => log.push(entry) });
    const before = connection.resources;
    expect(await call(connection, "raw/weird")).toEqual({ lists: 1 });
    await vi.waitFor(() =>
      expect(log).toContainEqual(expect.objectContaining({ text: expect.stringContaining("two tools named wrong") })),
    );
    // Each call goes by the same pipe as the lists that are still to come.
    let output: unknown;
    for (let times = 0; times < 100; times++) output = await call(connection, "raw/weird");
    expect((output as { lists: number }).lists).toBeLessThanOrEqual(3);
    expect(connection.resources).toBe(before);
  });

  test("a tool that can only be called as a task is not offered, and says so", async () => {
    await using connection = await connectMcpServers(raw());
    expect(connection.resources.map(({ id }) => id)).not.toContain("raw/as-task");
    expect(connection.servers[0]?.tools).toBe(connection.resources.length);
    expect(connection.executor.unavailable?.("raw/as-task")).toContain("can only be called as an MCP task");
    const error = await mcpError(call(connection, "raw/as-task"));
    expect(error).toMatchObject({ code: "MCP_TOOL_UNSUPPORTED", retryable: false });
  });

  test.for([{ trustHints: true }, { trustHints: false }, {}])("what it claims of its tools: %o", async (trust) => {
    await using connection = await connectMcpServers({ mcpServers: { raw: { ...raw().mcpServers.raw, ...trust } } });
    const claims = connection.resources.find(({ id }) => id === "raw/claims");
    if (trust.trustHints === false) {
      expect(claims).not.toHaveProperty("read_only");
      expect(claims).not.toHaveProperty("idempotent");
    } else expect(claims).toMatchObject({ read_only: true, idempotent: true });
    // A claim that makes us more careful is believed anyway.
    expect(connection.resources.find(({ id }) => id === "raw/erases")).toMatchObject({ destructive: true });
    expect(claims).not.toHaveProperty("destructive");
  });

  test("keys of Object's own are data", async () => {
    await using connection = await connectMcpServers(raw());
    const output = await call(connection, "raw/named __proto__");
    expect(Object.keys(output as object)).toEqual(["__proto__"]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test("a flood that names no request ends the connection, and nothing else", async () => {
    await using connection = await connectMcpServers(raw(), { maxResultBytes: 100_000 });
    const error = await mcpError(call(connection, "raw/flood"));
    expect(error.code).toBe("MCP_CONNECTION_LOST");
    expect(error.message).toContain("over the limit of 100000");
    expect(await call(connection, "raw/unreadable")).toEqual({ a: "x" });
  });

  test("a server without tools has none, and nothing is printed", async () => {
    const debug = vi.spyOn(console, "debug");
    await using connection = await connectMcpServers(raw("no-tools"));
    expect(connection.resources).toEqual([]);
    expect(debug).not.toHaveBeenCalled();
  });
});
