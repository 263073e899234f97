// Subgraphs on workers of other processes, over Postgres: a plan of 1,000 tasks of 5 and of 20 ms on four workers, grouped by the optimizer for what a dispatch to them costs, beside one dispatch for each
// task. Both must give equal results. `--tasks N`, `--workers N`, `--folder`, `--skip-per-task`, `--json`. Ratios of one run count; a busy machine makes all of it slower.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { embeddedPostgres, PostgresJournal, postgresDispatcher } from "@planloom/postgres";
import { defineTool, run, toolExecutor } from "@planloom/runtime";
import { Planloom } from "planloom";
import { postgresTemplate } from "../support/postgres-template.ts";
import { noopDag } from "./dag-file.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "1000" },
    workers: { type: "string", default: "4" },
    ms: { type: "string", default: "5,20" },
    folder: { type: "string" },
    "skip-per-task": { type: "boolean" },
    json: { type: "boolean" },
  },
});
const [tasks, workers] = [Number(values.tasks), Number(values.workers)];
const at = surroundings();
const folder = values.folder ?? tmpdir();
const server = await embeddedPostgres({ parent: folder, template: postgresTemplate });
const started: ChildProcess[] = [];

/** A worker whose tools wait. */
async function start(): Promise<void> {
  const program = join(import.meta.dirname, "../postgres/worker-process.ts");
  const given = JSON.stringify({ url: server.url, schema: "planloom" });
  const child = spawn(process.execPath, [program, given], { stdio: ["ignore", "pipe", "ignore"] });
  started.push(child);
  for await (const text of child.stdout!.setEncoding("utf8")) if (/^planloom-\d+$/m.test(text)) break;
}

function planOf(ms: number) {
  const { parents } = noopDag(tasks);
  return {
    task_id: `${tasks} tasks of ${ms} ms`,
    planned_tasks: parents.map((from, number) => ({
      task_id: `t${number}`,
      execution_type: "tool" as const,
      tool_id: "step",
      arguments: { id: `t${number}`, ms, from: from.map((parent) => `\${t${parent}.id}`) },
      estimate_data: { duration_ms: ms },
    })),
  };
}

// The process of the run executes nothing itself.
const step = defineTool({ id: "step", description: "", input: { type: "object" }, execute: () => null });
const rows: Record<string, string | number>[] = [];
const journal = await PostgresJournal.open(server.url);
const dispatcher = postgresDispatcher(journal);
try {
  await Promise.all(Array.from({ length: workers }, start));
  // Without `concurrency`, which is a limit of calls: workers would ask before each. As many subgraphs are under way as there are workers.
  const planloom = new Planloom({ tools: [step], journal, dispatch: { to: dispatcher } });
  for (const ms of values.ms.split(",").map(Number)) {
    const plan = planOf(ms);
    const began = performance.now();
    const grouped = await planloom.optimize(plan);
    const optimizedAt = performance.now();
    const result = await planloom.run(plan, { dispatch: { to: dispatcher, grouped } });
    const groupedMs = performance.now() - optimizedAt;
    const { achieved } = result.grouping ?? {};
    if (result.end_reason !== "completed")
      throw new Error(
        `The grouped run ended as ${result.end_reason}: ${result.results.find(({ status }) => status === "failed")?.error?.message}`,
      );
    if (achieved === undefined) throw new Error("The run does not say how it came about.");
    const { predictedMs, environment } = grouped;
    const { tasks_ms, overhead_ms, idle_ms } = achieved.difference;
    const row = {
      task_ms: ms,
      overhead_ms: round(environment.overheadMs),
      task_overhead_ms: round(environment.taskOverheadMs ?? 0),
      dispatches: grouped.dispatches,
      grouping_ms: round(optimizedAt - began),
      predicted_ms: round(predictedMs),
      achieved_ms: round(groupedMs),
      off_by: `${Math.round(100 * achieved.off_by)} %`,
      "by tasks, overhead, idling": [tasks_ms, overhead_ms, idle_ms].map(Math.round).join(", "),
    };
    if (values["skip-per-task"]) {
      rows.push(row);
      continue;
    }
    const singles = plan.planned_tasks.map((task, number) => ({
      subgraph_id: `S${number}`,
      tasks: [task],
      dependencies: task.arguments.from.map((reference) => `S${reference.slice(3, reference.indexOf("."))}`),
    }));
    const singleBegan = performance.now();
    const single = await run(plan, {
      executors: [toolExecutor([step])],
      journal,
      semantics: "atomic",
      subgraphs: singles as never,
      dispatcher,
      concurrency: workers,
    });
    const singleMs = performance.now() - singleBegan;
    if (!isDeepStrictEqual(single.output_data, result.output_data)) throw new Error("The two runs have other outputs.");
    rows.push({
      ...row,
      per_task_ms: round(singleMs),
      faster: `${(singleMs / groupedMs).toFixed(2)} x`,
      fewer_dispatches: `${(tasks / grouped.dispatches).toFixed(1)} x`,
    });
  }
  await planloom.close();
} finally {
  for (const child of started) if (child.exitCode === null && child.kill("SIGTERM")) await once(child, "exit");
  await dispatcher.close();
  await journal.close();
  await server.close();
}
if (values.json) console.log(JSON.stringify({ tasks, workers, rows, surroundings: at }, null, 2));
else
  console.log(
    `${markdownTable(rows)}\n\n${tasks} tasks, ${workers} workers, one subgraph at once each.\n${surroundingsText(at)}`,
  );

function round(ms: number): number {
  return Math.round(10 * ms) / 10;
}
