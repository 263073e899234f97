import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { invalid } from "../invalid-option.ts";
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
  /** Idle workers kept for the next subgraph; `close` ends them. @default 4 */
  readonly keepWorkers?: number;
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
 */
export function childProcessDispatcher(options: ChildProcessOptions): ChildProcessDispatcher {
  const { keepWorkers: keep = 4 } = options;
  if (!(options.module instanceof URL || (typeof options.module === "string" && options.module !== "")))
    throw invalid("module", "a file URL or an absolute path", options.module);
  if (!(Number.isInteger(keep) && keep >= 0)) throw invalid("keepWorkers", "an integer of at least 0", keep);
  const module = String(options.module);
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let closed = false;
  const start = (): Worker => {
    const worker = new Worker(module, options.env ?? {});
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

/** The package's own entry for workers: source or built file, whichever is in use here. */
const workerFile = fileURLToPath(import.meta.resolve("@planloom/runtime/worker"));

const notOurs = "The worker sent a message that is none of ours: does a tool of its use process.send?";

class Worker {
  readonly #child: ChildProcess;
  /** Resolves when its module is loaded; rejects when it cannot be. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone, with how. */
  readonly ended: Promise<string>;
  #hear: ((message: ToParent) => void) | undefined;
  alive = true;

  constructor(module: string, env: Readonly<Record<string, string>>) {
    const child = fork(workerFile, [module], {
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
      if (!isFromWorker(told)) this.#hear?.({ type: "failed", message: notOurs });
      else if (told.type === "ready" || told.type === "broken") loaded(told);
      else this.#hear?.(told);
    });
    this.ready = Promise.race([
      first,
      this.ended.then((how) => ({ type: "broken" as const, message: `it ${how}` })),
    ]).then((message) => {
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
        };
      });
      this.#send({ type: "run", request });
      const died = this.ended.then((how): never => {
        throw new Error(`The worker process ${how} before it had answered.`);
      });
      return await Promise.race([reply, died]);
    } catch (error) {
      await this.kill();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.#hear = undefined;
      link.close();
    }
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
