import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BehaviorController, Executor, Model, Planloom, PlanloomConfig } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import { journalFile } from "./home.ts";
import type { CliIo } from "./io.ts";

/** Where plans, tools and models come from; the same options for every command that needs them. */
export interface SessionOptions {
  readonly mcp?: readonly string[];
  readonly config?: string;
  readonly controller?: string;
  readonly model?: string;
  readonly now?: string;
  readonly timeZone?: string;
  readonly concurrency?: number;
}

/** A wired Planloom with what it opened; `close` ends every server and file. */
export interface Session extends AsyncDisposable {
  readonly planloom: Planloom;
  readonly controller: BehaviorController;
  /** Things a person should know before the output: which controller answers, and why. */
  readonly notes: readonly string[];
  readonly hasModel: boolean;
}

const CONFIG_NAMES = ["planloom.config.ts", "planloom.config.mts", "planloom.config.js", "planloom.config.mjs"];

/** The options as they must be stored to open the same session from another folder. */
export function portableOptions(options: SessionOptions, io: CliIo): SessionOptions {
  return {
    ...(options.mcp === undefined ? {} : { mcp: options.mcp.map((file) => resolve(io.cwd, file)) }),
    ...(options.config === undefined ? {} : { config: resolve(io.cwd, options.config) }),
    ...(options.controller === undefined ? {} : { controller: options.controller }),
    ...(options.model === undefined ? {} : { model: options.model }),
  };
}

export async function openSession(
  options: SessionOptions,
  io: CliIo,
  needs: { journal?: boolean } = {},
): Promise<Session> {
  const library = await import("planloom");
  const config = await loadConfig(options, io);
  const clock = clockOptions(options, config);
  const model = await chooseModel(options, config, io);
  const { controller, notes } = await chooseController(options, config, model, clock, io);
  const closing: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    const executors: Executor[] = [...(config.executors ?? [])];
    for (const source of [...(options.mcp ?? []).map((file) => resolve(io.cwd, file)), ...mcpServersOf(config)]) {
      const { connectMcpServers } = await importMcp();
      const connection = await connectMcpServers(source, { signal: io.signal, env: io.env });
      closing.push(() => connection.close());
      executors.push(connection.executor);
    }
    const planloom = new library.Planloom({
      ...config,
      ...clock,
      controller,
      executors,
      ...(model === undefined ? {} : { model }),
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
      ...(needs.journal === true ? { journal: journalFile(io) } : {}),
    });
    closing.push(() => planloom.close());
    return { planloom, controller, notes, hasModel: model !== undefined, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function mcpServersOf(config: PlanloomConfig): { mcpServers: NonNullable<PlanloomConfig["mcpServers"]> }[] {
  return config.mcpServers === undefined ? [] : [{ mcpServers: config.mcpServers }];
}

async function importMcp(): Promise<typeof import("@planloom/mcp")> {
  try {
    return await import("@planloom/mcp");
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, "MCP servers need the package @planloom/mcp, which is not installed.", {
      hint: "Install it: npm install @planloom/mcp",
      cause,
    });
  }
}

async function loadConfig(options: SessionOptions, io: CliIo): Promise<PlanloomConfig> {
  const named = options.config === undefined ? undefined : resolve(io.cwd, options.config);
  for (const file of named === undefined ? CONFIG_NAMES.map((name) => resolve(io.cwd, name)) : [named]) {
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (!exists) {
      if (named === undefined) continue;
      throw new CliError(CliErrorCode.CONFIG, `No configuration file ${file}.`, { details: { file } });
    }
    try {
      const module = (await import(pathToFileURL(file).href)) as { default?: PlanloomConfig };
      if (module.default === undefined || typeof module.default !== "object") {
        throw new CliError(CliErrorCode.CONFIG, `${file} has no default export.`, {
          hint: 'Write: import { defineConfig } from "planloom"; export default defineConfig({ … });',
        });
      }
      return module.default;
    } catch (cause) {
      if (cause instanceof CliError) throw cause;
      throw new CliError(CliErrorCode.CONFIG, `${file} cannot be loaded: ${(cause as Error).message}`, {
        details: { file },
        cause,
      });
    }
  }
  return {};
}

function clockOptions(options: SessionOptions, config: PlanloomConfig): Pick<PlanloomConfig, "now" | "timeZone"> {
  const now = options.now ?? config.now;
  if (typeof options.now === "string" && Number.isNaN(Date.parse(options.now))) {
    throw new CliError(
      CliErrorCode.USAGE,
      `Expected --now to be an ISO date such as 2025-10-12T06:00:00Z, got ${JSON.stringify(options.now)}.`,
    );
  }
  const timeZone = options.timeZone ?? config.timeZone;
  if (options.timeZone !== undefined) {
    try {
      new Intl.DateTimeFormat("en", { timeZone: options.timeZone });
    } catch (cause) {
      throw new CliError(
        CliErrorCode.USAGE,
        `Expected --time-zone to be an IANA name such as Europe/Berlin, got ${JSON.stringify(options.timeZone)}.`,
        { cause },
      );
    }
  }
  return { ...(now === undefined ? {} : { now }), ...(timeZone === undefined ? {} : { timeZone }) };
}

async function chooseModel(options: SessionOptions, config: PlanloomConfig, io: CliIo): Promise<Model | undefined> {
  if (config.model !== undefined && options.model === undefined) return config.model;
  const name = options.model ?? io.env.PLANLOOM_MODEL;
  const apiKey = io.env.OPENAI_API_KEY;
  const baseURL = io.env.OPENAI_BASE_URL;
  const wanted = options.model !== undefined || options.controller === "llm";
  if (!wanted && (name === undefined || name === "" || (!apiKey && !baseURL))) return undefined;
  const { openaiModel } = await import("planloom");
  return openaiModel({
    ...(name === undefined ? {} : { model: name }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
  });
}

async function chooseController(
  options: SessionOptions,
  config: PlanloomConfig,
  model: Model | undefined,
  clock: Pick<PlanloomConfig, "now" | "timeZone">,
  io: CliIo,
): Promise<{ controller: BehaviorController; notes: string[] }> {
  const library = await import("planloom");
  const wish = options.controller;
  if (wish === undefined && config.controller !== undefined) return { controller: config.controller, notes: [] };
  if (wish === "embedded" || (wish === undefined && model === undefined)) {
    const keyless = wish === undefined && !io.env.OPENAI_API_KEY;
    return {
      controller: new library.EmbeddedController(clock),
      notes: keyless ? ["No model is configured: the embedded planner answers (deterministic, no key)."] : [],
    };
  }
  if (wish === undefined || wish === "llm") {
    if (model === undefined)
      throw new CliError(CliErrorCode.USAGE, "--controller llm needs a model.", { hint: "Set --model NAME." });
    return { controller: new library.LlmController({ model }), notes: [] };
  }
  if (/^https?:\/\//.test(wish)) return { controller: new library.HttpController({ url: wish }), notes: [] };
  throw new CliError(
    CliErrorCode.USAGE,
    `Expected --controller to be embedded, llm or an http(s) URL, got ${JSON.stringify(wish)}.`,
  );
}
