import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { connectMcpServers } from "@planloom/mcp";
import { describe, expect, test } from "vitest";
import { startHttpServer } from "./fixtures/http-server.ts";
import { startSessionServer } from "./fixtures/session-server.ts";
import { call, mcpError } from "./support.ts";

const http = (url: string, more: Record<string, unknown> = {}) => ({ mcpServers: { web: { url, ...more } } });

describe("a server over streamable HTTP", () => {
  test.for([{ legacy: "stateless" as const }, { legacy: "reject" as const }])(
    "gives tools and outputs, 2025 handshake: $legacy",
    async ({ legacy }) => {
      const server = await startHttpServer({ legacy });
      try {
        await using connection = await connectMcpServers(http(server.url), { maxResultBytes: 200_000 });
        expect(await call(connection, "web/add", { a: 1, b: 2 })).toEqual({ sum: 3 });
        expect(await call(connection, "web/range", { to: 2 })).toEqual([0, 1]);
        expect((await mcpError(call(connection, "web/fails"))).code).toBe("MCP_TOOL_FAILED");
        const big = await mcpError(call(connection, "web/big", { bytes: 300_000 }));
        expect(big.code).toBe("MCP_RESULT_TOO_LARGE");
        const reason = new Error("enough");
        await expect(call(connection, "web/slow", { ms: 5_000 }, abortAfter(30, reason))).rejects.toBe(reason);
        const many = await Promise.all(Array.from({ length: 200 }, (_, a) => call(connection, "web/add", { a, b: 0 })));
        expect(many).toEqual(Array.from({ length: 200 }, (_, sum) => ({ sum })));
      } finally {
        await server.close();
      }
    },
  );

  test("headers carry credentials from the environment", async () => {
    const server = await startHttpServer({ token: "s3cret" });
    try {
      const config = http(server.url, { headers: { Authorization: "Bearer ${TOOLBOX_TOKEN}" } });
      await using connection = await connectMcpServers(config, { env: { TOOLBOX_TOKEN: "s3cret" } });
      expect(await call(connection, "web/add", { a: 1, b: 2 })).toEqual({ sum: 3 });
      const refused = await mcpError(connectMcpServers(config, { env: { TOOLBOX_TOKEN: "guess" } }));
      expect(refused.code).toBe("MCP_AUTH");
      expect(refused.message).toContain("headers");
      expect(refused.message).not.toContain("guess");
    } finally {
      await server.close();
    }
  });

  test("credentials do not follow a redirect to another server", async () => {
    const seen: unknown[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers);
      response.writeHead(500).end();
    });
    const first = await listen((_, response) => response.writeHead(307, { location: `${other.url}/mcp` }).end());
    try {
      const headers = { Authorization: "Bearer s3cret", "X-Api-Key": "s3cret" };
      const error = await mcpError(connectMcpServers(http(`${first.url}/mcp`, { headers })));
      expect(error.code).toBe("MCP_UNREACHABLE");
      expect(seen).toEqual([]);
    } finally {
      await Promise.all([first.close(), other.close()]);
    }
  });

  test("a server that goes away fails the call", async () => {
    const server = await startHttpServer();
    await using connection = await connectMcpServers(http(server.url));
    await server.close();
    const error = await mcpError(call(connection, "web/add", { a: 1, b: 2 }));
    expect(error.code).toBe("MCP_CONNECTION_LOST");
    expect(error.message).toContain("Nothing answers");
  });

  test("nobody listens", async () => {
    const server = await startHttpServer();
    await server.close();
    const config = http("${BASE}?key=s3cret");
    const error = await mcpError(connectMcpServers(config, { env: { BASE: server.url } }));
    expect(error.code).toBe("MCP_UNREACHABLE");
    expect(error.message).toContain(server.url);
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain("s3cret");
  });

  test("the path is wrong", async () => {
    const { createServer } = await import("node:http");
    const server = createServer((_request, response) => response.writeHead(404).end("not here"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = (server.address() as { port: number }).port;
    const error = await mcpError(connectMcpServers(http(`http://127.0.0.1:${port}/mpc`)));
    expect(error).toMatchObject({ code: "MCP_UNREACHABLE", details: { status: 404 } });
    server.close();
  });
});

function abortAfter(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}

test("a session is ended with the connection, and renewed when the server forgot it", async () => {
  const server = await startSessionServer();
  try {
    const connection = await connectMcpServers(http(server.url));
    expect(await call(connection, "web/add", { a: 1, b: 2 })).toEqual({ sum: 3 });
    expect(server.opened()).toBe(1);
    server.forget();
    const sums = await Promise.all([1, 2, 3].map((a) => call(connection, "web/add", { a, b: 0 })));
    expect(sums).toEqual([{ sum: 1 }, { sum: 2 }, { sum: 3 }]);
    expect(server.opened()).toBe(2);
    await connection.close();
    expect(server.living()).toBe(0);
  } finally {
    await server.close();
  }
});

async function listen(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
