import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresJournal } from "@planloom/postgres";
import type { FaultsWatch } from "../bench/faults-progress.ts";
import { mulberry32 } from "./layered-dag.ts";

// Runs whose workers and processes are killed at random moments, until each is completed: what the journal and the log of the tools say of them is compared with
// what an undisturbed run would do.

export interface DistributedFaults {
  readonly url: string;
  readonly schema: string;
  readonly workers: number;
  readonly kills: number;
  readonly seed: number;
  /** Whether workers ask the process of the run before each call. */
  readonly asks: boolean;
  /** Is informed of each kill, and may end the measurement; what was measured until then is returned. */
  readonly watch?: FaultsWatch;
}

export interface DistributedReport {
  readonly runs: number;
  readonly tasks: number;
  readonly worker_kills: number;
  readonly run_kills: number;
  /** Kills of either kind in the run that was under way when the measurement had to stop. */
  readonly unchecked_kills: number;
  /** Calls that were made again, since they were under way when their process was killed. */
  readonly calls_again: number;
  /** From a kill of a worker to the next call that any worker began, at most, in milliseconds. */
  readonly slowest_run_ms: number;
}

const chains = 6;
const perChain = 4;
const taskMs = 60;
/** One in so many kills is of the process of the run. */
const runKillEvery = 3;
const longestRunMs = 120_000;

const folder = import.meta.dirname;
const workerProgram = join(folder, "../postgres/worker-process.ts");
const runProgram = join(folder, "../postgres/run-process.ts");

// DBOS sets up each connection of its pool while the pool hands it out, which its driver warns of.
const quiet = "--disable-warning=DeprecationWarning";

/** Chains that end in one task, each chain a subgraph. */
export function chainsPlan() {
  const step = (id: string, from: readonly string[]) => ({
    task_id: id,
    execution_type: "tool" as const,
    tool_id: "step",
    arguments: { id, ms: taskMs, ...(from.length > 0 && { from: from.map((each) => `\${${each}.id}`) }) },
  });
  const ids = Array.from({ length: chains }, (_, chain) =>
    Array.from({ length: perChain }, (__, at) => `c${chain}_${at}`),
  );
  const tasks = ids.map((chain) => chain.map((id, at) => step(id, at === 0 ? [] : [chain[at - 1]!])));
  const last = step(
    "end",
    ids.map((chain) => chain.at(-1)!),
  );
  const subgraph = (subgraph_id: string, of: readonly object[], dependencies: readonly string[]) => ({
    ...{ subgraph_id, tasks: of, dependencies },
  });
  const subgraphs = [
    ...tasks.map((of, chain) => subgraph(`C${chain}`, of, [])),
    subgraph(
      "END",
      [last],
      tasks.map((_, chain) => `C${chain}`),
    ),
  ];
  return { plan: { task_id: "chains", planned_tasks: [...tasks.flat(), last] }, subgraphs };
}

/** @throws Error at the first promise that does not hold */
export async function killDistributed(faults: DistributedFaults): Promise<DistributedReport> {
  const { url, schema, kills, seed, asks, watch } = faults;
  const random = mulberry32(seed);
  const home = mkdtempSync(join(tmpdir(), "planloom-faults-"));
  const log = join(home, "calls");
  const journal = await PostgresJournal.open(url, { schema });
  const workers = new Set<ChildProcess>();
  const start = async () => {
    const given = JSON.stringify({ url, schema, log });
    const child = spawn(process.execPath, [quiet, workerProgram, given], { stdio: ["ignore", "pipe", "inherit"] });
    workers.add(child);
    for await (const text of child.stdout!.setEncoding("utf8")) if (/^planloom-\d+$/m.test(text)) break;
  };
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  const { plan, subgraphs } = chainsPlan();
  const tasks = plan.planned_tasks.length;
  let [runs, workerKills, runKills, again, slowest, unchecked] = [0, 0, 0, 0, 0, 0];
  const kill = async (child: ChildProcess) => {
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "exit");
  };
  try {
    await Promise.all(Array.from({ length: faults.workers }, start));
    while ((workerKills + runKills < kills || runs === 0) && !watch?.signal.aborted) {
      const runId = `run-${runs}`;
      runs++;
      const before = lines().length;
      const began = performance.now();
      const given = JSON.stringify({ url, schema, plan, subgraphs, runId, asks });
      const owner = spawn(process.execPath, [quiet, runProgram, given], { stdio: ["ignore", "ignore", "inherit"] });
      watch?.owns(owner);
      let [killedHere, underWay] = [0, 0];
      for (;;) {
        if (watch?.signal.aborted) break;
        const status = await statusOf(journal, runId);
        if (status === "completed") break;
        if (status !== undefined && status !== "running" && status !== "interrupted")
          throw new Error(`Expected ${runId} to be completed in the end, it is ${status}.`);
        if (performance.now() - began > longestRunMs) throw new Error(`Expected ${runId} to be completed by now.`);
        const isBegun = lines().length > before;
        if (isBegun && workerKills + runKills < kills && killedHere < 3 && random() < 0.15) {
          killedHere++;
          // A call is under way until it is recorded: its tool may have ended before.
          const recorded = await recordedTasks(journal, runId);
          const isOwner = (workerKills + runKills) % runKillEvery === runKillEvery - 1 && owner.exitCode === null;
          if (isOwner && owner.signalCode === null) {
            runKills++;
            await kill(owner);
          } else {
            workerKills++;
            const victim = [...workers][Math.floor(random() * workers.size)]!;
            workers.delete(victim);
            await kill(victim);
            // As a supervisor would.
            void start().catch(() => {});
          }
          watch?.killed(workerKills + runKills, runs - 1);
          underWay += [...begunTasks(lines().slice(before))].filter((id) => !recorded.has(id)).length;
        }
        await sleep(40);
      }
      if (watch?.signal.aborted) {
        unchecked = killedHere;
        runs--;
        await kill(owner);
        break;
      }
      slowest = Math.max(slowest, performance.now() - began);
      await kill(owner);
      again += await checkRun(journal, runId, lines().slice(before), { tasks, underWay });
    }
  } finally {
    await Promise.all([...workers].map(kill));
    await journal.close();
    rmSync(home, { recursive: true, force: true });
  }
  return {
    ...{ runs, tasks, worker_kills: workerKills, run_kills: runKills, unchecked_kills: unchecked, calls_again: again },
    slowest_run_ms: Math.round(slowest),
  };
}

async function statusOf(journal: PostgresJournal, runId: string): Promise<string | undefined> {
  return (await journal.listRuns()).find(({ run_id }) => run_id === runId)?.status;
}

/** Ids of the tasks whose calls were begun. */
function begunTasks(lines: readonly string[]): Set<string> {
  return new Set(lines.flatMap((line) => (line.startsWith("begin") ? [line.split(" ")[1] ?? ""] : [])));
}

async function recordedTasks(journal: PostgresJournal, runId: string): Promise<Set<string>> {
  const records = await journal.getTasks(runId);
  return new Set(records.flatMap(({ task_id, status }) => (status === "completed" ? [task_id] : [])));
}

/** @returns how many calls were made again */
export async function checkRun(
  journal: PostgresJournal,
  runId: string,
  lines: readonly string[],
  { tasks, underWay }: { readonly tasks: number; readonly underWay: number },
): Promise<number> {
  const check = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`Expected ${what} (${runId}).`);
  };
  const records = await journal.getTasks(runId);
  check(records.length === tasks, `one record for each of ${tasks} tasks, got ${records.length}`);
  for (const { task_id, status, output } of records) {
    check(status === "completed", `task ${task_id} to be completed, it is ${status}`);
    check((output as { id?: unknown }).id === task_id, `the output of ${task_id} to be its own`);
  }
  const end = records.find(({ task_id }) => task_id === "end")?.output as { from?: unknown[] };
  check(end.from?.length === chains, "the last task to have all outputs that it depends on");
  check((await journal.checkChecksums(runId)).problems.length === 0, "checksums that agree");
  const begun = lines.filter((line) => line.startsWith("begin")).length;
  const again = begun - tasks;
  check(again >= 0, "each task to be executed");
  check(
    again <= underWay,
    `at most ${underWay} calls to be made again, those that were under way at a kill; got ${again}`,
  );
  return again;
}
