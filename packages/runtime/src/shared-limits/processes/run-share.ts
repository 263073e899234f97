import type { RunClaim } from "@planloom/plan/internals";
import { count, queueFull } from "../run-queue.ts";
import type { ScopeLimits } from "../scope-limits.ts";
import type { Tenant } from "../tenant.ts";
import { type Arena, freeUnits, type PoolNeed } from "./arena.ts";
import { queuedIn } from "./exchange.ts";
import type { ProcessShare } from "./process-share.ts";
import { arenaClaim } from "./turns.ts";
import type { Entrant } from "./waiting-runs.ts";

interface LimitedScope {
  readonly scope: ScopeLimits;
  readonly pool: string;
  readonly queue: string;
}

/** Runs that wait until another one ends, in any process, where the number of runs in progress is limited. */
export class RunShare {
  readonly #share: ProcessShare;

  constructor(share: ProcessShare) {
    this.#share = share;
  }

  /** The run begins without waiting. @returns what to call when it has ended */
  begin(tenant: Tenant): () => void {
    count(tenant, "runs", 1);
    const limited = limitedScopes(tenant);
    for (const { scope, pool } of limited) this.#share.countRuns({ pool, count: () => scope.runs });
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      count(tenant, "runs", -1);
      if (limited.length > 0) this.#share.runsChanged();
    };
  }

  /**
   * Resolves when the run may begin, or its signal is aborted; with what to call when it has ended, and whether it waited.
   * @throws RuntimeError QUEUE_FULL, JOURNAL_*
   */
  async turn(
    tenant: Tenant,
    claim: RunClaim,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly leave: () => void; readonly waited: boolean }> {
    const limited = limitedScopes(tenant);
    if (limited.length === 0) return { leave: this.begin(tenant), waited: false };
    if (signal?.aborted) return { leave: () => {}, waited: true };
    return new Promise((resolve, reject) => {
      let waited = false;
      const shown = arenaClaim(claim);
      const settled = () => {
        signal?.removeEventListener("abort", onAbort);
        if (waited) count(tenant, "queuedRuns", -1);
      };
      const onAbort = () => {
        settled();
        void this.#share.leave(entrant).then(() => resolve({ leave: () => {}, waited: true }));
      };
      const entrant: Entrant = {
        key: `run:${JSON.stringify(tenant.key)}`,
        tenant: tenant.key,
        needs: needsOf(limited),
        runClaim: claim,
        ...(shown && { claim: shown }),
        ...(tenant.weight !== 1 && { weight: tenant.weight }),
        queues: limited.map(({ scope, queue }) => [queue, mostQueued(scope)] as const),
        state: "new",
        begin: () => {
          settled();
          resolve({ leave: this.begin(tenant), waited });
        },
        queue: () => {
          waited = true;
          count(tenant, "queuedRuns", 1);
        },
        refuse: (why) => {
          settled();
          if (why instanceof Error) reject(why);
          else {
            const full = limited.find(({ queue }) => queue === why.queue)!;
            const busy = limited.findIndex(({ scope }, at) => why.running[at]! >= scope.options.maxRuns);
            const at = Math.max(0, busy);
            reject(queueFull(tenant.key, full.scope, why.queued, limited[at]!.scope, why.running[at]!));
          }
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#share.enter(entrant);
    });
  }

  /** @throws RuntimeError QUEUE_FULL where a run that began now would be refused */
  async check(tenant: Tenant): Promise<void> {
    const limited = limitedScopes(tenant);
    if (limited.length === 0 || refusal(tenant, limited, await this.#share.arena()) === undefined) return;
    // Some runs that wait or are in progress may be of processes that are gone.
    const error = refusal(tenant, limited, await this.#share.checkedArena());
    if (error !== undefined) throw error;
  }
}

function refusal(tenant: Tenant, limited: readonly LimitedScope[], arena: Arena): Error | undefined {
  const now = Number.POSITIVE_INFINITY;
  const running = needsOf(limited).map(([pool, capacity]) => capacity - freeUnits(arena.pools[pool], capacity, now));
  const busy = limited.findIndex(({ scope }, at) => running[at]! >= scope.options.maxRuns);
  if (busy === -1) return undefined;
  for (const { scope, queue } of limited) {
    const queued = queuedIn(arena, queue);
    if (queued >= scope.options.maxQueuedRuns)
      return queueFull(tenant.key, scope, queued, limited[busy]!.scope, running[busy]!);
  }
  return undefined;
}

/** Scopes that limit the number of runs in progress. */
function limitedScopes({ scopes }: Tenant): LimitedScope[] {
  return scopes.flatMap((scope) => {
    const { runPools } = scope;
    return runPools === undefined || scope.options.maxRuns === Number.POSITIVE_INFINITY ? [] : [{ scope, ...runPools }];
  });
}

function needsOf(limited: readonly LimitedScope[]): PoolNeed[] {
  return limited.map(({ scope, pool }) => [pool, scope.options.maxRuns] as const);
}

function mostQueued({ options }: ScopeLimits): number | undefined {
  return options.maxQueuedRuns === Number.POSITIVE_INFINITY ? undefined : options.maxQueuedRuns;
}
