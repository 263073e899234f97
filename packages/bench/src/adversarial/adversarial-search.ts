import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { strategies as builtIn, type RuleStrategy } from "@planloom/optimizer";
import { isolated } from "@planloom/optimizer/internals";
import type { OptionChecks } from "@planloom/plan";
import type { AdversarialMatrix } from "../bench-report.ts";
import { checkOptions } from "../check-options.ts";
import { openJournal } from "../journal.ts";
import { provenance } from "../provenance.ts";
import { PairRecord } from "./pair-record.ts";
import { type AnnealingOptions, searchPair } from "./search-pair.ts";
import type { PairReply, PairRequest } from "./worker.ts";

export interface AdversarialOptions extends AnnealingOptions {
  /** Names of built-in strategies, and strategies of one's own; with one of these no thread is started. @default the fifteen of `adversarialStrategies` */
  readonly strategies?: readonly (string | RuleStrategy)[];
  /** Threads in addition to this one. With 1, or in a bundle, no thread is started, and this one yields between pairs only. @default as many as the machine has cores */
  readonly workers?: number;
  /** File that keeps the pairs; those it holds are not searched again. @default none */
  readonly journal?: string;
  /** Called at the beginning, and after every pair that was searched. */
  readonly onProgress?: (progress: { done: number; kept: number; total: number; pair?: PairReply }) => void;
  readonly signal?: AbortSignal;
}

const checks = {
  strategies: "list",
  workers: "count",
  journal: "text",
  onProgress: "function",
  signal: "signal",
  restarts: "count",
  steps: "count",
  seed: "number",
  instances: "object",
  climb: "boolean",
  evaluations: "positive",
  until: "number",
} as const satisfies OptionChecks<AdversarialOptions>;

/** Every kind of strategy once, with the baselines; `exact` gives the optimum. */
export const adversarialStrategies: readonly string[] = [
  "single",
  "per-task",
  "components",
  "chain-fusion",
  "level-batch",
  "level-lpt",
  "linear-clustering",
  "edge-zeroing",
  "dsc",
  "gdca",
  "bsp-rounds",
  "schedule-cut-heft",
  "schedule-cut-etf",
  "portfolio",
  "exact",
];

/**
 * Worst instance for every ordered pair of strategies, pairs shared out to worker threads. The result depends on the seed
 * alone, not on the number of workers. When the signal aborts, all workers are ended and the call rejects with its reason.
 */
export async function adversarialSearch(options: AdversarialOptions = {}): Promise<AdversarialMatrix> {
  checkOptions("`adversarialSearch`", options, checks);
  const { workers = availableParallelism(), signal, seed = 0 } = options;
  const known = new Map(
    (options.strategies ?? adversarialStrategies).map((each) => [nameOf(each), isolated(strategyOf(each))]),
  );
  const strategies = [...known.keys()];
  // Functions cannot be sent to a thread.
  const own = [...known].some(([name, strategy]) => builtIn.get(name) !== strategy);
  signal?.throwIfAborted();
  const { restarts = 5, steps = 300, onProgress } = options;
  const pairs: PairRequest[] = strategies.flatMap((judged, row) =>
    strategies
      .filter((against) => against !== judged)
      .map((against, column) => ({ judged, against, seed: seed + row * strategies.length + column, restarts, steps })),
  );
  const journal = options.journal === undefined ? undefined : await openJournal(options.journal, PairRecord);
  const found = new Map<string, Pick<PairReply, "ratio" | "instance">>();
  const begun = performance.now();
  const queue: PairRequest[] = [];
  for (const pair of pairs) {
    const kept = journal?.kept.get(keyOf(pair, known));
    if (kept === undefined) queue.push(pair);
    else found.set(keyOf(pair, known), kept);
  }
  const kept = found.size;
  let evaluations = 0;
  onProgress?.({ done: kept, kept, total: pairs.length });
  const receive = async (request: PairRequest, reply: PairReply) => {
    const key = keyOf(request, known);
    const { ratio, instance } = reply;
    found.set(key, { ratio, instance });
    evaluations += reply.evaluations;
    await journal?.append({ key, judged: reply.judged, against: reply.against, ratio, instance });
    onProgress?.({ done: found.size, kept, total: pairs.length, pair: reply });
  };
  const program = own || Math.min(workers, queue.length) <= 1 ? undefined : workerFile();
  if (program === undefined) await searchHere(queue, known, receive, signal);
  else {
    const threads = Array.from({ length: Math.min(workers, queue.length) }, () => new Worker(program));
    try {
      await Promise.all(threads.map((worker) => drain(worker, queue, receive, signal)));
    } finally {
      await Promise.all(threads.map((worker) => worker.terminate()));
    }
  }
  const at = (judged: string, against: string) => {
    const pair = pairs.find((each) => each.judged === judged && each.against === against);
    return pair === undefined ? undefined : found.get(keyOf(pair, known));
  };
  return {
    strategies,
    worst: strategies.map((judged) => strategies.map((against) => at(judged, against)?.ratio ?? 0)),
    instances: strategies.map((judged) => strategies.map((against) => at(judged, against)?.instance ?? null)),
    seconds: (performance.now() - begun) / 1000,
    evaluations,
    kept,
  };
}

/** Everything that decides what is found for a pair. */
function keyOf(
  { judged, against, seed, restarts, steps }: PairRequest,
  known: ReadonlyMap<string, RuleStrategy>,
): string {
  const versions = [judged, against].map((name) => `${name}@${known.get(name)!.version}`);
  const { version, commit } = provenance();
  return [...versions, seed, restarts, steps, version, commit].join("|");
}

const nameOf = (each: string | RuleStrategy) => (typeof each === "string" ? each : each.name);

function strategyOf(each: string | RuleStrategy): RuleStrategy {
  const strategy = typeof each === "string" ? builtIn.get(each) : each;
  if (strategy === undefined) throw new RangeError(`Expected a built-in strategy, got ${nameOf(each)}.`);
  return strategy;
}

/** The package's own entry for workers: source or built file, whichever is in use here. A bundle has neither: one thread then. */
function workerFile(): URL | undefined {
  try {
    return new URL(import.meta.resolve("@planloom/bench/worker"));
  } catch {
    return undefined;
  }
}

/** One pair after the other, without what starting a thread costs. */
async function searchHere(
  queue: readonly PairRequest[],
  known: ReadonlyMap<string, RuleStrategy>,
  receive: (request: PairRequest, reply: PairReply) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const request of queue) {
    await setImmediate();
    signal?.throwIfAborted();
    const { judged, against } = request;
    await receive(request, { judged, against, ...searchPair(known.get(judged)!, known.get(against)!, request) });
  }
}

/** Feeds one worker until the queue is empty. */
function drain(
  worker: Worker,
  queue: PairRequest[],
  receive: (request: PairRequest, reply: PairReply) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const finish = (settle: () => void) => {
      signal?.removeEventListener("abort", abort);
      settle();
    };
    let request: PairRequest | undefined;
    const next = () => {
      request = queue.shift();
      if (request === undefined) finish(resolve);
      else worker.postMessage(request);
    };
    const fail = (error: unknown) => finish(() => reject(error));
    worker.on("message", (reply: PairReply) => {
      receive(request!, reply).then(next, fail);
    });
    worker.on("error", fail);
    next();
  });
}
