import type { ExecutionKind } from "@planloom/plan";
import type { Registry } from "../executors/registry.ts";
import { resourceKeys } from "../make-limits.ts";
import { type BudgetLeft, budgetUnits } from "../ports/amounts.ts";
import { type Rate, type RateLimit, TokenBucket } from "../ports/token-bucket.ts";
import { type Account, openAccount, setLimit, untilWindowEndsMs } from "./budget-accounts.ts";
import { Counter } from "./counter.ts";
import type { BudgetShare } from "./processes/budget-share.ts";
import { SharedTokens } from "./processes/shared-tokens.ts";
import type { ReadScope, SharedBudget } from "./shared-options.ts";

interface Bucket {
  readonly rate: RateLimit;
  readonly bucket: Rate;
}

/** The key that distinguishes a scope among all processes that share its limits. */
export interface SharedScope {
  readonly id: string;
  readonly budgets: BudgetShare;
}

/** What one tenant, or all of them together, may do, and what of it is in use. Resources are counted by `kind:uid`. */
export class ScopeLimits {
  /** For messages: `all runs`, `tenant "customer-7"`. */
  readonly name: string;
  /** The runs in progress, and those that wait in the queue. */
  runs = 0;
  queuedRuns = 0;
  #options: ReadScope;
  readonly #every: Counter;
  readonly #kinds = new Map<string, Counter>();
  readonly #resources = new Map<string, Counter>();
  /** Those of rates that are no longer asked for are kept: what they have let through counts when they are asked for again. */
  readonly #buckets = new Map<string, Bucket>();
  #rated: ReadonlySet<string> = new Set();
  readonly #accounts = new Map<string, Account>();
  readonly #accountsByKey = new Map<string, Account>();
  /** What the ids of limits and rates have meant so far: `kind:uid` by id. */
  readonly #keysOf = new Map<string, ReadonlySet<string>>();
  readonly #now: () => number;
  /** Absent where its limits are of this process alone. */
  readonly #shared: SharedScope | undefined;

  constructor(name: string, options: ReadScope, now: () => number, shared?: SharedScope) {
    this.name = name;
    this.#now = now;
    this.#options = options;
    this.#shared = shared;
    this.#every = new Counter("concurrency", options.concurrency, this.#poolOf("every"));
    this.configure(options);
  }

  get options(): ReadScope {
    return this.#options;
  }

  /** Calls in progress. */
  get calls(): number {
    return this.#every.used;
  }

  get hasBudgets(): boolean {
    return this.#accounts.size > 0;
  }

  /** What is left of each of its budgets; a reservation counts as spent. */
  budgetsLeft(): BudgetLeft[] {
    return [...this.#accounts].flatMap(([resource, account]) => {
      const { limit, spent, reserved } = account;
      // A budget that is renewed at intervals is whole again before its next call says so.
      const isRenewed = untilWindowEndsMs(account) === 0;
      return budgetUnits
        .filter((unit) => Number.isFinite(limit[unit]))
        .map((unit) => ({
          ...(resource !== "" && { resource }),
          unit,
          limit: limit[unit],
          left: Math.max(0, limit[unit] - (isRenewed ? 0 : spent[unit]) - reserved[unit]),
        }));
    });
  }

  /** True where calls are counted one by one, by a budget or a rate. */
  get countsCalls(): boolean {
    return this.hasBudgets || this.#options.limits.rates.size > 0;
  }

  /** True where calls may have to wait for one another. */
  get limitsCalls(): boolean {
    const { concurrency, limits } = this.#options;
    return concurrency < Number.POSITIVE_INFINITY || limits.kinds.size + limits.resources.size + limits.rates.size > 0;
  }

  /** True where nothing is kept that a later run would miss. */
  get isForgettable(): boolean {
    const { limits } = this.#options;
    return this.runs + this.queuedRuns + this.calls === 0 && !this.hasBudgets && limits.rates.size === 0;
  }

  /** Replaces the limits. Calls in progress and spent budgets still count. `resolve` has to be called afterwards. */
  configure(options: ReadScope): void {
    this.#options = options;
    this.#every.capacity = options.concurrency;
    for (const account of this.#accounts.values()) setLimit(account, {});
    const { total, resources = {} } = options.budgets;
    if (total !== undefined) this.#setAccount("", total);
    for (const [id, budget] of Object.entries(resources)) this.#setAccount(id, budget);
    const { kinds, resources: ofResources } = options.limits;
    for (const [kind, limit] of kinds) this.#setCapacity(this.#kinds, kind, `kind ${kind}`, limit);
    for (const [kind, counter] of this.#kinds) if (!kinds.has(kind)) counter.capacity = Number.POSITIVE_INFINITY;
    // What ids mean is known from earlier runs: the next `resolve` may be a while away, and their calls continue meanwhile.
    const limited = new Set<string>();
    for (const [id, limit] of ofResources) {
      for (const key of this.#keysOf.get(id) ?? []) {
        this.#setCapacity(this.#resources, key, `resource ${key}`, limit);
        limited.add(key);
      }
    }
    for (const [key, counter] of this.#resources) if (!limited.has(key)) counter.capacity = Number.POSITIVE_INFINITY;
    this.#rated = new Set([...options.limits.rates.keys()].flatMap((id) => [...(this.#keysOf.get(id) ?? [])]));
  }

  /** Finds the resources that ids in the options mean; another run may have others. */
  resolve(known: Registry): void {
    const { limits, budgets } = this.#options;
    for (const [id, limit] of limits.resources) {
      for (const key of this.#keys(id, known)) this.#setCapacity(this.#resources, key, `resource ${key}`, limit);
    }
    for (const [id, rate] of limits.rates) {
      const keys = this.#keys(id, known);
      for (const key of keys) this.#setRate(key, rate);
      this.#rated = new Set([...this.#rated, ...keys]);
    }
    for (const id of Object.keys(budgets.resources ?? {})) {
      for (const key of resourceKeys(id, known)) this.#accountsByKey.set(key, this.#accounts.get(id)!);
    }
  }

  /** The limit of runs in progress, and the queue that further ones wait in, among all processes. */
  get runPools(): { readonly pool: string; readonly queue: string } | undefined {
    const [pool, queue] = [this.#poolOf("runs"), this.#poolOf("queued runs")];
    return pool === undefined || queue === undefined ? undefined : { pool, queue };
  }

  /** Nothing more will be asked of it. */
  close(): void {
    for (const account of this.#accounts.values()) this.#shared?.budgets.close(account);
  }

  /** The most calls at once by one of its limits: `""` for all, `kind llm`, `resource tool:search`. `Infinity` where it has none of that name. */
  capacityOf(name: string): number {
    if (name === "") return this.#options.concurrency;
    const [sort = ""] = name.split(" ", 1);
    const counters = sort === "kind" ? this.#kinds : this.#resources;
    return counters.get(name.slice(sort.length + 1))?.capacity ?? Number.POSITIVE_INFINITY;
  }

  /** Those in which a call of the resource counts. */
  counters(kind: ExecutionKind, key: string): Counter[] {
    const bound = [this.#kinds.get(kind), this.#resources.get(key)];
    return [this.#every, ...bound.filter((counter) => counter !== undefined)];
  }

  /** The rate of the resource, where it has one. */
  bucket(key: string): Rate | undefined {
    return this.#rated.has(key) ? this.#buckets.get(key)?.bucket : undefined;
  }

  /** Those that a call of the resource pays from. */
  accounts(key: string): Account[] {
    const bound = [this.#accounts.get(""), this.#accountsByKey.get(key)];
    return bound.filter((account) => account !== undefined);
  }

  /** Ids of resources by the option that names them. */
  named(prefix: string): readonly (readonly [option: string, ids: readonly string[]])[] {
    const { limits, budgets } = this.#options;
    return [
      [`${prefix}limits.resources`, [...limits.resources.keys()]],
      [`${prefix}limits.rates`, [...limits.rates.keys()]],
      [`${prefix}budgets.resources`, Object.keys(budgets.resources ?? {})],
    ];
  }

  #keys(id: string, known: Registry): readonly string[] {
    const keys = resourceKeys(id, known);
    this.#keysOf.set(id, new Set([...(this.#keysOf.get(id) ?? []), ...keys]));
    return keys;
  }

  #setRate(key: string, rate: RateLimit): void {
    const known = this.#buckets.get(key);
    if (known?.rate.limit === rate.limit && known.rate.intervalMs === rate.intervalMs) return;
    const pool = this.#poolOf(`rate ${key}`);
    const bucket = pool === undefined ? new TokenBucket(rate, this.#now) : new SharedTokens(pool, rate, this.#now);
    this.#buckets.set(key, { rate, bucket });
  }

  #setAccount(id: string, budget: SharedBudget): void {
    const account = this.#accounts.get(id);
    if (account !== undefined) setLimit(account, budget);
    else {
      const name = id === "" ? this.name : `"${id}" of ${this.name}`;
      const shared = this.#shared;
      const opened =
        shared === undefined
          ? openAccount(name, budget, budget.perMs, this.#now)
          : shared.budgets.open(shared.id, id, name, budget, budget.perMs, this.#now);
      this.#accounts.set(id, opened);
    }
  }

  #setCapacity(counters: Map<string, Counter>, key: string, name: string, capacity: number): void {
    const counter = counters.get(key);
    if (counter === undefined) counters.set(key, new Counter(name, capacity, this.#poolOf(name)));
    else counter.capacity = capacity;
  }

  /** The name of one of its limits among all processes; undefined where it is of this one alone. */
  #poolOf(limit: string): string | undefined {
    return this.#shared && `${this.#shared.id} ${limit}`;
  }
}
