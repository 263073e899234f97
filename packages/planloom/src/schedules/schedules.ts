import { newId, planTitle, type TaskData } from "@planloom/plan";
import {
  type Journal,
  type LimitRows,
  type LimitStore,
  type RunFilter,
  type RunSummary,
  RuntimeError,
  RuntimeErrorCode,
  resumableStatuses,
  runStatus,
  runStatuses,
} from "@planloom/runtime";
import { metadataMatcher } from "@planloom/runtime/journal-parts";
import { checkOptions } from "../check-options.ts";
import { PlanloomError, PlanloomErrorCode } from "../errors.ts";
import {
  type DueFire,
  type Schedule,
  type ScheduleFire,
  type ScheduleOptions,
  scheduleChecks,
  scheduledApprovalChecks,
} from "./schedule.ts";
import {
  asOfNow,
  historyKey,
  historyOf,
  iso,
  known,
  listKey,
  noteMissed,
  planKey,
  read,
  readRow,
  readState,
  type Starting,
  type State,
  type Stored,
  viewOf,
  wasAhead,
  withFire,
  write,
} from "./schedule-rows.ts";

/** A run that a schedule began, and that no process executes although nothing keeps it. */
export interface CutOffRun {
  readonly run_id: string;
  /** Milliseconds since the epoch. */
  readonly due_at: number;
}

/** Of runs that the next may not run beside. */
const openStatuses = ["running", "waiting", "waiting_approval", ...resumableStatuses] as const;

type Cron = typeof import("./cron.ts");
type Pattern = ReturnType<Cron["readCron"]>;

/** Most due times that are caught up at once; older ones are missed. */
const maxCaughtUp = 1_000;
/** Due times of the last minute are not missed. */
const graceMs = 60_000;
const maxHistory = 200;

/** The schedules of a journal. Several processes may use them at once: each due time is claimed by one of them, in one transaction. */
export class Schedules {
  readonly #store: LimitStore;
  readonly #journal: Journal;
  readonly #cron: Cron;

  private constructor(journal: Journal, store: LimitStore, cron: Cron) {
    this.#journal = journal;
    this.#store = store;
    this.#cron = cron;
  }

  /** @throws PlanloomError OPTION for a journal that keeps no schedules; RuntimeError JOURNAL_* */
  static async open(journal: Journal): Promise<Schedules> {
    const store = await journal.openLimits?.();
    // Only who has schedules loads the library that reads their patterns.
    if (store !== undefined) return new Schedules(journal, store, await import("./cron.ts"));
    const message = `The journal "${journal.name}" keeps no schedules (\`openLimits\`). Use one that does: the file of a SqliteJournal, or memoryJournal().`;
    throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "journal" } });
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** In the place of a schedule of the same id. @throws PlanloomError OPTION */
  async add(plan: TaskData, options: ScheduleOptions, now = Date.now()): Promise<Schedule> {
    checkOptions("`schedule`", options, scheduleChecks);
    if (options.approval !== undefined)
      checkOptions("`approval` of `schedule`", options.approval, scheduledApprovalChecks);
    const {
      approval,
      cron,
      zone = "UTC",
      id = newId(),
      overlap = "skip",
      catchUp = "last",
      variables,
      metadata,
    } = options;
    const next = this.#cron.readCron(cron, zone).next(now);
    const made: Stored = {
      schedule_id: id,
      title: planTitle(plan),
      cron,
      zone,
      overlap,
      catch_up: catchUp,
      paused: false,
      created_at: iso(now),
      ...(next !== undefined && { next_at: iso(next) }),
      ...(variables !== undefined && { variables }),
      ...(approval !== undefined && { approval }),
      ...(metadata !== undefined && { metadata }),
      starting: [],
      claimed_at: now,
    };
    return this.#store.change((rows) => {
      const state = read(rows);
      const before = Object.hasOwn(state, id) ? state[id] : undefined;
      if (before !== undefined) noteMissed(rows, before);
      // What the schedule before began last may not have ended.
      const last = before?.starting.at(-1)?.run_id ?? before?.last_run_id;
      const schedule = { ...made, ...(last !== undefined && { last_run_id: last }) };
      write(rows, { ...state, [id]: schedule });
      rows.set(planKey(id), JSON.stringify(plan));
      return viewOf(schedule);
    });
  }

  /** In the order of their next times. */
  async list(): Promise<readonly Schedule[]> {
    const state = readState(await this.#store.read(listKey));
    const order = ({ next_at = "9" }: Schedule) => next_at;
    return Object.values(state)
      .map(viewOf)
      .sort((left, right) => (order(left) < order(right) ? -1 : 1));
  }

  /** What became of its due times, the newest last; at most 200. @throws PlanloomError OPTION for an unknown id */
  async history(id: string): Promise<readonly ScheduleFire[]> {
    return this.#store.change((rows) => {
      known(read(rows), id);
      return historyOf(rows, id);
    });
  }

  /**
   * A paused schedule has no due times, and none whose process died before it began a run; when it continues, none of those that passed is caught up.
   * @throws PlanloomError OPTION for an unknown id */
  async pause(id: string, paused: boolean, now = Date.now()): Promise<Schedule> {
    return this.#store.change((rows) => {
      const state = read(rows);
      const { next_at: _, ...rest } = known(state, id);
      if (paused) noteMissed(rows, rest);
      const next = paused ? undefined : this.#cron.readCron(rest.cron, rest.zone).next(now);
      const changed = {
        ...rest,
        paused,
        claimed_at: now,
        ...(paused && { starting: [] }),
        ...(next !== undefined && { next_at: iso(next) }),
      };
      write(rows, { ...state, [id]: changed });
      return viewOf(changed);
    });
  }

  /** Its runs stay. @throws PlanloomError OPTION for an unknown id */
  async delete(id: string): Promise<void> {
    await this.#store.change((rows) => {
      const { [id]: _, ...rest } = { ...read(rows), [id]: known(read(rows), id) };
      write(rows, rest);
      rows.set(planKey(id), undefined);
      rows.set(historyKey(id), undefined);
    });
  }

  /**
   * Due times that are this process's to run now; each is given to one process, unless that has died within a minute.
   * @param metadata fields that a schedule's metadata must have; other schedules are left for others
   */
  async claim(now = Date.now(), metadata?: RunFilter["metadata"]): Promise<readonly DueFire[]> {
    const isMeant = metadataMatcher(metadata);
    const isDue = (schedule: Stored) =>
      isMeant(schedule.metadata) &&
      (Date.parse(schedule.next_at ?? "9999-01-01") <= now ||
        schedule.starting.some(({ claimed_until }) => claimed_until <= now) ||
        wasAhead(schedule, now));
    // Nothing is written, and nobody is kept waiting, where nothing is due.
    const seen = readState(await this.#store.read(listKey));
    if (!Object.values(seen).some(isDue)) return [];
    return this.#store.change((rows) => {
      const state = read(rows);
      const fires: DueFire[] = [];
      for (const schedule of Object.values(state).filter(isDue)) {
        const fired = this.#fire(schedule, now, rows);
        state[schedule.schedule_id] = fired;
        const plan = readRow(rows.get(planKey(schedule.schedule_id)) ?? "{}") as TaskData;
        const mine = fired.starting.filter(({ claimed_until }) => claimed_until === now + graceMs);
        for (const { claimed_until: _, ...each } of mine) fires.push({ schedule: viewOf(fired), plan, ...each });
      }
      write(rows, state);
      return fires;
    });
  }

  /**
   * Runs of schedules whose process ended before they did; the oldest first. They have begun, so that no due time begins them again, and where no wait of theirs is
   * kept nothing else wakes them.
   * @param metadata fields that a schedule's metadata must have
   */
  async cutOff(metadata?: RunFilter["metadata"]): Promise<readonly CutOffRun[]> {
    const found: CutOffRun[] = [];
    const isMeant = metadataMatcher(metadata);
    for (const { schedule_id: schedule, metadata: own } of (await this.list()).filter((each) =>
      isMeant(each.metadata),
    )) {
      const runs = await this.#journal.listRuns({
        status: resumableStatuses,
        metadata: { schedule },
        limit: maxCaughtUp,
      });
      for (const { run_id, metadata, created_at } of runs) {
        // Forks have the metadata of what they were made of, and a caller of a server gives its own: the schedule began neither.
        if (metadata?.forked_from !== undefined || metadata?.via !== own?.via) continue;
        found.push({ run_id, due_at: Date.parse(String(metadata?.due_at ?? created_at)) });
      }
    }
    return found.sort((left, right) => left.due_at - right.due_at);
  }

  /** Keeps claimed due times for this process, which runs them later, for another minute. @returns those that are still to be run */
  async hold<Fire extends DueFire>(fires: readonly Fire[], now = Date.now()): Promise<readonly Fire[]> {
    const ids = new Set(fires.map(({ run_id }) => run_id));
    return this.#store.change((rows) => {
      const state = read(rows);
      const held = new Set<string>();
      for (const [id, schedule] of Object.entries(state)) {
        if (!schedule.starting.some(({ run_id }) => ids.has(run_id))) continue;
        const starting = schedule.starting.map((each) => {
          if (!ids.has(each.run_id)) return each;
          held.add(each.run_id);
          return { ...each, claimed_until: now + graceMs };
        });
        state[id] = { ...schedule, starting };
      }
      write(rows, state);
      return fires.filter(({ run_id }) => held.has(run_id));
    });
  }

  /** Notes what became of a claimed due time. */
  async settle({ schedule, due_at }: DueFire, became: Omit<ScheduleFire, "due_at">): Promise<void> {
    const id = schedule.schedule_id;
    await this.#store.change((rows) => {
      const state = read(rows);
      const stored = state[id];
      if (stored === undefined) return;
      const starting = stored.starting.filter((each) => each.due_at !== due_at);
      const last = became.state === "started" && became.run_id !== undefined ? { last_run_id: became.run_id } : {};
      write(rows, { ...state, [id]: { ...stored, ...last, starting } });
      const history = withFire(historyOf(rows, id), { due_at, ...became });
      rows.set(historyKey(id), JSON.stringify(history.slice(-maxHistory)));
    });
  }

  /**
   * Runs a claimed due time, and notes what became of it as soon as it has begun. Its run has an id of this due time alone, so that no second process can begin it
   * again. @param start runs the plan; it calls `begun` once the run is in the journal. @returns what `start` gave; undefined where nothing was to be run
   * @throws what `start` threw
   */
  async run<Result>(
    fire: DueFire,
    start: (fire: DueFire, begun: () => void) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (await this.isDone(fire)) return undefined;
    const { run_id } = fire;
    let noted: Promise<void> | undefined;
    try {
      return await start(fire, () => {
        noted ??= this.settle(fire, { state: "started", run_id });
        // Awaited once the run has ended, which may be much later.
        noted.catch(() => {});
      });
    } catch (error) {
      if (noted === undefined) {
        const isThere = error instanceof RuntimeError && error.code === RuntimeErrorCode.RUN_EXISTS;
        const message = error instanceof Error ? error.message : String(error);
        noted = this.settle(fire, isThere ? { state: "started", run_id } : { state: "failed", message });
        if (isThere) return undefined;
      }
      throw error;
    } finally {
      await noted;
    }
  }

  /** True where a claimed due time needs no run any more: its run has begun, the one before has not ended, or the schedule was paused, replaced or deleted. That is noted. */
  async isDone(fire: DueFire): Promise<boolean> {
    const { run_id, schedule } = fire;
    if (await this.#hasStatus(run_id, runStatuses)) {
      // The process that claimed it first died after it had begun the run, and before it could note that.
      await this.settle(fire, { state: "started", run_id });
      return true;
    }
    const stored = this.#of(readState(await this.#store.read(listKey)), schedule.schedule_id);
    if (stored === undefined || !stored.starting.some((each) => each.run_id === run_id)) return true;
    if (schedule.overlap !== "skip") return false;
    const open = await this.#openBefore(fire, stored);
    if (open !== undefined) await this.settle(fire, { state: "skipped", message: `Run ${open} had not ended.` });
    return open !== undefined;
  }

  /** Whether a run that was cut off still is, and no other process has taken it up. */
  async isCutOff(runId: string): Promise<boolean> {
    return this.#hasStatus(runId, resumableStatuses);
  }

  /** A run before that has not ended, or that another process is about to begin. The due time before may have been left out itself, so that the run that began last counts, too. */
  async #openBefore({ run_id, previous }: DueFire, { starting, last_run_id }: Stored): Promise<string | undefined> {
    for (const before of new Set([previous, last_run_id])) {
      if (before === undefined || before === run_id) continue;
      if (await this.#hasStatus(before, openStatuses)) return before;
      if (starting.some((each) => each.run_id === before && each.claimed_until > Date.now())) return before;
    }
    return undefined;
  }

  #of(state: State, id: string): Stored | undefined {
    return Object.hasOwn(state, id) ? state[id] : undefined;
  }

  /** @returns false, too, for a run that was deleted */
  async #hasStatus(runId: string, statuses: readonly RunSummary["status"][]): Promise<boolean> {
    try {
      return statuses.includes((await runStatus(runId, { journal: this.#journal })).status);
    } catch (error) {
      if (error instanceof RuntimeError && error.code === RuntimeErrorCode.RUN_NOT_FOUND) return false;
      throw error;
    }
  }

  /**
   * The last due times until now, as many as are caught up, and the first one after. Those before are not gone through: where no scheduler ran for a month a schedule may
   * have millions, and this is done while other processes wait for the store.
   */
  #dueUntil(pattern: Pattern, first_at: string | undefined, now: number): { due: number[]; next: number | undefined } {
    const first = first_at === undefined ? undefined : Date.parse(first_at);
    if (first === undefined || first > now) return { due: [], next: first };
    for (let spanMs = graceMs; ; spanMs *= 2) {
      const from = Math.max(first, now - spanMs);
      const due = from === first ? [first] : [];
      let next = pattern.next(from);
      for (; next !== undefined && next <= now; next = pattern.next(next)) due.push(next);
      if (from === first || due.length >= maxCaughtUp) return { due: due.slice(-maxCaughtUp), next };
    }
  }

  /** The schedule with its due times claimed, and what is missed noted. */
  #fire(given: Stored, now: number, rows: LimitRows): Stored {
    const pattern = this.#cron.readCron(given.cron, given.zone);
    const schedule = wasAhead(given, now) ? asOfNow(given, pattern.next(now), now) : given;
    const { schedule_id: id, catch_up, next_at, starting, claimed_at = 0 } = schedule;
    const claimed_until = now + graceMs;
    const { due, next } = this.#dueUntil(pattern, next_at, now);
    const last = due.at(-1);
    const isFresh = last !== undefined && now - last <= graceMs;
    // A scheduler that looks a little late has missed nothing.
    const hasLooked = now - claimed_at <= graceMs;
    const fired = catch_up === "all" || hasLooked ? due : catch_up === "last" || isFresh ? due.slice(-1) : [];
    const missed = due.filter((ms) => !fired.includes(ms));
    let previous = schedule.starting.at(-1)?.run_id ?? schedule.last_run_id;
    const fresh = fired.map((ms): Starting => {
      const run_id = `${id}-${iso(ms).replaceAll(/[-:]|\.\d+/g, "")}`;
      const made = { due_at: iso(ms), run_id, ...(previous !== undefined && { previous }), claimed_until };
      previous = run_id;
      return made;
    });
    const again = starting.map((each) => (each.claimed_until <= now ? { ...each, claimed_until } : each));
    const noted: ScheduleFire[] = [
      ...missed.map((ms) => ({ due_at: iso(ms), state: "missed" as const })),
      ...fresh.map(({ due_at, run_id }) => ({ due_at, run_id, state: "starting" as const })),
    ];
    if (noted.length > 0)
      rows.set(historyKey(id), JSON.stringify([...historyOf(rows, id), ...noted].slice(-maxHistory)));
    const { next_at: _, ...rest } = schedule;
    const starts = { starting: [...again, ...fresh], claimed_at: now };
    return { ...rest, ...(next !== undefined && { next_at: iso(next) }), ...starts };
  }
}
