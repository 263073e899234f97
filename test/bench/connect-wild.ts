import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectMcpServers } from "@planloom/mcp";
import type { WildData } from "./wild-data.ts";

/** Serves the servers of a catalogue over stdio and connects to them, so that the whole path from a server to a resource counts. */
export function connectCatalogue(data: WildData, catalogue: string): ReturnType<typeof connectMcpServers> {
  const folder = mkdtempSync(join(tmpdir(), "planloom-wild-"));
  // A server that starts again reads its file again.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const mcpServers = Object.fromEntries(
    data.serversOf(catalogue).map((name) => {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(data.servers[name]));
      return [name, { command: process.execPath, args: [join(import.meta.dirname, "wild-server.ts"), file] }];
    }),
  );
  return connectMcpServers({ mcpServers });
}
