// The program of a worker process: loads the module with the executors, then runs one subgraph after the other.
import { pathToFileURL } from "node:url";
import type { Bind, Executor } from "@planloom/plan";
import { run } from "../run.ts";
import type { DispatchRequest } from "./dispatcher.ts";
import type { ToParent, ToWorker } from "./worker-messages.ts";

interface WorkerModule {
  readonly executors?: readonly Executor[] | (() => readonly Executor[] | Promise<readonly Executor[]>);
  readonly bind?: Bind;
}

const tell = (message: ToParent) => void process.send?.(message, () => {});
let stop: AbortController | undefined;

async function load(module: string): Promise<{ executors: readonly Executor[]; bind: Bind | undefined }> {
  const url = /^[a-z]{2,}:/i.test(module) ? module : pathToFileURL(module).href;
  const { executors, bind } = (await import(url)) as WorkerModule;
  const list = typeof executors === "function" ? await executors() : executors;
  if (!Array.isArray(list)) throw new Error("expected it to export `executors`, a list or a function that makes one");
  return { executors: list as readonly Executor[], bind };
}

async function execute(
  { run_id, plan, input, settings }: DispatchRequest,
  { executors, bind }: Awaited<ReturnType<typeof load>>,
): Promise<void> {
  stop = new AbortController();
  try {
    const { results, usage } = await run(plan, {
      executors,
      bind,
      runId: run_id,
      input,
      concurrency: 1,
      taskTimeoutMs: settings.task_timeout_ms ?? Number.POSITIVE_INFINITY,
      retry: settings.retry ?? undefined,
      retryOn: settings.retry_on ?? undefined,
      onFailure: settings.on_failure,
      maxOutputBytes: settings.max_output_bytes,
      abortGraceMs: settings.abort_grace_ms / 4,
      signal: stop.signal,
      onEvent: (event) => tell({ type: "event", event }),
    });
    tell({ type: "done", reply: { results: results.filter(({ recorded }) => recorded !== true), usage } });
  } catch (error) {
    tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

// Nobody is left to answer to.
process.on("disconnect", () => process.exit(0));
try {
  const loaded = await load(process.argv[2] ?? "");
  process.on("message", (message: ToWorker) => {
    if (message.type === "run") void execute(message.request, loaded);
    else stop?.abort();
  });
  tell({ type: "ready" });
} catch (error) {
  tell({ type: "broken", message: error instanceof Error ? error.message : String(error) });
}
