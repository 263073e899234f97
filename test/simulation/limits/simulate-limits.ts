import { type Executor, TaskData } from "@planloom/plan";
import { RuntimeError, run, SharedLimits } from "@planloom/runtime";
import { thisProcess } from "../../../packages/runtime/src/journal/process-identity.ts";
import { mulberry32 } from "../../support/layered-dag.ts";
import { Dice } from "../scenario.ts";
import { currentProcess, type SimulatedProcess, World } from "../world.ts";
import { checkLimitsHistory, type LimitsEvent } from "./limits-history.ts";
import { type LimitedRun, type LimitsScenario, limitedTool, makeLimitsScenario } from "./limits-scenario.ts";
import { SimulatedRows, simulatedLimitJournal } from "./simulated-limit-store.ts";

export interface LimitsReport {
  readonly seed: number;
  readonly scenario: LimitsScenario;
  /** What was promised and not kept; empty when all was. */
  readonly problems: readonly string[];
  readonly history: readonly LimitsEvent[];
  readonly steps: number;
  readonly calls: number;
  readonly kills: number;
  /** How often each outcome of a run was seen. */
  readonly outcomes: ReadonlyMap<string, number>;
}

/** How long a stopped process stops at most. */
const longestStopMs = 4_000;
/** Longer than whatever a world has left to do when it is calm. */
const calmMs = 600_000;
/** Without a sign of life for so long a process is taken for dead where nobody can see whether it lives; docs/shared-limits.md promises it. */
const silentMs = 30_000;

/**
 * Plays one world of one seed: several processes with one set of limits in one store begin runs, and are killed, at any moment or in the
 * middle of a transaction, stopped, and refused by the store; some of what they tell each other is lost. Then nothing is disturbed
 * any more, all runs of those that are left must end, and nothing may be held.
 */
export async function simulateLimits(seed: number): Promise<LimitsReport> {
  const simulation = new LimitsSimulation(seed);
  try {
    return await simulation.play();
  } finally {
    simulation.dispose();
  }
}

class LimitsSimulation {
  readonly #seed: number;
  readonly #dice: Dice;
  readonly #world: World;
  readonly #scenario: LimitsScenario;
  readonly #shared = new SimulatedRows();
  readonly #history: LimitsEvent[] = [];
  readonly #outcomes = new Map<string, number>();
  readonly #alive = new Set<SimulatedProcess>();
  /** What happens to the next transactions of a process. */
  readonly #faults = new Map<SimulatedProcess, "locked" | "full" | "before commit" | "after commit">();
  readonly #tokens = new HeldTokens();
  #processes = 0;
  #runs = 0;
  #calls = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#dice = new Dice(mulberry32(seed));
    this.#world = new World(this.#dice.random);
    this.#scenario = makeLimitsScenario(this.#dice.random);
    this.#world.install();
    this.#tokens.install();
  }

  dispose(): void {
    for (const process of this.#alive) this.#world.kill(process);
    this.#tokens.uninstall();
    this.#world.uninstall();
  }

  async play(): Promise<LimitsReport> {
    const { processes, faults, apart, limits, storeMs } = this.#scenario;
    for (const { afterMs, runs } of processes) this.#start(afterMs, runs);
    for (let left = faults; left > 0; left--) {
      await this.#world.runUntil(() => this.#alive.size === 0, this.#dice.between(0, 400));
      this.#disturb();
    }
    await this.#world.runUntil(() => this.#alive.size === 0, longestStopMs);
    this.#faults.clear();
    const problems: string[] = [];
    this.#history.push({ atMs: this.#world.nowMs, process: "nobody", type: "calm" });
    if (!(await this.#world.runUntil(() => this.#alive.size === 0, calmMs)))
      problems.push(`${this.#alive.size} processes did not come to their end after all was calm`);
    problems.push(...checkLimitsHistory(this.#history, limits, { quietMs: this.#quietMs, jitterMs: 2 * storeMs }));
    if (apart) await this.#world.runUntil(() => false, 2 * silentMs);
    problems.push(...(await this.#checkEnd()));
    return {
      seed: this.#seed,
      scenario: this.#scenario,
      problems,
      history: this.#history,
      steps: this.#world.steps,
      calls: this.#history.filter(({ type }) => type === "call-begin").length,
      kills: this.#history.filter(({ type }) => type === "kill").length,
      outcomes: this.#outcomes,
    };
  }

  /** How long nothing may be seen while somebody waits: the longest call, and what it takes to find out that a process is gone. */
  get #quietMs(): number {
    return 3_000 + 2_000 + (this.#scenario.apart ? silentMs + 10_000 : 0);
  }

  /** A last process looks, and goes: what is left then would be lost for ever. */
  async #checkEnd(): Promise<string[]> {
    const last = { afterMs: 0, tenant: undefined, concurrency: 1, calls: [1], cancelAfterMs: undefined };
    this.#start(0, [last], true);
    if (!(await this.#world.runUntil(() => this.#alive.size === 0, calmMs))) return ["a last process found no end"];
    const { rows } = this.#shared;
    const arena = JSON.parse(rows.get("arena") ?? "{}") as {
      members?: object;
      pools?: Record<string, { held: object }>;
    };
    const held = Object.entries(arena.pools ?? {}).filter(([, pool]) => Object.keys(pool.held).length > 0);
    const problems = [
      ...Object.keys(arena.members ?? {}).map((member) => `a process that is gone is still a member: ${member}`),
      ...held.map(([pool, units]) => `held by nobody who lives: ${pool} ${JSON.stringify(units)}`),
    ];
    for (const [key, text] of rows) {
      if (!key.startsWith("account:")) continue;
      const { reserved } = JSON.parse(text) as { reserved: object };
      if (Object.keys(reserved).length > 0) problems.push(`reserved by nobody who lives: ${key} ${text}`);
    }
    return problems;
  }

  #tell(process: SimulatedProcess, event: object): void {
    if (process.alive) this.#history.push({ atMs: this.#world.nowMs, process: process.name, ...event } as LimitsEvent);
  }

  /** @param closes gives everything back before it ends; else it ends as if it were killed. */
  #start(afterMs: number, runs: readonly LimitedRun[], closes = this.#dice.chance(0.7)): void {
    const world = this.#world;
    const { storeMs, lostNotifications, watches, apart, limits } = this.#scenario;
    const process = world.process(`process-${this.#processes++}`);
    this.#alive.add(process);
    process.onKill.push(() => {
      this.#alive.delete(process);
      this.#tokens.forget(process);
      for (const [watcher, other] of this.#shared.watchers)
        if (other === process) this.#shared.watchers.delete(watcher);
    });
    const journal = simulatedLimitJournal(
      {
        shared: this.#shared,
        world,
        process,
        delayMs: () => (storeMs > 0 && this.#dice.chance(0.5) ? this.#dice.between(1, storeMs) : 0),
        loses: () => lostNotifications > 0 && this.#dice.chance(lostNotifications),
        watches,
        fault: () => this.#faultOf(process),
        kill: () => this.#kill(process),
        ...(apart && { host: process.name }),
      },
      thisProcess().host,
    );
    world.within(process, async () => {
      await world.sleep(afterMs);
      const shared = new SharedLimits({ ...limits, journal });
      await Promise.all(runs.map((given) => this.#run(process, shared, given)));
      if (closes) await shared.close();
      world.kill(process);
    });
  }

  async #run(process: SimulatedProcess, shared: SharedLimits, given: LimitedRun): Promise<void> {
    const { afterMs, tenant, concurrency, calls, cancelAfterMs } = given;
    const name = `run-${this.#runs++}`;
    await this.#world.sleep(afterMs);
    const plan = TaskData.parse({
      planned_tasks: calls.map((ms, at) => ({
        task_id: `t${at}`,
        execution_type: "tool",
        tool_id: limitedTool,
        arguments: { ms },
      })),
    });
    const cancel = new AbortController();
    if (cancelAfterMs !== undefined) setTimeout(() => cancel.abort(), cancelAfterMs);
    // A run that is cancelled in the queue begins and ends for whoever listens, without ever going on.
    let begun = false;
    const begin = () => {
      if (!begun) this.#tell(process, { type: "run-begin", run: name, tenant });
      begun = true;
    };
    let outcome: string;
    try {
      const result = await run(plan, {
        executors: [this.#executor(process, tenant, begin)],
        shared,
        concurrency,
        ...(tenant !== undefined && { tenant }),
        signal: cancel.signal,
        taskTimeoutMs: calmMs,
        onEvent: ({ type }) => {
          if (type === "run-end") this.#tell(process, { type: "run-end", run: name, tenant });
        },
      });
      outcome = result.end_reason;
    } catch (error) {
      // What a dead process still does reaches nobody.
      if (!process.alive) return;
      if (!(error instanceof RuntimeError)) throw error;
      outcome = error.code;
    }
    if (process.alive) this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  #executor(process: SimulatedProcess, tenant: string | undefined, onCall: () => void): Executor {
    const resources = [{ kind: "tool" as const, id: limitedTool, description: "", readOnly: true }];
    return {
      kind: "tool",
      resources: () => resources,
      execute: async ({ input_data }, { signal }) => {
        const call = `call-${this.#calls++}`;
        onCall();
        this.#tell(process, { type: "call-begin", call, tenant });
        const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        await Promise.race([this.#world.sleep((input_data as { ms: number }).ms), stopped]);
        this.#tell(process, { type: "call-end", call, tenant });
        if (signal.aborted) throw signal.reason;
        return {};
      },
    };
  }

  #faultOf(process: SimulatedProcess): "none" | "locked" | "full" | "before commit" | "after commit" {
    const fault = this.#faults.get(process) ?? "none";
    if (fault === "locked" || fault === "full" ? this.#dice.chance(0.3) : true) this.#faults.delete(process);
    return fault;
  }

  #kill(process: SimulatedProcess): void {
    this.#tell(process, { type: "kill" });
    this.#world.kill(process);
  }

  #disturb(): void {
    if (this.#alive.size === 0) return;
    const process = this.#dice.pick([...this.#alive]);
    const what = this.#dice.pick(["kill", "stop", "stop", "locked", "full", "before commit", "after commit"] as const);
    if (what === "kill") this.#kill(process);
    else if (what === "stop") {
      this.#tell(process, { type: "stop" });
      process.stoppedUntilMs = this.#world.nowMs + this.#dice.between(1, longestStopMs);
    } else this.#faults.set(process, what);
  }
}

const tokensKey = Symbol.for("planloom.runtime.leaseTokens");
type TokenHolder = { [tokensKey]?: Set<string> | undefined };

/** Which process of the world holds which tokens: those of a killed one are held by nobody. */
class HeldTokens {
  readonly #of = new Map<string, SimulatedProcess | undefined>();
  #before: Set<string> | undefined;

  install(): void {
    const holder = globalThis as TokenHolder;
    this.#before = holder[tokensKey];
    const of = this.#of;
    holder[tokensKey] = new (class extends Set<string> {
      override add(token: string): this {
        of.set(token, currentProcess());
        return super.add(token);
      }
    })();
  }

  uninstall(): void {
    (globalThis as TokenHolder)[tokensKey] = this.#before;
  }

  forget(process: SimulatedProcess): void {
    for (const [token, other] of this.#of) if (other === process) (globalThis as TokenHolder)[tokensKey]!.delete(token);
  }
}
