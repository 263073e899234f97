import type { DueFire } from "./schedule.ts";
import type { Schedules } from "./schedules.ts";

/** How often due times that wait are kept for this process, in milliseconds: they are given to another one a minute after that. */
const holdEveryMs = 20_000;

interface QueuedFire extends DueFire {
  /** The due time of the same schedule that was claimed with it, and may not be run beside. */
  readonly after: QueuedFire | undefined;
  isEnded: boolean;
}

/**
 * The due times that a scheduler has claimed and for which it has no room yet. Times of one schedule that were claimed together, such as those that are caught up, are run one
 * after the other unless they may overlap. A time that comes while the run before continues is left out as soon as it is claimed, and never run late.
 */
export class QueuedFires {
  readonly #schedules: Pick<Schedules, "hold" | "isDone">;
  readonly #run: (fire: DueFire) => Promise<unknown>;
  #queue: readonly QueuedFire[] = [];
  #holdAt = 0;

  /** @param run settles when the run has ended, or was not begun; it never rejects */
  constructor(schedules: Pick<Schedules, "hold" | "isDone">, run: (fire: DueFire) => Promise<unknown>) {
    this.#schedules = schedules;
    this.#run = run;
  }

  get size(): number {
    return this.#queue.length;
  }

  /** Takes what was claimed, and keeps what waits for another while. */
  async add(fires: readonly DueFire[]): Promise<void> {
    const lastOf = new Map<string, QueuedFire>();
    const added: QueuedFire[] = [];
    for (const fire of fires) {
      const { schedule_id, overlap } = fire.schedule;
      const queued = { ...fire, after: overlap === "skip" ? lastOf.get(schedule_id) : undefined, isEnded: false };
      lastOf.set(schedule_id, queued);
      if (queued.after === undefined && (await this.#schedules.isDone(fire))) queued.isEnded = true;
      else added.push(queued);
    }
    if (this.#queue.length > 0 && performance.now() >= this.#holdAt) await this.#hold();
    else if (this.#queue.length === 0) this.#holdAt = performance.now() + holdEveryMs;
    this.#queue = [...this.#queue, ...added];
  }

  async #hold(): Promise<void> {
    const held = new Set(await this.#schedules.hold(this.#queue));
    // The others were paused, replaced or deleted, or another process has dealt with them.
    for (const fire of this.#queue) if (!held.has(fire)) fire.isEnded = true;
    this.#queue = this.#queue.filter((fire) => held.has(fire));
    this.#holdAt = performance.now() + holdEveryMs;
  }

  /** Begins at most so many. */
  begin(room: number): void {
    let left = room;
    const waiting: QueuedFire[] = [];
    for (const fire of this.#queue) {
      if (left > 0 && (fire.after === undefined || fire.after.isEnded)) {
        left--;
        void this.#run(fire).then(() => {
          fire.isEnded = true;
        });
      } else waiting.push(fire);
    }
    this.#queue = waiting;
  }
}
