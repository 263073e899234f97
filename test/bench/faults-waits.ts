import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { replay, SqliteJournal, verifyRun } from "@planloom/runtime";
import { Schedules } from "planloom/schedules";
import { type FaultsWatch, isAlive } from "./faults-progress.ts";
import {
  faultSchedules,
  pollsNeeded,
  scheduleCron,
  scheduledPlan,
  scheduleTimes,
  waitsConcurrency,
  waitsEpoch,
  waitsRunId,
} from "./faults-waits-plan.ts";

export type WaitsShape = "waits" | "schedules";

export interface WaitsKillReport {
  /** Kills in runs that came to their end and were checked. */
  readonly kills: number;
  /** Kills in the run that was under way when the measurement had to stop. */
  readonly unchecked_kills: number;
  readonly runs: number;
  /** Calls that were made, and how many of them were made again since a kill cut them off. */
  readonly executions: number;
  readonly executed_again: number;
  /** Signals that were sent again since their sender was killed before it knew that it had sent them. */
  readonly sent_again: number;
}

interface Line {
  readonly call?: string;
  readonly id?: string;
  readonly data?: unknown;
  readonly at?: number;
  readonly sent?: string;
  readonly duplicate?: boolean;
}

const child = join(import.meta.dirname, "faults-waits-child.ts");

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Expected ${what}.`);
}

function readLog(log: string): Line[] {
  if (!existsSync(log)) return [];
  // The last line may be cut off.
  return readFileSync(log, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/**
 * Kills schedulers until `kills` have been killed, each time while runs wait, are woken or are begun by schedules, and checks after each pass that every element,
 * timer, poll, signal and due time happened once. A process after a kill has a clock that is more than a minute later, so that what the dead one had claimed is free.
 * @param options.speed seconds of the clock in a real one. @param options.calls about how many calls a process makes before it is killed
 * @param options.elements signals, timers and polls, of each so many
 * @param options.watch is informed of each kill, and may end the measurement; what was measured until then is returned
 * @throws Error that says what was expected
 */
export async function killWaits(
  folder: string,
  shape: WaitsShape,
  options: {
    readonly kills: number;
    readonly random: () => number;
    readonly speed?: number;
    readonly calls?: number;
    readonly elements?: number;
    readonly watch?: FaultsWatch;
  },
): Promise<WaitsKillReport> {
  const { kills, random, speed = 60, calls = 20, elements = 40, watch } = options;
  const report = { kills: 0, unchecked_kills: 0, runs: 0, executions: 0, executed_again: 0, sent_again: 0 };
  while (report.kills < kills || report.runs === 0) {
    if (watch?.signal.aborted) break;
    const file = join(folder, `${shape}-${report.runs}.sqlite`);
    const log = join(folder, `${shape}-${report.runs}.log`);
    if (shape === "schedules") await addSchedules(file);
    let clock = waitsEpoch;
    let killedHere = 0;
    // When each timer is over, as the journal had it when a process was killed.
    const dueAt = new Map<string, string>();
    for (;;) {
      const [known, before] = [completedCalls(file), readLog(log).length];
      const began = performance.now();
      const scheduler = fork(child, [file, log, shape, String(clock), String(speed), String(elements)], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      watch?.owns(scheduler);
      const exited = once(scheduler, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
      if (report.kills + killedHere < kills) {
        // One in five within the beginning of its process.
        if (random() < 0.2) await Promise.race([sleep(100 + random() * 400), exited]);
        else {
          const until = before + Math.floor(random() * 2 * calls);
          while (isAlive(scheduler) && readLog(log).length < until) await sleep(2);
          await Promise.race([sleep(random() * 8), exited]);
        }
        if (isAlive(scheduler)) scheduler.kill("SIGKILL");
      }
      const [code, signal] = await exited;
      if (watch?.signal.aborted) return { ...report, unchecked_kills: killedHere };
      clock += (performance.now() - began) * speed;
      const repeated = readLog(log)
        .slice(before)
        .filter(({ call = "" }) => known.has(call));
      check(
        repeated.length === 0,
        `nothing completed to be executed again, got ${repeated.map(({ call }) => call).slice(0, 5)}`,
      );
      if (signal === "SIGKILL") {
        killedHere++;
        watch?.killed(report.kills + killedHere, report.runs);
        for (const [id, due] of keptTimers(file)) if (!dueAt.has(id)) dueAt.set(id, due);
        clock += 61_000 + Math.floor(random() * 90_000);
        continue;
      }
      check(code === 0, `the scheduler to end by itself, it ended with ${code}`);
      break;
    }
    const lines = readLog(log);
    const called = lines.flatMap(({ call }) => call ?? []);
    const again = called.length - new Set(called).size;
    // Runs of schedules are executed beside one another. A poll is kept once its condition is evaluated, when its slot is another's already.
    const atOnce = shape === "waits" ? waitsConcurrency + elements : waitsConcurrency * faultSchedules.length;
    check(
      again <= killedHere * atOnce,
      `${killedHere} kills to cost at most ${killedHere * atOnce} calls, got ${again}`,
    );
    await (shape === "waits" ? inspectWaits(file, lines, dueAt, elements) : inspectSchedules(file, lines));
    report.kills += killedHere;
    report.executions += called.length;
    report.executed_again += again;
    report.sent_again += lines.filter(({ duplicate }) => duplicate).length;
    report.runs++;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    rmSync(log, { force: true });
  }
  return report;
}

async function addSchedules(file: string): Promise<void> {
  const journal = await SqliteJournal.open(file);
  const schedules = await Schedules.open(journal);
  for (const { id, ...options } of faultSchedules)
    await schedules.add(scheduledPlan(), { id, cron: scheduleCron, ...options }, waitsEpoch);
  await schedules.close();
  await journal.close();
}

/** The idempotency keys of all calls that the journal has as completed, read past our own code. */
function completedCalls(file: string): Set<string> {
  if (!existsSync(file)) return new Set();
  const database = new DatabaseSync(file);
  try {
    const tasks = database.prepare("SELECT run_id, task_id FROM tasks WHERE status = 'completed'").all();
    const nested = database.prepare("SELECT run_id, record FROM nested_tasks").all();
    return new Set([
      ...tasks.map(({ run_id, task_id }) => `${run_id}/${task_id}`),
      ...nested.flatMap(({ run_id, record }) => {
        const { path, record: task } = JSON.parse(String(record)) as {
          path: string[];
          record: { task_id: string; status: string };
        };
        return task.status === "completed" ? [[run_id, ...path, task.task_id].join("/")] : [];
      }),
    ]);
  } catch {
    // Killed before the tables were there.
    return new Set();
  } finally {
    database.close();
  }
}

/** The timers that the journal keeps, and when they are over. */
function keptTimers(file: string): (readonly [string, string])[] {
  const database = new DatabaseSync(file);
  try {
    const rows = database.prepare("SELECT id, due_at FROM waits WHERE id LIKE 'timers%'").all();
    return rows.map(({ id, due_at }) => [String(id), new Date(Number(due_at)).toISOString()]);
  } catch {
    return [];
  } finally {
    database.close();
  }
}

async function inspectWaits(
  file: string,
  lines: readonly Line[],
  dueAt: ReadonlyMap<string, string>,
  elements: number,
): Promise<void> {
  const journal = await SqliteJournal.open(file);
  const outputs = new Map((await journal.getTasks(waitsRunId)).map(({ task_id, output }) => [task_id, output]));
  const outputsOf = <Value>(task: string) => outputs.get(task) as readonly Value[];
  const signals = await journal.getSignals(waitsRunId);
  const takers = new Set(signals.map(({ taken_by }) => taken_by));
  check(signals.length === elements, `${elements} signals to be kept, got ${signals.length}`);
  check(takers.size === elements && !takers.has(undefined), "each signal to be taken by a wait of its own");
  for (let index = 0; index < elements; index++) {
    const { id, data } = outputsOf<{ id: string; data: unknown }>("signals")[index]!;
    check(id === `s${index}` && data === index * 10, `element ${index} to be given its own signal, got ${id}: ${data}`);
  }
  const rung = lines.filter(({ id = "" }) => id.startsWith("t"));
  for (const [index, { data }] of outputsOf<{ data: string }>("timers").entries()) {
    const own = rung.filter(({ id }) => id === `t${index}`);
    check(
      own.every((line) => line.data === data),
      `timer ${index} to have one time, got ${own.map((line) => line.data)}`,
    );
    check(
      own.every(({ at = 0 }) => at >= Date.parse(data)),
      `timer ${index} to be over when its time has come`,
    );
    const first = dueAt.get(`timers[${index}]/pause`) ?? data;
    check(data === first, `timer ${index} not to begin anew after a kill, it was due at ${first} and then at ${data}`);
  }
  // A poll that was cut off is made again under the same key; a further one has another.
  const polls = new Set(lines.filter(({ id = "" }) => id.startsWith("p")).map(({ call }) => call));
  check(polls.size === elements * pollsNeeded, `${elements * pollsNeeded} polls, got ${polls.size}`);
  check((await journal.getWaits(waitsRunId)).length === 0, "no wait to be left");
  await checkRun(journal, waitsRunId);
  await journal.close();
}

async function inspectSchedules(file: string, lines: readonly Line[]): Promise<void> {
  const journal = await SqliteJournal.open(file);
  const schedules = await Schedules.open(journal);
  const runs = await journal.listRuns({ limit: Number.POSITIVE_INFINITY });
  const started = new Set<string>();
  for (const { id, overlap, catchUp } of faultSchedules) {
    const history = await schedules.history(id);
    const states = history.map(({ state }) => state);
    const times = new Set(history.map(({ due_at }) => due_at));
    check(
      history.length === scheduleTimes && times.size === scheduleTimes,
      `${scheduleTimes} due times of ${id}, got ${history.length} of ${times.size}`,
    );
    const allowed = new Set([
      "started",
      ...(overlap === "skip" ? ["skipped"] : []),
      ...(catchUp === "last" ? ["missed"] : []),
    ]);
    check(
      states.every((state) => allowed.has(state)),
      `due times of ${id} to be ${[...allowed].join(" or ")}, got ${[...new Set(states)]}`,
    );
    for (const { state, run_id } of history) if (state === "started") started.add(run_id!);
  }
  const ids = runs.map(({ run_id }) => run_id);
  check(
    ids.length === started.size && ids.every((id) => started.has(id)),
    `a run for each of ${started.size} due times, got ${ids.length}`,
  );
  const open = runs.filter(({ status }) => status !== "completed");
  check(open.length === 0, `every run to be completed, got ${open.map(({ run_id, status }) => `${run_id} ${status}`)}`);
  for (const id of ids) await checkRun(journal, id);
  for (const id of ids) {
    const called = new Set(
      lines.filter(({ call }) => call?.startsWith(`${id}/`)).map(({ call, data }) => `${call} ${data}`),
    );
    check(called.size === 2, `the two calls of ${id} to be made with one input each, got ${called.size}`);
  }
  await schedules.close();
  await journal.close();
}

async function checkRun(journal: SqliteJournal, id: string): Promise<void> {
  const { ok, problems } = await verifyRun(journal, id);
  check(ok, `run ${id} to be verified from its journal, got ${JSON.stringify(problems[0])}`);
  check((await replay(id, { journal })).divergence === undefined, `the replay of ${id} to find nothing different`);
}
