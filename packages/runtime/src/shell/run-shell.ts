import { type Bind, type ReferenceLookup, resourcePin, type TaskData } from "@planloom/plan";
import type { Admission, AdmissionAnswer } from "../admission/admission.ts";
import { advance, type Command, type CoreEvent } from "../core/advance.ts";
import { NO_GROUP } from "../core/limits.ts";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { EndReason, EventSink } from "../events.ts";
import type { Registry } from "../executors/registry.ts";
import type { RunScope } from "../executors/scope.ts";
import { type PreparedStep, prepareStep, showInput, type UnavailableStep } from "../input/prepare-step.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";
import type { RunCache } from "../result-cache.ts";
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
import { addUsage, RunningCall } from "./running-call.ts";
import { TaskSlots } from "./task-slots.ts";
import type { TaskTable } from "./task-table.ts";
import { noteAttempt } from "./task-timing.ts";
import { UsageCounter } from "./usage-counter.ts";
import { judge, type Verdict } from "./verdict.ts";

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
  readonly admission: Admission;
  readonly cache: RunCache | undefined;
  /** The task of the outermost plan that a nested run is in. */
  readonly outerTaskId: string | undefined;
  /** Prefix of idempotency keys: the run, and the tasks a nested run is in. */
  readonly keyPrefix: string;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  makeWriter(onError: (error: unknown) => void): JournalWriter | undefined;
  runNested(plan: TaskData, input: Readonly<Record<string, unknown>>, parent: NestedParent): Promise<RunResult>;
}

/** The task that a nested run is in. */
export interface NestedParent {
  readonly taskId: string;
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

type Admitted = Extract<AdmissionAnswer, { type: "go" }>;
type FailedVerdict = Extract<Verdict, { type: "failed" }>;

const unlimited: Admitted = { type: "go" };

function exhaustedError(durationMs: number): TaskError {
  const message = `The budget of seconds was used up while it ran; it was stopped after ${Math.round(durationMs)} ms.`;
  return taskError(TaskErrorCode.BUDGET, message, { unit: "seconds" });
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
  readonly #active: TaskSlots<Attempt>;
  readonly #delays = new Map<number, NodeJS.Timeout>();
  /** Tasks that were looked up in the cache in vain. */
  readonly #missed = new Set<number>();
  /** Outputs on their way into the cache. */
  readonly #keeping = new Set<Promise<void>>();
  /** Tasks that wait for a rate or a budget. */
  readonly #postponed = new Set<number>();
  /** The last failure of tasks that are tried again. */
  readonly #failures = new Map<number, FailedVerdict>();
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
    this.#active = new TaskSlots(table.tasks.length);
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
      if (this.#keeping.size > 0) await Promise.all(this.#keeping);
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
    this.#postponed.clear();
    for (const attempt of this.#active.values()) attempt.stop(reason);
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
    const { runId, keyPrefix, settings, cache } = this.#parts;
    const prepared = this.#table.prepared[task]!;
    if (cache !== undefined && !this.#missed.has(task) && cache.covers(prepared)) {
      this.#lookUp(task, cache, prepared);
      return;
    }
    const admitted = this.#admit(task, prepared);
    if (admitted === undefined) return;
    const call = new RunningCall(admitted.reservation);
    const startedMs = this.#now();
    if (Number.isNaN(this.#table.startedMs[task])) this.#table.startedMs[task] = startedMs;
    this.#usage.countAttempt();
    this.#reporter.started(task);
    // A listener that hears of the start may abort the run.
    if (this.#cancelled) {
      call.release();
      this.#stopped(task, false);
      return;
    }
    const timeoutMs = prepared.task.timeout_ms ?? settings.taskTimeoutMs;
    const lend = () => {
      call.lend(this.#now() - startedMs);
      this.#feed({ type: "lent", task });
    };
    const idempotencyKey = `${keyPrefix}/${prepared.task.task_id}`;
    const onProgress = (progress: unknown) => this.#reporter.progress(task, progress, settings.maxOutputBytes);
    const attempt = executeStep(prepared, {
      timeoutMs,
      graceMs: settings.abortGraceMs,
      ...(settings.idleTimeoutMs < Number.POSITIVE_INFINITY && { idleMs: settings.idleTimeoutMs }),
      ...(settings.totalTimeoutMs < Number.POSITIVE_INFINITY && { totalMs: this.#leftMs(task, startedMs) }),
      runId,
      idempotencyKey,
      number: this.#state.attempts[task]!,
      onProgress,
      scope: (signal) => this.#scope(task, idempotencyKey, signal, onProgress, call, lend),
      onEnd: (outcome) => {
        this.#active.delete(task);
        this.#lastEndMs = this.#now();
        const durationMs = this.#lastEndMs - startedMs;
        this.#table.durationMs[task]! += durationMs;
        this.#table.slotMs[task]! += call.lent ? call.nestedMs : durationMs;
        noteAttempt(this.#table, task, startedMs, this.#lastEndMs);
        this.#settle(task, call, durationMs);
        if (call.exhausted && outcome.type !== "value") this.#refuse(task, exhaustedError(durationMs));
        else this.#ended(task, outcome, timeoutMs);
      },
    });
    this.#active.set(task, attempt);
    call.meter(admitted.seconds, () => attempt.stop(new Error("The budget of seconds is used up.")));
  }

  /** Takes the output of an equal call, or makes the call. */
  #lookUp(task: number, cache: RunCache, prepared: PreparedStep): void {
    const { desk, settings } = this.#parts;
    const limits = { timeoutMs: settings.bindTimeoutMs, graceMs: settings.abortGraceMs };
    const attempt = new Attempt(limits, (outcome) => {
      this.#active.delete(task);
      const found = outcome.type === "value" ? (outcome.value as { output: unknown } | undefined) : undefined;
      this.#missed.add(task);
      if (found === undefined || this.#cancelled) {
        this.#attempt(task);
        return;
      }
      this.#table.cached.add(task);
      this.#lastEndMs = this.#now();
      this.#complete(task, found.output);
    });
    this.#active.set(task, attempt);
    attempt.follow(cache.find(prepared, desk.contentHash(task)));
  }

  #complete(task: number, output: unknown): void {
    this.#parts.admission.learn(output);
    const committed = () => this.#feed({ type: "completed", task });
    // What was not recorded did not happen: a resumed run does it again.
    const refused = () => this.#stopped(task, false);
    this.#reporter.completed(task, output, committed, refused);
  }

  #keepOutput(task: number, output: unknown): void {
    const { cache, desk } = this.#parts;
    const prepared = this.#table.prepared[task];
    if (cache === undefined || prepared === undefined || !cache.covers(prepared)) return;
    const keeping = cache.keep(prepared, desk.contentHash(task), output).then(() => void this.#keeping.delete(keeping));
    this.#keeping.add(keeping);
  }

  /** Asks whether the call may be made now; undefined when not, and then the task has been dealt with. */
  #admit(task: number, prepared: PreparedStep): Admitted | undefined {
    const { admission, outerTaskId } = this.#parts;
    const attempt = this.#state.attempts[task]!;
    const nested = outerTaskId !== undefined;
    if (!admission.active && attempt === 1 && !nested) return unlimited;
    const answer = admission.admit({ prepared, attempt, nested, outerTaskId: outerTaskId ?? prepared.task.task_id });
    switch (answer.type) {
      case "go":
        return answer;
      case "blocked":
        this.#fail(task, answer.error);
        return undefined;
      case "refused":
        this.#refuse(task, answer.error);
        return undefined;
      case "wait":
        this.#postponed.add(task);
        this.#feed({ type: "postponed", task });
        answer.wait(() => {
          if (!this.#postponed.delete(task)) return false;
          this.#feed({ type: "due", task });
          return true;
        });
        return undefined;
      default:
        return answer satisfies never;
    }
  }

  /** Gives back what the attempt did not use, and keeps what it did where that counts later. */
  #settle(task: number, call: RunningCall, durationMs: number): void {
    call.settle(durationMs);
    if (!this.#parts.admission.countsUsage && call.tokens === 0 && call.cost === 0) return;
    const { usage } = this.#table;
    usage.set(task, addUsage(usage.get(task), call.used(durationMs)));
  }

  #refuse(task: number, error: TaskError): void {
    this.#reporter.refused(task, error);
    this.#feed({ type: "unavailable", task, cause: error.code === TaskErrorCode.DENIED ? "denied" : "budget" });
  }

  /** What is left of the time for all attempts of a task, in milliseconds. */
  #leftMs(task: number, nowMs: number): number {
    return Math.max(1, this.#parts.settings.totalTimeoutMs - (nowMs - this.#table.startedMs[task]!));
  }

  #scope(
    task: number,
    keyPrefix: string,
    signal: AbortSignal,
    onProgress: (progress: unknown) => void,
    call: RunningCall,
    lend: () => void,
  ): RunScope {
    return {
      runNested: (plan, input) => {
        lend();
        return this.#parts.runNested(plan, input, {
          taskId: this.#table.tasks[task]!.task_id,
          keyPrefix,
          signal,
          onProgress,
          addUsage: (usage) => this.#usage.add(usage),
          addWork: (workMs) => {
            call.nestedMs += workMs;
          },
        });
      },
      addUsage: ({ inputTokens, outputTokens, cost }) => {
        const tokens = { attempts: 0, input_tokens: inputTokens, output_tokens: outputTokens };
        call.tokens += inputTokens + outputTokens;
        call.cost += cost ?? 0;
        this.#usage.add(cost === undefined ? tokens : { ...tokens, cost });
      },
    };
  }

  #ended(task: number, outcome: AttemptOutcome, timeoutMs: number): void {
    const { maxOutputBytes, idleTimeoutMs, totalTimeoutMs } = this.#parts.settings;
    const limits = { timeoutMs, idleTimeoutMs, totalTimeoutMs };
    const verdict = judge(outcome, { ...limits, maxOutputBytes, cancelled: this.#cancelled });
    switch (verdict.type) {
      case "completed":
        this.#keepOutput(task, verdict.output);
        this.#complete(task, verdict.output);
        break;
      case "stopped":
        this.#stopped(task, verdict.abandoned);
        break;
      case "failed":
        if (verdict.error.code === TaskErrorCode.BUDGET || verdict.error.code === TaskErrorCode.DENIED) {
          // Of a task in its nested plan: nobody failed.
          this.#refuse(task, verdict.error);
        } else if (verdict.retryable && this.#mayRetry(task, verdict)) {
          this.#failures.set(task, verdict);
          this.#table.errors[task] = verdict.error;
          this.#feed({ type: "retrying", task });
        } else this.#fail(task, verdict.error);
        break;
      default:
        verdict satisfies never;
    }
  }

  #mayRetry(task: number, failure: FailedVerdict): boolean {
    if (this.#cancelled || this.#state.attempts[task]! >= this.#policy(task, failure).max_attempts) return false;
    const { totalTimeoutMs } = this.#parts.settings;
    return totalTimeoutMs === Number.POSITIVE_INFINITY || this.#leftMs(task, this.#now()) > 1;
  }

  #delay(task: number): void {
    // The core hears of a cancellation in a moment; no timer may outlive it.
    if (this.#cancelled) return;
    const failure = this.#failures.get(task)!;
    const { random } = this.#parts.settings;
    const ownMs = retryDelay(this.#policy(task, failure), this.#state.attempts[task]!, random);
    const delayMs = Math.max(ownMs, failure.retryAfterMs ?? 0);
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

  #policy(task: number, { errorClass }: FailedVerdict) {
    const prepared = this.#table.prepared[task]!;
    const { retry, retryOn } = this.#parts.settings;
    return retryPolicy(prepared.task, prepared.resource, retry, retryOn, errorClass);
  }

  #now(): number {
    return performance.now() - this.#parts.startedAt;
  }
}
