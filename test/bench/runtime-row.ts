// One row of the runtime's bench, in a process of its own: `node runtime-row.ts DAG.json STORE ROUNDS CONCURRENCY` prints JSON.
// STORE: none, memory, sqlite. Events and limits are always on.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlannerTask, TaskData } from "@planloom/plan";
import { defineTool, type Journal, memoryJournal, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import type { DagFile } from "./dag-file.ts";

const [, , file = "", store = "none", rounds = "1", concurrencyText = "64"] = process.argv;
const concurrency = Number(concurrencyText) || Number.POSITIVE_INFINITY;
const { plan, execute } = read(file);

/** In a function of its own, so that the file's data is gone when the run begins. */
function read(path: string) {
  const dag = JSON.parse(readFileSync(path, "utf8")) as DagFile;
  const { durations } = dag;
  // Parsed once and copied: what is measured is running, not reading a plan.
  const pattern = PlannerTask.parse({ task_id: "t", execution_type: "tool", tool_id: "work" });
  if (dag.map !== undefined) return { plan: mapOf(dag.map, pattern), execute: async () => null };
  const tasks = dag.parents.map((parents, number) => ({
    ...pattern,
    task_id: `t${number}`,
    dependencies: parents.map((parent) => `t${parent}`),
    ...(durations && { estimate_data: { duration_ms: durations[number] ?? 0 } }),
  }));
  const wait = (ms: number) => new Promise<null>((resolve) => setTimeout(resolve, ms, null));
  return {
    plan: { ...TaskData.parse({}), planned_tasks: tasks },
    execute: durations ? (id: string) => wait(durations[Number(id.slice(1))] ?? 0) : async () => null,
  };
}

/** One task for each element of a list, a chain of tasks, or one for each of the elements of each element. */
function mapOf({ elements, inner, tasks }: NonNullable<DagFile["map"]>, pattern: PlannerTask): TaskData {
  const list = Array.from({ length: elements }, (_, index) => index);
  const one = { ...pattern, task_id: "t", for_each: { items: "${list}" } };
  const of = { ...pattern, task_id: "inner", for_each: { items: "${numbers}", as: "number" } };
  const open = { execution_type: "" as const, tool_id: null };
  const nested = { ...pattern, ...open, task_id: "t", for_each: { items: "${list}", tasks: [of] } };
  const chain = Array.from({ length: tasks ?? 0 }, (_, at) => ({
    ...pattern,
    task_id: `t${at}`,
    dependencies: at === 0 ? [] : [`t${at - 1}`],
  }));
  const several = { ...pattern, ...open, task_id: "t", for_each: { items: "${list}", tasks: chain } };
  const planned = tasks !== undefined ? several : inner === undefined ? one : nested;
  const numbers = Array.from({ length: inner ?? 0 }, (_, index) => index);
  return { ...TaskData.parse({}), variables: { list, numbers }, planned_tasks: [planned] };
}

const executors = [
  toolExecutor([
    defineTool({ id: "work", description: "", readOnly: true, execute: (_, { task }) => execute(task.task_id) }),
  ]),
];
const folder = mkdtempSync(join(tmpdir(), "planloom-bench-"));
const journal: Journal | undefined =
  store === "none"
    ? undefined
    : store === "memory"
      ? memoryJournal()
      : await SqliteJournal.open(join(folder, "j.sqlite"));

let events = 0;
const times: number[] = [];
const cpuTimes: number[] = [];
const threadTimes: number[] = [];
let achieved = 0;
for (let round = 0; round < Number(rounds); round++) {
  events = 0;
  const limits = { kinds: { tool: concurrency }, resources: { work: concurrency } };
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const threadBefore = process.threadCpuUsage();
  const result = await run(plan, { executors, journal, concurrency, limits, onEvent: () => events++ });
  times.push(performance.now() - began);
  const { user, system } = process.cpuUsage(cpuBefore);
  cpuTimes.push((user + system) / 1_000);
  const thread = process.threadCpuUsage(threadBefore);
  threadTimes.push((thread.user + thread.system) / 1_000);
  achieved = result.certificate.achievedMs;
  if (result.end_reason !== "completed") throw new Error(`Expected the run to complete, it ${result.end_reason}.`);
}
await journal?.close();
rmSync(folder, { recursive: true });
const [first = 0] = times;
// Of several rounds the first one warms the machine up; the median is of the others.
const medianOf = (values: readonly number[]) => {
  const warm = (values.length > 1 ? values.slice(1) : [...values]).sort((a, b) => a - b);
  return warm[warm.length >> 1] ?? 0;
};
const rss_mb = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(
  JSON.stringify({
    ms: medianOf(times),
    cpu_ms: medianOf(cpuTimes),
    first_ms: first,
    first_cpu_ms: threadTimes[0] ?? 0,
    achieved_ms: achieved,
    events,
    rss_mb,
  }),
);
