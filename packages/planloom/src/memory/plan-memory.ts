import type { RememberedPlan } from "@planloom/embedded";
import { callNow, type OptionChecks, redact } from "@planloom/plan";
import type { Journal, RunSummary } from "@planloom/runtime";
import { checkOptions } from "../check-options.ts";
import { checkMemoryBounds, type MemoryOptions, memoryOptionChecks } from "./memory-options.ts";
import { rememberedPlan } from "./remembered-run.ts";

export interface PlanMemoryOptions extends MemoryOptions {
  /** Where the runs are; asked for at each call. */
  readonly journal: () => Promise<Journal>;
  /** Texts that are in no plan that is remembered. */
  readonly secrets?: readonly string[];
  /** By whose calendar the goals were read. @default the system's */
  readonly timeZone?: string | undefined;
}

const checks = {
  ...memoryOptionChecks,
  journal: { required: "function" },
  secrets: "texts",
  timeZone: "text",
} as const satisfies OptionChecks<PlanMemoryOptions>;

export interface RememberedOf {
  /** Whose runs; without it those that belong to no tenant. No other's are ever given. */
  readonly tenant?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** So many runs of the tenant are looked at for each plan that may be remembered: the others have no goal, or one that was there before. */
const runsPerPlan = 5;
/** Larger plans are not remembered: their goals hardly ever come again. */
const maxTasks = 50;

/** What was read stays in memory for the tenants that asked last: so many runs, and plans of so many times `maxBytes`, together. */
const maxReadRuns = 20_000;
const readBytes = 4;

/** A run as it was read, until it changes. */
interface ReadRun {
  readonly updatedAt: string;
  readonly tenant: string | undefined;
  /** Absent for a run that no plan is remembered of. */
  readonly plan?: RememberedPlan;
  readonly bytes: number;
}

/**
 * The plans of completed runs that were made for a goal, read from the journal. Nothing is stored a second time: a run that is deleted is forgotten,
 * and what the journal does not keep is not remembered.
 */
export class PlanMemory {
  readonly #options: PlanMemoryOptions;
  /** By tenant, the one that asked last at the end. */
  readonly #read = new Map<string | undefined, ReadonlyMap<string, ReadRun>>();

  /** @throws PlanloomError OPTION */
  constructor(options: PlanMemoryOptions) {
    checkOptions("`PlanMemory`", options, checks);
    checkMemoryBounds(options);
    this.#options = options;
  }

  /**
   * The plans that may be reused for a tenant, the newest first, one of each goal.
   * @throws RuntimeError JOURNAL_*; PlanError CALLBACK where `accept` throws or gives neither true nor false
   */
  async list(of: RememberedOf = {}): Promise<readonly RememberedPlan[]> {
    checkOptions("`list`", of, { tenant: "text", signal: "signal" });
    const { signal } = of;
    const tenant = of.tenant || undefined;
    const { maxPlans = 200, maxBytes = 4 * 1024 * 1024 } = this.#options;
    const journal = await this.#options.journal();
    const limit = maxPlans * runsPerPlan;
    const runs = await journal.listRuns({ status: "completed", tenant: tenant ?? null, limit });
    const before = this.#read.get(tenant);
    const read = new Map<string, ReadRun>();
    const found = new Map<string, RememberedPlan>();
    let bytes = 0;
    for (const run of runs) {
      signal?.throwIfAborted();
      const known = before?.get(run.run_id);
      const one = known?.updatedAt === run.updated_at ? known : await this.#readRun(journal, run);
      if (one === undefined) continue;
      read.set(run.run_id, one);
      if (one.plan === undefined || one.tenant !== tenant || found.has(one.plan.goal)) continue;
      if (bytes + one.bytes > maxBytes || found.size >= maxPlans) break;
      bytes += one.bytes;
      found.set(one.plan.goal, one.plan);
    }
    this.#keep(tenant, read, maxBytes);
    return [...found.values()];
  }

  /** Runs that are gone, or beyond the newest, leave memory too, and then those of the tenants that have not asked for longest. */
  #keep(tenant: string | undefined, read: ReadonlyMap<string, ReadRun>, maxBytes: number): void {
    this.#read.delete(tenant);
    this.#read.set(tenant, read);
    const sizes = [...this.#read].map(([key, runs]) => ({ key, runs: runs.size, bytes: bytesOf(runs) }));
    let runs = sizes.reduce((sum, each) => sum + each.runs, 0);
    let bytes = sizes.reduce((sum, each) => sum + each.bytes, 0);
    for (const oldest of sizes.slice(0, -1)) {
      if (runs <= maxReadRuns && bytes <= readBytes * maxBytes) return;
      this.#read.delete(oldest.key);
      runs -= oldest.runs;
      bytes -= oldest.bytes;
    }
  }

  /**
   * Forgets the plan of a run by deleting the run, with all that the journal has of it. @returns the run's id
   * @throws RuntimeError RUN_NOT_FOUND, RUN_LEASED, JOURNAL_*
   */
  async forget(runId: string): Promise<string> {
    return (await this.#options.journal()).deleteRun(runId);
  }

  async #readRun(journal: Journal, { run_id, tasks, failed, updated_at }: RunSummary): Promise<ReadRun | undefined> {
    const none = { updatedAt: updated_at, tenant: undefined, bytes: 0 };
    if (tasks === 0 || tasks > maxTasks || failed > 0) return none;
    // Another process may delete it meanwhile.
    const run = await journal.getRun(run_id).catch(() => undefined);
    const plan = run && rememberedPlan(run, this.#options.timeZone);
    if (run === undefined || plan === undefined) return run && none;
    const { accept, secrets } = this.#options;
    // What holds a secret is returned as a copy without it.
    if (redact(plan, secrets ?? []) !== plan) return none;
    if (accept !== undefined && !callNow("memory.accept", () => accept(plan), "true or false", isBoolean)) return none;
    const bytes = Buffer.byteLength(JSON.stringify([plan.goal, plan.tasks]));
    return { updatedAt: updated_at, tenant: run.options.tenant || undefined, plan, bytes };
  }
}

function bytesOf(runs: ReadonlyMap<string, ReadRun>): number {
  let bytes = 0;
  for (const run of runs.values()) bytes += run.bytes;
  return bytes;
}

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
