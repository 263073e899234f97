import { setTimeout as sleep } from "node:timers/promises";
import type { Bind, Executor } from "@planloom/plan";
import {
  type DispatchRequest,
  type EndReason,
  type Journal,
  RuntimeError,
  RuntimeErrorCode,
  resume,
  run,
} from "@planloom/runtime";
import { optionsOfWorker } from "@planloom/runtime/journal-parts";
import { isProbe, probeExecutors } from "./probe.ts";

/** How often a worker looks whether the worker before it is gone, in milliseconds. */
const leaseLookMs = 250;

export interface SubgraphRunOptions {
  readonly journal: Journal;
  readonly executors: readonly Executor[];
  readonly bind?: Bind | undefined;
  /** Aborted when the worker has to end: running calls may end, and nothing more starts. */
  readonly drain: AbortSignal;
  /** Whether what failed in an earlier session of the run that dispatched it is tried again. @default false: it is continued where a worker has left it */
  readonly triesAgain?: boolean;
}

/**
 * Executes a subgraph as a run of its own in the journal, or resumes it where a worker before has left it: what has ended is not executed again, and
 * the lease keeps a worker out that was taken for dead.
 */
export async function runSubgraph(
  runId: string,
  request: DispatchRequest,
  { journal, executors, bind, drain, triesAgain = false }: SubgraphRunOptions,
): Promise<EndReason> {
  const { run_id, subgraph_id, plan, input, settings } = request;
  const means = isProbe(request) ? { executors: probeExecutors() } : { executors, bind };
  // What may wait is sent to workers that ask; an executor that lets a task wait and does not say that it runs plans of its own keeps its worker.
  const waitHereMs = Number.MAX_SAFE_INTEGER;
  const options = { ...optionsOfWorker(settings), ...means, concurrency: 1, journal, drain, waitHereMs };
  const begin = () => run(plan, { ...options, runId, input, metadata: { subgraph_of: run_id, subgraph_id } });
  let work: () => Promise<{ readonly end_reason: EndReason }> = begin;
  for (;;) {
    try {
      return (await work()).end_reason;
    } catch (error) {
      const code = error instanceof RuntimeError ? error.code : undefined;
      if (code === RuntimeErrorCode.RUN_EXISTS) {
        await refuseOther(journal, runId, run_id);
        work = () => resume(runId, { ...options, retryFailed: triesAgain });
      } else if (code !== RuntimeErrorCode.RUN_LEASED || drain.aborted) throw error;
      else await sleep(leaseLookMs);
    }
  }
}

/** Refuses a run of somebody else that has this id by chance. */
async function refuseOther(journal: Journal, runId: string, parent: string): Promise<void> {
  const { options } = await journal.getRun(runId);
  if (options.metadata?.subgraph_of === parent) return;
  throw new Error(
    `There is a run "${runId}" that is not a subgraph of run "${parent}". Rename one of the two: a subgraph is the run RUN~SUBGRAPH.`,
  );
}
