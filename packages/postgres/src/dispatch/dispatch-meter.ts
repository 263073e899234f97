import type { DispatchContext, DispatchReply, DispatchRequest } from "@planloom/runtime";
import { type DispatchSample, DispatchSamples } from "./dispatch-samples.ts";

/** Measurements that are older are made again. */
const freshMs = 60_000;

/** Measures the dispatches that have a worker to themselves and go well. */
export class DispatchMeter {
  /** How many dispatches can have a worker each at once, so that none waits for another. */
  workersAtOnce = 0;
  readonly #samples = new DispatchSamples();
  #underWay = 0;

  /** What was measured of late with tasks that take about as long as `taskMs`. */
  near(taskMs: number): DispatchSample[] {
    return this.#samples.near(taskMs, freshMs);
  }

  add(samples: readonly DispatchSample[]): void {
    for (const sample of samples) this.#samples.add(sample);
  }

  /** Dispatches a subgraph, and keeps what that took if it shows what a dispatch costs. */
  async measure(
    { plan }: DispatchRequest,
    context: DispatchContext,
    dispatch: (context: DispatchContext) => Promise<DispatchReply>,
  ): Promise<DispatchReply> {
    const open = plan.planned_tasks.filter(({ status }) => status !== "completed").length;
    let [tasks, taskMs] = [0, 0];
    const heard: DispatchContext = {
      ...context,
      report: (report) => {
        const { status, attempts, duration_ms } = report.result;
        if (status === "completed" && attempts === 1) tasks++;
        taskMs += duration_ms;
        return context.report(report);
      },
    };
    let isAlone = ++this.#underWay <= this.workersAtOnce;
    const began = performance.now();
    try {
      const reply = await dispatch(heard);
      isAlone &&= this.#underWay <= this.workersAtOnce;
      if (isAlone && tasks === open && tasks > 0)
        this.#samples.add({ totalMs: performance.now() - began, taskMs, tasks });
      return reply;
    } finally {
      this.#underWay--;
    }
  }
}
