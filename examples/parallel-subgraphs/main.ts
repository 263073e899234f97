// Three regions are fetched and summed up, each by a worker process of its own; then they are ranked.
import { deepStrictEqual, ok, strictEqual } from "node:assert";
import { TaskData } from "planloom";
import { ManualOptimizer } from "planloom/optimizer";
import { childProcessDispatcher, run } from "planloom/runtime";
import { executors, workMs } from "./tools.ts";

const regions = ["north", "south", "west"];
const tool = (task_id: string, tool_id: string, args: object) => ({
  task_id,
  execution_type: "tool",
  tool_id,
  arguments: args,
  estimate_data: { duration_ms: workMs },
});
const plan = TaskData.parse({
  title: "Regions by sales",
  planned_tasks: [
    ...regions.map((region) => tool(`fetch_${region}`, "fetch_sales", { region })),
    ...regions.map((region) => tool(`sum_${region}`, "sum_up", { amounts: `\${fetch_${region}.amounts}` })),
    tool("rank", "rank", { totals: Object.fromEntries(regions.map((region) => [region, `\${sum_${region}}`])) }),
  ],
});

// A dispatch costs a little, so the optimizer keeps what belongs together in one subgraph.
const workers = 3;
const environment = { semantics: "atomic", executors: workers, overheadMs: 5 } as const;
const { subgraphs, predictedMs, reason } = new ManualOptimizer({ environment }).optimize(plan);
process.stdout.write(`${reason}\n`);
for (const { subgraph_id, tasks } of subgraphs) {
  process.stdout.write(`${subgraph_id}: ${tasks.map(({ task_id }) => task_id).join(", ")}\n`);
}

await using dispatcher = childProcessDispatcher({ module: new URL("./tools.ts", import.meta.url) });
await dispatcher.warm(workers);
const result = await run(plan, { executors, subgraphs, semantics: "atomic", dispatcher, concurrency: workers });

const { achievedMs } = result.certificate;
const pids = new Set(result.results.flatMap(({ output }) => (output as { worker?: number }).worker ?? []));
process.stdout.write(`${pids.size} workers, ${Math.round(achievedMs)} ms; predicted ${Math.round(predictedMs)} ms\n`);
process.stdout.write(`${JSON.stringify(result.output_data.rank)}\n`);

strictEqual(result.end_reason, "completed");
deepStrictEqual(result.output_data, { rank: ["north: 7", "south: 6", "west: 4"] });
strictEqual(subgraphs.length, 4);
strictEqual(pids.size, workers);
ok(!pids.has(process.pid));
// All three were begun before the first was done, which one worker could not do.
const fetches = result.results.filter(({ task_id }) => task_id.startsWith("fetch_"));
const lastStart = Math.max(...fetches.map(({ started_ms }) => started_ms));
const sums = result.results.filter(({ task_id }) => task_id.startsWith("sum_"));
const firstEnd = Math.min(...sums.map(({ started_ms, duration_ms }) => started_ms + duration_ms));
ok(lastStart < firstEnd, `the last region was begun at ${lastStart} ms, the first done at ${firstEnd} ms`);
