import { type ChildProcess, fork } from "node:child_process";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import { AnswerWatch } from "./answer-watch.ts";
import type { DispatchContext, Dispatcher, DispatchReply, DispatchRequest } from "./dispatcher.ts";
import { ParentLink } from "./parent-link.ts";
import { isFromWorker } from "./read-message.ts";
import type { ToParent, ToWorker } from "./worker-messages.ts";

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
   * How long a worker may give no sign of life while it loads its module, or between calls, in milliseconds; then it is ended, and what it had not
   * told of fails with `TASK_DISPATCH`. A call has the limits of its task. @default 30_000
   */
  readonly unresponsiveMs?: number;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ChildProcessDispatcher extends Dispatcher, AsyncDisposable {
  /** Starts workers beforehand, so that no subgraph waits for one. */
  warm(workers: number): Promise<void>;
  /** Ends all workers, those that work too. */
  close(): Promise<void>;
}

/**
 * Executes each subgraph in a process of its own, one subgraph at a time in each, over IPC as JSON. A process that dies
 * takes its subgraph with it and no other; on abort it is killed when it does not stop by itself within the grace time.
 * @throws RuntimeError INVALID_OPTION, for `worker` also where the package's own file cannot be found.
 */
export function childProcessDispatcher(options: ChildProcessOptions): ChildProcessDispatcher {
  const { keepWorkers: keep = 4, unresponsiveMs = 30_000 } = options;
  if (!isPlace(options.module)) throw invalid("module", "a file URL or an absolute path", options.module);
  if (!(Number.isInteger(keep) && keep >= 0)) throw invalid("keepWorkers", "an integer of at least 0", keep);
  if (!(typeof unresponsiveMs === "number" && unresponsiveMs >= 1 && unresponsiveMs <= longestTimer))
    throw invalid("unresponsiveMs", `a number from 1 to ${longestTimer}`, unresponsiveMs);
  const module = String(options.module);
  const program = options.worker === undefined ? ownWorkerFile() : workerFileOf(options.worker);
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let closed = false;
  const start = (): Worker => {
    const worker = new Worker(program, module, options.env ?? {}, unresponsiveMs);
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
  return {
    name: "child-process",
    governed: true,
    async warm(workers) {
      const started = Array.from({ length: Math.max(0, workers - idle.length) }, start);
      await Promise.all(started.map((worker) => worker.ready));
      idle.push(...started);
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

const longestTimer = 2 ** 31 - 1;

function isPlace(value: unknown): value is string | URL {
  return value instanceof URL || (typeof value === "string" && value !== "");
}

function workerFileOf(worker: unknown): string {
  const isUrl = worker instanceof URL || (typeof worker === "string" && worker.startsWith("file:"));
  if (isUrl && String(worker).startsWith("file:")) return fileURLToPath(worker);
  if (typeof worker === "string" && isAbsolute(worker)) return worker;
  throw invalid("worker", "a file URL or an absolute path", worker);
}

/** The package's own entry for workers: source or built file, whichever is in use here. A bundle has neither. */
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

const notOurs = "The worker sent a message that is none of ours: does a tool of its use process.send?";

class Worker {
  readonly #child: ChildProcess;
  /** Resolves when its module is loaded; rejects when it cannot be. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone, with how. */
  readonly ended: Promise<string>;
  readonly #unresponsiveMs: number;
  #hear: ((message: ToParent) => void) | undefined;
  #watch: AnswerWatch | undefined;
  alive = true;

  constructor(program: string, module: string, env: Readonly<Record<string, string>>, unresponsiveMs: number) {
    this.#unresponsiveMs = unresponsiveMs;
    const child = fork(program, [module, String(process.pid)], {
      env: { ...process.env, ...env },
      serialization: "json",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#child = child;
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.alive = false;
        resolve(how);
      };
      child.once("exit", (code, signal) =>
        end(signal === null ? `ended with code ${code}` : `was killed by ${signal}`),
      );
      child.once("error", (error) => end(`could not be started: ${error.message}`));
    });
    let loaded: (message: ToParent) => void = () => {};
    const first = new Promise<ToParent>((resolve) => {
      loaded = resolve;
    });
    child.on("message", (told: unknown) => {
      this.#watch?.heard();
      if (!isFromWorker(told)) this.#hear?.({ type: "failed", message: notOurs });
      else if (told.type === "ready" || told.type === "broken") loaded(told);
      else this.#hear?.(told);
    });
    const loading = Promise.withResolvers<ToParent>();
    const watch = new AnswerWatch(
      unresponsiveMs,
      () => true,
      () => {
        loading.resolve({ type: "broken", message: `it had not done so after ${unresponsiveMs} ms, and was ended` });
        void this.kill();
      },
    );
    this.ready = Promise.race([
      first,
      loading.promise,
      this.ended.then((how) => ({ type: "broken" as const, message: `it ${how}` })),
    ]).then((message) => {
      watch.stop();
      if (message.type === "broken") throw new Error(`The worker could not load ${module}: ${message.message}`);
    });
    // Whoever runs a subgraph on it hears of this again.
    this.ready.catch(() => {});
  }

  async run(request: DispatchRequest, context: DispatchContext): Promise<DispatchReply> {
    const { signal } = context;
    const link = new ParentLink(context, (message) => this.#send(message));
    const killAfter = request.settings.abort_grace_ms / 2;
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      this.#send({ type: "abort" });
      timer = setTimeout(() => this.#child.kill("SIGKILL"), killAfter);
    };
    try {
      signal.addEventListener("abort", onAbort, { once: true });
      await this.ready;
      signal.throwIfAborted();
      const reply = new Promise<DispatchReply>((resolve, reject) => {
        this.#hear = (message) => {
          if (message.type === "done") resolve(message.reply);
          else if (message.type === "failed") reject(new Error(message.message));
          else link.hear(message);
          if (message.type !== "abandoned") return;
          // Whatever its tools may still write to the line, the call goes on as long as the process.
          this.#hear = undefined;
          reject(new Error("A call in the worker process ignored its signal and went on."));
        };
      });
      const silent = this.#silence(link);
      this.#send({ type: "run", request });
      const died = this.ended.then((how): never => {
        throw new Error(`The worker process ${how} before it had answered.`);
      });
      return await Promise.race([reply, died, silent]);
    } catch (error) {
      await this.kill();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.#hear = undefined;
      this.#watch?.stop();
      link.close();
    }
  }

  /** Rejects when the worker gives no sign of life while it makes no call. */
  #silence(link: ParentLink): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const ask = () => {
      if (link.inCall) return false;
      this.#send({ type: "ping" });
      return true;
    };
    const why = `The worker process gave no sign of life for ${this.#unresponsiveMs} ms between calls, and was ended.`;
    this.#watch = new AnswerWatch(this.#unresponsiveMs, ask, () => reject(new Error(why)));
    return promise;
  }

  async kill(): Promise<void> {
    if (this.alive) this.#child.kill("SIGKILL");
    await this.ended;
  }

  #send(message: ToWorker): void {
    // A process that is gone is told of by `ended`.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}
