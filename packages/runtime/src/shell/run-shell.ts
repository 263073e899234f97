import { type Bind, type ReferenceLookup, resourcePin, type TaskData } from "@planloom/plan";
import { advance, type Command, type CoreEvent } from "../core/advance.ts";
import { NO_GROUP } from "../core/limits.ts";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { EndReason, EventSink } from "../events.ts";
import type { Registry } from "../executors/registry.ts";
import type { RunScope } from "../executors/scope.ts";
import { type PreparedStep, prepareStep, showInput, type UnavailableStep } from "../input/prepare-step.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";
import type { Settings } from "../run-options.ts";
import type { RunResult, Usage } from "../run-result.ts";
import { type TaskError, TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import { Attempt, type AttemptOutcome } from "./attempt.ts";
import { executeStep } from "./execute-step.ts";
import type { JournalWriter } from "./journal-writer.ts";
import type { LimitPool } from "./limit-pool.ts";
import { Reporter } from "./reporter.ts";
import { retryDelay, retryPolicy } from "./retry.ts";
import type { TaskTable } from "./task-table.ts";
import { UsageCounter } from "./usage-counter.ts";
import { judge } from "./verdict.ts";

export interface ShellParts {
  readonly runId: string;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly bind: Bind | undefined;
  readonly pace: (() => Promise<unknown> | undefined) | undefined;
  readonly lookup: ReferenceLookup;
  readonly baseInput: Readonly<Record<string, unknown>> | undefined;
  readonly runInput: Readonly<Record<string, unknown>> | undefined;
  readonly events: EventSink;
  readonly pool: LimitPool;
  readonly desk: ApprovalDesk;
  /** Prefix of idempotency keys: the run, and the tasks a nested run is in. */
  readonly keyPrefix: string;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  makeWriter(onError: (error: unknown) => void): JournalWriter | undefined;
  runNested(plan: TaskData, input: Readonly<Record<string, unknown>>, parent: NestedParent): Promise<RunResult>;
}

/** The task that a nested run is in. */
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
  readonly #reporter: Reporter;
  readonly #usage = new UsageCounter();
  readonly #queue: CoreEvent[] = [];
  readonly #active = new Map<number, Attempt>();
  readonly #delays = new Map<number, NodeJS.Timeout>();
  /** Tasks whose start waits for `pace`. */
  readonly #paced = new Set<number>();
  #draining = false;
  #paused = false;
  #turnBegan = performance.now();
  #cancelled = false;
  #cancelReason: unknown;
  #fatal: unknown;
  #lastEndMs = 0;
  #finish: ((endReason: EndReason) => void) | undefined;

  constructor(parts: ShellParts) {
    const { state, table, events, startedAt } = parts;
    this.#parts = parts;
    this.#state = state;
    this.#table = table;
    this.#writer = parts.makeWriter((error) => {
      this.#fatal ??= error;
      this.cancel(error);
    });
    this.#reporter = new Reporter(state, table, events, this.#writer, startedAt);
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
      return { endReason, achievedMs: this.#lastEndMs, usage: this.#usage.total(), fatal: this.#fatal };
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
    for (const task of this.#paced) this.#stopped(task, false);
    this.#paced.clear();
    this.#feed({ type: "cancel" });
  }

  /** An answer that came while the run goes on. */
  hear(answer: ApprovalAnswer): void {
    const { desk } = this.#parts;
    desk.add(answer);
    const task = this.#state.view.indexOf(answer.task_id);
    if (task === -1 || this.#state.state[task] !== TaskState.GATED) return;
    const said = desk.answerFor(task, this.#table.prepared[task]?.step.uid);
    if (said !== undefined) this.#answer(task, said);
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
        this.#reporter.skipped(command.task, command.because);
        break;
      case "cancel":
        this.#table.errors[command.task] ??= this.#cancelError(false);
        break;
      case "ask":
        this.#ask(command.task);
        break;
      case "finish":
        this.#finish?.(command.endReason);
        break;
      default:
        command satisfies never;
    }
  }

  #ask(task: number): void {
    const { desk, lookup } = this.#parts;
    const step = this.#table.prepared[task]?.step;
    const said = desk.answerFor(task, step?.uid);
    if (said !== undefined) {
      this.#answer(task, said);
      return;
    }
    const planned = this.#table.tasks[task]!;
    const uid = step?.uid ?? resourcePin(planned).uid;
    this.#reporter.waiting(task, desk.contentHash(task), uid, step?.input_data ?? showInput(planned, lookup));
    this.#feed({ type: "waits", task });
  }

  #answer(task: number, said: ApprovalAnswer["answer"]): void {
    this.#reporter.answered(task, said);
    if (said === "deny") {
      this.#reporter.refused(task, taskError(TaskErrorCode.DENIED, "A person said no to it."));
      this.#feed({ type: "denied", task });
    } else this.#feed({ type: "approved", task });
  }

  #start(task: number): void {
    const pace = this.#cancelled ? undefined : this.#parts.pace?.();
    if (pace === undefined) {
      this.#begin(task);
      return;
    }
    this.#paced.add(task);
    const begin = () => {
      if (this.#paced.delete(task)) this.#begin(task);
    };
    pace.then(begin, begin);
  }

  #begin(task: number): void {
    if (this.#cancelled) this.#stopped(task, false);
    else if (this.#table.prepared[task] === undefined) this.#prepare(task);
    else this.#execute(task);
  }

  #prepare(task: number): void {
    const { registry, bind, lookup, baseInput, runInput, settings } = this.#parts;
    let attempt: Attempt | undefined;
    const limited = () => {
      const limits = { timeoutMs: settings.bindTimeoutMs, graceMs: settings.abortGraceMs };
      attempt ??= new Attempt(limits, (outcome) => this.#prepared(task, outcome));
      return attempt;
    };
    const signal = () => limited().signal;
    try {
      const step = prepareStep(this.#table.tasks[task]!, { registry, bind, lookup, baseInput, runInput, signal });
      if (step instanceof Promise) {
        this.#active.set(task, limited());
        limited().follow(step);
      } else this.#accept(task, step);
    } catch (thrown) {
      this.#fail(task, taskErrorFrom(thrown));
    }
  }

  #prepared(task: number, outcome: AttemptOutcome): void {
    this.#active.delete(task);
    switch (outcome.type) {
      case "value":
        this.#accept(task, outcome.value as PreparedStep | UnavailableStep);
        break;
      case "stopped":
        this.#stopped(task, outcome.abandoned);
        break;
      case "thrown":
        this.#fail(task, taskErrorFrom(outcome.thrown));
        break;
      case "timeout": {
        const timeout_ms = this.#parts.settings.bindTimeoutMs;
        this.#fail(
          task,
          taskError(TaskErrorCode.BIND, `Stage 2 gave no step within ${timeout_ms} ms.`, { timeout_ms }),
        );
        break;
      }
      default:
        outcome satisfies never;
    }
  }

  #accept(task: number, step: PreparedStep | UnavailableStep): void {
    if ("unavailable" in step) {
      this.#reporter.unavailable(task, step);
      this.#feed({ type: "unavailable", task });
      return;
    }
    this.#table.prepared[task] = step;
    this.#execute(task);
  }

  /** Starts an attempt, unless Stage 2 just chose a resource with a limit of its own: then the core is asked first. */
  #execute(task: number): void {
    const { kind, resource } = this.#table.prepared[task]!;
    if (this.#parts.desk.mustAsk(task, kind, resource.id)) {
      this.#feed({ type: "gate", task });
      return;
    }
    const known = this.#state.resourceGroup[task] !== NO_GROUP;
    const group = known ? NO_GROUP : this.#state.limits.resourceGroup(kind, resource.id);
    if (group === NO_GROUP) this.#attempt(task);
    else this.#feed({ type: "bound", task, resourceGroup: group });
  }

  #attempt(task: number): void {
    if (this.#cancelled) {
      this.#stopped(task, false);
      return;
    }
    const { runId, keyPrefix, settings } = this.#parts;
    const prepared = this.#table.prepared[task]!;
    const startedMs = this.#now();
    if (Number.isNaN(this.#table.startedMs[task])) this.#table.startedMs[task] = startedMs;
    this.#usage.countAttempt();
    this.#reporter.started(task);
    // A listener that hears of the start may abort the run.
    if (this.#cancelled) {
      this.#stopped(task, false);
      return;
    }
    const timeoutMs = prepared.task.timeout_ms ?? settings.taskTimeoutMs;
    const work = { lent: false, nestedMs: 0 };
    const idempotencyKey = `${keyPrefix}/${prepared.task.task_id}`;
    const onProgress = (progress: unknown) => this.#reporter.progress(task, progress, settings.maxOutputBytes);
    const attempt = executeStep(prepared, {
      timeoutMs,
      graceMs: settings.abortGraceMs,
      runId,
      idempotencyKey,
      number: this.#state.attempts[task]!,
      onProgress,
      scope: (signal) => this.#scope(task, idempotencyKey, signal, onProgress, work),
      onEnd: (outcome) => {
        this.#active.delete(task);
        this.#lastEndMs = this.#now();
        const durationMs = this.#lastEndMs - startedMs;
        this.#table.durationMs[task]! += durationMs;
        this.#table.slotMs[task]! += work.lent ? work.nestedMs : durationMs;
        this.#ended(task, outcome, timeoutMs);
      },
    });
    this.#active.set(task, attempt);
  }

  #scope(
    task: number,
    keyPrefix: string,
    signal: AbortSignal,
    onProgress: (progress: unknown) => void,
    work: { lent: boolean; nestedMs: number },
  ): RunScope {
    return {
      runNested: (plan, input) => {
        work.lent = true;
        this.#feed({ type: "lent", task });
        return this.#parts.runNested(plan, input, {
          keyPrefix,
          signal,
          onProgress,
          addUsage: (usage) => this.#usage.add(usage),
          addWork: (workMs) => {
            work.nestedMs += workMs;
          },
        });
      },
      addUsage: ({ inputTokens, outputTokens, cost }) => {
        const tokens = { attempts: 0, input_tokens: inputTokens, output_tokens: outputTokens };
        this.#usage.add(cost === undefined ? tokens : { ...tokens, cost });
      },
    };
  }

  #ended(task: number, outcome: AttemptOutcome, timeoutMs: number): void {
    const { maxOutputBytes } = this.#parts.settings;
    const verdict = judge(outcome, { timeoutMs, maxOutputBytes, cancelled: this.#cancelled });
    switch (verdict.type) {
      case "completed": {
        const committed = () => this.#feed({ type: "completed", task });
        // What was not recorded did not happen: a resumed run does it again.
        const refused = () => this.#stopped(task, false);
        this.#reporter.completed(task, verdict.output, committed, refused);
        break;
      }
      case "stopped":
        this.#stopped(task, verdict.abandoned);
        break;
      case "failed":
        if (verdict.retryable && this.#mayRetry(task)) {
          this.#table.errors[task] = verdict.error;
          this.#feed({ type: "retrying", task });
        } else this.#fail(task, verdict.error);
        break;
      default:
        verdict satisfies never;
    }
  }

  #mayRetry(task: number): boolean {
    return !this.#cancelled && this.#state.attempts[task]! < this.#policy(task).max_attempts;
  }

  #delay(task: number): void {
    // The core hears of a cancellation in a moment; no timer may outlive it.
    if (this.#cancelled) return;
    const delayMs = retryDelay(this.#policy(task), this.#state.attempts[task]!, this.#parts.settings.random);
    this.#reporter.retrying(task, delayMs);
    const due = () => {
      this.#delays.delete(task);
      this.#feed({ type: "due", task });
    };
    this.#delays.set(task, setTimeout(due, delayMs));
  }

  #fail(task: number, error: TaskError): void {
    this.#reporter.failed(task, error);
    this.#feed({ type: "failed", task });
  }

  #stopped(task: number, abandoned: boolean): void {
    this.#table.errors[task] = this.#cancelError(abandoned);
    this.#feed({ type: "stopped", task });
  }

  #cancelError(abandoned: boolean): TaskError {
    const reason = this.#cancelReason instanceof Error ? ` (${this.#cancelReason.message})` : "";
    const ending = abandoned ? " The task ignored its signal and was abandoned." : "";
    const message = `The run was cancelled${reason}.${ending}`;
    return taskError(TaskErrorCode.CANCELLED, message, abandoned ? { abandoned } : {});
  }

  #policy(task: number) {
    const prepared = this.#table.prepared[task]!;
    return retryPolicy(prepared.task, prepared.resource, this.#parts.settings.retry);
  }

  #now(): number {
    return performance.now() - this.#parts.startedAt;
  }
}
