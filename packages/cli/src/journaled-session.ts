import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { controllerFlags, planChecks } from "./choose-controller.ts";
import { commandName } from "./command-name.ts";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";
import { modelFlags } from "./options/model-flags.ts";
import type { SessionOptions } from "./session.ts";
import { shellWord } from "./terminal/shell-word.ts";
import { plainLine } from "./terminal/style.ts";
import { isRecord } from "./terminal/table.ts";
import { isTrusted } from "./trust.ts";
import { isQueueName, maxWorkers } from "./workers.ts";

export interface JournaledSessionOptions extends SessionOptions {
  /** Whether servers and code that only the journal names are started, although the user neither gave them nor trusts their folder. */
  readonly trustJournal?: boolean;
}

/**
 * The options to resume a run with: those given, and for the rest those it was begun with. A journal is data from outside, so that
 * what it alone names is started only with `trustJournal`.
 * @throws CliError UNTRUSTED that says what would be started
 */
export async function journaledSession(
  metadata: unknown,
  given: JournaledSessionOptions,
  io: CliIo,
): Promise<SessionOptions> {
  const { trustJournal, ...options } = given;
  const stored = withoutOthers(storedOptions(metadata), options);
  if (trustJournal !== true) {
    const { mcp, config, controller } = await untrusted({ ...stored, ...withoutGiven(options) }, io);
    const starts = [
      ...(await Promise.all(mcp.map((file) => describeServers(file)))).flat(),
      ...(config === undefined ? [] : [`the code of ${config}`]),
      ...(controller === undefined ? [] : [`requests to the controller ${controller}`]),
    ];
    if (starts.length > 0) throw refusal(starts, { mcp, config, controller }, io);
  }
  return { ...stored, ...options };
}

/** The options, as words of a command, that must be given again to resume a run: those outside of trusted folders, and secrets, which are not stored. */
export async function wordsToGiveAgain(options: SessionOptions, io: CliIo): Promise<string[]> {
  return [...wordsOf(await untrusted(options, io)), ...secretWords(options)];
}

/** As `wordsToGiveAgain`, of a run of which only the journal says what it was begun with. */
export function wordsOfJournal(metadata: unknown, io: CliIo): Promise<string[]> {
  return wordsToGiveAgain(storedOptions(metadata), io);
}

/** The options, as words, to begin in the same session a run of which nothing is stored. */
export function wordsToBeginAgain(options: SessionOptions): string[] {
  const {
    mcp = [],
    config,
    controller,
    model,
    now,
    timeZone,
    concurrency,
    workers,
    queue,
    adaptive,
    optimizer,
    onUnknown,
    allow = [],
  } = options;
  return [
    ...wordsOf({ mcp, config: typeof config === "string" ? config : undefined, controller }),
    ...(config === false ? ["--no-config"] : []),
    ...(model === undefined ? [] : ["--model", model]),
    ...[...modelFlags, ...controllerFlags].flatMap(([name, flag]) =>
      options[name] === undefined ? [] : [flag, String(options[name])],
    ),
    ...(now === undefined ? [] : ["--now", now]),
    ...(timeZone === undefined ? [] : ["--time-zone", timeZone]),
    ...(concurrency === undefined ? [] : ["--concurrency", String(concurrency)]),
    ...(workers === undefined ? [] : ["--workers", String(workers)]),
    ...(queue === undefined ? [] : ["--queue", queue]),
    ...(adaptive === true ? ["--adaptive"] : []),
    ...(optimizer === undefined ? [] : ["--optimizer", optimizer]),
    ...(onUnknown === undefined ? [] : ["--on-unknown", onUnknown]),
    ...allow.flatMap((tool) => ["--allow", tool]),
    ...secretWords(options),
  ];
}

const secretWords = ({ secret = [] }: SessionOptions): string[] => secret.flatMap((name) => ["--secret", name]);

interface Untrusted {
  readonly mcp: readonly string[];
  readonly config: string | undefined;
  readonly controller: string | undefined;
}

/** What of the options would start something from outside the folders that are trusted. */
async function untrusted({ mcp = [], config, controller }: SessionOptions, io: CliIo): Promise<Untrusted> {
  const files = await Promise.all(
    mcp.map(async (file) => ((await isTrusted(resolve(io.cwd, file), io)) ? [] : [file])),
  );
  const isUrl = controller !== undefined && /^https?:/i.test(controller);
  return {
    mcp: files.flat(),
    config: typeof config !== "string" || (await isTrusted(resolve(io.cwd, config), io)) ? undefined : config,
    controller: isUrl ? controller : undefined,
  };
}

/** What the user gave needs no trust, and replaces what was stored. */
function withoutGiven(given: SessionOptions): SessionOptions {
  return {
    ...(given.mcp === undefined ? {} : { mcp: [] }),
    ...(given.config === undefined ? {} : { config: false }),
    ...(given.controller === undefined ? {} : { controller: "embedded" }),
  };
}

function wordsOf({ mcp, config, controller }: Untrusted): string[] {
  return [
    ...mcp.flatMap((file) => ["--mcp", file]),
    ...(config === undefined ? [] : ["--config", config]),
    ...(controller === undefined ? [] : ["--controller", controller]),
  ];
}

function refusal(starts: readonly string[], which: Untrusted, io: CliIo): CliError {
  const folders = new Set([...which.mcp, ...(which.config === undefined ? [] : [which.config])].map(dirname));
  const trust = [...folders].map((folder) => `, or trust the folder (${commandName(io)} trust ${shellWord(folder)})`);
  return new CliError(
    CliErrorCode.UNTRUSTED,
    [
      "Only the journal says what this run needs. It would start:",
      ...starts.map((each) => `- ${plainLine(each)}`),
    ].join("\n"),
    {
      hint: `Give it again (${wordsOf(which).map(shellWord).join(" ")})${trust.join("")}, or believe the journal: --trust-journal.`,
      details: { starts, ...which },
    },
  );
}

/** The servers of a file, each with what starts it; the file alone where it cannot be read as such a map. */
async function describeServers(file: string): Promise<string[]> {
  const map: unknown = await readFile(file, "utf8")
    .then(JSON.parse)
    .catch(() => undefined);
  const servers = isRecord(map) && isRecord(map.mcpServers) ? Object.entries(map.mcpServers) : [];
  const lines = servers.slice(0, 20).flatMap(([name, server]) => {
    if (!isRecord(server) || server.disabled === true) return [];
    const args = Array.isArray(server.args) ? server.args.map(String) : [];
    const what = typeof server.url === "string" ? server.url : [String(server.command), ...args].join(" ");
    return [`the server ${name} of ${file}: ${what.slice(0, 300)}`];
  });
  return lines.length === 0 ? [`the servers of ${file}`] : lines;
}

/** What `run` stored with the run, read as data from outside. */
function storedOptions(metadata: unknown): SessionOptions {
  const stored = (metadata as { cli?: Record<string, unknown> } | undefined)?.cli ?? {};
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const mcp = Array.isArray(stored.mcp) ? stored.mcp.filter((file) => typeof file === "string") : undefined;
  const [config, controller, model] = [text(stored.config), text(stored.controller), text(stored.model)];
  const [now, timeZone] = [text(stored.now), text(stored.timeZone)];
  return {
    ...(mcp === undefined ? {} : { mcp }),
    ...(config === undefined ? {} : { config }),
    ...(controller === undefined ? {} : { controller }),
    ...(model === undefined ? {} : { model }),
    ...(now === undefined ? {} : { now }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...Object.fromEntries(
      Object.entries(storedFlags).flatMap(([name, fits]) => (fits(stored[name]) ? [[name, stored[name]]] : [])),
    ),
    ...(isWorkers(stored.workers) && { workers: stored.workers }),
    ...(typeof stored.queue === "string" && isQueueName(stored.queue) && { queue: stored.queue }),
  };
}

/** What says how a model is asked and when, as a command line would take it. */
const storedFlags: Readonly<
  Record<(typeof modelFlags | typeof controllerFlags)[number][0], (value: unknown) => boolean>
> = {
  modelApi: (value) => value === "chat" || value === "responses",
  modelTimeout: (value) => typeof value === "number" && value > 0,
  maxTokens: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  temperature: (value) => typeof value === "number" && value >= 0,
  reasoningEffort: (value) => typeof value === "string" && value !== "",
  structuredOutput: (value) => value === "json_schema" || value === "tool" || value === "text",
  minConfidence: (value) => typeof value === "number" && value >= 0 && value <= 1,
  prefer: (value) => value === "draft" || value === "model",
  planCheck: (value) => planChecks.some((check) => check === value),
};

/** What was stored without what belongs to a model or a controller in whose place another one is given. */
function withoutOthers(stored: SessionOptions, given: SessionOptions): SessionOptions {
  const isOther = (name: "model" | "controller") => given[name] !== undefined && given[name] !== stored[name];
  const gone = new Set<string>([
    ...(isOther("model") ? modelFlags.map(([name]) => name) : []),
    ...(isOther("controller") ? controllerFlags.map(([name]) => name) : []),
  ]);
  return Object.fromEntries(Object.entries(stored).filter(([name]) => !gone.has(name)));
}

/** A journal is data from outside, and each worker is a process. */
function isWorkers(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxWorkers;
}
