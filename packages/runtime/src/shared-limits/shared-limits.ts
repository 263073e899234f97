import { RunClaim } from "@planloom/plan/internals";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { Registry } from "../executors/registry.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal } from "../journal/journal.ts";
import { thisProcess } from "../journal/process-identity.ts";
import type { BudgetLeft } from "../ports/amounts.ts";
import type { LimitStore } from "../ports/limit-store.ts";
import { CallQueue } from "./call-queue.ts";
import { ProcessShare } from "./processes/process-share.ts";
import { RunShare } from "./processes/run-share.ts";
import { RunQueue } from "./run-queue.ts";
import { ScopeLimits } from "./scope-limits.ts";
import {
  type ReadScope,
  readSharedOptions,
  readTenant,
  type SharedLimitsOptions,
  type TenantOptions,
} from "./shared-options.ts";
import { SharedRun } from "./shared-run.ts";
import { Slot } from "./slot.ts";
import { Tenant } from "./tenant.ts";

/** What is in progress and what waits, in one scope. */
export interface SharedLoad {
  /** Calls in progress. */
  readonly calls: number;
  /** Calls that wait for a slot or a rate. */
  readonly queuedCalls: number;
  /** Runs that were begun and have not ended. */
  readonly runs: number;
  /** Runs that wait until another one ends. */
  readonly queuedRuns: number;
}

/** A run that shares limits. */
export interface Entered {
  /** It has ended, however it did. */
  leave(): void;
  /** False where it began at once. */
  readonly waited: boolean;
}

/**
 * Limits, rates and budgets that several runs keep together: all runs of this process that are given the same object as `shared`. Each
 * call takes a slot before it is made; without a free slot it waits; tenants take turns, and so do the runs of a tenant. Budgets are
 * counted from the making of the object on, in memory.
 */
export class SharedLimits {
  readonly #all: ScopeLimits;
  readonly #table: ReadonlyMap<string, ReadScope>;
  readonly #eachTenant: ReadScope;
  readonly #tenants = new Map<string, Tenant>();
  readonly #calls: CallQueue;
  readonly #runs = new RunQueue();
  readonly #now: () => number;
  /** Where they hold over several processes. */
  readonly #share: ProcessShare | undefined;
  readonly #sharedRuns: RunShare | undefined;

  /**
   * @param now milliseconds of a clock that never goes back, for rates and windows. @default performance.now
   * @throws RuntimeError INVALID_OPTION
   */
  constructor(options: SharedLimitsOptions, now: () => number = () => performance.now()) {
    const { all, tenants, eachTenant } = readSharedOptions(options);
    const { journal } = options;
    this.#now = journal === undefined ? now : sharedNow;
    this.#calls = new CallQueue(this.#now);
    this.#share = journal && new ProcessShare(() => openLimits(journal), this.#calls);
    this.#sharedRuns = this.#share && new RunShare(this.#share);
    this.#all = new ScopeLimits("all runs", all, this.#now, this.#share && { id: "all", budgets: this.#share.budgets });
    this.#table = tenants;
    this.#eachTenant = eachTenant;
  }

  /** What is in progress and what waits now: of one tenant, or of all together. */
  load(key?: string): SharedLoad {
    const tenants = key === undefined ? [...this.#tenants.values()] : [this.#tenants.get(key)];
    const scope = key === undefined ? this.#all : this.#tenants.get(key)?.own[0];
    let queuedCalls = 0;
    for (const tenant of tenants) queuedCalls += tenant?.waiting ?? 0;
    return { calls: scope?.calls ?? 0, queuedCalls, runs: scope?.runs ?? 0, queuedRuns: scope?.queuedRuns ?? 0 };
  }

  /** What is left of budgets at this moment: of those of all runs together, or of those of one tenant. */
  budgetsLeft(key?: string): readonly BudgetLeft[] {
    const scope = key === undefined ? this.#all : this.#tenants.get(key)?.own[0];
    return scope?.budgetsLeft() ?? [];
  }

  /** Keys of the tenants that have runs in progress or waiting, or of which something is kept. */
  get tenants(): readonly string[] {
    return [...this.#tenants.keys()].filter((key) => key !== "");
  }

  /** True where each call of the tenant's runs is counted, by a budget or a rate, or runs themselves are. */
  counts(tenant: string | TenantOptions | undefined): boolean {
    return this.#tenantOf(tenant).scopes.some(
      (scope) => scope.countsCalls || scope.options.maxRuns < Number.POSITIVE_INFINITY,
    );
  }

  /** True where only so many calls of the tenant's runs may be made at once, or in a time. */
  limitsCalls(tenant: string | TenantOptions | undefined): boolean {
    return this.#tenantOf(tenant).limitsCalls;
  }

  /** @throws RuntimeError QUEUE_FULL where a run of the tenant that began now would be refused */
  async checkRoom(tenant: string | TenantOptions | undefined): Promise<void> {
    if (this.#isWithin()) return;
    const of = this.#tenantOf(tenant);
    if (this.#sharedRuns === undefined) this.#runs.check(of);
    else await this.#sharedRuns.check(of);
  }

  /**
   * Gives back what this process has of limits that several share. Runs that are still in progress cannot make calls afterwards.
   * Without a journal it does nothing.
   */
  async close(): Promise<void> {
    await this.#share?.close();
  }

  /**
   * Resolves when a run of the tenant may begin, or its signal is aborted. A run that is begun by a call of another one, under these
   * limits, begins at once, and the call's slot is free from then on: otherwise each could wait for the other for ever.
   * @param claim decides which of the tenant's runs that wait begins first
   * @throws RuntimeError QUEUE_FULL, INVALID_OPTION
   */
  async enter(
    tenant: string | TenantOptions | undefined,
    signal: AbortSignal | undefined,
    claim: RunClaim = new RunClaim(),
  ): Promise<Entered> {
    // Before anything is begun that could not continue.
    if (this.#share !== undefined) await this.#share.store();
    const of = this.#tenantOf(tenant);
    const runs = this.#sharedRuns ?? this.#runs;
    if (this.#isWithin()) {
      Slot.current?.release();
      return { leave: this.#leaving(of, runs.begin(of)), waited: false };
    }
    if (this.#sharedRuns !== undefined) {
      const { leave, waited } = await this.#sharedRuns.turn(of, claim, signal);
      return { leave: this.#leaving(of, leave), waited };
    }
    const begun = this.#runs.beginNow(of);
    if (begun !== undefined) return { leave: this.#leaving(of, begun), waited: false };
    return { leave: this.#leaving(of, await this.#runs.turn(of, claim, signal)), waited: true };
  }

  #leaving(tenant: Tenant, leave: () => void): () => void {
    return () => {
      leave();
      this.#forget(tenant);
    };
  }

  /**
   * @param patienceMs how long calls that ignored their signal may keep all others out
   * @param claim decides whose turn it is among the tenant's runs
   * @throws RuntimeError INVALID_OPTION
   */
  join(
    tenant: string | TenantOptions | undefined,
    known: Registry,
    patienceMs: number,
    claim: RunClaim = new RunClaim(),
  ): SharedRun {
    const of = this.#tenantOf(tenant);
    of.resolve(known);
    // What ids of the limits of all mean may be known only now.
    for (const other of this.#tenants.values()) if (other !== of && other.waiting > 0) other.rebuild();
    const onGivenUp = () => this.#calls.refuseStalled(this.#tenants.values());
    return new SharedRun(of, this.#calls, claim, patienceMs, onGivenUp);
  }

  /** Ids of resources by the option that names them, for a tenant. */
  named(tenant: string | TenantOptions | undefined): readonly (readonly [option: string, ids: readonly string[]])[] {
    const [all, own, given] = this.#tenantOf(tenant).scopes;
    const prefixes = ["shared.", "shared.tenants.", "tenant."];
    return [all, own, given].flatMap((scope, at) => scope?.named(prefixes[at]!) ?? []);
  }

  #isWithin(): boolean {
    return Slot.current?.isOf(this.#calls) === true;
  }

  #tenantOf(given: string | TenantOptions | undefined): Tenant {
    const { key, limits } = given === undefined ? { key: "" } : readTenant(given);
    const tenant = this.#tenants.get(key) ?? this.#open(key);
    if (limits !== undefined) tenant.configure(limits);
    return tenant;
  }

  #open(key: string): Tenant {
    const limits = this.#table.get(key) ?? (key === "" ? unlimited : this.#eachTenant);
    const tenant = new Tenant(key, this.#all, limits, unlimited, this.#now, this.#calls, this.#share?.budgets);
    this.#tenants.set(key, tenant);
    return tenant;
  }

  /** Keys may be as many as there are customers. */
  #forget(tenant: Tenant): void {
    if (tenant.waiting > 0 || !tenant.own.every((scope) => scope.isForgettable)) return;
    this.#tenants.delete(tenant.key);
    for (const scope of tenant.own) scope.close();
  }
}

/** @throws RuntimeError INVALID_OPTION for a journal that cannot keep limits */
async function openLimits(given: Journal | (() => Promise<Journal>)): Promise<LimitStore> {
  const journal = typeof given === "function" ? await given() : given;
  if (typeof journal.openLimits === "function") return journal.openLimits();
  const message = `The journal ${journal.name} cannot keep limits over several processes, since it has no \`openLimits\`. Use a SQLite journal in a file (SqliteJournal.open(file)), or keep limits of each process (without \`limitScope\`).`;
  throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details: { option: "shared.journal" } });
}

const sharedNow = () => thisProcess().monotonicMs();

const unlimited: ReadScope = readSharedOptions({}).all;

/** The limits that a run shares, checked. @throws RuntimeError INVALID_OPTION for a tenant without them */
export function checkShared(shared: unknown, tenant: unknown): void {
  if (shared !== undefined && !(shared instanceof SharedLimits))
    throw invalid("shared", "`new SharedLimits({ … })`", shared);
  if (tenant === undefined) return;
  readTenant(tenant as string);
  if (shared === undefined) throw invalid("tenant", "given only with `shared`, whose limits its runs keep", tenant);
}
