// What a run takes on more workers than this machine has: measures subgraphs of several sizes on 1 to 4 workers over Postgres, fits the model of cost-model.ts to them, says how far it is off on runs that it was
// not fitted to, and predicts up to 1,000 workers that have machines of their own. `--processors N` of the database (16), `--json`. Linux alone, since processor times are read from /proc.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { embeddedPostgres, PostgresJournal, postgresDispatcher } from "@planloom/postgres";
import { defineTool, run, toolExecutor } from "@planloom/runtime";
import { restMsFor } from "../../packages/postgres/src/dispatch/queue-rest.ts";
import { postgresTemplate } from "../support/postgres-template.ts";
import { endPrograms } from "./beside-engine.ts";
import { demandOf, fitCosts, type Measured, predictedMs, residenceMs, sharedMachine } from "./cost-model.ts";
import { familyMs, processMs } from "./processor-time.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";

const { values } = parseArgs({
  options: { processors: { type: "string", default: "16" }, json: { type: "boolean" } },
});
const at = surroundings();
const server = await embeddedPostgres({ parent: tmpdir(), template: postgresTemplate });
const database = Number(readFileSync(join(server.folder, "data/postmaster.pid"), "utf8").split("\n")[0]);
const journal = await PostgresJournal.open(server.url);
const dispatcher = postgresDispatcher(journal);
const workers: ChildProcess[] = [];
const step = defineTool({ id: "step", description: "", input: { type: "object" }, execute: () => null });

async function startWorker(): Promise<void> {
  const program = join(import.meta.dirname, "../postgres/worker-process.ts");
  const given = JSON.stringify({ url: server.url, schema: "planloom" });
  const child = spawn(process.execPath, [program, given], { stdio: ["ignore", "pipe", "ignore"] });
  workers.push(child);
  await once(child.stdout!, "data");
}

function times() {
  const { user, system } = process.cpuUsage();
  return {
    database: familyMs(database),
    run: (user + system) / 1000,
    workers: workers.reduce((sum, { pid }) => sum + processMs(pid!), 0),
  };
}

/** Subgraphs that depend on nothing, each a chain. */
async function measure(size: number, taskMs: number, rounds: number): Promise<Measured> {
  const dispatches = rounds * workers.length;
  const chains = Array.from({ length: dispatches }, (_, chain) =>
    Array.from({ length: size }, (_, link) => ({
      task_id: `c${chain}t${link}`,
      execution_type: "tool" as const,
      tool_id: "step",
      arguments: { id: `c${chain}t${link}`, ms: taskMs },
      dependencies: link === 0 ? [] : [`c${chain}t${link - 1}`],
    })),
  );
  const subgraphs = chains.map((tasks, chain) => ({ subgraph_id: `S${chain}`, tasks, dependencies: [] }));
  const [before, began] = [times(), performance.now()];
  const result = await run({ planned_tasks: chains.flat() } as never, {
    ...{ executors: [toolExecutor([step])], journal, dispatcher },
    semantics: "atomic",
    subgraphs: subgraphs as never,
    concurrency: workers.length,
  });
  const makespanMs = performance.now() - began;
  if (result.end_reason !== "completed") throw new Error(`A run ended as ${result.end_reason}.`);
  const after = times();
  const processorMs = Object.fromEntries(
    (["database", "run", "workers"] as const).map((party) => [party, after[party] - before[party]]),
  );
  return { workers: workers.length, size, taskMs, dispatches, makespanMs, processorMs };
}

const fitted: Measured[] = [];
const held: Measured[] = [];
/** Processor time of the database for one worker that has nothing to do, in milliseconds a second. */
let idle = 0;
try {
  for (const count of [1, 2, 4]) {
    while (workers.length < count) await startWorker();
    await measure(1, 1, 4);
    for (const size of [1, 4, 16]) fitted.push(await measure(size, 5, 10));
    held.push(await measure(8, 10, 8), await measure(2, 40, 8));
  }
  const [before, began] = [familyMs(database), performance.now()];
  await sleep(5_000);
  idle = (familyMs(database) - before) / ((performance.now() - began) / 1000) / workers.length;
  while (workers.length < 6) await startWorker();
  await measure(1, 1, 4);
  held.push(await measure(6, 20, 8), await measure(1, 100, 8));
} finally {
  await endPrograms(workers);
  await dispatcher.close();
  await journal.close();
  await server.close();
}

const model = fitCosts(fitted, availableParallelism());
const rowOf = (kind: string) => (each: Measured) => {
  const predicted = predictedMs(model, each, sharedMachine(model, each.size, availableParallelism()));
  return {
    runs: kind,
    workers: each.workers,
    tasks_a_dispatch: each.size,
    task_ms: each.taskMs,
    achieved_ms: Math.round(each.makespanMs),
    predicted_ms: Math.round(predicted),
    off_by: `${Math.round(100 * (each.makespanMs / predicted - 1))} %`,
    off: Math.abs(each.makespanMs / predicted - 1),
  };
};
const checks = [...fitted.map(rowOf("fitted")), ...held.map(rowOf("held out"))];
const meanOf = (kind: string) => {
  const rows = checks.filter(({ runs }) => runs === kind);
  return `${Math.round((100 * rows.reduce((sum, { off }) => sum + off, 0)) / rows.length)} %, at most ${Math.round(100 * Math.max(...rows.map(({ off }) => off)))} %`;
};

/** Of a cluster: workers have processors of their own, the database has `processors`, the process of the run one. Workers with nothing to do take their part of the database all the same. */
function cluster(count: number, size: number, taskMs: number) {
  const processors = Number(values.processors);
  const { database: ofDatabase, run: ofRun, workers: ofWorkers } = model.demands;
  // Measured of a few workers; of many each rests longer.
  const polling = (count * idle * (restMsFor(1) / restMsFor(count))) / 1000 / processors;
  const left = Math.max(0, 1 - polling);
  const own = model.waitMs + size * (taskMs + model.taskWaitMs) + demandOf(ofWorkers!, size);
  const shared = [
    { name: "database", demandMs: demandOf(ofDatabase!, size) / Math.max(left, 1e-9), servers: processors },
    { name: "run", demandMs: demandOf(ofRun!, size), servers: 1 },
  ];
  const residence = residenceMs(count, own, shared);
  const speed = left === 0 ? 0 : (size * count * taskMs) / residence;
  const [least] = [...shared].sort((a, b) => b.demandMs / b.servers - a.demandMs / a.servers);
  return {
    workers: count,
    tasks_a_dispatch: size,
    task_ms: taskMs,
    "work done, in workers": Math.round(10 * speed) / 10,
    "of each worker": `${Math.round((100 * speed) / count)} %`,
    "dispatches a second": Math.round((1000 * count) / residence),
    narrowest: left === 0 ? "looking at queues" : speed / count > 0.5 ? "workers" : least!.name,
    "database, looking at queues": `${Math.round(100 * polling)} %`,
    connections: 10 * count,
  };
}
const shapes = [
  [1, 100],
  [16, 100],
  [64, 100],
  [16, 2_000],
] as const;
const predictions = shapes.flatMap(([size, ms]) => [4, 10, 100, 1_000].map((count) => cluster(count, size, ms)));
const demands = Object.entries(model.demands).map(([party, { dispatchMs, taskMs }]) => ({
  "processor time of": party,
  "a dispatch, ms": Math.round(100 * dispatchMs) / 100,
  "each task of it, ms": Math.round(100 * taskMs) / 100,
}));
if (values.json) console.log(JSON.stringify({ model, idle, checks, predictions, surroundings: at }, null, 2));
else {
  console.log(markdownTable(checks.map(({ off: _, ...row }) => row)));
  console.log(`\nOff by ${meanOf("fitted")} where it was fitted, by ${meanOf("held out")} on runs held out.\n`);
  console.log(markdownTable(demands));
  const waits = `${model.waitMs.toFixed(1)} ms a dispatch and ${model.taskWaitMs.toFixed(1)} ms a task in which nothing is computed`;
  console.log(
    `\nBeside it ${waits}; an idle worker costs the database ${idle.toFixed(1)} ms of a processor a second.\n`,
  );
  console.log(markdownTable(predictions));
  console.log(`\nPredicted for a database with ${values.processors} processors.\n${surroundingsText(at)}`);
}
