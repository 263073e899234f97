import type { CallPermit } from "../admission/call-permit.ts";
import { type Decision, decideByAnswer } from "../input/decision.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import { jsonCopy } from "../json-copy.ts";
import { type TaskError, TaskErrorCode, TaskFailure, taskError, taskErrorFrom } from "../task-error.ts";
import { type AbandonedAttempts, isAbandoned, whyAbandoned } from "./abandoned-attempts.ts";
import { attemptLimitMs, suitableLimitMs } from "./attempt-limit.ts";
import { CachedCalls } from "./cached-calls.ts";
import { type AttemptOwner, CallAttempt } from "./call-attempt.ts";
import { CallEntry } from "./call-entry.ts";
import { isInDoubt } from "./call-outcome.ts";
import { CallScope } from "./call-scope.ts";
import type { CoreLoop } from "./core-loop.ts";
import { executeStep } from "./execute-step.ts";
import type { Gates } from "./gates.ts";
import type { Polls } from "./polls.ts";
import { reportError } from "./report-error.ts";
import type { Reporter } from "./reporter.ts";
import type { FailedVerdict, Retries } from "./retries.ts";
import { addUsage, RunningCall } from "./running-call.ts";
import type { ShellParts } from "./shell-parts.ts";
import { skipCauses, type TaskEnds } from "./task-ends.ts";
import type { TaskSlots } from "./task-slots.ts";
import { forgetAttempts, noteAttempt } from "./task-timing.ts";
import type { TaskUsageRecorder } from "./task-usage-recorder.ts";
import { TimedWork, type WorkOutcome } from "./timed-work.ts";
import { UsageCounter } from "./usage-counter.ts";
import { judge, type Verdict } from "./verdict.ts";

type CompletedVerdict = Extract<Verdict, { type: "completed" }>;

function exhaustedError(durationMs: number): TaskError {
  const message = `A budget was used up while it ran; it was stopped after ${Math.round(durationMs)} ms.`;
  return taskError(TaskErrorCode.BUDGET, message);
}

function isWaiting(thrown: unknown): boolean {
  return thrown instanceof TaskFailure && thrown.code === TaskErrorCode.WAITING;
}

interface CallsParts {
  readonly shell: ShellParts;
  readonly loop: CoreLoop;
  readonly reporter: Reporter;
  readonly ends: TaskEnds;
  readonly retries: Retries;
  readonly gates: Gates;
  /** The attempts that run, by task; the shell stops them. */
  readonly active: TaskSlots<TimedWork>;
  readonly usageRecorder: TaskUsageRecorder;
  readonly abandoned: AbandonedAttempts;
  readonly polls: Polls;
}

/** Makes the calls of prepared tasks: it takes the output from the cache, or calls an executor (`executeStep`) once rates, guards and budgets let it. */
export class Calls {
  readonly usage = new UsageCounter();
  readonly #parts: ShellParts;
  readonly #loop: CoreLoop;
  readonly #reporter: Reporter;
  readonly #ends: TaskEnds;
  readonly #retries: Retries;
  readonly #gates: Gates;
  readonly #active: TaskSlots<TimedWork>;
  readonly #usageRecorder: TaskUsageRecorder;
  readonly #cached: CachedCalls;
  readonly #entry: CallEntry;
  #lastEndMs = 0;
  readonly #abandoned: AbandonedAttempts;
  readonly #polls: Polls;

  constructor({ shell, loop, reporter, ends, retries, gates, active, usageRecorder, abandoned, polls }: CallsParts) {
    this.#polls = polls;
    this.#abandoned = abandoned;
    this.#parts = shell;
    this.#loop = loop;
    this.#reporter = reporter;
    this.#ends = ends;
    this.#retries = retries;
    this.#gates = gates;
    this.#active = active;
    this.#usageRecorder = usageRecorder;
    this.#cached = new CachedCalls(shell, active);
    const go: CallEntry["go"] = (task, prepared, permit) => this.#callIfApproved(task, prepared, permit);
    this.#entry = new CallEntry(shell, loop, ends, active, usageRecorder, go);
  }

  /** End of the last call, milliseconds since the run began. */
  get lastEndMs(): number {
    return this.#lastEndMs;
  }

  /** The number means another task now. */
  forget(task: number): void {
    this.#cached.forget(task);
    this.#entry.forget(task);
  }

  /** From now on no task that waits for a slot, a rate or a budget is woken. */
  cancel(): void {
    this.#entry.cancel();
    this.#cached.cancel();
  }

  /** Resolves when all outputs that the cache takes are in it. A cancelled run waits for them as long as for an executor (`abortGraceMs`). */
  settled(): Promise<void> {
    return this.#cached.settled();
  }

  /** Makes the call, or finds out why it cannot be made. Either way the core gets an event. */
  make(task: number): void {
    if (this.#ends.cancelled) {
      this.#ends.stop(task, false);
      return;
    }
    const { table, host } = this.#parts;
    if (host.isHalted()) {
      this.#ends.refuse(task, taskError(TaskErrorCode.HALTED, "The run was halted because a task failed."));
      return;
    }
    const prepared = table.prepared[task]!;
    const isAsked = this.#cached.find(task, prepared, (found) => {
      if (found === undefined || this.#ends.cancelled) this.make(task);
      else {
        table.cached.add(task);
        this.take(task, found.output);
      }
    });
    if (!isAsked) this.#entry.request(task, prepared);
  }

  /**
   * Calls the executor, unless a person has said no since the yes: answers that other calls of the journal kept meanwhile are read after it was noted
   * that the call is begun, and `deny` looks for that note after it has kept its answer, so that one of the two notices the other.
   */
  #callIfApproved(task: number, prepared: PreparedStep, permit: CallPermit | undefined): void {
    const { approvals, settings } = this.#parts;
    if (!this.#gates.wasAnswered(task)) {
      this.#call(task, prepared, permit);
      return;
    }
    const { read = async () => {} } = approvals.answers;
    const limits = { timeoutMs: Number.POSITIVE_INFINITY, graceMs: settings.abortGraceMs };
    const reading = new TimedWork(limits, (outcome) => {
      this.#active.delete(task);
      const isRead = outcome.type === "value" && !this.#ends.stopping;
      if (isRead && this.#gates.isOpen(task)) {
        this.#call(task, prepared, permit);
        return;
      }
      new RunningCall(permit).release();
      this.#usageRecorder.withdraw(task);
      // Else the gate asks again, and finds the answer.
      if (isRead) return;
      if (outcome.type === "thrown" && !this.#ends.stopping) this.#ends.fail(task, taskErrorFrom(outcome.thrown));
      else this.#ends.stop(task, false);
    });
    this.#active.set(task, reading);
    reading.follow(read());
  }

  /** Calls the executor. The call was let in before. */
  #call(task: number, prepared: PreparedStep, permit: CallPermit | undefined): void {
    const { table, state, runId, host, settings } = this.#parts;
    const call = new RunningCall(permit);
    const startedMs = this.#now();
    if (Number.isNaN(table.startedMs[task])) table.startedMs[task] = startedMs;
    this.usage.countAttempt();
    this.#reporter.started(task);
    // A listener that hears of the start may abort the run.
    if (this.#ends.cancelled) {
      call.release();
      this.#usageRecorder.withdraw(task);
      this.#ends.stop(task, false);
      return;
    }
    const timeoutMs = attemptLimitMs(
      prepared.task.timeout_ms,
      suitableLimitMs(prepared.executor, prepared.step.uid),
      settings,
    );
    const attempt = new CallAttempt(
      this.#owner,
      task,
      prepared,
      call,
      startedMs,
      runId,
      this.#keyOf(task),
      state.attempts[task]!,
      {
        timeoutMs,
        graceMs: settings.abortGraceMs,
        idleMs: settings.idleTimeoutMs,
        totalMs: this.#leftMs(task, startedMs),
      },
    );
    const work = executeStep(prepared, host.secrets, attempt);
    if (permit !== undefined) call.meter(() => work.stop(new Error("The budget of seconds is used up.")));
  }

  /** What all attempts have in common. */
  readonly #owner: AttemptOwner = {
    usage: this.usage,
    onProgress: ({ task }, progress) => this.#reporter.progress(task, progress, this.#parts.settings.maxOutputBytes),
    onCall: ({ task }, recorded) => this.#usageRecorder.record(task, "execute", recorded),
    onEnd: (attempt, outcome) => this.#onEnd(attempt, outcome),
    // The task only waits for a nested plan now: it lends its slots to the tasks of that plan.
    lend: ({ task, prepared, call, work }) => {
      call.lend();
      // The tasks of a nested plan have time limits of their own; a limit that the task itself names is for all of it.
      if (prepared.task.timeout_ms === undefined) work!.liftTimeout();
      this.#loop.feed({ type: "lent", task });
    },
    scope: (attempt) => {
      // Before the executor is called: it may abort the run at once, and what it began before that is to hear of it.
      this.#active.set(attempt.task, attempt.work!);
      const { task } = attempt;
      return new CallScope(this.#parts, attempt, attempt.work!, this.#made(task), this.#gates.approvedCall(task));
    },
  };

  #onEnd(attempt: CallAttempt, outcome: WorkOutcome): void {
    const { task, prepared, call, startedMs, timeoutMs } = attempt;
    const { table, settings } = this.#parts;
    this.#active.delete(task);
    this.#lastEndMs = this.#now();
    const durationMs = this.#lastEndMs - startedMs;
    table.durationMs[task]! += durationMs;
    table.slotMs[task]! += call.lent ? call.nestedMs : durationMs;
    noteAttempt(table, task, startedMs, this.#lastEndMs);
    if (outcome.type === "thrown" && isWaiting(outcome.thrown) && !this.#ends.stopping) {
      this.#suspend(task, call, prepared, taskErrorFrom(outcome.thrown));
      return;
    }
    if (isAbandoned(outcome)) {
      const { idleTimeoutMs: idle, totalTimeoutMs: total } = settings;
      const why = whyAbandoned(outcome, call.exhausted, { attempt: timeoutMs, idle, total });
      this.#abandoned.note(task, attempt.work!, why, call.abandon());
    }
    this.#settle(task, call, durationMs);
    if (isInDoubt(outcome, this.#ends.stopping)) this.#usageRecorder.doubt(task, durationMs);
    else this.#usageRecorder.settle(task);
    if (call.exhausted && outcome.type !== "value")
      this.#ends.refuse(task, this.#usageRecorder.endedBy(task, exhaustedError(durationMs)));
    else this.#ended(task, outcome, timeoutMs);
  }

  /** Completes the task with an output that is there without a call of it. */
  take(task: number, output: unknown): void {
    const { table } = this.#parts;
    this.#lastEndMs = this.#now();
    this.#complete(
      task,
      output,
      table.outputs.mayLeave ? jsonCopy(output, { maxBytes: Number.POSITIVE_INFINITY }).bytes : 0,
    );
  }

  /** @param bytes size of the output as JSON. */
  #complete(task: number, output: unknown, bytes: number): void {
    const { rights, position } = this.#parts.host;
    rights.learnOutput(output, position.isNested);
    this.#ends.complete(task, output, bytes);
  }

  /** The output of a task with `choose` is what its answer decides. */
  #accept(task: number, { output, bytes }: CompletedVerdict): void {
    const { choose } = this.#parts.table.tasks[task]!;
    if (choose === undefined) {
      this.#cached.keep(task, output);
      this.#complete(task, output, bytes);
      return;
    }
    let decided: Decision;
    try {
      decided = decideByAnswer(choose, output);
    } catch (thrown) {
      this.#retryOrFail(task, { type: "failed", error: taskErrorFrom(thrown), retryable: true, errorClass: "other" });
      return;
    }
    this.#cached.keep(task, decided);
    this.#complete(task, decided, jsonCopy(decided, { maxBytes: Number.POSITIVE_INFINITY }).bytes);
  }

  #retryOrFail(task: number, verdict: FailedVerdict): void {
    const mayRetry = verdict.retryable && !this.#ends.cancelled;
    const next = mayRetry ? this.#retries.next(task, verdict, this.#leftMs(task, this.#now())) : verdict;
    if ("delayMs" in next) this.#retryLater(task, verdict, next.delayMs);
    else this.#fail(task, next.error);
  }

  /** The executor waits for a person, a time or a signal: it is called again when that has come, and the call is counted, and begun, then. */
  #suspend(task: number, call: RunningCall, prepared: PreparedStep, error: TaskError): void {
    const { host, state, table } = this.#parts;
    const used = call.withdraw();
    host.rights.withdraw({ prepared, attempt: state.attempts[task]!, nested: host.position.isNested });
    if (used.tokens > 0 || used.cost > 0) table.usage.set(task, addUsage(table.usage.get(task), used));
    this.usage.add({ attempts: -1, input_tokens: 0, output_tokens: 0 });
    this.#usageRecorder.withdraw(task);
    forgetAttempts(table, task);
    this.#gates.suspend(task, error, call.answersKnown);
  }

  /** Gives back what the attempt reserved and did not use, and keeps what it used where that is counted later. */
  #settle(task: number, call: RunningCall, durationMs: number): void {
    call.settle(durationMs);
    if (!this.#parts.admission.countsUsage && call.tokens === 0 && call.cost === 0) return;
    const { usage } = this.#parts.table;
    usage.set(task, addUsage(usage.get(task), call.used(durationMs)));
  }

  /** What is left of the time for all attempts of a task, in milliseconds. */
  #leftMs(task: number, nowMs: number): number {
    return Math.max(1, this.#parts.settings.totalTimeoutMs - (nowMs - this.#parts.table.startedMs[task]!));
  }

  #ended(task: number, outcome: WorkOutcome, timeoutMs: number): void {
    const { maxOutputBytes, errorStacks, idleTimeoutMs, totalTimeoutMs } = this.#parts.settings;
    const limits = { timeoutMs, idleTimeoutMs, totalTimeoutMs };
    if (outcome.type === "thrown" && !this.#ends.stopping) {
      reportError(this.#parts, task, outcome.thrown, this.#parts.state.attempts[task]!);
    }
    const verdict = judge(outcome, { ...limits, maxOutputBytes, errorStacks, cancelled: this.#ends.stopping });
    switch (verdict.type) {
      case "completed":
        if (this.#parts.table.tasks[task]!.retry_until === undefined) this.#accept(task, verdict);
        else this.#poll(task, verdict);
        break;
      case "stopped":
        this.#usageRecorder.note(task);
        this.#ends.stop(task, verdict.abandoned);
        break;
      case "failed":
        if (this.#ends.cancelled && verdict.error.code === TaskErrorCode.CANCELLED) {
          // Its nested plan was drained.
          this.#ends.stop(task, false);
        } else if (skipCauses[verdict.error.code] !== undefined || this.#isLeftOut(verdict.error)) {
          // It is of a task in its nested plan; this task has not failed.
          this.#ends.refuse(task, verdict.error);
        } else this.#retryOrFail(task, verdict);
        break;
      default:
        verdict satisfies never;
    }
  }

  /** The plan skips the task within the element whose output would be the element's. */
  #isLeftOut({ code }: TaskError): boolean {
    return code === TaskErrorCode.DEPENDENCY && this.#parts.elements?.hasTasks === true;
  }

  /** The output may not be what is waited for; then the call is made again later. */
  #poll(task: number, verdict: CompletedVerdict): void {
    const { table, lookup, elements } = this.#parts;
    const began = Date.now() - (this.#now() - table.startedMs[task]!);
    this.#polls.judge(
      task,
      verdict.output,
      Math.floor(began),
      elements?.lookupOf(task) ?? lookup,
      () => this.#accept(task, verdict),
      () => {
        this.#usageRecorder.note(task);
        forgetAttempts(table, task);
      },
    );
  }

  /** The same for all attempts of a call; each call of one that is repeated until a condition holds has its own. */
  #keyOf(task: number): string {
    const { table, host } = this.#parts;
    const key = `${host.keyPrefix}/${table.tasks[task]!.task_id}`;
    const made = this.#made(task);
    return made === 0 ? key : `${key}#${made + 1}`;
  }

  /** How often the task's call was made before, where it is repeated until a condition holds. */
  #made(task: number): number {
    return this.#parts.table.tasks[task]!.retry_until === undefined ? 0 : this.#polls.made(task);
  }

  #fail(task: number, error: TaskError): void {
    this.#ends.fail(task, this.#usageRecorder.endedBy(task, error));
  }

  #retryLater(task: number, verdict: FailedVerdict, delayMs: number): void {
    this.#usageRecorder.note(task);
    this.#retries.retry(task, verdict, delayMs);
  }

  #now(): number {
    return performance.now() - this.#parts.startedAt;
  }
}
