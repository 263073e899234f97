import path from "node:path";
import { isRecord, readFileWithin } from "@planloom/plan";
import { McpError, McpErrorCode } from "../errors.ts";
import { findDuplicateKey } from "./duplicate-key.ts";
import type { McpConfigInput } from "./mcp-config.ts";
import { type Environment, readConfig, type ServerSettings } from "./read-config.ts";

const maxBytes = 1024 * 1024;

/**
 * Servers of a configuration given as a value or as a JSON file. Relative folders start at the file's folder; for a
 * value at `folder`, by default the current one.
 * @throws McpError CONFIG, CONFIG_JSON, CONFIG_FILE, DUPLICATE_NAME
 */
export async function loadConfig(
  config: McpConfigInput | string,
  options: { environment: Environment; folder?: string | undefined; signal?: AbortSignal | undefined },
): Promise<ServerSettings[]> {
  if (typeof config !== "string") {
    return readConfig(config, {
      folder: path.resolve(options.folder ?? "."),
      environment: options.environment,
      source: "value",
    });
  }
  const file = path.resolve(config);
  const text = await readText(file, options.signal);
  const value = parseJson(text, file);
  const duplicate = isRecord(value) ? findDuplicateKey(text, ["mcpServers"]) : undefined;
  if (duplicate) {
    throw new McpError(
      McpErrorCode.DUPLICATE_NAME,
      `Two servers are named "${duplicate.key}" in ${file}, the second on line ${duplicate.line}. Rename one of them.`,
      { details: { file, duplicate: duplicate.key, line: duplicate.line } },
    );
  }
  return readConfig(value, { folder: path.dirname(file), environment: options.environment, source: file });
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "There is no such file"],
  ["EISDIR", "It is a folder"],
  ["ERR_ENCODING_INVALID_ENCODED_DATA", "It is not UTF-8 text"],
]);

async function readText(file: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    const bytes = await readFileWithin(file, maxBytes, signal);
    if (typeof bytes === "number") {
      throw new McpError(
        McpErrorCode.CONFIG_FILE,
        `Expected an MCP configuration of at most ${maxBytes} bytes, ${file} has ${bytes} or more.`,
        {
          details: { file, bytes, maxBytes },
        },
      );
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof McpError) throw cause;
    if (signal?.aborted) throw signal.reason;
    const code = isRecord(cause) || cause instanceof Error ? Reflect.get(cause, "code") : undefined;
    const why = reasons.get(String(code)) ?? String(code ?? cause);
    throw new McpError(
      McpErrorCode.CONFIG_FILE,
      `Cannot read the MCP configuration ${file}. ${why}. Give the path of a JSON file with an \`mcpServers\` map.`,
      { details: { file }, cause },
    );
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const place = /line (\d+) column (\d+)/.exec(message);
    const lines = text.split("\n");
    const line = place ? Number(place[1]) : lines.length;
    const column = place ? Number(place[2]) : (lines.at(-1)?.length ?? 0) + 1;
    const reason = message.replace(/ in JSON at position.*$/s, "").replace(/, (?:\.\.\.)?".*" is not valid JSON$/s, "");
    throw new McpError(McpErrorCode.CONFIG_JSON, `${file} is not JSON: ${reason} (line ${line}, column ${column}).`, {
      details: { file, line, column },
      cause,
    });
  }
}
