import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freightServer } from "../../examples/freight/src/freight-server.ts";
import { startHttpServer } from "../mcp/fixtures/http-server.ts";

/**
 * The server of the freight example in this process, over HTTP, for commands that need its tools and no process of theirs.
 * @param home whose folder gets the configuration
 * @returns the path of the configuration, and what ends the server
 */
export async function freightHere(home: { readonly path: string; readonly env: Readonly<Record<string, string>> }) {
  const server = await startHttpServer({ server: freightServer(home.env) });
  const mcp = join(home.path, "freight-here.json");
  await writeFile(mcp, JSON.stringify({ mcpServers: { freight: { url: server.url } } }));
  return { mcp, close: server.close };
}
