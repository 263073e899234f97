import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { Ring } from "./ring.ts";
import type { ScopeLimits } from "./scope-limits.ts";
import type { Tenant } from "./tenant.ts";

interface QueuedRun {
  readonly tenant: Tenant;
  readonly enter: () => void;
  left: boolean;
}

/** Runs that wait until another one ends, where the number of runs in progress is limited. Tenants take turns. */
export class RunQueue {
  readonly #turns = new Ring<Tenant>();
  readonly #waiting = new Map<Tenant, Ring<QueuedRun>>();

  /** Begins the run where it need not wait. @returns what to call when it has ended */
  beginNow(tenant: Tenant): (() => void) | undefined {
    return this.#mayBegin(tenant) ? this.begin(tenant) : undefined;
  }

  /**
   * Waits in the queue. Resolves when the run may begin, or its signal is aborted; with what to call when it has ended.
   * @throws RuntimeError QUEUE_FULL
   */
  async turn(tenant: Tenant, signal: AbortSignal | undefined): Promise<() => void> {
    checkRoom(tenant);
    if (signal?.aborted) return () => {};
    return new Promise((resolve) => {
      const leave = () => {
        entrant.left = true;
        count(tenant, "queuedRuns", -1);
      };
      const onAbort = () => {
        leave();
        resolve(() => {});
      };
      const enter = () => {
        leave();
        signal?.removeEventListener("abort", onAbort);
        resolve(this.begin(tenant));
      };
      const entrant: QueuedRun = { tenant, enter, left: false };
      count(tenant, "queuedRuns", 1);
      signal?.addEventListener("abort", onAbort, { once: true });
      const line = this.#waiting.get(tenant);
      if (line !== undefined) line.push(entrant);
      else {
        const begun = new Ring<QueuedRun>();
        begun.push(entrant);
        this.#waiting.set(tenant, begun);
        this.#turns.push(tenant);
      }
    });
  }

  /** @throws RuntimeError QUEUE_FULL where a run that began now would be refused */
  check(tenant: Tenant): void {
    if (!this.#mayBegin(tenant)) checkRoom(tenant);
  }

  /** Limits may be wider now. */
  pump(): void {
    while (this.#letNextIn());
  }

  #mayBegin(tenant: Tenant): boolean {
    return !this.#waiting.has(tenant) && hasRoom(tenant);
  }

  /** The run begins without waiting. @returns what to call when it has ended */
  begin(tenant: Tenant): () => void {
    count(tenant, "runs", 1);
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      count(tenant, "runs", -1);
      this.pump();
    };
  }

  #letNextIn(): boolean {
    for (let left = this.#turns.size; left > 0; left--) {
      const tenant = this.#turns.shift()!;
      const line = this.#waiting.get(tenant)!;
      let entrant: QueuedRun | undefined;
      if (hasRoom(tenant)) for (entrant = line.shift(); entrant?.left === true; entrant = line.shift());
      if (line.size > 0) this.#turns.push(tenant);
      else this.#waiting.delete(tenant);
      if (entrant === undefined) continue;
      entrant.enter();
      return true;
    }
    return false;
  }
}

function hasRoom({ scopes }: Tenant): boolean {
  return scopes.every(({ runs, options }) => runs < options.maxRuns);
}

export function count({ scopes }: Tenant, of: "runs" | "queuedRuns", by: 1 | -1): void {
  for (const scope of scopes) scope[of] += by;
}

function checkRoom({ key, scopes }: Tenant): void {
  const full = scopes.find(({ queuedRuns, options }) => queuedRuns >= options.maxQueuedRuns);
  if (full === undefined) return;
  const busy = scopes.find(({ runs, options }) => runs >= options.maxRuns) ?? full;
  throw queueFull(key, full, full.queuedRuns, busy, busy.runs);
}

/** @param full the scope whose queue is full, with `queued` runs in it @param busy the one in which `running` runs are in progress, which is its limit */
export function queueFull(
  tenant: string,
  full: ScopeLimits,
  queued: number,
  busy: ScopeLimits,
  running: number,
): RuntimeError {
  const { maxQueuedRuns } = full.options;
  const { maxRuns } = busy.options;
  const message = `The run was refused, since ${queued} runs wait already and at most ${maxQueuedRuns} may (\`maxQueuedRuns\` of ${full.name}); ${running} of at most ${maxRuns} are in progress (\`maxRuns\` of ${busy.name}). Start it again later.`;
  return new RuntimeError(RuntimeErrorCode.QUEUE_FULL, message, {
    details: {
      scope: full.name,
      ...(tenant !== "" && { tenant }),
      queued,
      max_queued_runs: maxQueuedRuns,
      running,
      max_runs: Number.isFinite(maxRuns) ? maxRuns : null,
    },
  });
}
