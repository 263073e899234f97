import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { strategies as builtIn } from "../../strategies/index.ts";
import type { AdversarialMatrix } from "../bench-report.ts";
import type { AnnealingOptions } from "./search-pair.ts";
import type { PairReply, PairRequest } from "./worker.ts";

export interface AdversarialOptions extends AnnealingOptions {
  /** Names of built-in strategies. @default the fifteen of `adversarialStrategies` */
  readonly strategies?: readonly string[];
  /** Threads. @default as many as the machine has cores */
  readonly workers?: number;
  readonly onPair?: (reply: PairReply, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Every kind of strategy once, with the baselines; `exact` stands for the optimum. */
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
  const { strategies = adversarialStrategies, workers = availableParallelism(), onPair, signal, seed = 0 } = options;
  for (const name of strategies) {
    if (!builtIn.has(name)) throw new RangeError(`Expected a built-in strategy, got ${name}.`);
  }
  signal?.throwIfAborted();
  const { restarts, steps } = options;
  const pairs: PairRequest[] = strategies.flatMap((judged, row) =>
    strategies
      .filter((against) => against !== judged)
      .map((against, column) => ({
        judged,
        against,
        seed: seed + row * strategies.length + column,
        ...(restarts === undefined ? {} : { restarts }),
        ...(steps === undefined ? {} : { steps }),
      })),
  );
  const worst = strategies.map(() => strategies.map(() => 0));
  const begun = performance.now();
  let evaluations = 0;
  let done = 0;
  const receive = (reply: PairReply) => {
    worst[strategies.indexOf(reply.judged)]![strategies.indexOf(reply.against)] = reply.ratio;
    evaluations += reply.evaluations;
    onPair?.(reply, ++done, pairs.length);
  };
  const queue = [...pairs];
  const threads = Array.from({ length: Math.min(workers, pairs.length) }, () => newWorker());
  try {
    await Promise.all(threads.map((worker) => drain(worker, queue, receive, signal)));
  } finally {
    await Promise.all(threads.map((worker) => worker.terminate()));
  }
  return { strategies, worst, seconds: (performance.now() - begun) / 1000, evaluations };
}

/** The package's own entry for workers: source or built file, whichever is in use here. */
function newWorker(): Worker {
  return new Worker(new URL(import.meta.resolve("@planloom/optimizer/bench/worker")));
}

/** Feeds one worker until the queue is empty. */
function drain(
  worker: Worker,
  queue: PairRequest[],
  receive: (reply: PairReply) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const finish = (settle: () => void) => {
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const next = () => {
      const request = queue.shift();
      if (request === undefined) finish(resolve);
      else worker.postMessage(request);
    };
    worker.on("message", (reply: PairReply) => {
      receive(reply);
      next();
    });
    worker.on("error", (error) => finish(() => reject(error)));
    next();
  });
}
