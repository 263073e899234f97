// An MCP server over stdio with one slow tool. It ignores SIGTERM and the end of its input; PIDS is the file its process id is added to.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

process.on("SIGTERM", () => {});
setInterval(() => {}, 1_000);
appendFileSync(process.env.PIDS, `${process.pid}\n`);
const reply = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "slow", version: "1" };
    reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") {
    reply(id, { tools: [{ name: "wait", description: "Waits a minute", inputSchema: { type: "object" } }] });
  } else if (method === "tools/call") {
    setTimeout(() => reply(id, { content: [{ type: "text", text: "done" }] }), 60_000);
  } else if (id !== undefined) reply(id, {});
});
