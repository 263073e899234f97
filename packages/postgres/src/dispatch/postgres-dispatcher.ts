import { setTimeout as sleep } from "node:timers/promises";
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { OptionChecks } from "@planloom/plan";
import type { DispatchCosts, Dispatcher, DispatchRequest } from "@planloom/runtime";
import { checkOptions, costsOf, invalid } from "@planloom/runtime/journal-parts";
import { internalsOf } from "../journal-internals.ts";
import type { PostgresJournal } from "../postgres-journal.ts";
import { AskedSubgraph } from "./asked-subgraph.ts";
import { noWorker } from "./attempts.ts";
import { DispatchStore } from "./dispatch-store.ts";
import { DispatchedSubgraph } from "./dispatched-subgraph.ts";
import { checkQueue, connectEngine, defaultQueue, dispatchVersion, workflows } from "./engine.ts";
import { Mailbox } from "./mailbox.ts";
import { WorkerRegistry } from "./worker-registry.ts";

export interface PostgresDispatcherOptions {
  /** The queue that subgraphs go to; workers of that name take them. @default "planloom" */
  readonly queue?: string;
  /** How long a subgraph, or an empty dispatch that is measured, waits for a worker that can execute it, in milliseconds. @default 30_000 */
  readonly workerTimeoutMs?: number;
  /** How many workers may die of one subgraph, one after the other without a task having ended, before its tasks fail; at least 1. @default 3 */
  readonly maxDeaths?: number;
}

const checks = {
  queue: "own",
  workerTimeoutMs: "positive",
  maxDeaths: "own",
} as const satisfies OptionChecks<PostgresDispatcherOptions>;

export interface PostgresDispatcher extends Dispatcher, AsyncDisposable {
  prepare(subgraphs: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<DispatchCosts>;
  /** Ends its connections. What was dispatched continues. */
  close(): Promise<void>;
}

const measuredDispatches = 8;
const keptMeasurements = 64;
const measureLookMs = 5;

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
  checkOptions("`postgresDispatcher`", options, checks);
  const { queue = defaultQueue, workerTimeoutMs = 30_000, maxDeaths = 3 } = options;
  const internals = internalsOf(journal);
  checkQueue(queue);
  if (!(Number.isInteger(maxDeaths) && maxDeaths >= 1))
    throw invalid("maxDeaths", "an integer of at least 1", maxDeaths);
  if (internals === undefined) throw invalid("journal", "a PostgresJournal", journal);
  const { database, schema, heads, leaseMs, url } = internals;
  const store = new DispatchStore(database, schema, heads, leaseMs);
  const registry = new WorkerRegistry(database, schema);
  const load = new Map<string, number>();
  const unreachable = new Set<(error: unknown) => void>();
  const mailbox = new Mailbox(database, internals.session, schema, (error) => {
    for (const fail of [...unreachable]) fail(error);
  });
  let connecting: Promise<DBOSClient> | undefined;
  const engine = () => {
    connecting ??= connectEngine(url, schema);
    return connecting;
  };
  const measured: number[] = [];
  const measure = async (signal: AbortSignal | undefined) => {
    const began = performance.now();
    const classes = async () => {
      for (;;) {
        signal?.throwIfAborted();
        const found = await registry.classes(queue);
        if (found.length > 0) return found;
        if (performance.now() - began > workerTimeoutMs) throw new Error(noWorker(queue, workerTimeoutMs, [], []));
        await sleep(Math.min(50, workerTimeoutMs));
      }
    };
    // The first worker makes the tables of the engine.
    const [first] = await classes();
    const client = await engine();
    const sentAt = performance.now();
    const handle = await client.enqueue({
      queueName: first!.queue,
      workflowName: workflows.empty,
      appVersion: dispatchVersion,
    });
    try {
      for (;;) {
        signal?.throwIfAborted();
        if ((await handle.getStatus())?.status === "SUCCESS") return performance.now() - sentAt;
        if (performance.now() - began > workerTimeoutMs) throw new Error(noWorker(queue, workerTimeoutMs, [], []));
        await sleep(measureLookMs);
      }
    } finally {
      await client.deleteWorkflow(handle.workflowID);
    }
  };
  const close = async () => {
    const client = await connecting?.catch(() => undefined);
    connecting = undefined;
    await client?.destroy();
  };
  return {
    name: "postgres",
    governed: true,
    async prepare(_subgraphs, { signal } = {}) {
      // The first one pays for connections.
      if (measured.length === 0) await measure(signal);
      for (let count = 0; count < measuredDispatches; count++) measured.push(await measure(signal));
      measured.splice(0, Math.max(0, measured.length - keptMeasurements));
      const executors = (await registry.classes(queue)).reduce((sum, { concurrency }) => sum + concurrency, 0);
      return { ...costsOf(measured), ...(executors > 0 && { executors }) };
    },
    async dispatch(request, context) {
      context.signal.throwIfAborted();
      const client = await engine();
      const id = await store.keep(request, queue);
      const parts = { journal, store, registry, client, queue, maxDeaths, workerTimeoutMs, load };
      if (!mustAsk(request)) return new DispatchedSubgraph(parts, id, request, context).reply();
      const asking = { ...request, settings: { ...request.settings, asks: true } };
      const lost = Promise.withResolvers<never>();
      lost.promise.catch(() => {});
      unreachable.add(lost.reject);
      try {
        return await Promise.race([
          new AskedSubgraph({ ...parts, mailbox }, id, asking, context).reply(),
          lost.promise,
        ]);
      } finally {
        unreachable.delete(lost.reject);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Whether only the process of the run knows what a worker must: limits and gates, or what was begun, asked or completed within tasks before. */
function mustAsk({ settings, begun, nested, asked = [] }: DispatchRequest): boolean {
  return settings.asks === true || begun.length > 0 || nested.length > 0 || asked.length > 0;
}
