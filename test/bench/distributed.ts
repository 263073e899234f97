// Subgraphs on workers of other processes, over Postgres: a plan of 1,000 tasks of 5 and of 20 ms on four workers, grouped by the optimizer for what a dispatch to them costs, beside one dispatch for each
// task. Both must give equal results. Then the same graph on plain DBOS and on BullMQ, a job for each task (`--beside ''`: on neither). `--tasks N`, `--workers N`, `--folder`, `--skip-per-task`, `--json`.
// Ratios of one run count; a busy machine makes all of it slower.
import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { embeddedPostgres, PostgresJournal, postgresDispatcher } from "@planloom/postgres";
import { defineTool, run, toolExecutor } from "@planloom/runtime";
import { Planloom } from "planloom";
import { postgresTemplate } from "../support/postgres-template.ts";
import { bullmqEngine } from "./beside-bullmq.ts";
import { dbosEngine } from "./beside-dbos.ts";
import { endPrograms, runBeside } from "./beside-engine.ts";
import { noopDag } from "./dag-file.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "1000" },
    workers: { type: "string", default: "4" },
    ms: { type: "string", default: "5,20" },
    folder: { type: "string" },
    "skip-per-task": { type: "boolean" },
    beside: { type: "string", default: "dbos,bullmq" },
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
/** Makespans by engine; outputs of all are equal, else the bench fails. */
const compared: Record<string, string | number>[] = [];
const notes: string[] = [];
const expected: { readonly ms: number; readonly outputs: Readonly<Record<string, unknown>> }[] = [];
const { parents } = noopDag(tasks);
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
    expected.push({ ms, outputs: result.output_data });
    compare("Planloom, subgraphs", ms, groupedMs, grouped.dispatches);
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
    compare("Planloom, a dispatch a task", ms, singleMs, tasks);
    rows.push({
      ...row,
      per_task_ms: round(singleMs),
      faster: `${(singleMs / groupedMs).toFixed(2)} x`,
      fewer_dispatches: `${(tasks / grouped.dispatches).toFixed(1)} x`,
    });
  }
  await planloom.close();
  // The others get the machine for themselves.
  await endPrograms(started);
  for (const name of values.beside.split(",").filter((each) => each !== "")) await beside(name);
} finally {
  await endPrograms(started);
  await dispatcher.close();
  await journal.close();
  await server.close();
}
if (values.json) console.log(JSON.stringify({ tasks, workers, rows, compared, notes, surroundings: at }, null, 2));
else {
  const about = `${tasks} tasks, ${workers} workers, one subgraph or job at once each.\n${surroundingsText(at)}`;
  const tables = [markdownTable(rows), markdownTable(compared), ...notes];
  console.log(`${tables.join("\n\n")}\n\n${about}`);
}

async function beside(name: string): Promise<void> {
  const engine = name === "dbos" ? await dbosEngine(server.url, workers) : await bullmqEngine(folder, workers);
  if (engine === undefined) {
    notes.push(`Skipped: ${name}, since no \`redis-server\` is installed here.`);
    return;
  }
  await using _ = engine;
  for (const { ms, outputs } of expected) {
    const ran = await runBeside(engine, parents, ms);
    const others = Object.fromEntries(Object.keys(outputs).map((id) => [id, ran.outputs.get(id)]));
    if (!isDeepStrictEqual(others, outputs)) throw new Error(`${engine.name} has other outputs.`);
    compare(engine.name, ms, ran.ms, tasks);
  }
}

/** What a task cost beside its own duration, over all workers: (makespan x workers - work) / tasks. */
function compare(engine: string, ms: number, makespan: number, dispatches: number): void {
  const over = (makespan * workers) / tasks - ms;
  compared.push({ task_ms: ms, engine, makespan_ms: round(makespan), dispatches, "overhead a task, ms": round(over) });
  compared.sort((left, right) => Number(left.task_ms) - Number(right.task_ms));
}

function round(ms: number): number {
  return Math.round(10 * ms) / 10;
}
