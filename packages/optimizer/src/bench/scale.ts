import { PlannerTask, type PlanView, planView, planViewFromEdges } from "@planloom/plan";
import { candidates } from "../candidate.ts";
import { seededRandom } from "../random.ts";
import { portfolio } from "../strategies/portfolio.ts";
import { boundOf } from "./bound-of.ts";
import { environmentOf } from "./run-bench.ts";

/** What grouping one huge plan took. Times in milliseconds, memory in MiB, of this process. */
export interface ScaleFigures {
  readonly tasks: number;
  readonly edges: number;
  readonly from: "edges" | "tasks";
  /** Making the view. */
  readonly viewMs: number;
  /** Default portfolio: proposals, verification of each, simulation of each. */
  readonly groupMs: number;
  readonly boundMs: number;
  readonly strategy: string;
  readonly dispatches: number;
  /** Makespan over the proved bound. */
  readonly ratio: number;
  readonly rssMiB: number;
}

/**
 * Groups a random plan of `tasks` tasks and about three times as many edges. `tasks`: from task objects, whose making
 * is not counted. The first run of a process is the one that counts, so nothing has been compiled for it.
 */
export function measureScale(tasks: number, from: ScaleFigures["from"], executors = 64): ScaleFigures {
  const edges = randomEdges(tasks);
  const objects = from === "tasks" ? taskObjects(edges) : undefined;
  const begun = performance.now();
  const view: PlanView = objects === undefined ? planViewFromEdges(edges) : planView(objects);
  const viewed = performance.now();
  const environment = environmentOf({ name: "scale", family: "random", view }, executors, 1);
  const [best] = candidates(portfolio, view, environment, { seed: 0, deadlineMs: Number.POSITIVE_INFINITY });
  const grouped = performance.now();
  const bound = boundOf(view, environment);
  const boundMs = performance.now() - grouped;
  return {
    tasks,
    edges: view.out.length,
    from,
    viewMs: viewed - begun,
    groupMs: grouped - viewed,
    boundMs,
    strategy: best!.strategy.name,
    dispatches: best!.partition.count,
    ratio: best!.metrics.makespanMs / bound.ms,
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
  };
}

/** Three dependencies a task within the last hundredth of the plan, so about a hundred levels of a hundredth each. */
function randomEdges(n: number) {
  const random = seededRandom(n);
  const width = Math.max(10, Math.ceil(n / 100));
  const from = new Int32Array(3 * (n - 1));
  const to = new Int32Array(3 * (n - 1));
  for (let v = 1, at = 0; v < n; v++) {
    for (let each = 0; each < 3; each++, at++) {
      from[at] = Math.max(0, v - 1 - Math.floor(random() * Math.min(v, width)));
      to[at] = v;
    }
  }
  return { n, from, to, work: Float64Array.from({ length: n }, () => 100 + Math.floor(random() * 1900)) };
}

function taskObjects({ n, from, to, work }: ReturnType<typeof randomEdges>): PlannerTask[] {
  const template = PlannerTask.parse({ task_id: "t0" });
  const tasks = Array.from(
    { length: n },
    (_, v): PlannerTask => ({
      ...template,
      task_id: `t${v}`,
      dependencies: [],
      estimate_data: { duration_ms: work[v]! },
    }),
  );
  for (let at = 0; at < from.length; at++) tasks[to[at]!]!.dependencies.push(`t${from[at]}`);
  return tasks;
}
