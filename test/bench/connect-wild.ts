import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectMcpServers } from "@planloom/mcp";
import type { WildData } from "./wild-data.ts";

// A server that starts again reads its file again, so they stay for as long as this process.
const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Serves the servers of a catalogue over stdio and connects to them, so that the whole path from a server to a resource counts. */
export function connectCatalogue(data: WildData, catalogue: string): ReturnType<typeof connectMcpServers> {
  const folder = mkdtempSync(join(tmpdir(), "planloom-wild-"));
  folders.push(folder);
  const mcpServers = Object.fromEntries(
    data.serversOf(catalogue).map((name) => {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(data.servers[name]));
      return [name, { command: process.execPath, args: [join(import.meta.dirname, "wild-server.ts"), file] }];
    }),
  );
  return connectMcpServers({ mcpServers });
}
