import { timerMs } from "@planloom/plan";
import type { Limits } from "../core/limits.ts";

/**
 * The limits of a family of runs (a run and those nested in it), which lets its members know when slots became free. A limit all of whose slots are held
 * by abandoned attempts is not waited for any more when none of them has ended after a while, so that every run ends.
 */
export class FamilyLimits {
  readonly limits: Limits;
  readonly #pokes = new Set<() => void>();
  #seen = 0;
  #scheduled = false;
  readonly #patienceMs: number;
  #changesSeen = 0;
  readonly #watched = new Map<number, NodeJS.Timeout>();

  /** @param patienceMs how long a limit may be held by nothing but abandoned attempts. */
  constructor(limits: Limits, patienceMs: number) {
    this.limits = limits;
    this.#patienceMs = patienceMs;
  }

  /** @param poke lets the run start what the freed slots allow. */
  join(poke: () => void): void {
    this.#pokes.add(poke);
  }

  leave(poke: () => void): void {
    this.#pokes.delete(poke);
    if (this.#pokes.size > 0) return;
    for (const timer of this.#watched.values()) clearTimeout(timer);
    this.#watched.clear();
  }

  /** Called after each change. If slots were released, the other runs are woken on the next turn. It costs nothing where a run is alone. */
  noticeReleases(): void {
    if (this.limits.abandonedChanges !== this.#changesSeen) this.#watchAbandoned();
    if (this.#scheduled || this.#pokes.size < 2 || this.limits.releases === this.#seen) return;
    this.#pokeAll();
  }

  #pokeAll(): void {
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#seen = this.limits.releases;
      for (const poke of [...this.#pokes]) poke();
    });
  }

  #watchAbandoned(): void {
    this.#changesSeen = this.limits.abandonedChanges;
    // The attempt that ended may be of a run that is over, so the other runs have to be notified.
    if (!this.#scheduled && this.#pokes.size > 0) this.#pokeAll();
    for (let group = 0; group < this.limits.abandoned.length; group++) {
      const timer = this.#watched.get(group);
      if (!this.limits.isFullyAbandoned(group)) {
        clearTimeout(timer);
        this.#watched.delete(group);
      } else if (timer === undefined && this.#pokes.size > 0) {
        this.#watched.set(
          group,
          setTimeout(() => this.#giveUp(group), timerMs(this.#patienceMs)),
        );
      }
    }
  }

  #giveUp(group: number): void {
    this.limits.giveUp(group);
    this.#pokeAll();
  }
}
