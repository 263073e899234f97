import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import type { OptionChecks } from "@planloom/plan";
import { abortable, longestTimerMs } from "@planloom/plan/internals";
import { checkOptions } from "../check-options.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import { emptyDispatch } from "./empty-dispatch.ts";
import { costsOf, type DispatchCosts, type PreparationOptions } from "./port/dispatch-costs.ts";
import type { Dispatcher } from "./port/dispatcher.ts";
import { WorkerProcess } from "./worker-process.ts";

export interface ChildProcessOptions {
  /**
   * The module that a worker loads, as a file URL or an absolute path. It exports `executors`, a list or an async function
   * that makes one, and may export `bind`.
   */
  readonly module: string | URL;
  /**
   * The program of a worker, as a file URL or an absolute path: `planloom/worker`, or a bundle that imports it. Needed
   * where this package was bundled, because its own files are then not beside it. @default the package's own file
   */
  readonly worker?: string | URL;
  /** Idle workers kept for the next subgraph; `close` ends them. @default 4 */
  readonly keepWorkers?: number;
  /**
   * How long a worker may give no sign of life while it loads its module, or between calls, in milliseconds; then it is ended, and the tasks that it had not
   * reported fail with `TASK_DISPATCH`. A call has the limits of its task. @default 30_000
   */
  readonly unresponsiveMs?: number;
  /**
   * Longest message between the run and a worker, either way, as bytes of JSON, from 1_048_576. A subgraph goes to its worker in one message with
   * the outputs that it needs, and each task's output comes back in one. Past it the worker is ended, and its subgraph fails with
   * `TASK_DISPATCH` (`details.problem`). @default 268_435_456
   */
  readonly maxMessageBytes?: number;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const checks = {
  module: "own",
  worker: "place",
  keepWorkers: "own",
  unresponsiveMs: "own",
  maxMessageBytes: "own",
  env: "object",
} as const satisfies OptionChecks<ChildProcessOptions>;

export interface ChildProcessDispatcher extends Dispatcher, AsyncDisposable {
  /** Starts workers before the first subgraph, so that none waits for one. */
  warm(workers: number): Promise<void>;
  /** Starts workers for so many subgraphs at once, `keepWorkers` at most, and measures dispatches to them; see `Dispatcher`. */
  prepare(subgraphs: number, options?: PreparationOptions): Promise<DispatchCosts>;
  /** Ends all workers, those that work too. */
  close(): Promise<void>;
}

/**
 * Executes each subgraph in a process of its own, one subgraph at a time in each, over a pipe as lines of JSON. A process that dies
 * takes its subgraph with it and no other; on abort it is killed when it does not stop by itself within the grace time.
 * @throws RuntimeError INVALID_OPTION, for `worker` also where the package's own file cannot be found.
 */
export function childProcessDispatcher(options: ChildProcessOptions): ChildProcessDispatcher {
  checkOptions("`childProcessDispatcher`", options, checks);
  const { keepWorkers: keep = 4, unresponsiveMs = 30_000, maxMessageBytes = 256 * 1024 * 1024 } = options;
  if (!isPlace(options.module)) throw invalid("module", "a file URL or an absolute path", options.module);
  if (!(Number.isInteger(keep) && keep >= 0)) throw invalid("keepWorkers", "an integer of at least 0", keep);
  if (!(typeof unresponsiveMs === "number" && unresponsiveMs >= 1 && unresponsiveMs <= longestTimerMs))
    throw invalid("unresponsiveMs", `a number from 1 to ${longestTimerMs}`, unresponsiveMs);
  if (
    !(Number.isInteger(maxMessageBytes) && maxMessageBytes >= leastMessageBytes && maxMessageBytes <= mostMessageBytes)
  )
    throw invalid("maxMessageBytes", `an integer from ${leastMessageBytes} to ${mostMessageBytes}`, maxMessageBytes);
  const module = String(options.module);
  const program = options.worker === undefined ? ownWorkerFile() : workerFileOf(options.worker);
  const idle: WorkerProcess[] = [];
  const all = new Set<WorkerProcess>();
  let closed = false;
  const start = (): WorkerProcess => {
    const worker = new WorkerProcess({ program, module, env: options.env ?? {}, unresponsiveMs, maxMessageBytes });
    all.add(worker);
    void worker.ended.then(() => {
      all.delete(worker);
      const at = idle.indexOf(worker);
      if (at !== -1) idle.splice(at, 1);
    });
    return worker;
  };
  const close = async () => {
    closed = true;
    await Promise.all([...all].map((worker) => worker.kill()));
  };
  const warm = async (workers: number) => {
    const started = Array.from({ length: Math.max(0, workers - idle.length) }, start);
    await Promise.all(started.map((worker) => worker.ready));
    idle.push(...started);
  };
  const measured: number[] = [];
  return {
    name: "child-process",
    governed: true,
    reportsTasks: true,
    warm,
    async prepare(subgraphs, { signal = never } = {}) {
      if (closed) throw new Error("The dispatcher was closed.");
      signal.throwIfAborted();
      await abortable(warm(Math.min(subgraphs, keep)), signal);
      const worker = idle.pop() ?? start();
      await abortable(worker.ready, signal);
      for (let round = 0; round < probes; round++) {
        const { request, context } = emptyDispatch(signal);
        const before = performance.now();
        await worker.run(request, context);
        // The first one loads what every later one uses.
        if (round > 0) measured.push(performance.now() - before);
      }
      idle.push(worker);
      measured.splice(0, measured.length - mostMeasured);
      return { ...costsOf(measured), executors: keep };
    },
    async dispatch(request, context) {
      if (closed) throw new Error("The dispatcher was closed.");
      const worker = idle.pop() ?? start();
      const reply = await worker.run(request, context);
      if (worker.alive && !closed && idle.length < keep) idle.push(worker);
      else await worker.kill();
      return reply;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** How many empty subgraphs are dispatched to measure what that costs; the first is not counted. */
const probes = 8;
/** Measurements that are kept: what a dispatch cost lately counts. */
const mostMeasured = 64;
const never = new AbortController().signal;

const leastMessageBytes = 1024 * 1024;
/** What a text in V8 can hold. */
const mostMessageBytes = 2 ** 29 - 24;

function isPlace(value: unknown): value is string | URL {
  return value instanceof URL || (typeof value === "string" && value !== "");
}

function workerFileOf(worker: unknown): string {
  const isUrl = worker instanceof URL || (typeof worker === "string" && worker.startsWith("file:"));
  if (isUrl && String(worker).startsWith("file:")) return fileURLToPath(worker);
  if (typeof worker === "string" && isAbsolute(worker)) return worker;
  throw invalid("worker", "a file URL or an absolute path", worker);
}

/** The package's own entry for workers: the source file or the built file, as this file is. A bundle has neither. */
function ownWorkerFile(): string {
  try {
    return fileURLToPath(import.meta.resolve("@planloom/runtime/worker"));
  } catch (cause) {
    throw new RuntimeError(
      RuntimeErrorCode.INVALID_OPTION,
      "The program of the workers, planloom/worker, was not found beside this file, as happens in a bundle. " +
        "Expected `worker` to name it: a file URL or an absolute path of that program, or of a bundle that imports it.",
      { details: { option: "worker" }, cause },
    );
  }
}
