// Overhead of the runtime: no-op tasks of layered random DAGs (seeded, 1-3 parents in the layer above), events and limits on.
// Each row runs in a process of its own, since earlier runs distort memory and GC. `--quick` leaves the largest size out,
// `--json` prints rows only.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TaskData } from "@planloom/plan";
import { defineTool, type Journal, memoryJournal, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { layeredDag } from "../support/layered-dag.ts";

type Store = "none" | "memory" | "sqlite";
interface Row {
  readonly store: Store;
  readonly tasks: number;
  /** Microseconds a task, of the whole call. */
  readonly overhead_us: number;
  readonly events: number;
  readonly rss_mb: number;
}

const args = process.argv.slice(2);
const rowAt = args.indexOf("--row");
if (rowAt === -1) printTable();
else process.stdout.write(JSON.stringify(await measure(args[rowAt + 1] as Store, Number(args[rowAt + 2]))));

function printTable(): void {
  const sizes = args.includes("--quick") ? [1_000, 10_000] : [1_000, 10_000, 100_000];
  const rows = (["none", "memory", "sqlite"] as const).flatMap((store) =>
    sizes.map((tasks) => inOwnProcess(store, tasks)),
  );
  if (args.includes("--json")) process.stdout.write(`${JSON.stringify(rows)}\n`);
  else console.table(rows);
}

function inOwnProcess(store: Store, tasks: number): Row {
  const script = fileURLToPath(import.meta.url);
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, "--row", store, String(tasks)], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Row;
}

async function measure(store: Store, tasks: number): Promise<Row> {
  const layers = layeredDag({ tasks, width: tasks <= 1_000 ? 50 : 100, seed: 7 });
  const plan = TaskData.parse({
    planned_tasks: layers.map((dependencies, i) => ({
      task_id: `t${i}`,
      execution_type: "tool",
      tool_id: "noop",
      dependencies: dependencies.map((parent) => `t${parent}`),
    })),
  });
  const executors = [toolExecutor([defineTool({ id: "noop", description: "", execute: async () => null })])];
  const folder = mkdtempSync(join(tmpdir(), "planloom-bench-"));
  const journal: Journal | undefined =
    store === "none"
      ? undefined
      : store === "memory"
        ? memoryJournal()
        : await SqliteJournal.open(join(folder, "journal.sqlite"));
  let events = 0;
  const once = async () => {
    events = 0;
    const limits = { kinds: { tool: 64 }, resources: { noop: 64 } };
    const started = performance.now();
    const result = await run(plan, { executors, journal, concurrency: 64, limits, onEvent: () => events++ });
    if (result.end_reason !== "completed") throw new Error(`Expected the run to complete, it ${result.end_reason}.`);
    return performance.now() - started;
  };
  const times: number[] = [];
  for (let round = 0; round < (tasks >= 100_000 ? 3 : 5); round++) times.push(await once());
  await journal?.close();
  rmSync(folder, { recursive: true });
  const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    store,
    tasks,
    overhead_us: round((median * 1_000) / tasks),
    events,
    rss_mb: Math.round(process.memoryUsage.rss() / 2 ** 20),
  };
}
