import { resolve } from "node:path";
import type { BehaviorController, Journal, Planloom, PlanloomOptions } from "planloom";
import type { DispatchOptions, GroupingOptions } from "planloom/dispatch";
import type { ApprovalOptions, ChildProcessDispatcher, OnUnknown } from "planloom/runtime";
import {
  type ControllerChoice,
  chooseController,
  chooseModel,
  clockOptions,
  controllerFlags,
} from "./choose-controller.ts";
import { loadConfig } from "./config-file.ts";
import { CliError, CliErrorCode } from "./errors.ts";
import { journalFile } from "./home.ts";
import type { CliIo } from "./io.ts";
import { type CliJournal, isShared, loadPostgres, openJournal, type PostgresDispatcher } from "./journals.ts";
import { type LogLevel, lineLogger } from "./line-logger.ts";
import type { ConfirmOptions } from "./options/confirm.ts";
import { modelFlags } from "./options/model-flags.ts";
import { readSecrets } from "./options/secrets.ts";
import { type ClaimOptions, turnGiven } from "./options/turn.ts";
import { isTelemetryAskedFor, type SessionTelemetry, sessionTelemetry } from "./telemetry.ts";
import { connectServers, type ToolServers } from "./tool-servers.ts";
import { workersOf } from "./workers.ts";

/** Where plans, tools and models come from; the same options for every command that needs them. */
export interface SessionOptions extends ControllerChoice, Pick<ConfirmOptions, "allow">, ClaimOptions {
  readonly mcp?: readonly string[];
  /** A file, or `false` for none, not even that of the current folder. */
  readonly config?: string | false;
  readonly concurrency?: number;
  /** Worker processes that subgraphs go to; without, tasks start one by one in this process. */
  readonly workers?: number;
  /** Subgraphs go to workers of any machine (`planloom worker`) by the queue of this name; runs are in a database then. */
  readonly queue?: string;
  /** Subgraphs are split while they go to workers, where durations are not as estimated. */
  readonly adaptive?: boolean;
  /** Who groups the tasks that are dispatched. @default what the configuration says, else rules */
  readonly optimizer?: "rules" | "model" | "robust";
  readonly onUnknown?: OnUnknown;
  /** Whether plans of completed runs are reused for goals like theirs. @default what the configuration says */
  readonly memory?: boolean;
  /** Plans that a model makes for a goal, of which the best is taken. @default what the configuration says */
  readonly candidates?: number;
  /** The least that is written to standard error of what happens, as lines of JSON. @default the logger of the configuration */
  readonly log?: LogLevel;
  /** Names of secrets, `NAME` or `NAME=VARIABLE`. They are not stored: a resumption is given them again. */
  readonly secret?: readonly string[];
}

/** What plans, and notes that a person should read before the output: which controller answers, and why. */
export interface PlanningSession extends AsyncDisposable {
  readonly planloom: Pick<Planloom, "draft" | "questions" | "answer" | "choose" | "validate" | "resources"> &
    Partial<Pick<Planloom, "on" | "off">>;
  readonly controller: BehaviorController;
  readonly notes: readonly string[];
}

/** A wired Planloom with what it opened; disposing of it ends every server and file. */
export interface Session extends PlanningSession {
  readonly planloom: Planloom;
  /** What the instance was made of, for others with fewer tools on the same connections. */
  readonly wired: PlanloomOptions;
  readonly hasModel: boolean;
  /** Where subgraphs go; absent where tasks start one by one in this process. */
  readonly dispatch: DispatchOptions | undefined;
}

/** The options as they must be stored to open the same session from another folder. */
export function portableOptions(options: SessionOptions, io: CliIo): SessionOptions {
  return {
    ...(options.mcp === undefined ? {} : { mcp: options.mcp.map((file) => resolve(io.cwd, file)) }),
    ...(typeof options.config === "string" ? { config: resolve(io.cwd, options.config) } : {}),
    ...(options.controller === undefined ? {} : { controller: options.controller }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...Object.fromEntries(
      [...modelFlags, ...controllerFlags].flatMap(([name]) =>
        options[name] === undefined ? [] : [[name, options[name]]],
      ),
    ),
    ...(options.now === undefined ? {} : { now: options.now }),
    ...(options.timeZone === undefined ? {} : { timeZone: options.timeZone }),
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(options.queue === undefined ? {} : { queue: options.queue }),
  };
}

export async function openSession(
  options: SessionOptions,
  io: CliIo,
  needs: { journal?: boolean | "memory" | Journal; instance?: Partial<PlanloomOptions> } = {},
): Promise<Session> {
  // Servers start while the library loads: both take some 200 ms.
  return withServers(options, io, async (servers) => {
    const [{ memoryJournal, Planloom }, wired] = await Promise.all([
      import("planloom"),
      wiredOptions(options, io, servers),
    ]);
    const { controller, notes, model, telemetry } = wired;
    // A file is opened when the first run needs it.
    const opened = needs.journal === true && isShared(io) ? await openJournal(io) : undefined;
    const kept = opened ?? (typeof needs.journal === "object" ? needs.journal : undefined);
    const workers = (await queueFor(options, kept, io)) ?? (await workersFor(options, io));
    const usual = workers === undefined ? wired.options.dispatch : { ...wired.options.dispatch, to: workers };
    if (options.adaptive === true && usual === undefined) throw adaptiveAlone();
    const split = options.adaptive === true && usual !== undefined ? { ...usual, adaptive: true } : usual;
    const dispatch = groupedBy(split, options.optimizer, wired.options.optimizer);
    const planloom = new Planloom({
      ...wired.options,
      ...(dispatch !== undefined && { dispatch }),
      ...(needs.journal === true ? { journal: opened ?? journalFile(io) } : {}),
      ...(needs.journal === "memory" ? { journal: memoryJournal() } : {}),
      ...(typeof needs.journal === "object" ? { journal: needs.journal } : {}),
      ...needs.instance,
    });
    const close = async () => {
      try {
        await planloom.close();
      } finally {
        await workers?.close();
        await opened?.close();
        await telemetry.close();
        await servers[Symbol.asyncDispose]();
      }
    };
    const { goals } = planloom.describe().confirm;
    // A configuration that lets every call through is worth a word before the calls.
    const unasked = goals === "never" ? ["The configuration says confirm: never. No call is asked about."] : [];
    return {
      planloom,
      wired: wired.options,
      controller,
      notes: [...notes, ...unasked],
      hasModel: model !== undefined,
      dispatch,
      [Symbol.asyncDispose]: close,
    };
  });
}

/** The dispatch with who groups for it, where an option says so; what is configured of it stays. @throws CliError USAGE where nothing is dispatched */
function groupedBy(
  dispatch: DispatchOptions | undefined,
  optimizer: SessionOptions["optimizer"],
  usual: GroupingOptions | undefined,
): DispatchOptions | undefined {
  if (optimizer === undefined) return dispatch;
  if (dispatch === undefined)
    throw new CliError(CliErrorCode.USAGE, "Expected tasks to group with --optimizer, but they start one by one.", {
      hint: "Give --workers N or --queue NAME as well, or `dispatch` in the configuration.",
      details: { option: "--optimizer" },
    });
  const configured = dispatch.optimizer ?? usual;
  if (optimizer === "model")
    return { ...dispatch, optimizer: configured?.by === "model" ? configured : { by: "model" } };
  const rules = configured?.by === "model" ? {} : configured;
  return { ...dispatch, optimizer: { ...rules, by: "rules", ...(optimizer === "robust" && { strategy: "robust" }) } };
}

function adaptiveAlone(): CliError {
  return new CliError(CliErrorCode.USAGE, "Expected subgraphs to split with --adaptive, but tasks start one by one.", {
    hint: "Give --workers N or --queue NAME as well, or `dispatch` in the configuration.",
    details: { option: "--adaptive" },
  });
}

type DatabaseJournal = Extract<CliJournal, { readonly watchChanges: unknown }>;
const isDatabase = (journal: Journal): journal is DatabaseJournal => "watchChanges" in journal;

/** The queue of a database that subgraphs go to. @throws CliError USAGE where runs are kept elsewhere */
async function queueFor(
  { queue, workers }: SessionOptions,
  kept: Journal | undefined,
  io: CliIo,
): Promise<PostgresDispatcher | undefined> {
  if (queue === undefined) return undefined;
  if (workers !== undefined)
    throw new CliError(
      CliErrorCode.USAGE,
      "Expected subgraphs to go to --workers of this machine or to a --queue, not to both.",
      {
        details: { option: "--queue" },
      },
    );
  if (kept === undefined || !isDatabase(kept))
    throw new CliError(
      CliErrorCode.USAGE,
      "Expected a database for --queue, but the run is kept in a file or not at all.",
      {
        hint: "Give its address: --on postgres://…, and no --no-checkpoint.",
        details: { option: "--queue" },
      },
    );
  const { postgresDispatcher } = await loadPostgres();
  const onNoWorker = () =>
    io.stderr.write(
      `No worker takes subgraphs from the queue "${queue}"; waiting for one: planloom worker --queue ${queue}\n`,
    );
  return postgresDispatcher(kept, { queue, onNoWorker });
}

function workersFor(options: SessionOptions, io: CliIo): Promise<ChildProcessDispatcher> | undefined {
  const { workers, queue: ____, allow: _, secret: __, ...own } = options;
  if (workers === undefined) return undefined;
  const { workers: ___, ...portable } = portableOptions(options, io);
  return workersOf(workers, { options: { ...own, ...portable }, cwd: io.cwd }, io.env);
}

/** What the configuration and the options make of an instance, without the journal and the workers. */
export async function wiredOptions(
  options: SessionOptions,
  io: CliIo,
  servers: ToolServers,
): Promise<{
  options: PlanloomOptions;
  controller: BehaviorController;
  model: PlanloomOptions["model"];
  notes: readonly string[];
  telemetry: SessionTelemetry;
}> {
  const { config, folder } = await loadConfig(options.config, io);
  const { mcpServers, a2aAgents, modelOptions: _, ...ofPlanloom } = config;
  // As many subgraphs at once as there are workers.
  const { concurrency = options.workers } = options;
  if (mcpServers !== undefined) servers.add({ mcpServers }, folder);
  if (a2aAgents !== undefined) servers.addAgents(a2aAgents);
  const secrets = { ...config.secrets, ...readSecrets(options.secret ?? [], io) };
  const clock = clockOptions(options, config);
  const telemetry = await sessionTelemetry(config.telemetry, io);
  const chosen = await chooseModel(options, config, io);
  // The controller asks the same model as the tasks do, and both within their spans.
  const model = chosen && (telemetry.telemetry?.model(chosen) ?? chosen);
  const { controller, notes } = await chooseController(options, config, model, clock, io);
  return {
    options: {
      ...ofPlanloom,
      ...(telemetry.telemetry !== undefined && { telemetry: telemetry.telemetry }),
      ...clock,
      controller,
      executors: [...(config.executors ?? []), ...(await servers.executors())],
      ...(options.allow === undefined ? {} : { approval: allowing(config.approval, options.allow) }),
      ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
      ...(model === undefined ? {} : { model }),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...turnGiven({ priority: options.priority, weight: options.weight }),
      ...(options.onUnknown === undefined ? {} : { onUnknown: options.onUnknown }),
      ...(options.log === undefined ? {} : { logger: lineLogger(io, options.log) }),
      ...(options.memory === undefined ? {} : { memory: options.memory && (config.memory || true) }),
      ...(options.candidates === undefined ? {} : { planner: { ...config.planner, candidates: options.candidates } }),
    },
    controller,
    model,
    notes: [...(await servers.notes()), ...notes, ...telemetry.notes],
    telemetry,
  };
}

function allowing(approval: ApprovalOptions = {}, allow: readonly string[]): ApprovalOptions {
  return { ...approval, allow: [...(approval.allow ?? []), ...allow] };
}

/** As `openSession`, for what plans alone: nothing that executes is loaded where no configuration or model needs it. */
export async function openPlanning(options: SessionOptions, io: CliIo): Promise<PlanningSession> {
  const { config, folder } = await loadConfig(options.config, io);
  const { tools, agents, llms, workflows } = config;
  const { memory = config.memory ?? false } = options;
  // Remembered plans are those of the recorded runs.
  if (memory !== false) return openSession(options, io, { journal: true });
  if (config.telemetry !== undefined || isTelemetryAskedFor(io)) return openSession(options, io);
  const model = await chooseModel(options, config, io);
  if (model !== undefined || [tools, agents, llms, workflows].some((defined) => defined !== undefined)) {
    return openSession(options, io);
  }
  return withServers(options, io, async (servers) => {
    if (config.mcpServers !== undefined) servers.add({ mcpServers: config.mcpServers }, folder);
    if (config.a2aAgents !== undefined) servers.addAgents(config.a2aAgents);
    const { PlanService, standInLlm } = await import("planloom/planning");
    const clock = clockOptions(options, config);
    const { controller, notes } = await chooseController(options, config, model, clock, io);
    const plannable = [...(config.executors ?? []), ...(await servers.executors())];
    const executors = plannable.some(({ kind }) => kind === "llm") ? plannable : [...plannable, standInLlm()];
    const planning = new PlanService({ controller, executors, plannable, planner: config.planner, ...clock });
    return {
      planloom: planning,
      controller,
      notes: [...(await servers.notes()), ...notes],
      [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
    };
  });
}

/** What `open` makes with the servers of the options; they are ended where it fails. (Node.js 22 has no `AsyncDisposableStack`.) */
async function withServers<Opened>(
  options: SessionOptions,
  io: CliIo,
  open: (servers: ToolServers) => Promise<Opened>,
): Promise<Opened> {
  const servers = connectServers(options.mcp ?? [], io);
  try {
    return await open(servers);
  } catch (error) {
    await servers[Symbol.asyncDispose]();
    throw error;
  }
}
