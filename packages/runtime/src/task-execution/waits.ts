import { type OnDeadline, type ReferenceLookup, validateValue } from "@planloom/plan";
import { TaskState } from "../core/task-state.ts";
import { issueText } from "../executors/read-schema.ts";
import { type StoredSignal, type StoredWait, storedWaitSentence, viewOf } from "../journal/stored-wait.ts";
import { jsonCopy } from "../json-copy.ts";
import type { WaitView } from "../ports/wait-view.ts";
import { type TaskError, TaskErrorCode, TaskFailure, taskError, taskErrorFrom } from "../task-error.ts";
import { type ReadWait, readWait } from "../waiting/read-wait.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { Reporter } from "./reporter.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskEnds } from "./task-ends.ts";

/** Lets tasks wait for a time or a signal (`wait`), without a slot, and ends them when it has come. */
export class Waits {
  readonly #parts: ShellParts;
  readonly #loop: CoreLoop;
  readonly #reporter: Reporter;
  readonly #ends: TaskEnds;
  /** Ids of the waits that each sleeping task is woken by. */
  readonly #sleeping = new Map<number, readonly string[]>();
  /** The other way round. */
  readonly #tasks = new Map<string, Set<number>>();
  #lastEndMs = 0;

  constructor(parts: ShellParts, loop: CoreLoop, reporter: Reporter, ends: TaskEnds) {
    this.#parts = parts;
    this.#loop = loop;
    this.#reporter = reporter;
    this.#ends = ends;
  }

  /** End of the last task that waited, milliseconds since the run began. */
  get lastEndMs(): number {
    return this.#lastEndMs;
  }

  /** A task with `wait` starts, for the first time or because its wait is over. */
  begin(task: number, lookup: ReferenceLookup): void {
    const { table, approvals, host } = this.#parts;
    const { waits } = host;
    const id = approvals.idOf(task);
    let read: ReadWait;
    try {
      read = readWait(table.tasks[task]!.wait!, lookup, Date.now());
      if (read.event !== undefined && !waits.takesSignals) throw notKept(read.event);
    } catch (thrown) {
      this.#ends.fail(task, taskErrorFrom(thrown));
      return;
    }
    const { onDeadline, ...begun } = read;
    const wait: StoredWait = waits.find(id, read.content_hash) ?? { id, begun_at: Date.now(), ...begun };
    const signal = waits.signalFor(id);
    if (signal !== undefined) this.#receive(task, id, signal);
    else if (waits.isDue(wait) && this.#hasLooked(wait)) this.#pass(task, wait, onDeadline);
    else this.sleep(task, wait);
  }

  /** The task sleeps until the wait is over. */
  sleep(task: number, wait: StoredWait): void {
    const { waits } = this.#parts.host;
    const isNew = !waits.hasBegun(wait);
    waits.begin(wait);
    this.#fallAsleep(task, [wait.id], viewOf(wait));
    if (isNew) this.#reporter.sleeps(task, viewOf(wait));
    // Its time may have come already, where a signal was to be looked for first.
    if (waits.isDue(wait)) void waits.settled().then(() => this.wake(wait.id));
  }

  /** Nothing but time and signals is waited for inside the task, which sleeps with it. */
  suspend(task: number, ids: readonly string[]): void {
    const { waits } = this.#parts.host;
    this.#fallAsleep(task, ids, undefined);
    this.#reporter.sleeps(task);
    // What was waited for may have come before this task slept.
    const over = ids.find((id) => waits.isOver(id));
    if (over !== undefined) this.wake(over);
  }

  /** The wait of this id is over: the tasks that sleep because of it start again. */
  wake(id: string): void {
    for (const task of this.#tasks.get(id) ?? []) {
      this.#forget(task);
      this.#parts.table.waits.end(task);
      this.#loop.feed({ type: "wake", task });
    }
  }

  /** The number means another task now. */
  forget(task: number): void {
    this.#forget(task);
  }

  /** When the first of the sleeping tasks is woken by time: milliseconds since the epoch; Infinity where only signals wake them. */
  nextDue(): number {
    const { state, host } = this.#parts;
    let next = Number.POSITIVE_INFINITY;
    for (const [task, ids] of this.#sleeping) {
      if (state.state[task] !== TaskState.ASLEEP) continue;
      for (const id of ids) next = Math.min(next, host.waits.dueAt(id) ?? next);
    }
    return next;
  }

  /** Whether it is known that no signal came before the deadline. */
  #hasLooked(wait: StoredWait): boolean {
    return wait.event === undefined || this.#parts.host.waits.hasLookedFor(wait);
  }

  #fallAsleep(task: number, ids: readonly string[], view: WaitView | undefined): void {
    const { table } = this.#parts;
    this.#sleeping.set(task, ids);
    for (const id of ids) {
      const known = this.#tasks.get(id);
      if (known === undefined) this.#tasks.set(id, new Set([task]));
      else known.add(task);
    }
    if (view !== undefined) table.sleeping.set(task, view);
    table.waits.begin(task, "time");
    this.#loop.feed({ type: "sleep", task });
  }

  #forget(task: number): void {
    for (const id of this.#sleeping.get(task) ?? []) {
      const known = this.#tasks.get(id);
      known?.delete(task);
      if (known?.size === 0) this.#tasks.delete(id);
    }
    this.#sleeping.delete(task);
  }

  /** The signal has come: its data is the output. It is anybody's, so that it is held against the schema here too. */
  #receive(task: number, id: string, { data, id: signal_id, event }: StoredSignal): void {
    const { schema } = this.#parts.table.tasks[task]!.wait!;
    const found = schema === undefined ? [] : validateValue(data, schema, { what: "the data" });
    const issues = found.filter((each) => each.severity === "error");
    this.#parts.host.waits.end(id);
    if (issues.length === 0) {
      this.#complete(task, data);
      return;
    }
    const message = `The data of signal "${event}" does not fit \`wait.schema\`: ${issueText(issues)}`;
    this.#end(task, () =>
      this.#ends.fail(task, taskError(TaskErrorCode.OUTPUT_INVALID, message, { issues, signal_id })),
    );
  }

  /** The time has come: that was all, or nothing came until then. */
  #pass(task: number, wait: StoredWait, onDeadline: OnDeadline): void {
    this.#parts.host.waits.end(wait.id);
    const due = new Date(wait.due_at!).toISOString();
    if (wait.event === undefined) this.#complete(task, { waited_until: due });
    else this.passDeadline(task, onDeadline, lateError(wait, due));
  }

  /** What a deadline that has passed does to the task. */
  passDeadline(task: number, onDeadline: OnDeadline, error: TaskError): void {
    if (typeof onDeadline === "object") this.#complete(task, onDeadline.value ?? null);
    else if (onDeadline === "skip") this.#end(task, () => this.#ends.refuse(task, error));
    else this.#end(task, () => this.#ends.fail(task, error));
  }

  #complete(task: number, given: unknown): void {
    const { host, settings } = this.#parts;
    try {
      const { value, bytes } = jsonCopy(given, { maxBytes: settings.maxOutputBytes });
      host.rights.learnOutput(value, host.position.isNested);
      this.#end(task, () => this.#ends.complete(task, value, bytes));
    } catch (thrown) {
      this.#end(task, () => this.#ends.fail(task, taskErrorFrom(thrown)));
    }
  }

  #end(task: number, end: () => void): void {
    this.#parts.table.sleeping.delete(task);
    this.#parts.table.errors[task] = undefined;
    this.#lastEndMs = performance.now() - this.#parts.startedAt;
    end();
  }
}

function lateError(wait: StoredWait, due: string): TaskError {
  const { event = "", key = "" } = wait;
  const message = `No signal came in time: it ${storedWaitSentence(wait)}.`;
  return taskError(TaskErrorCode.DEADLINE, message, { event, ...(key !== "" && { key }), due_at: due });
}

function notKept(event: string): TaskFailure {
  const message = `The task waits for the signal "${event}", and this run is kept in no journal that takes signals, so that none could be sent to it. Give the run a journal.`;
  return new TaskFailure(TaskErrorCode.WAIT, message, { retryable: false, details: { event } });
}
