import type { BindOptions } from "@planloom/plan";
import type { PreparedStep, UnavailableStep } from "../input/prepare-step.ts";
import { TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import { type AbandonedAttempts, isAbandoned } from "./abandoned-attempts.ts";
import { bindCalls } from "./bind-calls.ts";
import type { PaidCalls } from "./paid-calls.ts";
import { reportError } from "./report-error.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskEnds } from "./task-ends.ts";
import type { TaskSlots } from "./task-slots.ts";
import type { TaskUsageRecorder } from "./task-usage-recorder.ts";
import { TimedWork, type WorkOutcome } from "./timed-work.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** What Stage 2 of all tasks of a run works with. */
export interface Stage2Parts {
  readonly parts: ShellParts;
  readonly ends: TaskEnds;
  readonly active: TaskSlots<TimedWork>;
  readonly abandoned: AbandonedAttempts;
  readonly usageRecorder: TaskUsageRecorder;
  readonly usage: UsageCounter;
  /** Takes the step that was made, and how many model calls it took. */
  accept(task: number, step: PreparedStep | UnavailableStep, modelCalls: number): void;
}

/**
 * Stage 2 of one task: what it is called with, its time limit, the model calls that it pays for, and how it ends. It is made only for a task that
 * cannot be prepared at once: one that has to be bound, or has `convertor_code`.
 */
export class Stage2Work {
  readonly #shared: Stage2Parts;
  readonly #task: number;
  readonly #work: TimedWork;
  #calls: PaidCalls | undefined;

  constructor(shared: Stage2Parts, task: number) {
    const { bindTimeoutMs, abortGraceMs } = shared.parts.settings;
    this.#shared = shared;
    this.#task = task;
    this.#work = new TimedWork({ timeoutMs: bindTimeoutMs, graceMs: abortGraceMs }, (outcome) => this.#end(outcome));
  }

  /** What the function `bind` is called with. */
  options(): BindOptions {
    const { parts, usageRecorder, usage } = this.#shared;
    const { signal } = this.#work;
    this.#calls = bindCalls(parts, this.#task, usageRecorder, usage, () => signal);
    const { runId } = parts;
    return { signal, ...this.#calls.hooks, about: { runId, path: this.#path() } };
  }

  /** As the context of an executor has it. */
  #path(): string {
    const { host, runId, table } = this.#shared.parts;
    return `${host.keyPrefix}/${table.tasks[this.#task]!.task_id}`.slice(runId.length + 1);
  }

  follow(step: Promise<PreparedStep | UnavailableStep>): void {
    const { active, ends } = this.#shared;
    active.set(this.#task, this.#work);
    this.#work.follow(step);
    // Stage 2 itself may have aborted the run before its first wait.
    if (ends.stopping) this.#work.stop(ends.reason);
  }

  #end(outcome: WorkOutcome): void {
    const { ends, active, accept, parts } = this.#shared;
    const task = this.#task;
    if (isAbandoned(outcome)) this.#noteAbandoned(outcome);
    this.#calls?.close();
    active.delete(task);
    if (this.#calls?.refused !== undefined && outcome.type !== "value") {
      // No budget was left for what Stage 2 would have asked.
      if (ends.stopping) ends.stop(task, false);
      else ends.refuse(task, this.#calls.refused);
      return;
    }
    if (this.#calls?.misreported !== undefined && outcome.type !== "stopped") {
      ends.fail(task, this.#calls.misreported);
      return;
    }
    switch (outcome.type) {
      case "value":
        accept(task, outcome.value as PreparedStep | UnavailableStep, this.#calls?.made ?? 0);
        break;
      case "stopped":
        ends.stop(task, outcome.abandoned);
        break;
      case "thrown":
        reportError(parts, task, outcome.thrown, 0);
        ends.fail(task, taskErrorFrom(outcome.thrown, { stacks: parts.settings.errorStacks }));
        break;
      case "timeout": {
        const timeout_ms = parts.settings.bindTimeoutMs;
        const message = `Stage 2 gave no step within ${timeout_ms} ms.`;
        ends.fail(task, taskError(TaskErrorCode.BIND, message, { timeout_ms }));
        break;
      }
      default:
        outcome satisfies never;
    }
  }

  #noteAbandoned(outcome: WorkOutcome): void {
    const isLate = outcome.type === "timeout";
    const timeout_ms = this.#shared.parts.settings.bindTimeoutMs;
    this.#shared.abandoned.note(this.#task, this.#work, isLate ? { limit: "bind", timeout_ms } : { limit: "stop" });
  }
}
