import type { ArrivingRun, OnlineRun } from "@planloom/bench";
import { planViewFromEdges, TaskData } from "@planloom/plan";
import { defineTool, run, SharedLimits, toolExecutor } from "@planloom/runtime";
import { howItFared } from "../../packages/bench/src/online/simulate-online.ts";
import { VirtualTime } from "../support/virtual-time.ts";

/** What runs of the bench claim: `all` of what they were drawn with, or nothing. */
export type Claims = "all" | "none";

/** Calls of each of the runs that fill a limit by themselves. */
export const fullCalls = 400;

/** What the first of two such runs claims; the other claims nothing. */
export const fullClaims: Readonly<Record<string, Pick<ArrivingRun, "weight" | "priority" | "deadlineMs">>> = {
  nothing: {},
  "weight 3": { weight: 3 },
  "priority 1": { priority: 1 },
  "the earlier deadline": { deadlineMs: 1 },
};

/** Two runs of independent calls, begun together. Their lengths differ, so that calls do not end together. */
export function twoFull(executors: number, claims: (typeof fullClaims)[string]): ArrivingRun[] {
  const work = Array.from({ length: fullCalls }, (_, call) => 100 + ((call * 37) % (10 * executors)));
  const workload = { name: "wide", family: "full", view: planViewFromEdges({ n: fullCalls, from: [], to: [], work }) };
  return [
    { workload, atMs: 0, ...claims },
    { workload, atMs: 0 },
  ];
}

/** The share of slot time of the first of two such runs until it has ended. */
export function shareOfFirst([first]: readonly OnlineRun[], executors: number): number {
  const [{ workload }] = twoFull(executors, {}) as [ArrivingRun];
  return workload.view.work.reduce((sum, ms) => sum + ms, 0) / (executors * first!.endMs);
}

/**
 * The same arrivals by the runtime itself, in time that is simulated: each is a `run` of its plan, all share a limit of so many calls, and
 * each call takes as long as its task was estimated.
 * @returns how they fared, in the order of `arriving`
 */
export async function playLive(
  arriving: readonly ArrivingRun[],
  executors: number,
  claims: Claims,
): Promise<OnlineRun[]> {
  const time = new VirtualTime();
  const shared = new SharedLimits({ concurrency: executors }, time.now);
  const began = new Float64Array(arriving.length).fill(Number.NaN);
  const ended = new Float64Array(arriving.length);
  let left = arriving.length;
  const work = defineTool({
    id: "work",
    description: "Takes as long as it was estimated.",
    input: { type: "object" },
    readOnly: true,
    async execute(input) {
      const { ms, of } = input as { readonly ms: number; readonly of: number };
      if (Number.isNaN(began[of])) began[of] = time.ms;
      await time.sleep(ms);
      time.stir();
    },
  });
  const tools = toolExecutor([work]);
  arriving.forEach(({ workload, atMs, weight, priority, deadlineMs = Number.POSITIVE_INFINITY }, of) => {
    const plan = planOf(workload.view, of);
    const claim = {
      weight,
      priority,
      // The deadline is only compared with others, so that the clock that it is of does not matter.
      ...(deadlineMs !== Number.POSITIVE_INFINITY && { deadline: deadlineMs }),
    };
    time.at(atMs, () => {
      const options = { executors: [tools], shared, concurrency: executors, taskTimeoutMs: Number.POSITIVE_INFINITY };
      void run(plan, { ...options, ...(claims === "all" && claim) }).then(({ end_reason }) => {
        if (end_reason !== "completed") throw new Error(`A run of the bench ended ${end_reason}.`);
        ended[of] = time.ms;
        left--;
        time.stir();
      });
    });
  });
  using _timers = time.takeTimers();
  await time.play(() => left === 0);
  return arriving.map((each, of) => howItFared(each, began[of]!, ended[of]!, { executors, overheadMs: 0 }));
}

function planOf(view: ArrivingRun["workload"]["view"], of: number): TaskData {
  return TaskData.parse({
    planned_tasks: Array.from({ length: view.n }, (_, v) => ({
      task_id: `t${v}`,
      execution_type: "tool",
      tool_id: "work",
      arguments: { ms: view.work[v], of },
      dependencies: Array.from(view.in.subarray(view.inPtr[v], view.inPtr[v + 1]), (u) => `t${u}`),
      estimate_data: { duration_ms: view.work[v] },
    })),
  });
}
