import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectMcpServers, type McpLogEntry } from "@planloom/mcp";
import { describe, expect, test } from "vitest";
import { EventSize } from "../../packages/mcp/src/transport/event-size.ts";
import { startFloodServer } from "./fixtures/flood-server.ts";
import { call, fixtures, mcpError } from "./support.ts";

const maxResultBytes = 200_000;
const connect = (url: string, log: McpLogEntry[] = []) =>
  connectMcpServers({ mcpServers: { web: { url } } }, { maxResultBytes, onLog: (entry) => log.push(entry) });

/** Pipes and sockets hold some of what a flood sent; nobody has read it. */
const inTransit = 8_000_000;

describe("a server over HTTP that never ends", () => {
  test("one line of its standing stream: that stream is read no further, and calls go on", async () => {
    const server = await startFloodServer({ standing: "line" });
    const log: McpLogEntry[] = [];
    try {
      await using connection = await connect(server.url, log);
      await expect.poll(() => log.map(({ text }) => text).join("\n")).toContain("over the limit of 200000");
      // Real time: a server that is still read would send more in it.
      await delay(50);
      expect(server.sent()).toBeLessThan(maxResultBytes + inTransit);
      expect(await call(connection, "web/t")).toBe("ok");
      expect(server.streams()).toBe(1);
    } finally {
      await server.close();
    }
  });

  test.for([{ standing: "events" as const }, { standing: "junk" as const }])(
    "$standing of its standing stream: it has to wait, and calls go on",
    async ({ standing }) => {
      const server = await startFloodServer({ standing });
      const log: McpLogEntry[] = [];
      try {
        await using connection = await connect(server.url, log);
        await expect.poll(() => log.length).toBeGreaterThan(100);
        const before = log.length;
        const began = performance.now();
        for (let times = 0; times < 20; times++) expect(await call(connection, "web/t")).toBe("ok");
        // Real time: it is measured how much of a flood is taken in it.
        await delay(300);
        // Within the second nothing more is taken; unlimited, it is some 50,000 in 300 ms. A busy machine takes several seconds.
        const seconds = Math.ceil((performance.now() - began) / 1_000);
        expect(log.length - before).toBeLessThan(12_000 * (seconds + 1));
        expect(server.sent()).toBeLessThan(20_000_000 * (seconds + 1));
      } finally {
        await server.close();
      }
    },
  );

  test("a standing stream that ends at once is not asked for again each millisecond", async () => {
    const server = await startFloodServer({ standing: "ends at once" });
    try {
      await using connection = await connect(server.url);
      // Real time: a client that asks again would do so in it.
      await delay(300);
      expect(await call(connection, "web/t")).toBe("ok");
      expect(server.streams()).toBe(1);
    } finally {
      await server.close();
    }
  });

  test.for([
    { flood: "line" as const, status: 200 },
    { flood: "events" as const, status: 200 },
    { flood: "body" as const, status: 200 },
    { flood: "body" as const, status: 500 },
    { flood: "body" as const, status: 307 },
  ])("the answer to a call, $flood with status $status", async ({ flood, status }) => {
    const server = await startFloodServer({ call: flood, status });
    try {
      await using connection = await connect(server.url);
      expect((await mcpError(call(connection, "web/t"))).code).toBe("MCP_RESULT_TOO_LARGE");
      // Real time: a server that is still read would send more in it.
      await delay(50);
      // Up to 20 redirects within the origin are followed, each with a body that ends at the limit.
      expect(server.sent()).toBeLessThan((maxResultBytes + inTransit) * (status === 307 ? 21 : 1));
    } finally {
      await server.close();
    }
  });
});

test("an event's size is counted up to its empty line, however lines end and chunks are cut", () => {
  const text = ": ping\r\n\r\ndata: one\ndata: two\n\ndata: three\r\rdata: and so on";
  for (let size = 1; size <= text.length; size++) {
    const event = new EventSize();
    let ended = 0;
    let last = 0;
    for (let at = 0; at < text.length; at += size) {
      const pushed = event.push(Buffer.from(text.slice(at, at + size)));
      ended += pushed.ended;
      last = pushed.largest;
    }
    expect(ended).toBe(3);
    if (size === 1) expect(last).toBe("data: and so on".length);
  }
});

describe("a server over stdio that never ends", () => {
  test.for([
    { flood: "stdout-line", says: "over the limit of 200000" },
    { flood: "stdout-junk", says: "not a protocol message" },
    { flood: "stderr-line", says: "" },
    { flood: "stderr-lines", says: "eeee" },
  ])("$flood", async ({ flood, says }) => {
    const log: McpLogEntry[] = [];
    const before = process.memoryUsage().rss;
    const args = [path.join(fixtures, "flood-stdio.mjs"), flood];
    await using connection = await connectMcpServers(
      { mcpServers: { pipe: { command: "node", args } } },
      { maxResultBytes, onLog: (entry) => log.push(entry) },
    );
    // The call on the line that never ends fails by itself, on a busy machine later.
    const stop = AbortSignal.timeout(flood === "stdout-line" ? 20_000 : 700);
    const work = mcpError(call(connection, "pipe/t", {}, stop)).catch((error: unknown) => error);
    await work;
    // Real time: a pipe that is still read would fill the memory in it.
    await delay(300);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    expect(log.length).toBeLessThan(60_000);
    const said = log.map(({ text }) => text).join("\n");
    if (flood === "stdout-line") await expect(work).resolves.toMatchObject({ code: "MCP_CONNECTION_LOST" });
    else expect(said).toContain(says);
  });
});
