import type { PageRun } from "../../src/page-data.ts";
import { asked, completed, failed, pending, running, skipped, statusNumber, waiting } from "./status.ts";

/** What became of one task, in order: from `times[i]` on (milliseconds since the epoch) it had the status `statuses[i]`. */
interface TaskHistory {
  readonly times: number[];
  readonly statuses: number[];
}

/** One attempt of a task, for the timeline. */
export interface Attempt {
  readonly task: number;
  readonly from: number;
  /** Absent while it is under way. */
  to?: number;
  status: number;
}

/** A time in which a task waited for a person, a time or a signal. */
export interface Pause {
  readonly task: number;
  readonly from: number;
  /** Absent while it waits. */
  to?: number;
  readonly status: number;
}

type AnyEvent = PageRun["events"][number];

/** All status changes of a run's tasks, so that the page can show any moment of it. */
export class RunHistory {
  readonly count: number;
  readonly attempts: Attempt[] = [];
  readonly pauses: Pause[] = [];
  /** The first and the last moment something happened. */
  from = Number.POSITIVE_INFINITY;
  to = 0;
  /** Highest number of an event that was read. */
  lastSeq = -1;
  readonly #index: ReadonlyMap<string, number>;
  readonly #tasks: (TaskHistory | undefined)[] = [];
  readonly #open = new Map<number, Attempt>();
  readonly #paused = new Map<number, Pause>();

  constructor(ids: readonly string[]) {
    this.count = ids.length;
    this.#index = new Map(ids.map((id, number) => [id, number]));
  }

  /** The numbers of the tasks that an event changed. O(1). */
  read(event: AnyEvent): number | undefined {
    this.lastSeq = Math.max(this.lastSeq, event.seq);
    const time = event.timestamp ?? event.at;
    this.note(time);
    if (!("taskId" in event)) {
      if (event.type !== "run-end") return undefined;
      for (const task of this.#open.keys()) this.#end(task, time, pending);
      // A run that waits ends its session and goes on waiting.
      if (!isWait(event.endReason)) for (const task of this.#paused.keys()) this.#goOn(task, time);
      return undefined;
    }
    const task = this.#index.get(event.taskId);
    if (task === undefined) return undefined;
    switch (event.type) {
      case "task-start":
        this.#begin(task, time);
        return task;
      case "task-retry":
        this.#end(task, time, failed);
        this.#change(task, time, statusNumber("delayed"));
        return task;
      case "task-end":
        if (!this.#open.has(task) && event.durationMs > 0) this.#begin(task, time - event.durationMs);
        this.#end(task, time, completed);
        this.#change(task, time, completed);
        return task;
      case "task-error":
        this.#end(task, time, failed);
        this.#change(task, time, failed);
        return task;
      case "task-skip":
        this.#change(task, time, skipped);
        return task;
      case "task-waiting":
        this.#end(task, time, asked);
        this.#change(task, time, asked);
        return task;
      case "task-wait":
        this.#end(task, time, waiting);
        this.#change(task, time, waiting);
        return task;
      case "task-approve":
        this.#change(task, time, event.answer === "approve" ? pending : failed);
        return task;
      default:
        return undefined;
    }
  }

  /** What the journal's records say of tasks that no event is kept of. */
  readRecords({ records, states, created_at }: Pick<PageRun, "records" | "states" | "created_at">): void {
    this.note(Date.parse(created_at));
    let keptAt = 0;
    for (const record of records) {
      const ended = record.timing?.ended_at ?? record.started_at + record.duration_ms;
      // A task that waits before its first attempt has the time of the run's start. Records are in the order in which they were kept.
      const end = record.attempts === 0 && isWait(record.status) ? Math.max(ended, keptAt) : ended;
      keptAt = Math.max(keptAt, end);
      const task = this.#index.get(record.task_id);
      if (task === undefined || this.#tasks[task] !== undefined) continue;
      const status = statusNumber(record.status);
      for (const [from, to] of record.timing?.spans ?? (record.attempts > 0 ? [[record.started_at, end]] : [])) {
        this.#begin(task, from!);
        this.#end(task, to!, to === end ? status : failed);
      }
      this.#change(task, end, status);
      this.note(end);
    }
    for (const state of states) {
      const task = this.#index.get(state.task_id);
      if (task === undefined || this.#tasks[task] !== undefined || state.status === "pending") continue;
      if (state.status === "running" && state.started_at !== undefined) this.#begin(task, state.started_at);
      else this.#change(task, state.started_at ?? this.to, statusNumber(state.status));
    }
  }

  /** Sets the status of all tasks at a moment. O(tasks log changes). */
  statusesAt(time: number, into: Uint8Array): void {
    for (let task = 0; task < this.count; task += 1) {
      const history = this.#tasks[task];
      let at = history === undefined ? -1 : history.times.length - 1;
      while (at >= 0 && history!.times[at]! > time) at -= 1;
      into[task] = at < 0 ? pending : history!.statuses[at]!;
    }
  }

  statusOf(task: number): number {
    return this.#tasks[task]?.statuses.at(-1) ?? pending;
  }

  note(time: number): void {
    this.from = Math.min(this.from, time);
    this.to = Math.max(this.to, time);
  }

  #begin(task: number, time: number): void {
    this.#end(task, time, failed);
    const attempt: Attempt = { task, from: time, status: running };
    this.#open.set(task, attempt);
    this.attempts.push(attempt);
    this.#change(task, time, running);
    this.note(time);
  }

  #end(task: number, time: number, status: number): void {
    const attempt = this.#open.get(task);
    if (attempt === undefined) return;
    attempt.to = time;
    attempt.status = status;
    this.#open.delete(task);
  }

  #goOn(task: number, time: number): void {
    const pause = this.#paused.get(task);
    if (pause !== undefined) pause.to = time;
    this.#paused.delete(task);
  }

  #change(task: number, time: number, status: number): void {
    this.#tasks[task] ??= { times: [], statuses: [] };
    const history = this.#tasks[task];
    history.times.push(time);
    history.statuses.push(status);
    const paused = this.#paused.get(task);
    if (paused?.status === status) return;
    this.#goOn(task, time);
    if (status !== asked && status !== waiting) return;
    const pause: Pause = { task, from: time, status };
    this.#paused.set(task, pause);
    this.pauses.push(pause);
  }
}

const isWait = (status: string) => status === "waiting" || status === "waiting_approval";

/** The history of a run: its events, and its records for what no event says. */
export function historyOf(ids: readonly string[], run: PageRun): RunHistory {
  const history = new RunHistory(ids);
  for (const event of run.events) history.read(event);
  history.readRecords(run);
  return history;
}
