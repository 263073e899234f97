/** How many tasks may be executed at once, in all and by group. */
export interface LimitOptions {
  /** Tasks at once, at least 1; `Infinity` allowed. */
  readonly concurrency: number;
  /** By executor kind. */
  readonly kinds?: ReadonlyMap<string, number>;
  /** By `kind:uid`. */
  readonly resources?: ReadonlyMap<string, number>;
}

/** How many tasks more than a limit allows may be started ahead: one more than can end at the same moment, and at most four. */
export function aheadOf(limit: number): number {
  return Math.min(4, limit + 1);
}

/** Group number of a task that no limit of that sort binds. */
export const NO_GROUP = -1;
/** The group that every task is in. */
export const EVERY_TASK = 0;

/**
 * Slots in use by group. One object is shared by a run and the runs nested in it, so that limits hold for all together;
 * so it is not part of one run's state.
 */
export class Limits {
  readonly options: LimitOptions;
  readonly capacity: Float64Array;
  readonly used: Int32Array;
  /** How many slots of `used` are held by attempts that ignored their signal: their tasks continued without them, and they may never end. */
  readonly abandoned: Int32Array;
  /** Names by group number, for certificates and checks. */
  readonly names: readonly string[];
  /**
   * Other runs contend for slots that are shared with them: some tasks are started ahead, so that their calls wait in time. That no more calls are made at
   * once than limits allow is seen to where they wait.
   */
  looksAhead = false;
  /** Slots ever given back; when it grows, tasks of another run may start. */
  releases = 0;
  /** How often `abandoned` has changed. */
  abandonedChanges = 0;
  /** Groups that nothing waits for any more: all of their slots have been abandoned for too long. */
  readonly #givenUp = new Set<number>();
  readonly #groups = new Map<string, number>();

  constructor(options: LimitOptions) {
    const { concurrency, kinds, resources } = options;
    this.options = options;
    const entries: [string, number][] = [["", concurrency]];
    for (const [kind, limit] of kinds ?? []) entries.push([`kind ${kind}`, limit]);
    for (const [resource, limit] of resources ?? []) entries.push([`resource ${resource}`, limit]);
    this.names = entries.map(([name]) => name);
    this.capacity = Float64Array.from(entries, ([, limit]) => limit);
    this.used = new Int32Array(entries.length);
    this.abandoned = new Int32Array(entries.length);
    for (const [group, name] of this.names.entries()) this.#groups.set(name, group);
  }

  kindGroup(kind: string): number {
    return this.#groups.get(`kind ${kind}`) ?? NO_GROUP;
  }

  resourceGroup(kind: string, uid: string): number {
    return this.#groups.get(`resource ${kind}:${uid}`) ?? NO_GROUP;
  }

  /** How many tasks of the group may be started now; below 0 where some were started ahead. */
  roomOf(group: number): number {
    const limit = this.capacity[group]!;
    return limit + (this.looksAhead ? aheadOf(limit) : 0) - this.used[group]!;
  }

  isFull(group: number): boolean {
    return group !== NO_GROUP && this.roomOf(group) <= 0;
  }

  take(group: number): void {
    if (group !== NO_GROUP) this.used[group]!++;
  }

  release(group: number): void {
    if (group === NO_GROUP) return;
    this.used[group]!--;
    this.releases++;
  }

  /** A slot that is taken stays so until `settle`: who took it ignored its signal. */
  abandon(group: number): void {
    if (group === NO_GROUP) return;
    this.abandoned[group]!++;
    this.abandonedChanges++;
  }

  /** An abandoned attempt has ended after all. */
  settle(group: number): void {
    if (group === NO_GROUP) return;
    this.abandoned[group]!--;
    this.abandonedChanges++;
    this.#givenUp.delete(group);
    this.release(group);
  }

  /** True when abandoned attempts hold all slots of the group. */
  isFullyAbandoned(group: number): boolean {
    return group !== NO_GROUP && this.abandoned[group]! >= this.capacity[group]!;
  }

  /** What waits for the group is not to wait any more. */
  giveUp(group: number): void {
    this.#givenUp.add(group);
  }

  isGivenUp(group: number): boolean {
    return this.#givenUp.has(group);
  }

  get hasGivenUp(): boolean {
    return this.#givenUp.size > 0;
  }
}
