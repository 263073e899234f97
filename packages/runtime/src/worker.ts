// The program of a worker process: loads the module with the executors, then runs one subgraph after the other.
import { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import type { Bind, Executor } from "@planloom/plan";
import { LineChannel } from "./dispatch/line-channel.ts";
import { endWithParent } from "./dispatch/parent-watch.ts";
import type { DispatchRequest } from "./dispatch/port/dispatcher.ts";
import { WorkerLink } from "./dispatch/worker-link.ts";
import { channelFd, type ToParent, type ToWorker } from "./dispatch/worker-messages.ts";
import { runInWorker } from "./plan-execution/worker-run.ts";

interface WorkerModule {
  readonly executors?: readonly Executor[] | (() => readonly Executor[] | Promise<readonly Executor[]>);
  readonly bind?: Bind;
  /** Awaited, for at most a second, before the end of a subgraph is reported. */
  readonly flush?: () => Promise<void>;
}

type Loaded = { readonly executors: readonly Executor[] } & Pick<WorkerModule, "flush"> & {
    readonly bind: Bind | undefined;
  };

const [, , module = "", parent = process.ppid, maxMessageBytes = Number.POSITIVE_INFINITY] = process.argv;
const channel = new LineChannel(new Socket({ fd: channelFd, readable: true, writable: true }), {
  maxBytes: Number(maxMessageBytes),
  onMessage: (message) => hear(message as ToWorker),
  onFault(fault) {
    process.stderr.write(`The worker process cannot read a message from the run, so it ends. ${fault.message}\n`);
    process.exit(1);
  },
  // The parent that would get an answer is gone.
  onEnd: () => process.exit(0),
});
let loaded: Loaded | undefined;
let current: { readonly stop: AbortController; readonly link: WorkerLink } | undefined;

async function load(module: string): Promise<Loaded> {
  const url = /^[a-z]{2,}:/i.test(module) ? module : pathToFileURL(module).href;
  const { executors, bind, flush } = (await import(url)) as WorkerModule;
  const list = typeof executors === "function" ? await executors() : executors;
  if (!Array.isArray(list)) throw new Error("expected it to export `executors`, a list or a function that makes one");
  return { executors: list as readonly Executor[], bind, ...(flush !== undefined && { flush }) };
}

async function execute(request: DispatchRequest, loaded: Loaded): Promise<void> {
  const stop = new AbortController();
  const link = new WorkerLink(notifyParent);
  current = { stop, link };
  try {
    const onEvent = (event: Parameters<Parameters<typeof runInWorker>[1]["onEvent"]>[0]) =>
      notifyParent({ type: "event", event });
    const reply = await runInWorker(request, { ...loaded, link, signal: stop.signal, onEvent });
    await flushed(loaded);
    notifyParent({ type: "done", reply });
  } catch (error) {
    notifyParent({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

const flushMs = 1_000;

/** What the process has measured is exported, as far as that goes within a moment. */
async function flushed({ flush }: Loaded): Promise<void> {
  if (flush === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const given = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, flushMs);
  });
  await Promise.race([flush().catch(() => {}), given]);
  clearTimeout(timer);
}

function notifyParent(message: ToParent): void {
  const fault = channel.send(message);
  if (fault === undefined) return;
  const { problem, maxBytes } = fault;
  channel.send({
    type: "failed",
    message: `Its message "${message.type}": ${fault.message}`,
    problem,
    max_bytes: maxBytes,
  });
}

function hear(message: ToWorker): void {
  if (message.type === "run") {
    if (loaded !== undefined) void execute(message.request, loaded);
  } else if (message.type === "abort") current?.stop.abort();
  else if (message.type === "ping") notifyParent({ type: "pong" });
  else current?.link.hear(message);
}

// While a tool holds this thread nothing is heard of the channel's end: a thread beside it sees that the parent is gone.
endWithParent(Number(parent));
// No top-level await: a bundle may hold this program and be CommonJS, or be the module that is loaded here.
load(module).then(
  (given) => {
    loaded = given;
    notifyParent({ type: "ready" });
  },
  (error: unknown) => notifyParent({ type: "broken", message: error instanceof Error ? error.message : String(error) }),
);
