import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { type OptionChecks, timerMs } from "@planloom/plan";
import type { DispatchCosts, Dispatcher, PreparationOptions } from "@planloom/runtime";
import { checkOptions, invalid } from "@planloom/runtime/journal-parts";
import { internalsOf } from "../journal-internals.ts";
import type { PostgresJournal } from "../postgres-journal.ts";
import { calibrate } from "./calibration.ts";
import { DispatchMeter } from "./dispatch-meter.ts";
import { type DispatchSample, fittedCosts, isConclusive } from "./dispatch-samples.ts";
import { DispatchStore } from "./dispatch-store.ts";
import { dispatchSubgraph, mustAsk, type SubgraphDispatchParts } from "./dispatch-subgraph.ts";
import { checkQueue, connectEngine, defaultQueue, type EngineConnection } from "./engine.ts";
import { Mailbox } from "./mailbox.ts";
import { QueueWorkers } from "./queue-workers.ts";
import { dispatchClasses, WorkerRegistry } from "./worker-registry.ts";

export interface PostgresDispatcherOptions {
  /** The queue that subgraphs go to; workers of that name take them. @default "planloom" */
  readonly queue?: string;
  /** How long a subgraph, or an empty dispatch that is measured, waits for a worker that can execute it, in milliseconds. @default 30_000 */
  readonly workerTimeoutMs?: number;
  /** Called once, when subgraphs wait because no worker takes them from the queue; it gets the name of the queue. @default nothing */
  readonly onNoWorker?: (queue: string) => void;
  /** How many workers may die of one subgraph, one after the other without a task having ended, before its tasks fail; at least 1. @default 3 */
  readonly maxDeaths?: number;
}

const checks = {
  queue: "own",
  workerTimeoutMs: "positive",
  onNoWorker: "function",
  maxDeaths: "own",
} as const satisfies OptionChecks<PostgresDispatcherOptions>;

export interface PostgresDispatcher extends Dispatcher, AsyncDisposable {
  prepare(subgraphs: number, options?: PreparationOptions): Promise<DispatchCosts>;
  /** Ends its connections. What was dispatched continues. */
  close(): Promise<void>;
}

/** Where the caller knows nothing of the tasks. */
const usualTaskMs = 5;
const never = new AbortController().signal;

/**
 * Sends each subgraph to a worker of any machine that has the resources it names (`postgresWorker`, `planloom worker`), by a durable workflow in a queue of DBOS. A worker
 * executes it as a run of its own in the journal: should it die, another one resumes that run, and repeats nothing that was completed. Where the run has limits by kind or
 * resource, rates, budgets, guards, gates, secrets or a cache, the worker asks the process of the run before each call instead, through the database.
 * @throws RuntimeError INVALID_OPTION
 */
export function postgresDispatcher(
  journal: PostgresJournal,
  options: PostgresDispatcherOptions = {},
): PostgresDispatcher {
  const { queue, workerTimeoutMs, maxDeaths, onNoWorker, internals } = readOptions(journal, options);
  const { database, schema, heads, leaseMs, url, outputs, session } = internals;
  const registry = new WorkerRegistry(database, schema);
  const workers = new QueueWorkers(registry, queue, workerTimeoutMs, onNoWorker);
  const unreachable = new Set<(error: unknown) => void>();
  const mailbox = new Mailbox(database, session, schema, (error) => {
    for (const fail of [...unreachable]) fail(error);
  });
  const shared: Omit<SubgraphDispatchParts, "client"> = {
    journal,
    store: new DispatchStore(database, schema, heads, leaseMs, outputs),
    registry,
    queue,
    maxDeaths,
    workerTimeoutMs,
    load: new Map(),
    removals: new Set(),
    mailbox,
    unreachable,
  };
  const engine = new LazyEngine(url, schema);
  const meter = new DispatchMeter();
  /** Empty dispatches, measured now. */
  const calibrated = async (lanes: number, taskMs: number, signal: AbortSignal): Promise<DispatchSample[]> => {
    await session.open();
    const parts = { ...shared, client: await engine.client() };
    const tooLate = AbortSignal.timeout(timerMs(workerTimeoutMs));
    try {
      return await calibrate(parts, session.presence, lanes, taskMs, AbortSignal.any([signal, tooLate]));
    } catch (error) {
      signal.throwIfAborted();
      throw tooLate.aborted ? await workers.missing() : error;
    }
  };
  const close = async () => {
    await Promise.all(shared.removals);
    await engine.close();
  };
  return {
    name: "postgres",
    governed: true,
    async prepare(subgraphs, { signal = never, taskMs = usualTaskMs } = {}) {
      const classes = await workers.classes(signal);
      const executors = classes.reduce((sum, { concurrency }) => sum + concurrency, 0);
      meter.workersAtOnce = executors;
      let measured = meter.near(taskMs);
      if (!isConclusive(measured)) {
        measured = await calibrated(Math.max(1, Math.min(subgraphs, executors)), taskMs, signal);
        meter.add(measured);
      }
      return { ...fittedCosts(measured), executors, classes: dispatchClasses(classes) };
    },
    async dispatch(request, context) {
      context.signal.throwIfAborted();
      const parts = { ...shared, client: await engine.client() };
      if (mustAsk(request)) return dispatchSubgraph(request, context, parts);
      return meter.measure(request, context, (heard) => dispatchSubgraph(request, heard, parts));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The options with their defaults, and what the journal works with. @throws RuntimeError INVALID_OPTION */
function readOptions(journal: PostgresJournal, options: PostgresDispatcherOptions) {
  checkOptions("`postgresDispatcher`", options, checks);
  const { queue = defaultQueue, workerTimeoutMs = 30_000, maxDeaths = 3, onNoWorker } = options;
  const internals = internalsOf(journal);
  checkQueue(queue);
  if (!(Number.isInteger(maxDeaths) && maxDeaths >= 1))
    throw invalid("maxDeaths", "an integer of at least 1", maxDeaths);
  if (internals === undefined) throw invalid("journal", "a PostgresJournal", journal);
  return { queue, workerTimeoutMs, maxDeaths, onNoWorker, internals };
}

/** The engine, which is connected to when it is needed first. */
class LazyEngine {
  readonly #url: string;
  readonly #schema: string;
  #connecting: Promise<EngineConnection> | undefined;

  constructor(url: string, schema: string) {
    this.#url = url;
    this.#schema = schema;
  }

  async client(): Promise<DBOSClient> {
    this.#connecting ??= connectEngine(this.#url, this.#schema);
    return (await this.#connecting).client;
  }

  async close(): Promise<void> {
    const connection = await this.#connecting?.catch(() => undefined);
    this.#connecting = undefined;
    await connection?.close();
  }
}
