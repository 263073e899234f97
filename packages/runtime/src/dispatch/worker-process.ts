import { type ChildProcess, spawn } from "node:child_process";
import { type Duplex, PassThrough } from "node:stream";
import { timerMs } from "@planloom/plan";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";
import { AnswerWatch } from "./answer-watch.ts";
import { type ChannelFault, LineChannel } from "./line-channel.ts";
import { ParentLink } from "./parent-link.ts";
import type { DispatchContext, DispatchReply, DispatchRequest } from "./port/dispatcher.ts";
import { isFromWorker } from "./read-message.ts";
import { channelFd, type ToParent, type ToWorker } from "./worker-messages.ts";

export interface WorkerProcessOptions {
  readonly program: string;
  readonly module: string;
  readonly env: Readonly<Record<string, string>>;
  readonly unresponsiveMs: number;
  readonly maxMessageBytes: number;
}

/** How long the last messages of a process that is gone are waited for, in milliseconds: what it started may hold the channel open. */
const lastWordsMs = 1_000;
const notOurs =
  "The worker sent a message that does not belong to the protocol. Perhaps one of its tools writes to file descriptor 3.";

/** A worker process, as the process of the run has it: one subgraph at a time. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #channel: LineChannel;
  /** Resolves when nothing more will be read from the channel. */
  readonly #read = Promise.withResolvers<void>();
  /** Resolves when its module is loaded; rejects when it cannot be. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone, with how. */
  readonly ended: Promise<string>;
  readonly #unresponsiveMs: number;
  #hear: ((message: ToParent) => void) | undefined;
  #watch: AnswerWatch | undefined;
  alive = true;

  constructor({ program, module, env, unresponsiveMs, maxMessageBytes }: WorkerProcessOptions) {
    this.#unresponsiveMs = unresponsiveMs;
    const command = [...ownArguments(), program, module, String(process.pid), String(maxMessageBytes)];
    const child = spawn(process.execPath, command, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    });
    this.#child = child;
    const gone = new Promise<string>((resolve) => {
      child.once("exit", (code, signal) =>
        resolve(signal === null ? `ended with code ${code}` : `was killed by ${signal}`),
      );
      child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    });
    this.ended = gone.then(async (how) => {
      // What it said last may still be on its way.
      await Promise.race([this.#read.promise, delay(lastWordsMs)]);
      this.alive = false;
      return how;
    });
    let loaded: (message: ToParent) => void = () => {};
    const first = new Promise<ToParent>((resolve) => {
      loaded = resolve;
    });
    // Without file descriptors there is neither a process nor a pipe.
    this.#channel = new LineChannel((child.stdio?.[channelFd] ?? new PassThrough()) as Duplex, {
      maxBytes: maxMessageBytes,
      onMessage: (message) => {
        this.#watch?.heard();
        if (!isFromWorker(message)) this.#hear?.({ type: "failed", message: notOurs });
        else if (message.type === "ready" || message.type === "broken") loaded(message);
        else this.#hear?.(message);
      },
      onFault: (fault) => {
        this.#read.resolve();
        this.#hear?.(failedBy(fault, "A message of the worker process cannot be read."));
        void this.kill();
      },
      onEnd: this.#read.resolve,
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
    // A subgraph that is sent to it gets this error again.
    this.ready.catch(() => {});
  }

  async run(request: DispatchRequest, context: DispatchContext): Promise<DispatchReply> {
    const { signal } = context;
    const link = new ParentLink(context, (message) => this.#send(message));
    const killAfterMs = timerMs((request.settings.abort_grace_ms ?? Number.POSITIVE_INFINITY) / 2);
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      this.#send({ type: "abort" });
      timer = setTimeout(() => void this.kill(), killAfterMs);
    };
    try {
      signal.addEventListener("abort", onAbort, { once: true });
      await this.ready;
      signal.throwIfAborted();
      const reply = new Promise<DispatchReply>((resolve, reject) => {
        this.#hear = (message) => {
          // Nothing counts that comes after one of these, be it in the same chunk.
          if (message.type === "done" || message.type === "failed" || message.type === "abandoned")
            this.#hear = undefined;
          if (message.type === "done") resolve(message.reply);
          else if (message.type === "failed") reject(failureOf(message));
          else link.hear(message);
          // The call runs as long as the process, also if its tools still write to the line.
          if (message.type === "abandoned")
            reject(new Error("A call in the worker process ignored its signal and continued."));
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
    // There are no listeners any more, so its end does not wait for its last messages.
    this.#channel.close();
    this.#read.resolve();
    await this.ended;
  }

  #send(message: ToWorker): void {
    // `ended` reports a process that is gone.
    const fault = this.#channel.send(message);
    if (fault !== undefined)
      this.#hear?.(failedBy(fault, `The message "${message.type}" to the worker process is too large.`));
  }
}

/** Arguments of Node.js for this process, which hold for its workers too, without a program in the command line. */
function ownArguments(): readonly string[] {
  const evaluated = process.execArgv.findIndex((argument) => /^(-e|-p|-pe|--eval|--print)$/.test(argument));
  return evaluated === -1 ? process.execArgv : process.execArgv.toSpliced(evaluated, 2);
}

function failedBy({ message, problem, maxBytes }: ChannelFault, what: string): Extract<ToParent, { type: "failed" }> {
  return { type: "failed", message: `${what} ${message}`, problem, max_bytes: maxBytes };
}

function failureOf({ message, problem, max_bytes }: Extract<ToParent, { type: "failed" }>): Error {
  if (problem === undefined) return new Error(message);
  return new TaskFailure(TaskErrorCode.DISPATCH, message, { details: { problem, max_bytes } });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
