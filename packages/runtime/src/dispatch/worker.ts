// The program of a worker process: loads the module with the executors, then runs one subgraph after the other.
import { pathToFileURL } from "node:url";
import type { Bind, Executor } from "@planloom/plan";
import { runInWorker } from "../session/worker-run.ts";
import type { DispatchRequest } from "./dispatcher.ts";
import { endWithParent } from "./parent-watch.ts";
import { WorkerLink } from "./worker-link.ts";
import type { ToParent, ToWorker } from "./worker-messages.ts";

interface WorkerModule {
  readonly executors?: readonly Executor[] | (() => readonly Executor[] | Promise<readonly Executor[]>);
  readonly bind?: Bind;
}

const tell = (message: ToParent) => void process.send?.(message, () => {});
let current: { readonly stop: AbortController; readonly link: WorkerLink } | undefined;

async function load(module: string): Promise<{ executors: readonly Executor[]; bind: Bind | undefined }> {
  const url = /^[a-z]{2,}:/i.test(module) ? module : pathToFileURL(module).href;
  const { executors, bind } = (await import(url)) as WorkerModule;
  const list = typeof executors === "function" ? await executors() : executors;
  if (!Array.isArray(list)) throw new Error("expected it to export `executors`, a list or a function that makes one");
  return { executors: list as readonly Executor[], bind };
}

async function execute(request: DispatchRequest, loaded: Awaited<ReturnType<typeof load>>): Promise<void> {
  const stop = new AbortController();
  const link = new WorkerLink(tell);
  current = { stop, link };
  try {
    const onEvent = (event: Parameters<Parameters<typeof runInWorker>[1]["onEvent"]>[0]) =>
      tell({ type: "event", event });
    const reply = await runInWorker(request, { ...loaded, link, signal: stop.signal, onEvent });
    tell({ type: "done", reply });
  } catch (error) {
    tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

// Nobody is left to answer to: it hears so when its loop turns, and while a tool holds it the thread beside it sees it.
endWithParent(Number(process.argv[3] ?? process.ppid));
process.on("disconnect", () => process.exit(0));
// No top-level await: a bundle may hold this program and be CommonJS, or be the module that is loaded here.
load(process.argv[2] ?? "").then(
  (loaded) => {
    process.on("message", (message: ToWorker) => {
      if (message.type === "run") void execute(message.request, loaded);
      else if (message.type === "abort") current?.stop.abort();
      else if (message.type === "ping") tell({ type: "pong" });
      else current?.link.hear(message);
    });
    tell({ type: "ready" });
  },
  (error: unknown) => tell({ type: "broken", message: error instanceof Error ? error.message : String(error) }),
);
