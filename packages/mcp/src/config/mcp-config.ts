import { z } from "zod";

/** Names become the first half of tool ids (`server/tool`), so no slash; and never a name that `Object.prototype` owns. */
const serverName = /^[^\s/\p{Cc}](?:[^/\p{Cc}]{0,62}[^\s/\p{Cc}])?$/u;

export const isServerName = (name: string): boolean => serverName.test(name) && !(name in Object.prototype);

const common = {
  /** Listed but not started. */
  disabled: z.boolean().default(false),
  /** May fail to connect without failing the others. */
  optional: z.boolean().default(false),
  /** Whether `readOnlyHint` and `idempotentHint` of its tools are believed. */
  trustHints: z.boolean().default(true),
};

/** A server started as a child process that speaks over its stdin and stdout. Values expand `${NAME}` and `${NAME:-default}`. */
export const StdioServerConfig = z.looseObject({
  type: z.literal("stdio").optional(),
  /** A bare `node` runs on the Node.js that runs Planloom. */
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Added to a small set of inherited variables. */
  env: z.record(z.string(), z.string()).default({}),
  /** @default the folder of the configuration file; a relative one starts there */
  cwd: z.string().min(1).optional(),
  ...common,
});

/** A server reached over streamable HTTP. Values expand `${NAME}` and `${NAME:-default}`. */
export const HttpServerConfig = z.looseObject({
  type: z.enum(["http", "streamable-http", "streamableHttp"]).optional(),
  /** http or https. */
  url: z.string().min(1),
  /** Sent with every request. */
  headers: z.record(z.string(), z.string()).default({}),
  ...common,
});

export const McpServerConfig = z.union([StdioServerConfig, HttpServerConfig]);

/** The `mcpServers` map as other MCP hosts have it. Keys of theirs that mean nothing here are ignored. */
export const McpConfig = z.looseObject({ mcpServers: z.record(z.string(), McpServerConfig) });
export type McpConfig = z.infer<typeof McpConfig>;

/** What may be written for one server; parsed like a file. */
export type McpServerInput =
  | {
      readonly type?: "stdio";
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
      readonly disabled?: boolean;
      readonly optional?: boolean;
      readonly trustHints?: boolean;
    }
  | {
      readonly type?: "http" | "streamable-http" | "streamableHttp";
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly disabled?: boolean;
      readonly optional?: boolean;
      readonly trustHints?: boolean;
    };
export interface McpConfigInput {
  readonly mcpServers: Readonly<Record<string, McpServerInput>>;
}
