import type { DBOS } from "@dbos-inc/dbos-sdk";
import type { Bind, Executor, OptionChecks } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode, SharedLimits } from "@planloom/runtime";
import { checkOptions, invalid } from "@planloom/runtime/journal-parts";
import type { Pool } from "pg";
import { withinReason } from "../connection/database.ts";
import { internalsOf, type JournalInternals } from "../journal-internals.ts";
import type { PostgresJournal } from "../postgres-journal.ts";
import { workflowOf } from "./attempts.ts";
import { Claims } from "./claims.ts";
import { dispatchVersion } from "./dispatch-format.ts";
import { DispatchStore } from "./dispatch-store.ts";
import {
  checkQueue,
  defaultQueue,
  enginePool,
  engineSchema,
  launchEngine,
  noLog,
  workerName,
  workflows,
} from "./engine.ts";
import { Mailbox } from "./mailbox.ts";
import { PollingPace, shortestPollMs } from "./polling-pace.ts";
import { postgresDispatcher } from "./postgres-dispatcher.ts";
import { QueueRest } from "./queue-rest.ts";
import { subgraphJob } from "./subgraph-job.ts";
import { Takeover } from "./takeover.ts";
import { WorkerRegistry } from "./worker-registry.ts";

export interface PostgresWorkerOptions {
  /** What executes the tasks; the same as in the process of the run. */
  readonly executors: readonly Executor[];
  /** Stage 2, for tasks that name no resource or lack arguments. */
  readonly bind?: Bind;
  /** The queue that it takes subgraphs from. @default "planloom" */
  readonly queue?: string;
  /** How many subgraphs it executes at once, at least 1. @default 1 */
  readonly concurrency?: number;
  /** Whether it continues runs of the queue whose process is gone. @default true */
  readonly takesOver?: boolean;
  /**
   * Limits, rates and budgets of several runs that hold for the runs that it continues, too: the same as where runs are begun (`workerLimits` of
   * `planloom/dispatch`). Calls of subgraphs that other processes sent are permitted by those. It is not closed with the worker. @default none
   */
  readonly shared?: SharedLimits;
  /** How much memory large outputs may take that its subgraphs were given, in bytes: those that are kept are not read again for the next subgraph. @default 32 MiB */
  readonly outputMemoryBytes?: number;
  /**
   * Called once for each other format in which running runs have dispatched to the queue (`RUNTIME_DISPATCH_FORMAT`): their processes are of another version, so that this worker takes
   * nothing of them. Needs `takesOver`. @default nothing
   */
  readonly onRefusal?: (refusal: RuntimeError) => void;
}

const checks = {
  executors: "own",
  bind: "own",
  queue: "own",
  concurrency: "own",
  takesOver: "boolean",
  shared: "own",
  outputMemoryBytes: "nonNegative",
  onRefusal: "function",
} as const satisfies OptionChecks<PostgresWorkerOptions>;

/** A process that takes subgraphs from a queue. */
export interface PostgresWorker extends AsyncDisposable {
  /** Its name, by which the engine knows who executes what. */
  readonly name: string;
  /** Takes nothing more, lets running calls end, and leaves the rest of its subgraphs to other workers. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

let hasWorker = false;

/**
 * Makes this process a worker: it takes subgraphs that `postgresDispatcher` sent from any machine. One a process.
 * @throws RuntimeError INVALID_OPTION, JOURNAL_OPEN
 */
export async function postgresWorker(
  journal: PostgresJournal,
  options: PostgresWorkerOptions,
): Promise<PostgresWorker> {
  const settings = readOptions(journal, options);
  const { executors, concurrency, queue, internals } = settings;
  if (hasWorker) {
    const message =
      "This process is a worker already. Give `concurrency` to execute several subgraphs at once, or start another process.";
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message);
  }
  hasWorker = true;
  const { url, schema, database, session, heads, leaseMs, outputs } = internals;
  if (settings.outputMemoryBytes !== undefined) outputs.memoryBytes = settings.outputMemoryBytes;
  const draining = new AbortController();
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  try {
    const store = new DispatchStore(database, schema, heads, leaseMs, outputs);
    // The others see by this connection whether the worker is alive.
    await session.open();
    const name = workerName(session.presence);
    const registry = new WorkerRegistry(database, schema);
    const claims = new Claims({
      ...{ database, schema, name },
      giveBack: (workflow) => DBOS.cancelWorkflow(workflow),
      onEnd: () => rest.stayAwake(),
    });
    const rest = new QueueRest(() => claims.isBusy);
    const own = registry.queueOf(queue, executors, concurrency);
    const pool = enginePool(url, rest);
    configureEngine(DBOS, pool, url, schema, name, own);
    registerSubgraphs(DBOS, claims, {
      ...{ journal, executors, bind: settings.bind, drain: draining.signal, store },
      ...mailboxOf(internals),
    });
    await launchEngine(database, schema, () => DBOS.launch());
    await openQueue(DBOS, own, concurrency);
    // From now on subgraphs are sent to it.
    await registry.announce(session.presence, queue, { concurrency, executors });
    claims.watch();
    rest.begin();
    const stopListening = session.listen(({ kind, runId }) => {
      if (kind === "missed" || (kind === "queued" && (runId === undefined || runId === own))) rest.wake();
    });
    const pace = new PollingPace({
      idle: async () => {
        rest.idle = await registry.idlePeers(session.presence, own);
        return rest.idle;
      },
      queue: () => DBOS.retrieveQueue(own),
    });
    const takeover = settings.takesOver
      ? new Takeover({
          ...{ journal, store, queue, executors },
          ...{ bind: settings.bind, shared: settings.shared, onRefusal: settings.onRefusal },
          dispatcher: () => postgresDispatcher(journal, { queue }),
        })
      : undefined;
    const close = async ({ drainMs = 20_000 }: { readonly drainMs?: number } = {}) => {
      await registry.withdraw(session.presence);
      draining.abort(new Error("The worker ends."));
      stopListening();
      rest.end();
      await pace.close();
      await claims.close();
      await takeover?.close();
      await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: drainMs });
      if (!pool.ended) await withinReason(pool.end());
      hasWorker = false;
    };
    return { name, close, [Symbol.asyncDispose]: () => close() };
  } catch (error) {
    hasWorker = false;
    throw error;
  }
}

/** The options with their defaults, and what the journal works with. @throws RuntimeError INVALID_OPTION */
function readOptions(journal: PostgresJournal, options: PostgresWorkerOptions) {
  checkOptions("`postgresWorker`", options, checks);
  const { executors, bind, queue = defaultQueue, concurrency = 1, takesOver = true, shared } = options;
  const { outputMemoryBytes, onRefusal } = options;
  const internals = internalsOf(journal);
  if (!Array.isArray(executors)) throw invalid("executors", "a list of executors", executors);
  if (bind !== undefined && typeof bind !== "function") throw invalid("bind", "a function", bind);
  if (shared !== undefined && !(shared instanceof SharedLimits)) throw invalid("shared", "a SharedLimits", shared);
  checkQueue(queue);
  if (!(Number.isInteger(concurrency) && concurrency >= 1))
    throw invalid("concurrency", "an integer of at least 1", concurrency);
  if (internals === undefined) throw invalid("journal", "a PostgresJournal", journal);
  return { executors, bind, queue, concurrency, takesOver, shared, outputMemoryBytes, onRefusal, internals };
}

/** Prepares the engine of this process, which is to take subgraphs from the worker's own queue. */
function configureEngine(engine: typeof DBOS, pool: Pool, url: string, schema: string, name: string, own: string) {
  engine.setConfig({
    name: "planloom",
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: engineSchema(schema),
    systemDatabasePool: pool,
    executorID: name,
    applicationVersion: dispatchVersion,
    listenQueues: [own],
    // Nothing of a worker waits for messages of the engine.
    useListenNotify: false,
    logger: noLog,
  });
}

/** Without the database the worker's calls are permitted by no process: they end, and other workers continue. */
function mailboxOf({ database, session, schema }: JournalInternals) {
  const unreachable = new Set<(error: unknown) => void>();
  const mailbox = new Mailbox(database, session, schema, (error) => {
    for (const leave of [...unreachable]) leave(error);
  });
  return { mailbox, unreachable };
}

/** What the engine executes: each attempt at a subgraph that this worker may claim. */
function registerSubgraphs(engine: typeof DBOS, claims: Claims, parts: Parameters<typeof subgraphJob>[2]): void {
  engine.registerWorkflow(
    (id: string, attempt: number) => claims.execute(workflowOf(id, attempt), () => subgraphJob(id, attempt, parts)),
    { name: workflows.subgraph },
  );
}

async function openQueue(engine: typeof DBOS, own: string, concurrency: number): Promise<void> {
  const known = await engine.retrieveQueue(own);
  await engine.registerQueue(own, {
    workerConcurrency: concurrency,
    // What the workers that are there have agreed on stays.
    minPollingIntervalMs: (await known?.getMinPollingIntervalMs()) ?? shortestPollMs,
    onConflict: "always_update",
  });
}
