import path from "node:path";
import { isRecord } from "@planloom/plan";
import type { z } from "zod";
import { McpError, McpErrorCode } from "../errors.ts";
import { expandEnvironment } from "./expand-environment.ts";
import { HttpServerConfig, isServerName, StdioServerConfig } from "./mcp-config.ts";
import { ignoredKeys, misspeltKey } from "./unknown-keys.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface CommonSettings {
  readonly name: string;
  readonly optional: boolean;
  readonly trustHints: boolean;
  /** Values that came from variables or are in headers; they appear in no error and no log. */
  readonly secrets: readonly string[];
  /** Keys of the file that nothing reads. */
  readonly ignored: readonly string[];
}
export interface StdioSettings extends CommonSettings {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}
export interface HttpSettings extends CommonSettings {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** One server, ready to be connected: checked, variables expanded, paths absolute. */
export type ServerSettings = StdioSettings | HttpSettings;

/** What a server inherits; anything else (keys above all) must be named in its `env`. */
const inherited =
  process.platform === "win32"
    ? "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR"
    : "HOME LANG LC_ALL LOGNAME PATH SHELL TERM TMPDIR TZ USER";

const inheritedNames = new Set(inherited.split(" "));

function inheritedEnvironment(environment: Environment): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && inheritedNames.has(process.platform === "win32" ? entry[0].toUpperCase() : entry[0]),
  );
  return Object.fromEntries(entries);
}

interface ReadOptions {
  /** Where relative folders start, and the default working folder. */
  readonly folder: string;
  readonly environment: Environment;
  /** For messages: the file, or what else the value came from. */
  readonly source: string;
}

/**
 * Checks an `mcpServers` map and returns the servers that are not disabled, in the order written.
 * @throws McpError CONFIG with every issue found
 */
export function readConfig(value: unknown, options: ReadOptions): ServerSettings[] {
  const issues: { path: string; message: string }[] = [];
  const servers: ServerSettings[] = [];
  const map = isRecord(value) && Object.hasOwn(value, "mcpServers") ? value.mcpServers : undefined;
  if (!isRecord(map))
    issues.push({ path: "mcpServers", message: `Expected an object of servers, got ${describe(value, map)}` });
  else
    for (const [name, raw] of Object.entries(map)) {
      const read = readServer(name, raw, options);
      if (Array.isArray(read)) issues.push(...read);
      else if (read) servers.push(read);
    }
  if (issues.length === 0) return servers;
  const lines = issues.map((issue) => `  ${issue.path}: ${issue.message}`);
  throw new McpError(
    McpErrorCode.CONFIG,
    `The MCP configuration ${options.source} is not usable:\n${lines.join("\n")}\n` +
      'Expected {"mcpServers": {"name": {"command": "…", "args": […]}}} or {"url": "https://…"} for a server.',
    { details: { source: options.source, issues } },
  );
}

function describe(value: unknown, map: unknown): string {
  if (map !== undefined) return kindOf(map);
  if (!isRecord(value)) return kindOf(value);
  const keys = Object.keys(value).slice(0, 5);
  return keys.length === 0 ? "an object without keys" : `an object with only the keys ${keys.join(", ")}`;
}

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

type ConfigIssue = { path: string; message: string };

function readServer(name: string, raw: unknown, options: ReadOptions): ServerSettings | ConfigIssue[] | undefined {
  const at = `mcpServers.${name}`;
  const issue = (message: string, path = at): ConfigIssue[] => [{ path, message }];
  if (!isServerName(name)) {
    return issue(
      "Expected a name of 1 to 64 characters without slashes and control characters, and not one of Object's own",
    );
  }
  if (!isRecord(raw)) return issue(`Expected an object, got ${kindOf(raw)}`);
  const misspelt = misspeltKey(raw);
  if (misspelt !== undefined) return issue(`Unknown key, did you mean \`${misspelt.meant}\`?`, `${at}.${misspelt.key}`);
  const hasCommand = Object.hasOwn(raw, "command");
  const hasUrl = Object.hasOwn(raw, "url");
  if (raw.type === "sse") return issue("The SSE transport is not supported; use the server's streamable HTTP URL");
  if (hasCommand === hasUrl) {
    return issue(
      hasCommand ? "Expected either `command` or `url`, got both" : "Expected `command` (stdio) or `url` (HTTP)",
    );
  }
  const expansion = new Expansion(options.environment);
  if (hasCommand) {
    const parsed = StdioServerConfig.safeParse(raw);
    if (!parsed.success) return schemaIssues(at, parsed.error);
    if (parsed.data.disabled) return undefined;
    return expansion.checked({
      ...stdioSettings(name, parsed.data, options, expansion, at),
      ignored: ignoredKeys(raw),
    });
  }
  const parsed = HttpServerConfig.safeParse(raw);
  if (!parsed.success) return schemaIssues(at, parsed.error);
  if (parsed.data.disabled) return undefined;
  const headers = expansion.record(parsed.data.headers, `${at}.headers`);
  const url = expansion.text(parsed.data.url, `${at}.url`);
  expansion.requireHttp(url, `${at}.url`);
  const secrets = [...expansion.secrets, ...headerSecrets(headers), ...urlSecrets(url)];
  const { optional, trustHints } = parsed.data;
  const ignored = ignoredKeys(raw);
  return expansion.checked({ kind: "http", name, optional, trustHints, secrets, ignored, url, headers });
}

function stdioSettings(
  name: string,
  config: z.infer<typeof StdioServerConfig>,
  options: ReadOptions,
  expansion: Expansion,
  at: string,
): Omit<StdioSettings, "ignored"> {
  const cwd = path.resolve(options.folder, config.cwd ?? ".");
  return {
    kind: "stdio",
    name,
    optional: config.optional,
    trustHints: config.trustHints,
    command: commandPath(expansion.text(config.command, `${at}.command`), cwd),
    args: config.args.map((argument, index) => expansion.text(argument, `${at}.args[${index}]`)),
    env: { ...inheritedEnvironment(options.environment), ...expansion.record(config.env, `${at}.env`) },
    cwd,
    secrets: expansion.secrets,
  };
}

/** `node` alone is this Node.js: a server written for it must not depend on which one PATH finds first. */
function commandPath(command: string, cwd: string): string {
  if (command === "node") return process.execPath;
  return /[\\/]/.test(command) ? path.resolve(cwd, command) : command;
}

function schemaIssues(at: string, error: z.ZodError): ConfigIssue[] {
  return error.issues.map((issue) => ({ path: [at, ...issue.path.map(String)].join("."), message: issue.message }));
}

/** In "Bearer KEY", the key alone is a secret as well. */
const headerSecrets = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers).flatMap((value) => [value, ...value.split(" ")]);

/** Credentials in an address, both as they are written and decoded. A name without a password is a key, too. */
function urlSecrets(address: string): string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const { username, password } = url;
  const authority = /^[^:/?#]+:\/\/([^/?#]*)@/.exec(address)?.[1] ?? "";
  const written = authority.slice(authority.indexOf(":") + 1);
  const secret = password === "" ? username : password;
  return [secret, decoded(secret), written, decoded(written)].filter((text) => text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isPlainAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}` === "";
}

/** Expands values and collects the variables that are not set, and what those that are set put in. */
class Expansion {
  /** What every server inherits (`HOME`, `USER`) is none, nor is an address that holds no key. */
  readonly secrets: string[] = [];
  readonly #environment: Environment;
  readonly #issues: ConfigIssue[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(value: string, at: string): string {
    const expanded = expandEnvironment(value, this.#environment, (name, text) => {
      if (!inheritedNames.has(name) && !isPlainAddress(text)) this.secrets.push(text);
    });
    if (typeof expanded === "string") return expanded;
    const name = expanded.missing;
    this.#issues.push({ path: at, message: `The variable ${name} is not set; set it or write \${${name}:-default}` });
    return value;
  }

  requireHttp(url: string, at: string): void {
    if (this.#issues.length > 0 || /^https?:$/.test(URL.parse(url)?.protocol ?? "")) return;
    this.#issues.push({ path: at, message: "Expected an http or https URL" });
  }

  record(values: Readonly<Record<string, string>>, at: string): Record<string, string> {
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, this.text(value, `${at}.${key}`)]));
  }

  checked<T>(settings: T): T | ConfigIssue[] {
    return this.#issues.length === 0 ? settings : this.#issues;
  }
}
