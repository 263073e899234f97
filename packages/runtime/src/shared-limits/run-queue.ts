import { compareByClaim, type RunClaim, turnsPerFairTurn } from "@planloom/plan/internals";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { MovableHeap } from "./movable-heap.ts";
import type { ScopeLimits } from "./scope-limits.ts";
import type { Tenant } from "./tenant.ts";
import { WeightedTurns } from "./weighted-turns.ts";

interface QueuedRun {
  readonly claim: RunClaim;
  /** How many came before it. */
  readonly number: number;
  readonly enter: () => void;
  /** Its places in the two orders of its line; below 0 where it is in neither. */
  byClaim: number;
  byComing: number;
}

/** The runs of one tenant that wait: by claim, and every fourth as they came. */
class RunLine {
  readonly tenant: Tenant;
  readonly #byClaim = new MovableHeap<"byClaim", QueuedRun>(
    "byClaim",
    (a, b) => compareByClaim(a.claim, b.claim) || a.number - b.number,
  );
  readonly #byComing = new MovableHeap<"byComing", QueuedRun>("byComing", (a, b) => a.number - b.number);
  #comings = 0;
  #begun = 0;

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  get weight(): number {
    return this.tenant.weight;
  }

  get isEmpty(): boolean {
    return this.#byComing.first === undefined;
  }

  add(claim: RunClaim, enter: () => void): QueuedRun {
    const run = { claim, number: this.#comings++, enter, byClaim: -1, byComing: -1 };
    this.#byClaim.add(run);
    this.#byComing.add(run);
    return run;
  }

  drop(run: QueuedRun): void {
    this.#byClaim.drop(run);
    this.#byComing.drop(run);
  }

  /** The run whose turn it is; the line has one. */
  next(): QueuedRun {
    const order = ++this.#begun % turnsPerFairTurn === 0 ? this.#byComing : this.#byClaim;
    return order.first!;
  }
}

/** Runs that wait until another one ends, where the number of runs in progress is limited. Tenants take turns by their weights, and within each its runs, by claim. */
export class RunQueue {
  readonly #turns = new WeightedTurns<RunLine>();
  readonly #waiting = new Map<Tenant, RunLine>();

  /** Begins the run where it need not wait. @returns what to call when it has ended */
  beginNow(tenant: Tenant): (() => void) | undefined {
    return this.#mayBegin(tenant) ? this.begin(tenant) : undefined;
  }

  /**
   * Waits in the queue. Resolves when the run may begin, or its signal is aborted; with what to call when it has ended.
   * @throws RuntimeError QUEUE_FULL
   */
  async turn(tenant: Tenant, claim: RunClaim, signal: AbortSignal | undefined): Promise<() => void> {
    checkRoom(tenant);
    if (signal?.aborted) return () => {};
    return new Promise((resolve) => {
      const line = this.#waiting.get(tenant) ?? this.#begin(tenant);
      const leave = () => {
        line.drop(entrant);
        count(tenant, "queuedRuns", -1);
      };
      const onAbort = () => {
        leave();
        resolve(() => {});
      };
      const entrant = line.add(claim, () => {
        leave();
        signal?.removeEventListener("abort", onAbort);
        resolve(this.begin(tenant));
      });
      count(tenant, "queuedRuns", 1);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  #begin(tenant: Tenant): RunLine {
    const line = new RunLine(tenant);
    this.#waiting.set(tenant, line);
    this.#turns.join(line);
    return line;
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
    return this.#waiting.get(tenant)?.isEmpty !== false && hasRoom(tenant);
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
    const entrant = this.#turns.give((line) => {
      if (!line.isEmpty) return hasRoom(line.tenant) ? line.next() : "passed";
      if (this.#waiting.get(line.tenant) === line) this.#waiting.delete(line.tenant);
      return "left";
    });
    if (entrant === undefined) return false;
    entrant.enter();
    return true;
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
