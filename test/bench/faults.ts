// What happens to a run when things go wrong, by force: `--kills N` (default 50) SIGKILLs a child process at random moments
// of a 2,000-task run on a SQLite journal and resumes it each time, so often again in maps, in maps within branches, in waits and in schedules;
// then a full disk, a clock that jumps, and executors that misbehave. What was executed is counted outside the journal: a session may execute nothing that the journal had as
// completed when it began, and a kill may cost at most what was under way. Every outcome is asserted; the first that is not
// as promised ends this with exit code 1. How far it is goes to stderr. At `--seconds N`, at an interrupt (Ctrl-C) or at an outcome that is not as promised it reports what it has
// measured so far, and how many kills were done. `--seed N`, `--json`. `--distributed` does this instead to workers of other processes, the processes of runs, their connections, clocks and server, over Postgres.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { replay, SqliteJournal, verifyRun } from "@planloom/runtime";
import { mulberry32 } from "../support/layered-dag.ts";
import { faultCases } from "./faults-cases.ts";
import {
  branchesOutput,
  type FaultsShape,
  faultsConcurrency,
  faultsPlan,
  faultsRunId,
  faultsTasks,
  outputOf,
} from "./faults-plan.ts";
import { FaultsProgress, isAlive } from "./faults-progress.ts";
import { killWaits } from "./faults-waits.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean" },
    distributed: { type: "boolean" },
    seconds: { type: "string" },
  },
});
const kills = Number(values.kills);
if (!(Number.isInteger(kills) && kills >= 0)) {
  process.stderr.write(`Expected --kills to be an integer of at least 0, got "${values.kills}".\n`);
  process.exit(2);
}
const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
if (seconds !== undefined && !(seconds > 0 && seconds <= 2_000_000)) {
  process.stderr.write(`Expected --seconds to be a number above 0, got "${values.seconds}".\n`);
  process.exit(2);
}
using progress = new FaultsProgress({ kills, seconds });
if (values.distributed) {
  const { distributedFaults } = await import("./faults-distributed.ts");
  const report = await distributedFaults(kills, Number(values.seed), progress);
  process.stdout.write(
    `${JSON.stringify({ ...report, ...(progress.endedBy && { ended_by: progress.endedBy }) }, null, 2)}\n`,
  );
  process.exit(progress.endedBy === "interrupt" ? 130 : 0);
}
const random = mulberry32(Number(values.seed));
const child = join(import.meta.dirname, "faults-child.ts");

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Expected ${what}.`);
}

/** What the run must end with: the same function, applied in plan order. */
function undisturbed(): Map<string, string> {
  const outputs = new Map<string, { value: number }>();
  for (const { task_id, arguments: values } of faultsPlan().planned_tasks) {
    const parents = (values.from as string[]).map((reference) => reference.slice(2, reference.indexOf(".")));
    outputs.set(
      task_id,
      outputOf(
        task_id,
        parents.map((parent) => outputs.get(parent)?.value ?? Number.NaN),
      ),
    );
  }
  return new Map([...outputs].map(([id, output]) => [id, JSON.stringify(output)]));
}

interface KillReport {
  /** Kills in runs that came to their end and were checked. */
  readonly kills: number;
  /** Kills in the run that was under way when the measurement had to stop. */
  readonly unchecked_kills: number;
  readonly runs: number;
  readonly executions: number;
  readonly executed_again: number;
  readonly sent_again?: number;
}

/** Kills and resumes until `kills` have been done, over as many runs as that takes, or until the measurement has to stop. */
async function killing(folder: string, shape: FaultsShape): Promise<KillReport> {
  const expected = expectedOf[shape]();
  let [done, runs, executions, again] = [0, 0, 0, 0];
  const report = (unchecked_kills: number): KillReport => ({
    kills: done,
    unchecked_kills,
    runs,
    executions,
    executed_again: again,
  });
  while ((done < kills || runs === 0) && !progress.signal.aborted) {
    const file = join(folder, `${shape}-${runs}.sqlite`);
    const log = join(folder, `${shape}-${runs}.log`);
    // Spread over the length of a run by what it has done, which a busy machine does not change; one in ten at the very beginning
    // of its process, before it has begun to run.
    const perRun = 10;
    let killedHere = 0;
    for (let began = false; ; began = true) {
      const mode = began && hasRun(file) ? "resume" : "run";
      const [known, executedBefore] = [completedTasks(file, shape), countExecutions(log)];
      const process = progress.owns(
        fork(child, [file, log, mode, shape], { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
      );
      const exited = once(process, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
      if (done + killedHere < kills && killedHere < perRun) {
        if (random() < 0.1) await Promise.race([sleep(random() * 120), exited]);
        else {
          const more = Math.floor((random() * 2 * faultsTasks) / perRun);
          await executed(log, countExecutions(log) + more, process);
          await Promise.race([sleep(random() * 4), exited]);
        }
        if (isAlive(process)) process.kill("SIGKILL");
      }
      const [code, signal] = await exited;
      if (progress.signal.aborted) return report(killedHere);
      const again = executedTasks(log)
        .slice(executedBefore)
        .filter((id) => known.has(id));
      check(again.length === 0, `nothing that was completed to be executed again, got ${again.slice(0, 5).join(", ")}`);
      if (signal === "SIGKILL") {
        killedHere++;
        progress.killed(done + killedHere, runs);
        continue;
      }
      check(code === 0, `the run to complete, it ended with ${code}`);
      break;
    }
    const found = await inspect(file, log, expected, shape);
    const most = killedHere * faultsConcurrency;
    check(found.again <= most, `${killedHere} kills to cost at most ${most} executions, got ${found.again}`);
    executions += found.executions;
    again += found.again;
    done += killedHere;
    runs++;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    rmSync(log, { force: true });
  }
  // Tasks are under way at any moment: kills that never met one would prove nothing.
  check(done < 20 || again > 0, "kills to have met tasks that were under way");
  return report(0);
}

/** What was executed, in order, as the executor itself noted it. */
function executedTasks(log: string): string[] {
  return existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
}

function countExecutions(log: string): number {
  return executedTasks(log).length;
}

/** What the journal has as completed, read past our own code. */
function completedTasks(file: string, shape: FaultsShape): Set<string> {
  if (!hasRun(file)) return new Set();
  const database = new DatabaseSync(file);
  const rows =
    shape !== "tasks"
      ? completedElements(database)
      : database
          .prepare("SELECT task_id FROM tasks WHERE status = 'completed'")
          .all()
          .map(({ task_id }) => String(task_id));
  database.close();
  return new Set(rows);
}

/** The calls within lists that have a record of their completion, each as often as it has one, as the executor names them. */
function completedElements(database: DatabaseSync): string[] {
  const rows = database.prepare("SELECT record FROM nested_tasks").all();
  return rows.flatMap((row) => {
    const { path, record } = JSON.parse(String(row.record)) as {
      path: string[];
      record: { task_id: string; status: string; uid?: string };
    };
    // Of decisions and of elements with tasks of their own, other calls are what was executed.
    if (record.status !== "completed" || record.uid !== "work") return [];
    const places = [...path, record.task_id].flatMap((id) => /\[(\d+)\]$/.exec(id)?.[1] ?? []);
    return [`t${places.join("")}`];
  });
}

/** Settles when the log has so many executions, or the process is gone. */
async function executed(log: string, executions: number, child: ChildProcess): Promise<void> {
  while (isAlive(child) && countExecutions(log) < executions) await sleep(1);
}

function hasRun(file: string): boolean {
  if (!existsSync(file) || statSync(file).size === 0) return false;
  const database = new DatabaseSync(file);
  try {
    return database.prepare("SELECT count(*) AS n FROM runs").get()?.n === 1;
  } catch {
    // Killed before the tables were there.
    return false;
  } finally {
    database.close();
  }
}

async function inspect(file: string, log: string, expected: ReadonlyMap<string, string>, shape: FaultsShape) {
  const database = new DatabaseSync(file);
  check(database.prepare("PRAGMA integrity_check").get()?.integrity_check === "ok", "the database to be sound");
  const { rows, tasks } = database
    .prepare("SELECT count(*) AS rows, count(DISTINCT task_id) AS tasks FROM tasks WHERE status = 'completed'")
    .get() as { rows: number; tasks: number };
  const elements = shape === "tasks" ? [] : completedElements(database);
  if (shape !== "tasks") {
    const distinct = new Set(elements).size;
    check(
      elements.length === faultsTasks && distinct === faultsTasks,
      `${faultsTasks} elements completed once, got ${elements.length} of ${distinct}`,
    );
  } else
    check(
      rows === faultsTasks && tasks === faultsTasks,
      `${faultsTasks} tasks completed once, got ${rows} of ${tasks}`,
    );
  database.close();
  const journal = await SqliteJournal.open(file);
  for (const { task_id, output } of await journal.getTasks(faultsRunId)) {
    check(
      JSON.stringify(output) === expected.get(task_id),
      `the output of ${task_id} to be that of an undisturbed run`,
    );
  }
  check((await verifyRun(journal, faultsRunId)).ok, "the run to be verified from its journal");
  check((await replay(faultsRunId, { journal })).divergence === undefined, "the replay to find nothing different");
  await journal.close();
  const effects = executedTasks(log);
  check(new Set(effects).size === faultsTasks, "every task to have been executed");
  return { executions: effects.length, again: effects.length - faultsTasks };
}

const expectedOf = {
  tasks: undisturbed,
  list: undisturbedList,
  branches: () => new Map([["each", JSON.stringify(branchesOutput())]]),
};

/** What the list must end with. */
function undisturbedList(): Map<string, string> {
  const outputs = Array.from({ length: faultsTasks }, (_, index) => outputOf(`t${index}`, [index]));
  return new Map([["each", JSON.stringify(outputs)]]);
}

/** A kind of run whose processes are killed, and what is said of it. */
const phases = [
  {
    name: "tasks",
    kill: (folder: string) => killing(folder, "tasks"),
    says: ({ runs, executed_again, executions }: KillReport) =>
      `in ${runs} runs of ${faultsTasks} tasks: each completed once, none lost, outputs equal, ` +
      `databases sound; ${executed_again} of ${executions} executions were repeats of work that was cut off.`,
  },
  {
    name: "lists",
    kill: (folder: string) => killing(folder, "list"),
    says: ({ runs, executed_again, executions }: KillReport) =>
      `in ${runs} runs of a list of ${faultsTasks}: each element completed once, none lost, outputs equal; ` +
      `${executed_again} of ${executions} executions were repeats of work that was cut off.`,
  },
  {
    name: "branches",
    kill: (folder: string) => killing(folder, "branches"),
    says: ({ runs, executed_again, executions }: KillReport) =>
      `in ${runs} runs of lists in branches in a list: each of the ${faultsTasks} elements completed once, none lost, ` +
      `outputs equal; ${executed_again} of ${executions} executions were repeats of work that was cut off.`,
  },
  {
    name: "waits",
    kill: (folder: string) => killWaits(folder, "waits", { kills, random, watch: progress }),
    says: ({ runs, executed_again, executions, sent_again = 0 }: KillReport) =>
      `in ${runs} runs that wait for times, signals and polls: each timer one time, each signal taken once, none lost, no wait begun anew; ` +
      `${executed_again} of ${executions} executions were repeats, ${sent_again} signals were sent again.`,
  },
  {
    name: "schedules",
    kill: (folder: string) => killWaits(folder, "schedules", { kills, random, watch: progress }),
    says: ({ runs, executed_again, executions }: KillReport) =>
      `of schedulers in ${runs} rounds of three schedules: each due time run at most once and accounted for, every run completed; ` +
      `${executed_again} of ${executions} executions were repeats.`,
  },
] as const;

const measured = new Map<string, KillReport>();
const cases: { readonly name: string; readonly outcome: string }[] = [];

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "planloom-faults-"));
  try {
    for (const { name, kill } of phases) {
      if (progress.signal.aborted) return;
      progress.begin(name);
      measured.set(name, await kill(folder));
    }
    for (const { name, run } of faultCases) {
      if (progress.signal.aborted) return;
      progress.begin(name);
      cases.push({ name, outcome: await run(folder) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function reportText(): string {
  const lines = phases.flatMap(({ name, says }) => {
    const report = measured.get(name);
    if (report === undefined) return [`${name}: not measured`];
    const { kills: done, unchecked_kills, runs } = report;
    const count = done === kills ? `${done} kills` : `${done} of ${kills} kills`;
    const cut = unchecked_kills > 0 ? `; ${unchecked_kills} more in a run that was stopped and is not checked` : "";
    return [runs === 0 ? `${name}: no run came to its end${cut}.` : `${count} ${says(report)}${cut}`];
  });
  const outcomes = cases.map(({ name, outcome }) => `ok  ${name}: ${outcome}`);
  const left = faultCases.length - cases.length;
  return [...lines, ...outcomes, ...(left > 0 ? [`${left} of ${faultCases.length} other faults: not tried`] : [])].join(
    "\n",
  );
}

function reportJson(): string {
  const { tasks, ...others } = Object.fromEntries(phases.map(({ name }) => [name, measured.get(name) ?? null]));
  const ended = progress.endedBy && { ended_by: progress.endedBy };
  return JSON.stringify({
    kills_wanted: kills,
    ...tasks,
    ...others,
    lost: 0,
    completed_twice: 0,
    cases,
    ...ended,
    seconds: progress.seconds,
  });
}

const endings = { deadline: "Stopped at its deadline", interrupt: "Interrupted" } as const;

try {
  await measure();
} finally {
  // Also where an outcome was not as promised: what was measured before it holds.
  progress[Symbol.dispose]();
  if (values.json) process.stdout.write(`${reportJson()}\n`);
  else {
    const ended = progress.endedBy === undefined ? "" : `${endings[progress.endedBy]} after `;
    process.stdout.write(`${reportText()}\n${ended}${progress.seconds} s\n`);
  }
  if (progress.endedBy === "interrupt") process.exitCode = 130;
}
