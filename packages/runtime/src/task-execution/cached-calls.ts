import { timerMs } from "@planloom/plan";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskSlots } from "./task-slots.ts";
import { TimedWork } from "./timed-work.ts";

/** Looks for the outputs of calls in the cache, and keeps those of calls that were made. */
export class CachedCalls {
  readonly #parts: ShellParts;
  readonly #active: TaskSlots<TimedWork>;
  /** Tasks that the cache was asked about. */
  readonly #asked = new Set<number>();
  /** Outputs on their way into the cache. */
  readonly #keeping = new Set<Promise<void>>();
  readonly #cancelled = Promise.withResolvers<void>();

  /** @param active the work that runs, by task; the shell stops it. */
  constructor(parts: ShellParts, active: TaskSlots<TimedWork>) {
    this.#parts = parts;
    this.#active = active;
  }

  /** The number means another task now. */
  forget(task: number): void {
    this.#asked.delete(task);
  }

  cancel(): void {
    this.#cancelled.resolve();
  }

  /**
   * Asks the cache for the output of an equal call, once for each task.
   * @param onEnd called with what it has; undefined where it has nothing, fails or takes too long
   * @returns false where the call has to be made without asking
   */
  find(
    task: number,
    prepared: PreparedStep,
    onEnd: (found: { readonly output: unknown } | undefined) => void,
  ): boolean {
    const { approvals, cache, settings } = this.#parts;
    if (cache === undefined || this.#asked.has(task) || !cache.covers(prepared)) return false;
    const limits = { timeoutMs: settings.bindTimeoutMs, graceMs: settings.abortGraceMs };
    const work = new TimedWork(limits, (outcome) => {
      this.#active.delete(task);
      this.#asked.add(task);
      onEnd(outcome.type === "value" ? (outcome.value as { output: unknown } | undefined) : undefined);
    });
    this.#active.set(task, work);
    work.follow(cache.find(prepared, approvals.contentHash(task)));
    return true;
  }

  /** Keeps the output of a call that was made. */
  keep(task: number, output: unknown): void {
    const { cache, approvals, table } = this.#parts;
    const prepared = table.prepared[task];
    if (cache === undefined || prepared === undefined || !cache.covers(prepared)) return;
    const keeping = cache
      .keep(prepared, approvals.contentHash(task), output)
      .then(() => void this.#keeping.delete(keeping));
    this.#keeping.add(keeping);
  }

  /** Resolves when all outputs that the cache takes are in it, or `abortGraceMs` after the run was cancelled. */
  async settled(): Promise<void> {
    if (this.#keeping.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const given = this.#cancelled.promise.then(
      () =>
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, timerMs(this.#parts.settings.abortGraceMs));
        }),
    );
    await Promise.race([Promise.all(this.#keeping), given]);
    clearTimeout(timer);
  }
}
