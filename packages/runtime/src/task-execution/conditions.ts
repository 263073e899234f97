import { isAboutElements, type ReferenceLookup } from "@planloom/plan";
import { type AskedCondition, askCondition, conditionTimeoutMs, otherBranch } from "../input/condition.ts";
import { describe, TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskEnds } from "./task-ends.ts";
import type { TaskSlots } from "./task-slots.ts";
import { TimedWork } from "./timed-work.ts";

/** Evaluates the conditions of tasks (`when`), once for each task. */
export class Conditions {
  readonly #parts: ShellParts;
  readonly #ends: TaskEnds;
  readonly #active: TaskSlots<TimedWork>;
  readonly #again: (task: number) => void;
  readonly #met = new Set<number>();

  /** @param again prepares a task whose condition is met. */
  constructor(parts: ShellParts, ends: TaskEnds, active: TaskSlots<TimedWork>, again: (task: number) => void) {
    this.#parts = parts;
    this.#ends = ends;
    this.#active = active;
    this.#again = again;
  }

  /** The number means another task now. */
  forget(task: number): void {
    this.#met.delete(task);
  }

  /** Whether the task's condition is met, as far as that is known. If not, it is being found out, or the task has been dealt with. */
  allows(task: number, lookup: ReferenceLookup): boolean {
    const planned = this.#parts.table.tasks[task]!;
    if (this.#met.has(task) || isAboutElements(planned)) return true;
    const condition = planned.when!.condition;
    let asked: AskedCondition;
    try {
      asked = askCondition(condition, lookup);
    } catch (thrown) {
      this.#ends.fail(task, taskErrorFrom(thrown));
      return false;
    }
    if ("value" in asked) return this.#decide(task, condition, asked.value, lookup);
    const { abortGraceMs } = this.#parts.settings;
    const attempt = new TimedWork({ timeoutMs: conditionTimeoutMs, graceMs: abortGraceMs }, (outcome) => {
      this.#active.delete(task);
      if (this.#ends.stopping || outcome.type === "stopped") this.#ends.stop(task, false);
      else if (outcome.type === "value") {
        if (this.#decide(task, condition, outcome.value, lookup)) this.#again(task);
      } else {
        const { message } = taskErrorFrom(outcome.thrown ?? new Error("it took too long"));
        this.#ends.fail(task, taskError(TaskErrorCode.CONDITION, message, { condition }));
      }
    });
    this.#active.set(task, attempt);
    attempt.follow(asked.evaluated);
    return false;
  }

  #decide(task: number, condition: string, value: unknown, lookup: ReferenceLookup): boolean {
    if (value === true) {
      this.#met.add(task);
      return true;
    }
    if (value === false) {
      const message = otherBranch(condition, lookup) ?? `Its condition is false: ${condition}`;
      this.#ends.refuse(task, taskError(TaskErrorCode.NOT_MET, message, { condition }));
    } else {
      const got = value === undefined ? "nothing" : describe(value);
      const message = `Expected \`when.condition\` to give true or false, got ${got}: ${condition}`;
      this.#ends.fail(task, taskError(TaskErrorCode.CONDITION, message, { condition }));
    }
    return false;
  }
}
