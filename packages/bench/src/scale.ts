import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { portfolio } from "@planloom/optimizer";
import { candidates, seededRandom } from "@planloom/optimizer/internals";
import { PlannerTask, type PlanView, planView, planViewFromEdges } from "@planloom/plan";
import { boundOf } from "./bound-of.ts";
import { environmentOf } from "./run-bench.ts";
import { readTaskLines } from "./workloads/lines/read-task-lines.ts";
import { readWorkloads } from "./workloads/read-workloads.ts";

/**
 * What a huge plan is read from; `shuffled` are edges of a plan that lists its tasks in no order. `lines` is a file with a task a line that is read into columns (`readTaskLines`), `parsed` the same
 * file by `JSON.parse`, which makes an object of each task.
 */
export const scaleSources = ["edges", "shuffled", "tasks", "lines", "parsed"] as const;

/** What grouping one huge plan took. Times in milliseconds, memory in MiB, of this process. */
export interface ScaleFigures {
  readonly tasks: number;
  readonly edges: number;
  readonly from: (typeof scaleSources)[number];
  /** Making the view. */
  readonly viewMs: number;
  /** CPU time of this thread for that; absent in reports of earlier versions. */
  readonly viewCpuMs?: number;
  /** Default portfolio: proposals, verification of each, simulation of each. */
  readonly groupMs: number;
  readonly boundMs: number;
  /** CPU time of this thread for grouping and bound: the time they would take if nothing else ran. 0 where the engine does not report it. */
  readonly cpuMs: number;
  /** Grouping and bound once more in the same process, the least of three. */
  readonly againMs: number;
  readonly strategy: string;
  readonly dispatches: number;
  /** Makespan over the proved bound. */
  readonly ratio: number;
  /** The most that was resident until the bound was there. */
  readonly rssMiB: number;
}

/**
 * Groups a random plan of `tasks` tasks and about three times as many edges. `tasks`: from task objects, whose making
 * is not counted. The first run of a process is the one that counts, so nothing has been compiled for it; a service groups in a
 * process that has done so before, and that is measured next.
 */
export async function measureScale(tasks: number, from: ScaleFigures["from"], executors = 64): Promise<ScaleFigures> {
  const make = prepared(tasks, from);
  const cpuBegun = threadCpuMs();
  const begun = performance.now();
  const view = await make();
  const viewed = performance.now();
  const viewCpuMs = threadCpuMs() - cpuBegun;
  const cpuBefore = threadCpuMs();
  const environment = environmentOf({ name: "scale", family: "random", view }, executors, 1);
  const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY };
  const [best] = candidates(portfolio, view, environment, options);
  const grouped = performance.now();
  const bound = boundOf(view, environment);
  const boundMs = performance.now() - grouped;
  const cpuMs = threadCpuMs() - cpuBefore;
  const rssMiB = process.resourceUsage().maxRSS / 2 ** 10;
  let againMs = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < 3; repeat++) {
    const started = performance.now();
    candidates(portfolio, view, environment, options);
    boundOf(view, environment);
    againMs = Math.min(againMs, performance.now() - started);
  }
  return {
    tasks,
    edges: view.out.length,
    from,
    viewMs: viewed - begun,
    viewCpuMs,
    groupMs: grouped - viewed,
    boundMs,
    cpuMs,
    againMs,
    strategy: best!.strategy.name,
    dispatches: best!.partition.count,
    ratio: best!.metrics.makespanMs / bound.ms,
    rssMiB,
  };
}

/** Makes what the view is read from, which is not counted. @returns what makes the view of it */
function prepared(tasks: number, from: ScaleFigures["from"]): () => PlanView | Promise<PlanView> {
  if (from === "lines" || from === "parsed") {
    const file = linesFile(randomEdges(tasks));
    return async () => {
      try {
        return from === "lines"
          ? await readTaskLines(createReadStream(file, { highWaterMark: 1 << 20 }))
          : await parsedLines(file);
      } finally {
        rmSync(dirname(file), { recursive: true });
      }
    };
  }
  const edges = from === "shuffled" ? shuffled(randomEdges(tasks)) : randomEdges(tasks);
  if (from !== "tasks") return () => planViewFromEdges(edges);
  const objects = taskObjects(edges);
  return () => planView(objects);
}

/** A temporary file with a task of plan-workload/1 a line. */
function linesFile({ n, to, from, work }: ReturnType<typeof randomEdges>): string {
  const file = join(mkdtempSync(join(tmpdir(), "planloom-scale-")), "plan.ndjson");
  const opened = openSync(file, "w");
  let text = "";
  for (let v = 0, edge = 0; v < n; v++) {
    const deps: string[] = [];
    for (; edge < to.length && to[edge] === v; edge++) deps.push(`t${from[edge]}`);
    text += `${JSON.stringify({ id: `t${v}`, runtime: work[v]! / 1000, deps: [...new Set(deps)] })}\n`;
    if (text.length < 1 << 20 && v < n - 1) continue;
    writeSync(opened, text);
    text = "";
  }
  closeSync(opened);
  return file;
}

async function parsedLines(file: string): Promise<PlanView> {
  const tasks: unknown[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) tasks.push(JSON.parse(line));
  const { workloads, defective } = readWorkloads({ format: "plan-workload/1", name: "scale", tasks }, "scale");
  if (workloads[0] === undefined) throw new RangeError(defective[0]?.reason);
  return workloads[0].view;
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? { user: 0, system: 0 };
  return (user + system) / 1000;
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

/** The same plan with its tasks listed in a random order. */
function shuffled({ n, from, to, work }: ReturnType<typeof randomEdges>): ReturnType<typeof randomEdges> {
  const random = seededRandom(n + 1);
  const place = Int32Array.from({ length: n }, (_, v) => v);
  for (let at = n - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const own = place[at]!;
    place[at] = place[other]!;
    place[other] = own;
  }
  const moved = new Float64Array(n);
  for (let v = 0; v < n; v++) moved[place[v]!] = work[v]!;
  return { n, from: from.map((v) => place[v]!), to: to.map((v) => place[v]!), work: moved };
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
