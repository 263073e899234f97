import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** An MCP server over stdio that lists the tools of a saved catalogue and calls none: `node wild-server.ts CATALOGUE.json`. */
const catalogue = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as { name: string; tools: unknown[] };

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const { id, method, params } = JSON.parse(line) as {
    id?: unknown;
    method: string;
    params?: { protocolVersion?: string };
  };
  if (id === undefined) continue;
  const result =
    method === "initialize"
      ? {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: catalogue.name, version: "1" },
        }
      : method === "tools/list"
        ? { tools: catalogue.tools }
        : { content: [{ type: "text", text: "This server only lists its tools." }] };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
