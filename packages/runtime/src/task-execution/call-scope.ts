import { type CallUsage, checkUsage, type Executor, isRecord, type RecordedCall, type TaskData } from "@planloom/plan";
import type { ApprovedCall, RunScope } from "../executors/scope.ts";
import type { TaskRecord } from "../journal/journal.ts";
import type { RunResult } from "../run-result.ts";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";
import type { RunningCall } from "./running-call.ts";
import type { NestedParent, ShellParts } from "./shell-parts.ts";
import type { TimedWork } from "./timed-work.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** One attempt of a call, and what is done with what its executor reports. */
export interface ScopedCall {
  readonly task: number;
  /** The idempotency key of the call, which begins those of tasks within it. */
  readonly idempotencyKey: string;
  readonly call: RunningCall;
  /** Counts the usage of the run. */
  readonly usage: UsageCounter;
  onProgress(progress: unknown): void;
  /** The call only waits for a nested plan from now on. */
  lend(): void;
  /** Writes down a model call. */
  onCall(recorded: RecordedCall): void;
}

/**
 * What the executor of a running call may do beside answering: run plans within the task, report usage and model calls. One is made
 * for each call and few are asked for anything, so that it has methods and no closures.
 */
export class CallScope implements RunScope {
  readonly approved: ApprovedCall | undefined;
  readonly #parts: ShellParts;
  readonly #scoped: ScopedCall;
  readonly #attempt: TimedWork;
  readonly #polls: number;

  /** @param polls how often the task's call was made before (`retry_until`) */
  constructor(
    parts: ShellParts,
    scoped: ScopedCall,
    attempt: TimedWork,
    polls: number,
    approved: ApprovedCall | undefined,
  ) {
    this.#parts = parts;
    this.#scoped = scoped;
    this.#attempt = attempt;
    this.#polls = polls;
    this.approved = approved;
  }

  get path(): string {
    const { host, runId } = this.#parts;
    return `${host.keyPrefix}/${this.#taskId}`.slice(runId.length + 1);
  }

  get registry(): RunScope["registry"] {
    return this.#parts.registry;
  }

  get #taskId(): string {
    return this.#parts.table.tasks[this.#scoped.task]!.task_id;
  }

  recorded(plan: () => TaskData, input: Readonly<Record<string, unknown>>, taskId: string): TaskRecord | undefined {
    return this.#parts.recorded(this.#taskId, plan, input, taskId, this.#polls);
  }

  async runNested(
    plan: TaskData,
    input: Readonly<Record<string, unknown>>,
    executors?: readonly Executor[],
    isCovered = false,
  ): Promise<RunResult> {
    const scoped = this.#scoped;
    if (this.#attempt.ended) {
      const message = `Task "${this.#taskId}" has ended, so that nothing more can be called or waited for in it.`;
      throw new TaskFailure(TaskErrorCode.CANCELLED, message, { retryable: false });
    }
    const { call, usage, idempotencyKey } = scoped;
    scoped.lend();
    const parent: NestedParent = {
      taskId: this.#taskId,
      polls: this.#polls,
      path: this.path,
      keyPrefix: idempotencyKey,
      signal: this.#attempt.signal,
      approved: this.approved,
      isCovered,
      onProgress: (progress) => scoped.onProgress(progress),
      addUsage: (used) => usage.add(used),
      addWork: (workMs) => {
        call.nestedMs += workMs;
      },
    };
    const nested = this.#parts.runNested(plan, input, parent, executors);
    this.#attempt.hold(nested);
    const { result, answersKnown } = await nested;
    call.answersKnown = Math.min(call.answersKnown, answersKnown);
    return result;
  }

  addUsage(reported: CallUsage): void {
    if (this.#attempt.ended) return;
    const { usage, fault } = checkUsage(reported);
    if (fault !== undefined) throw new TaskFailure(TaskErrorCode.FAILED, fault, { retryable: false });
    const { inputTokens = 0, outputTokens = 0, cost = 0 } = usage;
    const { call, task } = this.#scoped;
    this.#scoped.usage.addCall(usage);
    const within = call.add(inputTokens + outputTokens, cost);
    this.#parts.admission.noteUse(this.#parts.table.prepared[task]!.resource, call.tokens, call.cost);
    if (!within) this.#attempt.stop(new Error("The budget is used up."));
  }

  addCall(recorded: RecordedCall): void {
    if (this.#attempt.ended) return;
    if (!isRecord(recorded)) {
      const message = `Expected \`onCall\` to be given a call ({ request, latencyMs, reply?, … }), got ${describe(recorded)}.`;
      throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
    }
    this.#scoped.onCall(recorded);
    if (recorded.usage !== undefined) this.addUsage(recorded.usage);
  }
}
