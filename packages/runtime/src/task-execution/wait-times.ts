/** What a task may wait for though all it depends on is completed and a slot is free. */
export type WaitCause = "approval" | "retry" | "limit" | "time";

/** How long tasks waited, by cause; waits that have not ended are not counted. */
export class WaitTimes {
  readonly #open = new Map<number, { readonly cause: WaitCause; readonly since: number }>();
  readonly #ms: Record<WaitCause, number> = { approval: 0, retry: 0, limit: 0, time: 0 };

  begin(task: number, cause: WaitCause): void {
    this.#open.set(task, { cause, since: performance.now() });
  }

  end(task: number): void {
    const wait = this.#open.get(task);
    if (wait === undefined) return;
    this.#open.delete(task);
    this.#ms[wait.cause] += performance.now() - wait.since;
  }

  /** Adds a wait that was measured elsewhere. Cheaper where most tasks wait. */
  add(cause: WaitCause, ms: number): void {
    this.#ms[cause] += ms;
  }

  /** In milliseconds, all tasks added up; undefined when none waited. */
  total(): Readonly<Record<WaitCause, number>> | undefined {
    const { approval, retry, limit, time } = this.#ms;
    return approval + retry + limit + time > 0 ? { ...this.#ms } : undefined;
  }
}
