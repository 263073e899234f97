import type { DispatchContext } from "@planloom/runtime";
import { emptyDispatch } from "@planloom/runtime/journal-parts";
import { type DispatchSample, longestTaskMs } from "./dispatch-samples.ts";
import { DispatchedSubgraph, type DispatchParts } from "./dispatched-subgraph.ts";
import { probePrefix, probeRequest } from "./probe.ts";

/** Tasks of the subgraphs that are measured, one after the other in each lane: from their difference follows what a task costs. */
const sizes = [1, 8] as const;
/** How often each size is measured at least, by all lanes together, and by each lane. */
const leastOfEach = 4;
const leastRounds = 2;
const warmUpTasks = 2;
const mostLanes = 64;

/** The number of the next calibration of this process. */
let calibrations = 0;

/**
 * Dispatches subgraphs whose tasks only wait, to as many workers at once as a run would use, the way a run does: so that all that executors, the database
 * and this process do for each other's subgraphs is in what is measured.
 * @param taskMs what tasks of the plan take on average
 */
export async function calibrate(
  parts: DispatchParts,
  presence: number,
  lanes: number,
  taskMs: number,
  signal: AbortSignal,
): Promise<DispatchSample[]> {
  const { store } = parts;
  await store.removeProbes(probePrefix);
  const runId = `${probePrefix}${presence}~${++calibrations}`;
  const waitMs = Math.min(taskMs, longestTaskMs);
  const samples: DispatchSample[] = [];
  const probe = async (id: string, tasks: number) => {
    const request = probeRequest(runId, id, tasks, waitMs);
    const durations: number[] = [];
    const context: DispatchContext = {
      ...emptyDispatch(signal).context,
      report: async ({ result }) => {
        if (result.status !== "completed")
          throw new Error(result.error?.message ?? `A probe ended as ${result.status}.`);
        durations.push(result.duration_ms);
      },
    };
    const began = performance.now();
    const { id: runOfProbe, isOpened } = await store.keep(request, parts.queue, true);
    await new DispatchedSubgraph(parts, runOfProbe, request, context).reply(isOpened);
    const totalMs = performance.now() - began;
    return { totalMs, tasks, taskMs: durations.reduce((sum, ms) => sum + ms, 0) };
  };
  const lane = async (number: number) => {
    for (let round = 0; round < rounds; round++)
      for (const tasks of sizes) samples.push(await probe(`${number}.${round}.${tasks}`, tasks));
  };
  const rounds = Math.max(leastRounds, Math.ceil(leastOfEach / lanes));
  const numbers = Array.from({ length: Math.min(lanes, mostLanes) }, (_, number) => number);
  try {
    // The first ones pay for connections, and for code that is loaded.
    await Promise.all(numbers.map((number) => probe(`${number}.warm`, warmUpTasks)));
    await Promise.all(numbers.map(lane));
    return samples;
  } finally {
    await Promise.all(parts.removals);
    await store.removeRun(runId);
  }
}
