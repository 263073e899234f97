import type { ReferenceLookup } from "@planloom/plan";
import { conditionTimeoutMs } from "../input/condition.ts";
import { type Decision, decideByConditions } from "../input/decision.ts";
import { jsonCopy } from "../json-copy.ts";
import { TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import type { Reporter } from "./reporter.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskEnds } from "./task-ends.ts";
import type { TaskSlots } from "./task-slots.ts";
import { noteAttempt } from "./task-timing.ts";
import { TimedWork } from "./timed-work.ts";

/** Carries out tasks that decide by the conditions of their branches (`choose`). They make no call; the decision is their output. */
export class Choices {
  readonly #parts: ShellParts;
  readonly #reporter: Reporter;
  readonly #ends: TaskEnds;
  readonly #active: TaskSlots<TimedWork>;
  #lastEndMs = 0;

  constructor(parts: ShellParts, reporter: Reporter, ends: TaskEnds, active: TaskSlots<TimedWork>) {
    this.#parts = parts;
    this.#reporter = reporter;
    this.#ends = ends;
    this.#active = active;
  }

  /** End of the last decision, milliseconds since the run began. */
  get lastEndMs(): number {
    return this.#lastEndMs;
  }

  decide(task: number, lookup: ReferenceLookup): void {
    const { table, settings } = this.#parts;
    const choose = table.tasks[task]!.choose!;
    const startedMs = this.#now();
    if (Number.isNaN(table.startedMs[task])) table.startedMs[task] = startedMs;
    this.#reporter.started(task);
    // A listener that hears of the start may abort the run.
    if (this.#ends.cancelled) {
      this.#ends.stop(task, false);
      return;
    }
    let decided: Decision | Promise<Decision>;
    try {
      decided = decideByConditions(choose, lookup);
    } catch (thrown) {
      this.#note(task, startedMs);
      this.#ends.fail(task, taskErrorFrom(thrown));
      return;
    }
    if (!(decided instanceof Promise)) {
      this.#note(task, startedMs);
      this.#complete(task, decided);
      return;
    }
    const timeoutMs = conditionTimeoutMs * choose.branches.length;
    const attempt = new TimedWork({ timeoutMs, graceMs: settings.abortGraceMs }, (outcome) => {
      this.#active.delete(task);
      this.#note(task, startedMs);
      if (this.#ends.stopping || outcome.type === "stopped") this.#ends.stop(task, false);
      else if (outcome.type === "value") this.#complete(task, outcome.value as Decision);
      else if (outcome.type === "thrown") this.#ends.fail(task, taskErrorFrom(outcome.thrown));
      else {
        const message = `The conditions of its branches took longer than ${timeoutMs} ms.`;
        this.#ends.fail(task, taskError(TaskErrorCode.CONDITION, message));
      }
    });
    this.#active.set(task, attempt);
    attempt.follow(decided);
  }

  #complete(task: number, decision: Decision): void {
    const { value, bytes } = jsonCopy(decision, { maxBytes: Number.POSITIVE_INFINITY });
    this.#ends.complete(task, value, bytes);
  }

  #note(task: number, startedMs: number): void {
    const { table } = this.#parts;
    this.#lastEndMs = this.#now();
    table.durationMs[task]! += this.#lastEndMs - startedMs;
    table.slotMs[task]! += this.#lastEndMs - startedMs;
    noteAttempt(table, task, startedMs, this.#lastEndMs);
  }

  #now(): number {
    return performance.now() - this.#parts.startedAt;
  }
}
