import type { Bind, Executor, OptionChecks } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode, SharedLimits } from "@planloom/runtime";
import { checkOptions, invalid } from "@planloom/runtime/journal-parts";
import { withinReason } from "../connection/database.ts";
import { internalsOf } from "../journal-internals.ts";
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
  checkOptions("`postgresWorker`", options, checks);
  const {
    executors,
    bind,
    queue = defaultQueue,
    concurrency = 1,
    takesOver = true,
    shared,
    outputMemoryBytes,
    onRefusal,
  } = options;
  const parts = internalsOf(journal);
  if (!Array.isArray(executors)) throw invalid("executors", "a list of executors", executors);
  if (bind !== undefined && typeof bind !== "function") throw invalid("bind", "a function", bind);
  if (shared !== undefined && !(shared instanceof SharedLimits)) throw invalid("shared", "a SharedLimits", shared);
  checkQueue(queue);
  if (!(Number.isInteger(concurrency) && concurrency >= 1))
    throw invalid("concurrency", "an integer of at least 1", concurrency);
  if (parts === undefined) throw invalid("journal", "a PostgresJournal", journal);
  if (hasWorker) {
    const message =
      "This process is a worker already. Give `concurrency` to execute several subgraphs at once, or start another process.";
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message);
  }
  hasWorker = true;
  const { url, schema, database, session, heads, leaseMs, outputs } = parts;
  if (outputMemoryBytes !== undefined) outputs.memoryBytes = outputMemoryBytes;
  const draining = new AbortController();
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  try {
    const store = new DispatchStore(database, schema, heads, leaseMs, outputs);
    // The others see by this connection whether the worker is alive.
    await session.open();
    const name = workerName(session.presence);
    const registry = new WorkerRegistry(database, schema);
    // Without the database its calls are permitted by nobody: they end, and others continue.
    const unreachable = new Set<(error: unknown) => void>();
    const mailbox = new Mailbox(database, session, schema, (error) => {
      for (const leave of [...unreachable]) leave(error);
    });
    const giveBack = (workflow: string) => DBOS.cancelWorkflow(workflow);
    const claims = new Claims({ database, schema, name, giveBack });
    const own = registry.queueOf(queue, executors, concurrency);
    const pool = enginePool(url);
    DBOS.setConfig({
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
    DBOS.registerWorkflow(
      (id: string, attempt: number) => {
        const drain = draining.signal;
        const parts = { journal, executors, bind, drain, store, mailbox, unreachable };
        return claims.execute(workflowOf(id, attempt), () => subgraphJob(id, attempt, parts));
      },
      { name: workflows.subgraph },
    );
    const pollMsOf = async (name: string) => (await DBOS.retrieveQueue(name))?.getMinPollingIntervalMs();
    await launchEngine(database, schema, () => DBOS.launch());
    await DBOS.registerQueue(own, {
      workerConcurrency: concurrency,
      // What the workers that are there have agreed on stays.
      minPollingIntervalMs: (await pollMsOf(own)) ?? shortestPollMs,
      onConflict: "always_update",
    });
    // From now on subgraphs are sent to it.
    await registry.announce(session.presence, queue, { concurrency, executors });
    claims.watch();
    const pace = new PollingPace({
      idle: () => registry.idlePeers(session.presence, own),
      queue: () => DBOS.retrieveQueue(own),
    });
    const takeover = takesOver
      ? new Takeover({
          ...{ journal, store, queue, executors, bind, shared, onRefusal },
          dispatcher: () => postgresDispatcher(journal, { queue }),
        })
      : undefined;
    const close = async ({ drainMs = 20_000 }: { readonly drainMs?: number } = {}) => {
      await registry.withdraw(session.presence);
      draining.abort(new Error("The worker ends."));
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
