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

/** So many runs are looked at for each plan that may be remembered: the others have no goal, or one that was there before. */
const runsPerPlan = 5;
/** Larger plans are not remembered: their goals hardly ever come again. */
const maxTasks = 50;

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
  #read = new Map<string, ReadRun>();

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
    const { tenant, signal } = of;
    const { maxPlans = 200, maxBytes = 4 * 1024 * 1024 } = this.#options;
    const journal = await this.#options.journal();
    const runs = await journal.listRuns({ status: "completed", limit: maxPlans * runsPerPlan });
    const read = new Map<string, ReadRun>();
    const found = new Map<string, RememberedPlan>();
    let bytes = 0;
    for (const run of runs) {
      signal?.throwIfAborted();
      const known = this.#read.get(run.run_id);
      const one = known?.updatedAt === run.updated_at ? known : await this.#readRun(journal, run);
      if (one === undefined) continue;
      read.set(run.run_id, one);
      if (one.plan === undefined || one.tenant !== (tenant || undefined) || found.has(one.plan.goal)) continue;
      if (bytes + one.bytes > maxBytes || found.size >= maxPlans) break;
      bytes += one.bytes;
      found.set(one.plan.goal, one.plan);
    }
    // Runs that are gone, or beyond the newest, leave memory too.
    this.#read = read;
    return [...found.values()];
  }

  /**
   * Forgets the plan of a run by deleting the run, with all that the journal has of it. @returns the run's id
   * @throws RuntimeError RUN_NOT_FOUND, RUN_LEASED, JOURNAL_*
   */
  async forget(runId: string): Promise<string> {
    this.#read.delete(runId);
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

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
