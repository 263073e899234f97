import type { SubGraph, TaskData } from "@planloom/plan";
import { approve, resume, run, waitingFor } from "@planloom/runtime";
import { mulberry32 } from "../../support/layered-dag.ts";
import { Dice } from "../scenario.ts";
import { type SimulatedProcess, World } from "../world.ts";
import { Cluster } from "./cluster.ts";
import { simulatedDispatcher, startSimulatedWorker } from "./dispatch-parts.ts";
import { Node } from "./node.ts";
import { piecesOf, planOf, type Task } from "./tasks.ts";
import { WatchedCalls } from "./watched-calls.ts";

/** What happened in a world, in its order. */
export interface DispatchEvent {
  readonly atMs: number;
  readonly process: string;
  readonly type: string;
  readonly task?: string;
  readonly detail?: string;
}

export interface DispatchSimulation {
  readonly seed: number;
  /** What was promised and not kept; empty when all was. */
  readonly problems: readonly string[];
  readonly history: readonly DispatchEvent[];
  readonly steps: number;
  readonly kills: number;
  readonly calls: number;
  readonly endReason: string;
}

const runId = "simulated";
/** Longer than every lease, limit and pause of a run in these worlds. */
const calmMs = 900_000;

/**
 * Plays one run of one seed, whose subgraphs are dispatched to workers over one database, with the dispatcher, the worker, their messages, leases and takeovers of the package: only the tables, the engine's queue and
 * the network are simulated. Workers and the process of the run are killed, frozen, cut off and given wrong times, answers to statements are lost, the disk of the server is full. Then nothing is disturbed any more, and
 * the run must end with what an undisturbed one gives.
 */
export async function simulateDispatch(
  seed: number,
  semantics: "atomic" | "pipelined" = "atomic",
): Promise<DispatchSimulation> {
  const simulation = new Simulation(seed, semantics);
  try {
    return await simulation.play();
  } finally {
    simulation.dispose();
  }
}

class Simulation {
  readonly #seed: number;
  readonly #semantics: "atomic" | "pipelined";
  readonly #dice: Dice;
  readonly #world: World;
  readonly #cluster: Cluster;
  readonly #history: DispatchEvent[] = [];
  readonly #tasks: readonly Task[];
  readonly #plan: TaskData;
  readonly #subgraphs: SubGraph[];
  readonly #asks: boolean;
  /** Whether workers may not hear of what they take from the queue. */
  readonly #losesClaims: boolean;
  readonly #workers = new Map<SimulatedProcess, Node>();
  readonly #owners = new Map<SimulatedProcess, Node>();
  /** How workers are ended that still take subgraphs. */
  readonly #drains = new Map<SimulatedProcess, () => void>();
  readonly #calls: WatchedCalls;
  #processes = 0;
  #kills = 0;

  constructor(seed: number, semantics: "atomic" | "pipelined") {
    this.#seed = seed;
    this.#semantics = semantics;
    // Worlds of before stay as they were: they throw no dice for it, nor look for it.
    this.#losesClaims = seed % 11 === 2;
    this.#dice = new Dice(mulberry32(seed));
    this.#world = new World(this.#dice.random);
    this.#world.install();
    const dice = this.#dice;
    this.#cluster = new Cluster(this.#world, dice, dice.pick([0, 5, 80]));
    this.#asks = dice.chance(0.4);
    this.#tasks = Array.from({ length: dice.between(2, 8) }, (_, number) => ({
      id: `t${number}`,
      dependencies: Array.from({ length: number }, (__, at) => `t${at}`).filter(() => dice.chance(0.3)),
      durationMs: dice.chance(0.1) ? dice.between(5_000, 20_000) : dice.between(1, 800),
      idempotent: dice.chance(0.7),
    }));
    this.#plan = planOf(this.#tasks);
    this.#subgraphs = piecesOf(this.#plan, this.#tasks, dice);
    this.#calls = new WatchedCalls({
      ...{ world: this.#world, tasks: this.#tasks, seed },
      note: (process, type, task) => this.#note(process, type, { task }),
    });
  }

  dispose(): void {
    for (const { process } of this.#cluster.nodes) this.#world.kill(process);
    this.#world.uninstall();
  }

  async play(): Promise<DispatchSimulation> {
    const dice = this.#dice;
    this.#calls.watchRecords(this.#cluster.memory);
    for (let count = dice.between(1, 4); count > 0; count--) this.#startWorker();
    this.#startOwner(false);
    for (let left = dice.between(0, 6); left > 0 && !(await this.#isCompleted()); left--) {
      await this.#world.runUntil(() => false, dice.between(0, 2_500));
      this.#disturb();
    }
    this.#note(undefined, "calm");
    this.#cluster.fullUntilMs = 0;
    // One that drains takes nothing more.
    if (![...this.#workers.keys()].some((process) => this.#drains.has(process))) this.#startWorker();
    for (let round = 0; round < 30 && !(await this.#isCompleted()); round++) {
      await this.#answer();
      await this.#runUntilQuiet();
      if ((await this.#isCompleted()) || this.#owners.size > 0) continue;
      this.#startOwner((await this.#statusOf()) !== undefined);
      await this.#runUntilQuiet();
    }
    const endReason = (await this.#statusOf()) ?? "none";
    await this.#calls.check(this.#cluster.memory, runId, endReason);
    return {
      ...{ seed: this.#seed, problems: this.#calls.problems, history: this.#history, steps: this.#world.steps },
      ...{ kills: this.#kills, calls: this.#calls.count, endReason },
    };
  }

  #note(process: SimulatedProcess | undefined, type: string, more: Partial<DispatchEvent> = {}): void {
    this.#history.push({ atMs: this.#world.nowMs, process: process?.name ?? "nobody", type, ...more });
  }

  async #runUntilQuiet(): Promise<void> {
    let isOver = false;
    const look = async () => {
      const status = await this.#statusOf();
      isOver = status !== undefined && status !== "running";
    };
    // Statuses are read between events: reading one takes no time of the world.
    const began = this.#world.nowMs;
    while (!isOver && this.#world.nowMs - began < calmMs) {
      if (
        !(await this.#world.runUntil(() => false, 2_000)) &&
        this.#owners.size === 0 &&
        this.#world.nowMs - began > 120_000
      )
        break;
      await look();
    }
  }

  async #statusOf(): Promise<string | undefined> {
    return (await this.#cluster.memory.getRun(runId).catch(() => undefined))?.status;
  }

  async #isCompleted(): Promise<boolean> {
    return (await this.#statusOf()) === "completed";
  }

  // ---- processes

  #node(name: string): Node {
    const process = this.#world.process(`${name}-${this.#processes++}`);
    if (this.#dice.chance(0.2)) process.skewMs = this.#dice.pick([-300_000, 300_000, 3_600_000]);
    return new Node(this.#cluster, process);
  }

  #startOwner(resumes: boolean): void {
    const node = this.#node("run");
    const { process } = node;
    this.#owners.set(process, node);
    this.#note(process, resumes ? "resume" : "run");
    const end = (outcome: string) => {
      this.#note(process, "settled", { detail: outcome });
      this.#owners.delete(process);
      this.#world.kill(process);
    };
    process.onKill.push(() => void this.#owners.delete(process));
    // Who resumes a run may lift its limits, or give it some: its workers ask no more, or from then on.
    const asks = resumes && this.#dice.chance(0.2) ? !this.#asks : this.#asks;
    this.#world.within(process, () => {
      const options = {
        executors: [this.#calls.executor(process)],
        journal: node.journal,
        dispatcher: simulatedDispatcher(node),
        random: this.#dice.random,
        ...(asks ? { limits: { resources: { repeatable: 2 } } } : resumes && { limits: {} }),
      };
      const work = resumes
        ? resume(runId, options)
        : run(this.#plan, {
            ...options,
            runId,
            semantics: this.#semantics,
            subgraphs: this.#subgraphs,
            concurrency: 4,
          });
      work.then(
        ({ end_reason }) => end(end_reason),
        (error: { readonly code?: unknown; readonly message?: string }) => end(String(error.code ?? error.message)),
      );
    });
  }

  #startWorker(): void {
    const node = this.#node("worker");
    const { process } = node;
    const concurrency = this.#dice.between(1, 2);
    this.#workers.set(process, node);
    this.#note(process, "worker");
    process.onKill.push(() => void this.#workers.delete(process));
    const worker = startSimulatedWorker(node, {
      executors: [this.#calls.executor(process)],
      concurrency,
      watchesClaims: this.#losesClaims,
      isLost: () => this.#losesClaims && this.#dice.chance(0.2),
    });
    this.#drains.set(process, () => {
      this.#drains.delete(process);
      this.#note(process, "drain");
      worker.drain();
      this.#world.schedule(process, 20_000, () => this.#kill(process));
    });
  }

  // ---- what goes wrong

  #disturb(): void {
    const dice = this.#dice;
    const all = [...this.#workers.values(), ...this.#owners.values()];
    if (all.length === 0) return;
    const node = dice.pick(all);
    const { process } = node;
    const what = dice.pick([
      "kill",
      "kill",
      "freeze",
      "freeze",
      "apart",
      "apart",
      "clock",
      "full",
      "drain",
      "rival",
    ] as const);
    switch (what) {
      case "kill":
        this.#kill(process);
        if (dice.chance(0.7)) this.#startWorker();
        return;
      case "freeze":
        process.stoppedUntilMs = this.#world.nowMs + dice.pick([1_500, 6_000, 45_000]);
        break;
      case "apart":
        node.part(dice.pick([300, 4_000, 15_000, 60_000]));
        break;
      case "clock":
        process.skewMs += dice.pick([-300_000, 300_000]);
        break;
      case "full":
        this.#cluster.fullUntilMs = this.#world.nowMs + dice.between(50, 8_000);
        break;
      case "drain":
        this.#drains.get(process)?.();
        this.#startWorker();
        return;
      case "rival":
        this.#startOwner(true);
        return;
    }
    this.#note(process, what);
  }

  #kill(process: SimulatedProcess): void {
    if (!process.alive) return;
    this.#kills++;
    this.#note(process, "kill");
    this.#world.kill(process);
  }

  /** A person says yes to whatever waits. */
  async #answer(): Promise<void> {
    const journal = this.#cluster.memory;
    if ((await this.#statusOf()) !== "waiting_approval") return;
    for (const { id } of await waitingFor(runId, { journal })) {
      const task = id.replace("#begun", "");
      this.#calls.approve(task);
      this.#note(undefined, "approve", { task: id });
      await approve(runId, id, { journal });
    }
  }
}
