import { rm } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import type { Executor } from "@planloom/plan";
import {
  approve,
  cancelRun,
  deny,
  type Journal,
  type RunEvent,
  type RunOptions,
  replay,
  resume,
  run,
  SqliteJournal,
  verifyRun,
  waitingFor,
} from "@planloom/runtime";
import { mulberry32 } from "../support/layered-dag.ts";
import { interceptStatements, openedDatabases, sqliteFault } from "../support/sqlite-faults.ts";
import { checkHistory, type HistoryEvent } from "./history.ts";
import { Dice, expectedOutputs, makeScenario, outputOf, type Scenario, simulatedTools } from "./scenario.ts";
import { simulatedDispatcher } from "./simulated-dispatcher.ts";
import { simulatedJournal } from "./simulated-journal.ts";
import { currentProcess, ProcessKilled, type SimulatedProcess, World } from "./world.ts";

export interface SimulationReport {
  readonly seed: number;
  /** What was promised and not kept; empty when all was. */
  readonly problems: readonly string[];
  readonly history: readonly HistoryEvent[];
  readonly steps: number;
  readonly kills: number;
  readonly sessions: number;
  readonly endReason: string;
}

const runId = "simulated";
/** Longer than every lease, time-out and wait of a run in this world. */
const calmMs = 3_600_000;

/**
 * Plays one run of one seed: several processes on one SQLite file run it, lose it and take it up again while they are
 * killed between two statements, stopped, given a wrong time or out of disk space, and while a person answers and cancels.
 * Then nothing is disturbed any more, and the run must come to its end.
 * @param file of the journal; made, and taken away again.
 */
export async function simulate(
  seed: number,
  file: string,
  semantics: "atomic" | "pipelined" = "atomic",
): Promise<SimulationReport> {
  const simulation = new Simulation(seed, file, semantics);
  try {
    return await simulation.play();
  } finally {
    await simulation.dispose();
  }
}

class Simulation {
  readonly #seed: number;
  /** Of runs whose tasks are in subgraphs. */
  readonly #semantics: "atomic" | "pipelined";
  readonly #file: string;
  readonly #dice: Dice;
  readonly #world: World;
  readonly #scenario: Scenario;
  readonly #history: HistoryEvent[] = [];
  readonly #executions = new Map<string, number>();
  readonly #open = new Map<SimulatedProcess, DatabaseSync>();
  /** Statements left until a process is killed in the middle of what it writes. */
  readonly #deadlines = new Map<SimulatedProcess, number>();
  readonly #full = new Set<SimulatedProcess>();
  readonly #statements: Disposable;
  #ended: string | undefined;
  #processes = 0;

  constructor(seed: number, file: string, semantics: "atomic" | "pipelined") {
    this.#seed = seed;
    this.#semantics = semantics;
    this.#file = file;
    this.#dice = new Dice(mulberry32(seed));
    this.#world = new World(this.#dice.random);
    this.#scenario = makeScenario(this.#dice);
    this.#world.install();
    this.#statements = interceptStatements(() => this.#beforeStatement());
  }

  async dispose(): Promise<void> {
    this.#statements[Symbol.dispose]();
    this.#world.uninstall();
    for (const database of this.#open.values()) if (database.isOpen) database.close();
    for (const suffix of ["", "-wal", "-shm"]) await rm(this.#file + suffix, { force: true });
  }

  async play(): Promise<SimulationReport> {
    const problems: string[] = [];
    const { faults, rivals, cancels } = this.#scenario;
    await this.#begin();
    for (let rival = 0; rival < rivals; rival++) await this.#takeUp(this.#dice.between(0, 60_000));
    for (let left = faults; left > 0 && this.#ended === undefined; left--) {
      await this.#world.runUntil(() => this.#ended !== undefined, this.#dice.between(0, 3_000));
      await this.#disturb();
      await this.#person(cancels && this.#dice.chance(0.3));
      if (this.#dice.chance(0.5)) await this.#takeUp(this.#dice.between(0, 40_000));
    }
    this.#calm();
    for (let round = 0; this.#ended === undefined && round < 40; round++) {
      await this.#person(false);
      await this.#takeUp(this.#dice.between(0, 40_000));
      await this.#world.runUntil(() => this.#isQuiet(), calmMs);
    }
    // A run whose first write met a full disk never was.
    if (this.#ended === undefined && this.#sessions() > 0)
      problems.push("the run did not come to its end after all was calm");
    problems.push(...checkHistory(this.#history, this.#facts()), ...(await this.#checkEnd()));
    return {
      seed: this.#seed,
      problems,
      history: this.#history,
      steps: this.#world.steps,
      kills: this.#history.filter(({ type }) => type === "kill").length,
      sessions: this.#history.filter(({ type }) => type === "session").length,
      endReason: this.#ended ?? "none",
    };
  }

  #tell(process: SimulatedProcess, event: object): void {
    // What a dead process still does in its last breath reaches nobody.
    if (!process.alive) return;
    this.#history.push({ atMs: this.#world.nowMs, process: process.name, ...event } as HistoryEvent);
  }

  // ---- processes

  async #begin(): Promise<void> {
    const { process, journal } = await this.#start();
    const { plan, concurrency, maxCalls, subgraphs } = this.#scenario;
    const budgets = Number.isFinite(maxCalls) ? { run: { calls: maxCalls } } : undefined;
    this.#spawn(process, async () => {
      const options: RunOptions = {
        ...this.#options(process),
        journal,
        runId,
        concurrency,
        ...(budgets && { budgets }),
        ...(subgraphs && { subgraphs, semantics: this.#semantics }),
      };
      return (await run(plan, options)).end_reason;
    });
  }

  /** A new process that goes on with the run, after a while, if it can. */
  async #takeUp(afterMs: number): Promise<void> {
    const { process, journal } = await this.#start();
    const retryFailed = this.#dice.pick([undefined, true, false]);
    if (retryFailed === false) this.#tell(process, { type: "continues" });
    this.#spawn(process, async () => {
      await this.#world.sleep(afterMs);
      return (await resume(runId, { ...this.#options(process), journal, retryFailed })).end_reason;
    });
  }

  async #start(): Promise<{ process: SimulatedProcess; journal: Journal }> {
    const world = this.#world;
    const process = world.process(`process-${this.#processes++}`);
    if (this.#dice.chance(0.2)) process.skewMs = this.#dice.pick([-86_400_000, -60_000, 60_000, 3_600_000]);
    const { durability, journalMs } = this.#scenario;
    const { value, databases } = await openedDatabases(() => SqliteJournal.open(this.#file, { durability }));
    const database = databases[0]!;
    this.#open.set(process, database);
    process.onKill.push(() => {
      // The system closes its files; what was not committed is gone.
      if (database.isOpen) database.close();
    });
    const delayMs = () => (journalMs > 0 && this.#dice.chance(0.3) ? this.#dice.between(1, journalMs) : 0);
    const tell = (event: object) => this.#tell(process, event);
    return { process, journal: simulatedJournal({ journal: value, world, process, tell, delayMs }) };
  }

  #spawn(process: SimulatedProcess, work: () => Promise<string>): void {
    const settled = (outcome: string) => {
      this.#tell(process, { type: "settled", outcome });
      if (process.alive && finalReasons.has(outcome)) this.#ended = outcome;
      this.#running.delete(process);
      // It has nothing more to do and ends by itself.
      this.#world.kill(process);
    };
    this.#running.add(process);
    process.onKill.push(() => this.#running.delete(process));
    this.#world.within(process, () => {
      work().then(settled, (error: { readonly code?: unknown }) => settled(String(error.code ?? error)));
    });
  }

  readonly #running = new Set<SimulatedProcess>();

  readonly #workers = new Set<SimulatedProcess>();

  #isQuiet(): boolean {
    return this.#running.size === 0;
  }

  // ---- what executes

  #options(process: SimulatedProcess) {
    const world = this.#world;
    return {
      executors: [this.#executor(process)],
      random: this.#dice.random,
      taskTimeoutMs: 120_000,
      abortGraceMs: 1_000,
      onEvent: (event: RunEvent) => {
        if (event.type === "task-end") this.#tell(process, { type: "reported", taskId: event.taskId });
      },
      ...(this.#scenario.subgraphs && {
        dispatcher: simulatedDispatcher({
          world,
          parent: process,
          delayMs: () => (this.#dice.chance(0.3) ? this.#dice.between(1, 100) : 0),
          executorsOf: (worker) => [this.#executor(process, worker)],
          onStart: (worker) => {
            this.#workers.add(worker);
            worker.onKill.push(() => {
              this.#workers.delete(worker);
              this.#tell(process, { type: "worker-end", worker: worker.name });
            });
          },
        }),
      }),
    };
  }

  /** @param worker of the process, where a worker executes. */
  #executor(process: SimulatedProcess, worker?: SimulatedProcess): Executor {
    const world = this.#world;
    const within = worker && { worker: worker.name };
    const lives = () => process.alive && worker?.alive !== false;
    const tell = (event: object) => {
      if (lives()) this.#tell(process, { ...event, ...within });
    };
    const { repeatable, unrepeatable } = simulatedTools;
    const resources = [
      { kind: "tool" as const, id: repeatable, description: "", idempotent: true },
      { kind: "tool" as const, id: unrepeatable, description: "" },
    ];
    return {
      kind: "tool",
      resources: () => resources,
      execute: async ({ input_data }, { idempotencyKey, attempt, signal }) => {
        const { id, from } = input_data as { id: string; from: number[] };
        const task = this.#scenario.tasks.get(id)!;
        const number = (this.#executions.get(id) ?? 0) + (lives() ? 1 : 0);
        this.#executions.set(id, number);
        tell({ type: "effect-begin", taskId: id, key: idempotencyKey, attempt, input: from });
        const stopped = new Promise<"stopped">((resolve) => {
          if (task.obedient) signal.addEventListener("abort", () => resolve("stopped"), { once: true });
        });
        const how = await Promise.race([world.sleep(task.durationMs), stopped]);
        const fails = number <= task.failures;
        tell({ type: "effect-end", taskId: id, how: how === "stopped" ? "stopped" : fails ? "failed" : "completed" });
        if (how === "stopped") throw signal.reason;
        if (fails) throw new Error(`${id} fails`);
        return outputOf(id, from);
      },
    };
  }

  // ---- what goes wrong

  #beforeStatement(): void {
    const process = currentProcess();
    if (process === undefined) return;
    if (!process.alive) throw new ProcessKilled("It was killed.");
    if (this.#full.has(process)) throw sqliteFault("full");
    const left = this.#deadlines.get(process);
    if (left === undefined) return;
    this.#deadlines.set(process, left - 1);
    if (left > 0) return;
    this.#kill(process);
    throw new ProcessKilled("It was killed in the middle of what it wrote.");
  }

  #kill(process: SimulatedProcess): void {
    this.#tell(process, { type: "kill" });
    this.#world.kill(process);
  }

  async #disturb(): Promise<void> {
    if (this.#workers.size > 0 && this.#dice.chance(0.5)) {
      this.#world.kill(this.#dice.pick([...this.#workers]));
      return;
    }
    const alive = [...this.#running];
    if (alive.length === 0) return;
    const process = this.#dice.pick(alive);
    switch (this.#dice.pick(["kill", "statement", "statement", "stop", "clock", "full"] as const)) {
      case "kill":
        this.#kill(process);
        break;
      case "statement":
        this.#deadlines.set(process, this.#dice.between(0, 25));
        break;
      case "stop":
        this.#tell(process, { type: "stop" });
        process.stoppedUntilMs = this.#world.nowMs + this.#dice.between(1_000, 90_000);
        break;
      case "clock":
        this.#tell(process, { type: "clock" });
        process.skewMs += this.#dice.pick([-3_600_000, -45_000, 45_000, 3_600_000]);
        break;
      case "full":
        this.#tell(process, { type: "disk-full" });
        this.#full.add(process);
        this.#world.within(process, () => setTimeout(() => this.#full.delete(process), this.#dice.between(1, 20_000)));
        break;
    }
  }

  #calm(): void {
    this.#deadlines.clear();
    this.#full.clear();
  }

  /** Somebody looks at the run, answers what waits, and may cancel it. */
  async #person(cancels: boolean): Promise<void> {
    const { process, journal } = await this.#start();
    this.#spawn(process, async () => {
      for (const { id } of await waitingFor(runId, { journal })) {
        const gate = this.#scenario.tasks.get(id)?.gate ?? "approve";
        await (gate === "deny" ? deny : approve)(runId, id, { journal });
      }
      if (cancels) {
        const mode = this.#dice.pick(["now", "drain"] as const);
        this.#tell(process, { type: "cancel", mode });
        await cancelRun(runId, { journal, mode });
      }
      return "answered";
    });
    await this.#world.runUntil(() => !process.alive, 60_000);
  }

  // ---- what is asked in the end

  #facts() {
    const tasks = [...this.#scenario.tasks.values()];
    return {
      dependencies: new Map(tasks.map(({ id, dependencies }) => [id, dependencies])),
      gated: new Set(tasks.filter(({ gate }) => gate !== undefined).map(({ id }) => id)),
      unrepeatable: new Set(tasks.filter(({ idempotent }) => !idempotent).map(({ id }) => id)),
      concurrency: this.#scenario.concurrency,
      maxCalls: this.#scenario.maxCalls,
      survivesKill: this.#scenario.durability === "sync" || this.#scenario.durability === "full",
    };
  }

  async #checkEnd(): Promise<string[]> {
    for (const process of [...this.#running]) this.#world.kill(process);
    const problems: string[] = [];
    const { value: journal, databases } = await openedDatabases(() => SqliteJournal.open(this.#file));
    const sound = databases[0]!.prepare("PRAGMA integrity_check").get()?.integrity_check;
    if (sound !== "ok") problems.push(`the database is not sound: ${String(sound)}`);
    try {
      const expected = expectedOutputs(this.#scenario);
      const records = await journal.getTasks(runId);
      for (const { task_id, status, output } of records)
        if (status === "completed" && JSON.stringify(output) !== expected.get(task_id))
          problems.push(`${task_id} has the output ${JSON.stringify(output)}, not ${expected.get(task_id)}`);
      const completed = records.filter(({ status }) => status === "completed").length;
      if (this.#ended === "completed" && completed !== this.#scenario.tasks.size)
        problems.push(`the run is completed with ${completed} of ${this.#scenario.tasks.size} tasks`);
      const verified = await verifyRun(journal, runId);
      for (const problem of verified.problems) problems.push(`verifyRun: ${JSON.stringify(problem)}`);
      const { divergence } = await replay(runId, { journal });
      if (divergence !== undefined) problems.push(`replay: ${JSON.stringify(divergence)}`);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "RUNTIME_RUN_NOT_FOUND" || this.#sessions() > 0)
        problems.push(`the journal cannot be read: ${String(error)}`);
    }
    await journal.close();
    return problems;
  }

  #sessions(): number {
    return this.#history.filter(({ type }) => type === "session").length;
  }
}

/** How a run ends that nobody can go on with; every failure here passes. */
const finalReasons = new Set(["completed", "denied", "budget"]);
