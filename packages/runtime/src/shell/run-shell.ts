import type { Bind, ReferenceLookup, TaskData } from "@planloom/plan";
import { advance, type Command, type CoreEvent } from "../core/advance.ts";
import { NO_GROUP } from "../core/limits.ts";
import type { RunState } from "../core/run-state.ts";
import type { EndReason, EventSink } from "../events.ts";
import type { Registry } from "../executors/registry.ts";
import { makeContext, type RunScope } from "../executors/scope.ts";
import { type PreparedStep, prepareStep, type UnavailableStep } from "../input/prepare-step.ts";
import { cloneJson, JsonCopyError, jsonCopy } from "../json-copy.ts";
import type { Settings } from "../run-options.ts";
import type { RunResult, Usage } from "../run-result.ts";
import { isRetryable, type TaskError, TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import { Attempt, type AttemptOutcome } from "./attempt.ts";
import type { JournalWriter } from "./journal-writer.ts";
import type { LimitPool } from "./limit-pool.ts";
import { retryDelay, retryPolicy } from "./retry.ts";
import { makeRecord } from "./task-record.ts";
import type { TaskTable } from "./task-table.ts";

export interface ShellParts {
  readonly runId: string;
  readonly plan: TaskData;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly bind: Bind | undefined;
  readonly lookup: ReferenceLookup;
  readonly baseInput: Readonly<Record<string, unknown>> | undefined;
  readonly runInput: Readonly<Record<string, unknown>> | undefined;
  readonly events: EventSink;
  readonly pool: LimitPool;
  /** Prefix of idempotency keys; the ids of the tasks a nested run is in. */
  readonly keyPrefix: string;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  makeWriter(onError: (error: unknown) => void): JournalWriter | undefined;
  runNested(plan: TaskData, input: Readonly<Record<string, unknown>>, parent: NestedParent): Promise<RunResult>;
}

export interface NestedParent {
  readonly keyPrefix: string;
  readonly signal: AbortSignal;
  onProgress(progress: unknown): void;
  addUsage(usage: Usage): void;
  /** Milliseconds in which tasks of the nested run held a slot. */
  addWork(workMs: number): void;
}

export interface ShellOutcome {
  readonly endReason: EndReason;
  readonly achievedMs: number;
  readonly usage: Usage;
  /** The journal could not be written, or the lease was lost. */
  readonly fatal: unknown;
}

/** How long events may be handled without a turn of the event loop, so that timers and signals are heard. */
const longestTurnMs = 10;

/** Does what the core commands and tells it what happened. The only part that waits, reads clocks or calls executors. */
export class RunShell {
  readonly #parts: ShellParts;
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #writer: JournalWriter | undefined;
  readonly #queue: CoreEvent[] = [];
  readonly #active = new Map<number, Attempt>();
  readonly #delays = new Map<number, NodeJS.Timeout>();
  readonly #usage = { attempts: 0, input_tokens: 0, output_tokens: 0, cost: 0, priced: false };
  #draining = false;
  #paused = false;
  #turnBegan = performance.now();
  #cancelled = false;
  #cancelReason: unknown;
  #fatal: unknown;
  #lastEndMs = 0;
  #finish: ((endReason: EndReason) => void) | undefined;

  constructor(parts: ShellParts) {
    this.#parts = parts;
    this.#state = parts.state;
    this.#table = parts.table;
    this.#writer = parts.makeWriter((error) => {
      this.#fatal = error;
      this.cancel(error);
    });
  }

  /** Runs to the end; settles when nothing runs any more. */
  async run(signal: AbortSignal | undefined): Promise<ShellOutcome> {
    const { pool } = this.#parts;
    const onAbort = () => this.cancel(signal?.reason);
    const poke = () => this.#feed({ type: "poke" });
    const ended = new Promise<EndReason>((resolve) => {
      this.#finish = resolve;
    });
    pool.join(poke);
    if (signal?.aborted) this.cancel(signal.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      this.#feed({ type: "begin" });
      const endReason = await ended;
      await this.#writer?.flush();
      const { priced, cost, ...counts } = this.#usage;
      const usage: Usage = priced ? { ...counts, cost } : counts;
      return { endReason, achievedMs: this.#lastEndMs, usage, fatal: this.#fatal };
    } finally {
      signal?.removeEventListener("abort", onAbort);
      pool.leave(poke);
    }
  }

  /** Starts nothing more and tells what runs to stop. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#cancelReason = reason;
    for (const timer of this.#delays.values()) clearTimeout(timer);
    this.#delays.clear();
    for (const attempt of [...this.#active.values()]) attempt.stop(reason);
    this.#feed({ type: "cancel" });
  }

  #now(): number {
    return performance.now() - this.#parts.startedAt;
  }

  #feed(event: CoreEvent): void {
    this.#queue.push(event);
    if (!this.#draining && !this.#paused) this.#drain();
  }

  #drain(): void {
    this.#draining = true;
    const queue = this.#queue;
    for (let at = 0; at < queue.length; at++) {
      for (const command of advance(this.#state, queue[at]!)) this.#obey(command);
    }
    queue.length = 0;
    this.#draining = false;
    this.#parts.pool.noticeReleases();
    if (performance.now() - this.#turnBegan > longestTurnMs) this.#pause();
  }

  /** Executors that never wait would otherwise keep every timer and signal from being heard until the run has ended. */
  #pause(): void {
    this.#paused = true;
    setImmediate(() => {
      this.#paused = false;
      this.#turnBegan = performance.now();
      if (this.#queue.length > 0) this.#drain();
    });
  }

  #obey(command: Command): void {
    switch (command.type) {
      case "start":
        this.#start(command.task);
        break;
      case "execute":
        this.#attempt(command.task);
        break;
      case "delay":
        this.#delay(command.task);
        break;
      case "skip":
        this.#skipped(command.task, command.because);
        break;
      case "cancel":
        this.#table.errors[command.task] ??= this.#cancelError(false);
        break;
      case "finish":
        this.#finish?.(command.endReason);
        break;
      default:
        command satisfies never;
    }
  }

  #start(task: number): void {
    if (this.#cancelled) return this.#stopped(task, false);
    if (this.#table.prepared[task] !== undefined) return this.#execute(task);
    const { registry, bind, lookup, baseInput, runInput, settings } = this.#parts;
    const limits = { timeoutMs: settings.bindTimeoutMs, graceMs: settings.abortGraceMs };
    const attempt = new Attempt(limits, (outcome) => this.#prepared(task, outcome));
    const signal = () => attempt.signal;
    try {
      const step = prepareStep(this.#table.tasks[task]!, { registry, bind, lookup, baseInput, runInput, signal });
      if (!(step instanceof Promise)) return this.#accept(task, step);
      this.#active.set(task, attempt);
      attempt.follow(step);
    } catch (thrown) {
      this.#fail(task, taskErrorFrom(thrown));
    }
  }

  #prepared(task: number, outcome: AttemptOutcome): void {
    this.#active.delete(task);
    if (outcome.type === "value") return this.#accept(task, outcome.value as PreparedStep | UnavailableStep);
    if (outcome.type === "stopped") return this.#stopped(task, outcome.abandoned);
    if (outcome.type === "thrown") return this.#fail(task, taskErrorFrom(outcome.thrown));
    const { bindTimeoutMs } = this.#parts.settings;
    this.#fail(
      task,
      taskError(TaskErrorCode.BIND, `Stage 2 gave no step within ${bindTimeoutMs} ms.`, { timeout_ms: bindTimeoutMs }),
    );
  }

  #accept(task: number, step: PreparedStep | UnavailableStep): void {
    if ("unavailable" in step) return this.#unavailable(task, step);
    this.#table.prepared[task] = step;
    if (this.#cancelled) return this.#stopped(task, false);
    this.#execute(task);
  }

  /** Starts an attempt, unless Stage 2 just chose a resource with a limit of its own: then the core is asked first. */
  #execute(task: number): void {
    const { kind, resource } = this.#table.prepared[task]!;
    const group = this.#state.limits.resourceGroup(kind, resource.id);
    if (group === NO_GROUP || this.#state.resourceGroup[task] !== NO_GROUP) return this.#attempt(task);
    this.#feed({ type: "bound", task, resourceGroup: group });
  }

  #attempt(task: number): void {
    if (this.#cancelled) return this.#stopped(task, false);
    const { runId, keyPrefix, settings, events } = this.#parts;
    const prepared = this.#table.prepared[task]!;
    const { executor, step } = prepared;
    const number = this.#state.attempts[task]!;
    const taskId = prepared.task.task_id;
    const startedMs = this.#now();
    if (Number.isNaN(this.#table.startedMs[task])) this.#table.startedMs[task] = startedMs;
    this.#usage.attempts++;
    if (events.active) events.emit({ type: "task-start", taskId, attempt: number, uid: step.uid });
    const timeoutMs = prepared.task.timeout_ms ?? settings.taskTimeoutMs;
    const work = { lent: false, nestedMs: 0 };
    const attempt = new Attempt({ timeoutMs, graceMs: settings.abortGraceMs }, (outcome) => {
      this.#active.delete(task);
      this.#lastEndMs = this.#now();
      const durationMs = this.#lastEndMs - startedMs;
      this.#table.durationMs[task]! += durationMs;
      this.#table.slotMs[task]! += work.lent ? work.nestedMs : durationMs;
      this.#ended(task, outcome, timeoutMs);
    });
    const onProgress = (progress: unknown) => {
      if (!attempt.ended) this.#progress(task, number, progress);
    };
    const fields = {
      attempt: number,
      idempotencyKey: `${keyPrefix}/${taskId}`,
      runId,
      task: prepared.task,
      onProgress,
    };
    const context = makeContext(fields, () => attempt.signal, this.#scope(task, attempt, onProgress, work));
    this.#active.set(task, attempt);
    // A copy, so that neither other tasks nor later attempts see what an executor does to its input.
    const input = { ...step, input_data: cloneJson(step.input_data) };
    let output: unknown;
    try {
      output = executor.execute(input, context);
    } catch (thrown) {
      output = Promise.reject(thrown);
    }
    attempt.follow(output instanceof Promise ? output : Promise.resolve(output));
  }

  #scope(
    task: number,
    attempt: Attempt,
    onProgress: (progress: unknown) => void,
    work: { lent: boolean; nestedMs: number },
  ): RunScope {
    return {
      runNested: (plan, input) => {
        work.lent = true;
        this.#feed({ type: "lent", task });
        return this.#parts.runNested(plan, input, {
          keyPrefix: `${this.#parts.keyPrefix}/${this.#table.tasks[task]!.task_id}`,
          signal: attempt.signal,
          onProgress,
          addUsage: (usage) => this.#addUsage(usage),
          addWork: (workMs) => {
            work.nestedMs += workMs;
          },
        });
      },
      addUsage: ({ inputTokens, outputTokens, cost }) =>
        this.#addUsage({
          attempts: 0,
          input_tokens: inputTokens,
          output_tokens: outputTokens,
          ...(cost !== undefined && { cost }),
        }),
    };
  }

  #addUsage(usage: Usage): void {
    this.#usage.attempts += usage.attempts;
    this.#usage.input_tokens += usage.input_tokens;
    this.#usage.output_tokens += usage.output_tokens;
    if (usage.cost === undefined) return;
    this.#usage.cost += usage.cost;
    this.#usage.priced = true;
  }

  #progress(task: number, attempt: number, progress: unknown): void {
    const { events, settings } = this.#parts;
    if (!events.active) return;
    try {
      const { value } = jsonCopy(progress, { maxBytes: settings.maxOutputBytes });
      events.emit({ type: "task-progress", taskId: this.#table.tasks[task]!.task_id, attempt, progress: value });
    } catch {
      // Progress that is no JSON tells nobody anything; the work goes on.
    }
  }

  #ended(task: number, outcome: AttemptOutcome, timeoutMs: number): void {
    switch (outcome.type) {
      case "value":
        return this.#value(task, outcome.value);
      case "stopped":
        return this.#stopped(task, outcome.abandoned);
      case "thrown":
        if (this.#cancelled) return this.#stopped(task, false);
        return this.#attemptFailed(task, taskErrorFrom(outcome.thrown), isRetryable(outcome.thrown));
      case "timeout": {
        const abandoned = outcome.abandoned ? " It ignored its signal and was abandoned." : "";
        const message = `Attempt took longer than ${timeoutMs} ms.${abandoned}`;
        const details = { timeout_ms: timeoutMs, ...(outcome.abandoned && { abandoned: true }) };
        return this.#attemptFailed(task, taskError(TaskErrorCode.TIMEOUT, message, details), true);
      }
      default:
        outcome satisfies never;
    }
  }

  #value(task: number, value: unknown): void {
    let output: unknown;
    try {
      output = jsonCopy(value, { maxBytes: this.#parts.settings.maxOutputBytes }).value;
    } catch (error) {
      return this.#fail(task, outputError(error, this.#parts.settings.maxOutputBytes));
    }
    this.#table.outputs[task] = output;
    this.#table.errors[task] = undefined;
    this.#write(task, "completed", () => {
      const { events } = this.#parts;
      if (events.active) {
        const durationMs = this.#table.durationMs[task]!;
        const taskId = this.#table.tasks[task]!.task_id;
        events.emit({
          type: "task-end",
          taskId,
          attempts: this.#state.attempts[task]!,
          durationMs,
          output: cloneJson(output),
        });
      }
      this.#feed({ type: "completed", task });
    });
  }

  #attemptFailed(task: number, error: TaskError, retryable: boolean): void {
    const prepared = this.#table.prepared[task]!;
    const policy = retryPolicy(prepared.task, prepared.resource, this.#parts.settings.retry);
    if (!retryable || this.#cancelled || this.#state.attempts[task]! >= policy.max_attempts)
      return this.#fail(task, error);
    this.#table.errors[task] = error;
    this.#feed({ type: "retrying", task });
  }

  #delay(task: number): void {
    // The core hears of the cancellation in a moment; no timer may outlive it.
    if (this.#cancelled) return;
    const { settings, events } = this.#parts;
    const prepared = this.#table.prepared[task]!;
    const attempt = this.#state.attempts[task]!;
    const policy = retryPolicy(prepared.task, prepared.resource, settings.retry);
    const delayMs = retryDelay(policy, attempt, settings.random);
    const error = this.#table.errors[task]!;
    if (events.active) events.emit({ type: "task-retry", taskId: prepared.task.task_id, attempt, delayMs, error });
    const due = () => {
      this.#delays.delete(task);
      this.#feed({ type: "due", task });
    };
    this.#delays.set(task, setTimeout(due, delayMs));
  }

  #fail(task: number, error: TaskError): void {
    this.#table.errors[task] = error;
    this.#write(task, "failed", () => {});
    const { events } = this.#parts;
    const taskId = this.#table.tasks[task]!.task_id;
    if (events.active) events.emit({ type: "task-error", taskId, attempts: this.#attempts(task), error });
    this.#feed({ type: "failed", task });
  }

  #unavailable(task: number, { unavailable, kind, uid }: UnavailableStep): void {
    const error = taskError(TaskErrorCode.UNAVAILABLE, unavailable, { kind, uid });
    this.#table.errors[task] = error;
    this.#table.uids[task] = uid;
    this.#write(task, "skipped", () => {});
    const taskId = this.#table.tasks[task]!.task_id;
    if (this.#parts.events.active) this.#parts.events.emit({ type: "task-skip", taskId, error });
    this.#feed({ type: "unavailable", task });
  }

  #skipped(task: number, because: number): void {
    const { events } = this.#parts;
    const origin = this.#table.tasks[because]!.task_id;
    const halted = this.#state.halts[because] === 1;
    const why = this.#table.errors[because]?.code === TaskErrorCode.UNAVAILABLE ? "was skipped" : "failed";
    const error = halted
      ? taskError(TaskErrorCode.HALTED, `The run was halted because task "${origin}" failed.`, { task_id: origin })
      : taskError(TaskErrorCode.DEPENDENCY, `It depends on task "${origin}", which ${why}.`, { task_id: origin });
    this.#table.errors[task] = error;
    this.#write(task, "skipped", () => {});
    const taskId = this.#table.tasks[task]!.task_id;
    if (events.active) events.emit({ type: "task-skip", taskId, because: origin, error });
  }

  #stopped(task: number, abandoned: boolean): void {
    this.#table.errors[task] = this.#cancelError(abandoned);
    this.#feed({ type: "stopped", task });
  }

  #cancelError(abandoned: boolean): TaskError {
    const reason = this.#cancelReason instanceof Error ? ` (${this.#cancelReason.message})` : "";
    const message = abandoned
      ? `The run was cancelled${reason}; the task ignored its signal and was abandoned.`
      : `The run was cancelled${reason}.`;
    return taskError(TaskErrorCode.CANCELLED, message, abandoned ? { abandoned: true } : {});
  }

  /** Attempts that were made; preparing a task counts as none. */
  #attempts(task: number): number {
    return Number.isNaN(this.#table.startedMs[task]) ? 0 : this.#state.attempts[task]!;
  }

  #write(task: number, status: "completed" | "failed" | "skipped", committed: () => void): void {
    if (this.#writer === undefined) return committed();
    const record = makeRecord(task, status, this.#state, this.#table, this.#parts.startedAt);
    this.#writer.add(record, committed, () => {
      // What was not recorded did not happen: a resumed run does it again.
      if (status === "completed") this.#stopped(task, false);
    });
  }
}

function outputError(error: unknown, maxBytes: number): TaskError {
  if (!(error instanceof JsonCopyError)) {
    const { message } = taskErrorFrom(error);
    return taskError(TaskErrorCode.OUTPUT_NOT_JSON, `The output cannot be read as JSON: ${message}`);
  }
  const where = error.path === "" ? {} : { path: error.path };
  if (error.reason === "not-json") return taskError(TaskErrorCode.OUTPUT_NOT_JSON, `Output: ${error.message}`, where);
  return taskError(TaskErrorCode.OUTPUT_TOO_LARGE, `Output: ${error.message}`, { max_bytes: maxBytes, ...where });
}
