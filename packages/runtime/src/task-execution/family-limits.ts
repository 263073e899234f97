import { timerMs } from "@planloom/plan";
import type { Limits } from "../core/limits.ts";
import type { SharedRun } from "../shared-limits/shared-run.ts";
import { stalledError } from "./stalled-error.ts";

/**
 * The limits of a family of runs (a run and those nested in it), which lets its members know when slots became free. A limit all of whose slots are held
 * by abandoned attempts is not waited for any more when none of them has ended after a while, so that every run ends. While other runs want the slots that
 * the family shares with them, its members start some tasks ahead, so that whenever a slot is given back a call of theirs waits for it.
 */
export class FamilyLimits {
  readonly limits: Limits;
  readonly #pokes = new Set<() => void>();
  #seen = 0;
  #scheduled = false;
  readonly #patienceMs: number;
  #changesSeen = 0;
  readonly #watched = new Map<number, NodeJS.Timeout>();
  readonly #shared: SharedRun | undefined;
  #stopHearingRivals: (() => void) | undefined;

  /**
   * @param patienceMs how long a limit may be held by nothing but abandoned attempts.
   * @param shared what the family shares with other runs
   */
  constructor(limits: Limits, patienceMs: number, shared?: SharedRun) {
    this.limits = limits;
    this.#patienceMs = patienceMs;
    this.#shared = shared;
    shared?.limitTo(
      limits.names.map((name, group) => ({
        name,
        limit: limits.capacity[group]!,
        stalled: () => (limits.isGivenUp(group) ? stalledError(limits, group) : undefined),
      })),
    );
  }

  /** Takes the slots of an attempt of an earlier session that has not ended. @param groups those that it counts in @param key `kind:uid` of its resource; empty for Stage 2 @returns what to call when it has ended */
  keepFor(groups: readonly number[], key: string): () => void {
    for (const group of groups) {
      this.limits.take(group);
      this.limits.abandon(group);
    }
    const free = this.#shared?.keepFor(key);
    return () => {
      for (const group of groups) this.limits.settle(group);
      free?.();
      this.noticeReleases();
    };
  }

  /** @param poke lets the run start what the freed slots allow. */
  join(poke: () => void): void {
    if (this.#pokes.size === 0) this.#stopHearingRivals = this.#shared?.onRivals(() => this.#lookAhead());
    this.#pokes.add(poke);
  }

  leave(poke: () => void): void {
    this.#pokes.delete(poke);
    if (this.#pokes.size > 0) return;
    for (const timer of this.#watched.values()) clearTimeout(timer);
    this.#watched.clear();
    this.#stopHearingRivals?.();
  }

  /** Called after each change. If slots were released, the other runs are woken on the next turn. It costs nothing where a run is alone. */
  noticeReleases(): void {
    this.#lookAhead();
    if (this.limits.abandonedChanges !== this.#changesSeen) this.#watchAbandoned();
    if (this.#scheduled || this.#pokes.size < 2 || this.limits.releases === this.#seen) return;
    this.#pokeAll();
  }

  #lookAhead(): void {
    const hasRivals = this.#shared?.hasRivals === true;
    if (hasRivals === this.limits.looksAhead) return;
    this.limits.looksAhead = hasRivals;
    if (hasRivals && !this.#scheduled) this.#pokeAll();
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
    this.#shared?.refuseStalled();
    this.#pokeAll();
  }
}
