import type { Limits } from "../core/limits.ts";

/** Runs that share limits (a run and those nested in it) tell one another when slots became free. */
export class LimitPool {
  readonly limits: Limits;
  readonly #pokes = new Set<() => void>();
  #seen = 0;
  #scheduled = false;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** @param poke lets the run start what the freed slots allow. */
  join(poke: () => void): void {
    this.#pokes.add(poke);
  }

  leave(poke: () => void): void {
    this.#pokes.delete(poke);
  }

  /** Called after each change; tells all in a moment if slots were released since. A run alone pays nothing. */
  noticeReleases(): void {
    if (this.#scheduled || this.#pokes.size < 2 || this.limits.releases === this.#seen) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#seen = this.limits.releases;
      for (const poke of [...this.#pokes]) poke();
    });
  }
}
