import { type ExecutionEnvironment, type Partition, simulate } from "@planloom/optimizer";
import type { GanttChart } from "./bench-report.ts";
import type { Workload } from "./workloads/workload.ts";

/** The simulated schedule of a grouping; lanes are given to bars greedily, which equal executors allow. O(n + parts log parts) */
export function ganttChart(
  { name, view }: Workload,
  environment: ExecutionEnvironment,
  partition: Partition,
): GanttChart {
  const { schedule, makespanMs } = simulate(view, environment, partition);
  const tasks = new Int32Array(partition.count);
  for (const p of partition.part) tasks[p]!++;
  const lanes: number[] = [];
  const bars = Array.from(schedule.startMs, (startMs, p) => ({ startMs, endMs: schedule.endMs[p]!, tasks: tasks[p]! }))
    .sort((left, right) => left.startMs - right.startMs || left.endMs - right.endMs)
    .map((bar) => {
      const free = lanes.findIndex((endMs) => endMs <= bar.startMs + 1e-9);
      const lane = free === -1 ? lanes.length : free;
      lanes[lane] = bar.endMs;
      return { lane, ...bar };
    });
  const title = `Schedule of ${name}: ${partition.count} subgraphs of ${view.n} tasks, ${(makespanMs / 1000).toFixed(1)} s`;
  return { title, overheadMs: environment.overheadMs, bars };
}
