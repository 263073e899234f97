import { deadlineValue, hashValue, type ReferenceLookup, type RetryUntil, resolveReferences } from "@planloom/plan";
import { type AskedCondition, askCondition, conditionTimeoutMs } from "../input/condition.ts";
import { withReferences } from "../input/prepare-step.ts";
import { isAsleep, type StoredWait } from "../journal/stored-wait.ts";
import { describe, type TaskError, TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskEnds } from "./task-ends.ts";
import type { TaskSlots } from "./task-slots.ts";
import { TimedWork } from "./timed-work.ts";
import type { Waits } from "./waits.ts";

/** A call that is made again until its output meets a condition (`retry_until`). Between calls the task sleeps, and how often it was made is kept. */
export class Polls {
  readonly #parts: ShellParts;
  readonly #ends: TaskEnds;
  readonly #waits: Waits;
  readonly #active: TaskSlots<TimedWork>;

  constructor(parts: ShellParts, ends: TaskEnds, waits: Waits, active: TaskSlots<TimedWork>) {
    this.#parts = parts;
    this.#ends = ends;
    this.#waits = waits;
    this.#active = active;
  }

  /** Whether the next call may be made now; if not, the task sleeps until then. */
  mayCall(task: number): boolean {
    const wait = this.#waitOf(task);
    if (wait === undefined || !isAsleep(wait) || this.#parts.host.waits.isDue(wait)) return true;
    this.#waits.sleep(task, wait);
    return false;
  }

  /** How often the task's call was made before. */
  made(task: number): number {
    return this.#waitOf(task)?.polls ?? 0;
  }

  /**
   * A call has given an output: completes the task if it meets the condition, else lets it sleep.
   * @param startedMs when the call began, milliseconds since the epoch. @param again is called before the task sleeps
   */
  judge(
    task: number,
    output: unknown,
    startedMs: number,
    lookup: ReferenceLookup,
    complete: () => void,
    again: () => void,
  ): void {
    const policy = this.#policy(task);
    const { condition } = policy;
    const before = this.#waitOf(task);
    const polls = (before?.polls ?? 0) + 1;
    let asked: AskedCondition;
    try {
      asked = askCondition(condition, lookup, { name: "`retry_until.condition`", input: { output, polls } });
    } catch (thrown) {
      this.#fail(task, taskErrorFrom(thrown));
      return;
    }
    const decide = (value: unknown) => {
      if (value === true) {
        this.#parts.host.waits.end(this.#idOf(task));
        complete();
      } else if (value === false) {
        again();
        this.#next(task, policy, { begun_at: before?.begun_at ?? startedMs, polls }, lookup);
      } else {
        const got = value === undefined ? "nothing" : describe(value);
        const message = `Expected \`retry_until.condition\` to give true or false, got ${got}: ${condition}`;
        this.#fail(task, taskError(TaskErrorCode.CONDITION, message, { condition }));
      }
    };
    if ("value" in asked) {
      decide(asked.value);
      return;
    }
    const { abortGraceMs } = this.#parts.settings;
    const attempt = new TimedWork({ timeoutMs: conditionTimeoutMs, graceMs: abortGraceMs }, (outcome) => {
      this.#active.delete(task);
      if (this.#ends.stopping || outcome.type === "stopped") this.#ends.stop(task, false);
      else if (outcome.type === "value") decide(outcome.value);
      else {
        const { message } = taskErrorFrom(outcome.thrown ?? new Error("it took too long"));
        this.#fail(task, taskError(TaskErrorCode.CONDITION, message, { condition }));
      }
    });
    this.#active.set(task, attempt);
    attempt.follow(asked.evaluated);
  }

  #next(
    task: number,
    policy: RetryUntil,
    { begun_at, polls }: Pick<StoredWait, "begun_at"> & { readonly polls: number },
    lookup: ReferenceLookup,
  ): void {
    const { timeout_ms = Number.POSITIVE_INFINITY, max_polls = Number.POSITIVE_INFINITY } = policy;
    const due_at = Date.now() + intervalOf(policy, polls);
    if (polls < max_polls && due_at <= begun_at + timeout_ms) {
      const content_hash = hashOf(policy);
      this.#waits.sleep(task, { id: this.#idOf(task), content_hash, begun_at, due_at, polls });
      return;
    }
    this.#parts.host.waits.end(this.#idOf(task));
    const limit = polls >= max_polls ? `within ${polls} calls` : `within ${timeout_ms} ms (${polls} calls)`;
    const message = `Its output did not meet the condition ${limit}: ${policy.condition}`;
    const late = taskError(TaskErrorCode.DEADLINE, message, { condition: policy.condition, polls });
    try {
      const value = withReferences(() => resolveReferences(deadlineValue(policy), lookup));
      const { on_deadline = "fail" } = policy;
      this.#waits.passDeadline(task, typeof on_deadline === "object" ? { value } : on_deadline, late);
    } catch (thrown) {
      this.#ends.fail(task, taskErrorFrom(thrown));
    }
  }

  #fail(task: number, error: TaskError): void {
    this.#parts.host.waits.end(this.#idOf(task));
    this.#ends.fail(task, error);
  }

  #waitOf(task: number): StoredWait | undefined {
    return this.#parts.host.waits.find(this.#idOf(task), hashOf(this.#policy(task)));
  }

  #policy(task: number): RetryUntil {
    return this.#parts.table.tasks[task]!.retry_until!;
  }

  #idOf(task: number): string {
    return this.#parts.approvals.idOf(task);
  }
}

/** Milliseconds from the end of the call to the beginning of the next. @param polls calls that were made */
function intervalOf({ interval_ms = 1_000, backoff_factor = 1, max_interval_ms }: RetryUntil, polls: number): number {
  return Math.min(interval_ms * backoff_factor ** (polls - 1), max_interval_ms ?? Number.MAX_SAFE_INTEGER);
}

function hashOf({ condition }: RetryUntil): string {
  return hashValue(condition);
}
