import type { Executor, SubGraph, TaskData } from "@planloom/plan";
import { approve, type Dispatcher, resume, run, ShutDown, waitingFor } from "@planloom/runtime";
import { type AttemptParts, workflowOf } from "../../../packages/postgres/src/dispatch/attempts.ts";
import { Claims } from "../../../packages/postgres/src/dispatch/claims.ts";
import { queueRow } from "../../../packages/postgres/src/dispatch/dispatch-format.ts";
import { DispatchStore } from "../../../packages/postgres/src/dispatch/dispatch-store.ts";
import {
  dispatchSubgraph,
  type SubgraphDispatchParts,
} from "../../../packages/postgres/src/dispatch/dispatch-subgraph.ts";
import { workerName } from "../../../packages/postgres/src/dispatch/engine.ts";
import { Mailbox } from "../../../packages/postgres/src/dispatch/mailbox.ts";
import { subgraphJob } from "../../../packages/postgres/src/dispatch/subgraph-job.ts";
import { Takeover } from "../../../packages/postgres/src/dispatch/takeover.ts";
import { announced, WorkerRegistry } from "../../../packages/postgres/src/dispatch/worker-registry.ts";
import { mulberry32 } from "../../support/layered-dag.ts";
import { Dice } from "../scenario.ts";
import { type SimulatedProcess, World } from "../world.ts";
import { Cluster, leaseMs } from "./cluster.ts";
import { serveQueue, simulatedEngine } from "./engine.ts";
import { Node } from "./node.ts";
import { expectedOutputs, outputOf, piecesOf, planOf, type Task } from "./tasks.ts";

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
const queue = "planloom";
/** Longer than every lease, limit and pause of a run in these worlds. */
const calmMs = 900_000;

/**
 * Plays one run of one seed, whose subgraphs are dispatched to workers over one database, with the dispatcher, the worker, their messages, leases and takeovers of the package: only the tables, the engine's queue and
 * the network are simulated. Workers and the process of the run are killed, frozen, cut off and told wrong times, answers to statements are lost, the disk of the server is full. Then nothing is disturbed any more, and
 * the run must end with what an undisturbed one gives.
 */
export async function simulateDispatch(seed: number): Promise<DispatchSimulation> {
  const simulation = new Simulation(seed);
  try {
    return await simulation.play();
  } finally {
    simulation.dispose();
  }
}

class Simulation {
  readonly #seed: number;
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
  /** Calls of each task that were begun, by processes that were alive. */
  readonly #begun = new Map<string, number>();
  readonly #approved = new Map<string, number>();
  readonly #problems: string[] = [];
  #processes = 0;
  #kills = 0;

  constructor(seed: number) {
    this.#seed = seed;
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
  }

  dispose(): void {
    for (const { process } of this.#cluster.nodes) this.#world.kill(process);
    this.#world.uninstall();
  }

  async play(): Promise<DispatchSimulation> {
    const dice = this.#dice;
    this.#watchRecords();
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
    await this.#check(endReason);
    return {
      ...{ seed: this.#seed, problems: this.#problems, history: this.#history, steps: this.#world.steps },
      ...{ kills: this.#kills, calls: [...this.#begun.values()].reduce((sum, count) => sum + count, 0), endReason },
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

  #partsOf(node: Node): SubgraphDispatchParts {
    const { database, heads, journal } = node;
    const unreachable = new Set<(error: unknown) => void>();
    const store = new DispatchStore(database, "planloom", heads, leaseMs, node.outputs);
    const mailbox = new Mailbox(database, node, "planloom", (error) => {
      for (const fail of [...unreachable]) fail(error);
    });
    const parts: AttemptParts = {
      store,
      registry: new WorkerRegistry(database, "planloom"),
      client: simulatedEngine(node),
      queue,
      // So many deaths do not happen here: what is looked at is that everything is done in the end.
      maxDeaths: 100,
      workerTimeoutMs: 600_000,
      load: new Map(),
      removals: new Set(),
    };
    return { ...parts, mailbox, unreachable, journal: journal as SubgraphDispatchParts["journal"] };
  }

  #dispatcherOf(node: Node): Dispatcher & { close(): Promise<void> } {
    const parts = this.#partsOf(node);
    return {
      name: "postgres",
      governed: true,
      dispatch: (request, context) => dispatchSubgraph(request, context, parts),
      close: async () => {},
    };
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
        executors: [this.#executor(process)],
        journal: node.journal,
        dispatcher: this.#dispatcherOf(node),
        random: this.#dice.random,
        ...(asks ? { limits: { resources: { repeatable: 2 } } } : resumes && { limits: {} }),
      };
      const work = resumes
        ? resume(runId, options)
        : run(this.#plan, { ...options, runId, semantics: "atomic", subgraphs: this.#subgraphs, concurrency: 4 });
      work.then(
        ({ end_reason }) => end(end_reason),
        (error: { readonly code?: unknown; readonly message?: string }) => end(String(error.code ?? error.message)),
      );
    });
  }

  #startWorker(): void {
    const node = this.#node("worker");
    const { process, presence } = node;
    const executors = [this.#executor(process)];
    const concurrency = this.#dice.between(1, 2);
    const { resources, className } = announced(executors, concurrency);
    const name = workerName(presence);
    const drain = new AbortController();
    const unreachable = new Set<(error: unknown) => void>();
    this.#workers.set(process, node);
    this.#note(process, "worker");
    process.onKill.push(() => void this.#workers.delete(process));
    this.#world.within(process, () => {
      const { journal, database } = node;
      const { store } = this.#partsOf(node);
      const mailbox = new Mailbox(database, node, "planloom", (error) => {
        for (const leave of [...unreachable]) leave(error);
      });
      this.#cluster.workers.set(presence, { queue: queueRow(queue), className, concurrency, resources });
      const dispatcher = () => this.#dispatcherOf(node);
      new Takeover({ journal, store, queue, executors, dispatcher });
      const claims = new Claims({
        ...{ database, name, schema: "planloom" },
        giveBack: (workflow) => simulatedEngine(node).cancelWorkflow(workflow),
      });
      if (this.#losesClaims) claims.watch();
      const job = (id: string, attempt: number) =>
        claims.execute(workflowOf(id, attempt), () =>
          subgraphJob(id, attempt, { journal, executors, drain: drain.signal, store, mailbox, unreachable }),
        );
      const isDrained = () => drain.signal.aborted;
      const isLost = () => this.#losesClaims && this.#dice.chance(0.2);
      void serveQueue(node, { queue: `${queueRow(queue)}.${className}`, name, concurrency, isDrained, isLost }, job);
    });
    this.#drains.set(process, () => {
      this.#drains.delete(process);
      this.#note(process, "drain");
      this.#cluster.workers.delete(presence);
      this.#world.within(process, () => drain.abort(new ShutDown("The worker ends.")));
      this.#world.schedule(process, 20_000, () => this.#kill(process));
    });
  }

  #executor(process: SimulatedProcess): Executor {
    const world = this.#world;
    return {
      kind: "tool",
      resources: () => [
        { kind: "tool" as const, id: "repeatable", description: "", idempotent: true },
        { kind: "tool" as const, id: "unrepeatable", description: "" },
      ],
      execute: async ({ input_data }, { signal }) => {
        const { id, from } = input_data as { id: string; from: number[] };
        const task = this.#tasks.find((each) => each.id === id)!;
        if (process.alive) this.#begin(process, task);
        const stopped = new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        await Promise.race([world.sleep(task.durationMs), stopped]);
        if (process.alive) this.#note(process, signal.aborted ? "stopped" : "end", { task: id });
        signal.throwIfAborted();
        return outputOf(id, from, this.#seed);
      },
    };
  }

  #begin(process: SimulatedProcess, { id, idempotent }: Task): void {
    const before = this.#begun.get(id) ?? 0;
    this.#begun.set(id, before + 1);
    this.#note(process, "begin", { task: id });
    if (!idempotent && before > (this.#approved.get(id) ?? 0))
      this.#problems.push(`${id}, which may not be repeated, was called ${before + 1} times without a person's yes`);
  }

  // ---- what is recorded

  /** A completed task is recorded once in the run, and once in the run that its subgraph is. */
  #watchRecords(): void {
    const { memory } = this.#cluster;
    const record = memory.record.bind(memory);
    const outputs = new Map<string, string>();
    Object.assign(memory, {
      record: async (...given: Parameters<typeof record>) => {
        await record(...given);
        const [id, , records] = given;
        for (const { task_id, status, output } of records) {
          if (status !== "completed") continue;
          const key = `${id} ${task_id}`;
          if (outputs.has(key)) this.#problems.push(`${task_id} was recorded as completed twice in ${id}`);
          outputs.set(key, JSON.stringify(output));
        }
      },
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
      this.#approved.set(task, (this.#approved.get(task) ?? 0) + 1);
      this.#note(undefined, "approve", { task: id });
      await approve(runId, id, { journal });
    }
  }

  async #check(endReason: string): Promise<void> {
    // A run whose first write met a full disk, or whose process was killed before, never was.
    if (endReason === "none") return;
    if (endReason !== "completed") {
      const records = await this.#cluster.memory.getTasks(runId);
      const why = records.find(({ error }) => error !== undefined)?.error?.message ?? "";
      this.#problems.push(`the run did not come to its end after all was calm: ${endReason}. ${why}`);
      return;
    }
    const expected = expectedOutputs(this.#tasks, this.#seed);
    const records = await this.#cluster.memory.getTasks(runId);
    if (records.length !== this.#tasks.length)
      this.#problems.push(`${records.length} records of ${this.#tasks.length} tasks`);
    for (const { task_id, output } of records)
      if (JSON.stringify(output) !== expected.get(task_id))
        this.#problems.push(
          `${task_id} has the output ${JSON.stringify(output)?.slice(0, 50)}, not ${expected.get(task_id)?.slice(0, 50)}`,
        );
  }
}
