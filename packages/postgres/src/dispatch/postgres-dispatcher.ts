import { setTimeout as sleep } from "node:timers/promises";
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { OptionChecks } from "@planloom/plan";
import type {
  DispatchContext,
  DispatchCosts,
  Dispatcher,
  DispatchReply,
  DispatchRequest,
  PreparationOptions,
} from "@planloom/runtime";
import { checkOptions, invalid } from "@planloom/runtime/journal-parts";
import { internalsOf } from "../journal-internals.ts";
import type { PostgresJournal } from "../postgres-journal.ts";
import { noWorker } from "./attempts.ts";
import { calibrate } from "./calibration.ts";
import { DispatchSamples, fittedCosts, isConclusive } from "./dispatch-samples.ts";
import { DispatchStore } from "./dispatch-store.ts";
import { dispatchSubgraph, mustAsk } from "./dispatch-subgraph.ts";
import { checkQueue, connectEngine, defaultQueue, type EngineConnection } from "./engine.ts";
import { Mailbox } from "./mailbox.ts";
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
/** Measurements that are older are made again. */
const freshMs = 60_000;
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
  checkOptions("`postgresDispatcher`", options, checks);
  const { queue = defaultQueue, workerTimeoutMs = 30_000, maxDeaths = 3, onNoWorker } = options;
  const internals = internalsOf(journal);
  checkQueue(queue);
  if (!(Number.isInteger(maxDeaths) && maxDeaths >= 1))
    throw invalid("maxDeaths", "an integer of at least 1", maxDeaths);
  if (internals === undefined) throw invalid("journal", "a PostgresJournal", journal);
  const { database, schema, heads, leaseMs, url, outputs } = internals;
  const store = new DispatchStore(database, schema, heads, leaseMs, outputs);
  const registry = new WorkerRegistry(database, schema);
  const load = new Map<string, number>();
  const unreachable = new Set<(error: unknown) => void>();
  const mailbox = new Mailbox(database, internals.session, schema, (error) => {
    for (const fail of [...unreachable]) fail(error);
  });
  let connecting: Promise<EngineConnection> | undefined;
  const engine = async () => {
    connecting ??= connectEngine(url, schema);
    return (await connecting).client;
  };
  const removals = new Set<Promise<void>>();
  const samples = new DispatchSamples();
  let underWay = 0;
  let isMissed = false;
  const nobody = async () => noWorker(queue, workerTimeoutMs, [], [], await registry.otherRows(queue));
  /** The workers of the queue, once there are some. */
  const classesOf = async (signal: AbortSignal) => {
    const began = performance.now();
    for (;;) {
      signal.throwIfAborted();
      const found = await registry.classes(queue);
      if (found.length > 0) return found;
      if (!isMissed) onNoWorker?.(queue);
      isMissed = true;
      if (performance.now() - began > workerTimeoutMs) throw await nobody();
      await sleep(Math.min(50, workerTimeoutMs));
    }
  };
  /** Dispatches that had a worker each at once, so that none waited for another. */
  let workersAtOnce = 0;
  const partsWith = (client: DBOSClient) => ({
    journal,
    store,
    registry,
    client,
    queue,
    maxDeaths,
    workerTimeoutMs,
    load,
    removals,
  });
  /** Measures a dispatch that has a worker to itself and goes well. */
  const sampled = async (
    request: DispatchRequest,
    context: DispatchContext,
    dispatch: (context: DispatchContext) => Promise<DispatchReply>,
  ) => {
    const open = request.plan.planned_tasks.filter(({ status }) => status !== "completed").length;
    let [tasks, taskMs] = [0, 0];
    let isAlone = ++underWay <= workersAtOnce;
    const heard: DispatchContext = {
      ...context,
      report: (report) => {
        const { status, attempts, duration_ms } = report.result;
        if (status === "completed" && attempts === 1) tasks++;
        taskMs += duration_ms;
        return context.report(report);
      },
    };
    const began = performance.now();
    try {
      const reply = await dispatch(heard);
      isAlone &&= underWay <= workersAtOnce;
      if (isAlone && tasks === open && tasks > 0) samples.add({ totalMs: performance.now() - began, taskMs, tasks });
      return reply;
    } finally {
      underWay--;
    }
  };
  const close = async () => {
    await Promise.all(removals);
    const connection = await connecting?.catch(() => undefined);
    connecting = undefined;
    await connection?.close();
  };
  return {
    name: "postgres",
    governed: true,
    async prepare(subgraphs, { signal = never, taskMs = usualTaskMs } = {}) {
      const classes = await classesOf(signal);
      workersAtOnce = classes.reduce((sum, { concurrency }) => sum + concurrency, 0);
      let measured = samples.near(taskMs, freshMs);
      if (!isConclusive(measured)) {
        await internals.session.open();
        const parts = partsWith(await engine());
        const lanes = Math.max(1, Math.min(subgraphs, workersAtOnce));
        const tooLate = AbortSignal.timeout(workerTimeoutMs);
        const either = AbortSignal.any([signal, tooLate]);
        try {
          measured = await calibrate(parts, internals.session.presence, lanes, taskMs, either);
        } catch (error) {
          signal.throwIfAborted();
          throw tooLate.aborted ? await nobody() : error;
        }
        for (const sample of measured) samples.add(sample);
      }
      return { ...fittedCosts(measured), executors: workersAtOnce, classes: dispatchClasses(classes) };
    },
    async dispatch(request, context) {
      context.signal.throwIfAborted();
      const client = await engine();
      const parts = { ...partsWith(client), mailbox, unreachable };
      if (mustAsk(request)) return dispatchSubgraph(request, context, parts);
      return sampled(request, context, (heard) => dispatchSubgraph(request, heard, parts));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
