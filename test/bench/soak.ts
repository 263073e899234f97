// Hours in the life of a shared process: `pnpm bench:soak [--minutes 60] [--at-once 8] [--json]`. One `Planloom` on one SQLite
// journal runs plan after plan, several at once: tasks that fail, retry, hang and ignore their signal, gates that people open
// and close, runs that are cancelled, drained, forked, resumed and deleted, listeners that throw, workers that are killed.
// Each run is verified from the journal before it is deleted. Every minute it tells memory after a collection, open files,
// timers and the size of the journal; it fails when one of them goes on growing, when a run ends as it should not, or when
// an error reaches the process.
import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type SubGraph, TaskData } from "@planloom/plan";
import { approve, childProcessDispatcher, replay, SqliteJournal, verifyRun, waitingFor } from "@planloom/runtime";
import { defineTool, Planloom, type RunResult } from "planloom";
import { isStopped } from "planloom/runtime";
import { Dice, makeScenario, type Scenario, simulatedTools } from "../simulation/scenario.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    "at-once": { type: "string", default: "8" },
    json: { type: "boolean" },
  },
});
const [minutes, atOnce] = [Number(values.minutes), Number(values["at-once"])];
if (!(minutes > 0 && Number.isInteger(atOnce) && atOnce > 0)) {
  process.stderr.write("Expected --minutes above 0 and --at-once of at least 1.\n");
  process.exit(2);
}
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const folder = mkdtempSync(join(tmpdir(), "planloom-soak-"));
const file = join(folder, "soak.sqlite");
const dice = new Dice(() => randomInt(2 ** 32) / 2 ** 32);
const faults: string[] = [];
const onFault = (error: unknown) =>
  faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
process.on("unhandledRejection", onFault);
process.on("uncaughtException", onFault);

const counts = { runs: 0, tasks: 0, cancelled: 0, resumed: 0, forked: 0, approved: 0, dispatched: 0, verified: 0 };

const work = (id: string, idempotent: boolean) =>
  defineTool({
    id,
    description: "",
    idempotent,
    async execute(input: Record<string, unknown>, { signal }) {
      counts.tasks++;
      // One in a thousand ignores its signal for a while; the others are over at once or obey.
      if (dice.chance(0.001)) await sleep(300);
      else if (dice.chance(0.2)) await sleep(dice.between(1, 30), undefined, { signal });
      if (dice.chance(0.03)) throw new Error(`${String(input.id)} fails`);
      const value = dice.chance(0.01) ? "x".repeat(200_000) : "x";
      return { value: 1, value_of: input.id, text: value };
    },
  });

const journal = await SqliteJournal.open(file);
const dispatcher = childProcessDispatcher({ module: new URL("./soak-worker.ts", import.meta.url), keepWorkers: 2 });
const planloom = new Planloom({
  tools: [work(simulatedTools.repeatable, true), work(simulatedTools.unrepeatable, false)],
  journal,
  taskTimeoutMs: 200,
  abortGraceMs: 50,
  onListenerError: () => {},
});
planloom.on("task-end", () => {
  if (dice.chance(0.01)) throw new Error("a listener that throws");
});

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Expected ${what}.`);
}

/** From its beginning until it is deleted. */
async function live(number: number): Promise<void> {
  const scenario = makeScenario(dice);
  const runId = `run-${number}`;
  const stop = new AbortController();
  const cancels = dice.chance(0.1);
  const timer = cancels ? setTimeout(() => stop.abort(), dice.between(0, 20)) : undefined;
  const isDispatched = scenario.subgraphs !== undefined && dice.chance(0.1);
  let result = await planloom.run(scenario.plan, {
    runId,
    concurrency: scenario.concurrency,
    signal: stop.signal,
    onEvent: async () => {
      if (dice.chance(0.001)) throw new Error("a listener that rejects");
    },
    ...(isDispatched && atomic(scenario, scenario.subgraphs!)),
  });
  clearTimeout(timer);
  counts.runs++;
  if (isDispatched) counts.dispatched++;
  if (isStopped(result.end_reason)) counts.cancelled++;
  for (let round = 0; round < 30 && !isOver(result); round++) {
    for (const { id } of await waitingFor(runId, { journal })) {
      counts.approved++;
      await approve(runId, id, { journal });
    }
    result = await planloom.resume(runId, isDispatched ? { dispatcher } : {});
    counts.resumed++;
  }
  check(result.end_reason === "completed", `${runId} to be completed, it is ${result.end_reason}`);
  const report = await verifyRun(journal, runId);
  check(report.problems.length === 0, `${runId} to be verified: ${JSON.stringify(report.problems[0])}`);
  check((await replay(runId, { journal })).divergence === undefined, `the replay of ${runId} to find nothing`);
  counts.verified++;
  if (dice.chance(0.05)) {
    const forkId = `${runId}-fork`;
    const from = dice.pick(scenario.plan.planned_tasks).task_id;
    await planloom.fork(runId, from, { runId: forkId, ...(isDispatched && { dispatcher }) });
    counts.forked++;
    await journal.deleteRun(forkId);
  }
  await journal.deleteRun(runId);
}

function isOver({ end_reason }: RunResult): boolean {
  return end_reason === "completed";
}

function atomic({ plan }: Scenario, subgraphs: readonly SubGraph[]) {
  const tasks = TaskData.parse(plan).planned_tasks;
  const own = subgraphs.map((subgraph) => ({
    ...subgraph,
    tasks: tasks.filter(({ task_id }) => subgraph.tasks.some((task) => task.task_id === task_id)),
  }));
  return { subgraphs: own, semantics: "atomic" as const, dispatcher };
}

interface Sample {
  readonly minute: number;
  readonly heapMb: number;
  readonly rssMb: number;
  readonly files: number;
  readonly timers: number;
  readonly journalMb: number;
  readonly runs: number;
}

function sample(minute: number): Sample {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  const mb = (bytes: number) => Math.round(bytes / 104_857.6) / 10;
  const sizes = ["", "-wal"].map((suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0);
  return {
    minute: Math.round(minute * 100) / 100,
    heapMb: mb(heapUsed),
    rssMb: mb(rss),
    files: openFiles(),
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    journalMb: mb(sizes[0]! + sizes[1]!),
    runs: counts.runs,
  };
}

/** -1 where the system does not say. */
function openFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return -1;
  }
}

/** Whether a figure goes on growing: its middle in the last third stands above its middle in the second by that factor and more. */
function grows(samples: readonly Sample[], of: (one: Sample) => number, factor: number, slack: number): boolean {
  const third = Math.floor(samples.length / 3);
  const middle = (part: readonly Sample[]) => part.map(of).sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
  return middle(samples.slice(-third)) > middle(samples.slice(third, -third)) * factor + slack;
}

const began = performance.now();
const passed = () => (performance.now() - began) / 60_000;
const samples: Sample[] = [];
const everyMinutes = Math.min(1, minutes / 12);
let number = 0;
let failure: unknown;
try {
  const lanes = Array.from({ length: atOnce }, async () => {
    while (passed() < minutes && failure === undefined) {
      await live(number++).catch((error: unknown) => {
        failure ??= error;
      });
    }
  });
  const watch = async () => {
    while (passed() < minutes && failure === undefined) {
      await sleep(everyMinutes * 60_000);
      const now = sample(passed());
      samples.push(now);
      const line = Object.entries(now).map(([name, value]) => `${name} ${value}`);
      if (!values.json) process.stdout.write(`${line.join("  ")}\n`);
    }
  };
  await Promise.all([...lanes, watch()]);
  if (failure !== undefined) throw failure;
  check(faults.length === 0, `no error to reach the process, got ${faults.length}: ${faults[0]}`);
  check(samples.length >= 9, "at least nine samples");
  check(!grows(samples, ({ heapMb }) => heapMb, 1.15, 2), "the heap not to go on growing");
  check(!grows(samples, ({ rssMb }) => rssMb, 1.2, 20), "the process not to go on growing");
  check(!grows(samples, ({ files }) => files, 1, 8), "open files not to go on growing");
  check(!grows(samples, ({ timers }) => timers, 1, 2 * atOnce), "timers not to go on growing");
  check(
    !grows(samples, ({ journalMb }) => journalMb, 1.3, 8),
    "the journal not to go on growing when its runs are deleted",
  );
  const summary = { minutes: Math.round(passed() * 10) / 10, ...counts, last: samples.at(-1) };
  process.stdout.write(values.json ? `${JSON.stringify({ ...summary, samples })}\n` : `${JSON.stringify(summary)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await planloom.close();
  await dispatcher.close();
  rmSync(folder, { recursive: true, force: true });
}
