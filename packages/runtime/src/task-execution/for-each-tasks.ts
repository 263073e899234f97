import {
  collectReferences,
  defaultMaxElements,
  type ReferenceLookup,
  referringValues,
  resolveReferences,
} from "@planloom/plan";
import { withReferences } from "../input/prepare-step.ts";
import { waitingFailure } from "../journal/waiting-call.ts";
import { elementGroups } from "../make-limits.ts";
import { isStopped } from "../stop-reason.ts";
import { describe, type TaskError, TaskErrorCode, TaskFailure, taskError, taskErrorFrom } from "../task-error.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { Gates } from "./gates.ts";
import type { Reporter } from "./reporter.ts";
import type { ElementsResult, ShellParts } from "./shell-parts.ts";
import { skipCauses, type TaskEnds } from "./task-ends.ts";
import type { TaskSlots } from "./task-slots.ts";
import { forgetAttempts, noteAttempt } from "./task-timing.ts";
import { TimedWork, type WorkOutcome } from "./timed-work.ts";
import type { UsageCounter } from "./usage-counter.ts";
import { judge } from "./verdict.ts";

const none: ReadonlyMap<number, unknown> = new Map();

interface ForEachParts {
  readonly shell: ShellParts;
  readonly loop: CoreLoop;
  readonly reporter: Reporter;
  readonly ends: TaskEnds;
  readonly gates: Gates;
  /** The work that runs, by task; the shell stops it. */
  readonly active: TaskSlots<TimedWork>;
  readonly usage: UsageCounter;
}

/** Executes tasks with `for_each`: reads the list, has its elements executed, and ends the task by what became of them. */
export class ForEachTasks {
  readonly #parts: ShellParts;
  readonly #loop: CoreLoop;
  readonly #reporter: Reporter;
  readonly #ends: TaskEnds;
  readonly #gates: Gates;
  readonly #active: TaskSlots<TimedWork>;
  readonly #usage: UsageCounter;
  /** Milliseconds of work in elements of tasks that were suspended since. */
  readonly #before = new Map<number, number>();
  #lastEndMs = 0;

  constructor({ shell, loop, reporter, ends, gates, active, usage }: ForEachParts) {
    this.#parts = shell;
    this.#loop = loop;
    this.#reporter = reporter;
    this.#ends = ends;
    this.#gates = gates;
    this.#active = active;
    this.#usage = usage;
  }

  /** End of the last such task, milliseconds since the run began. */
  get lastEndMs(): number {
    return this.#lastEndMs;
  }

  /** @param lookup of the task itself; what its elements refer to is read now, since outputs may leave memory later. */
  begin(task: number, lookup: ReferenceLookup): void {
    let items: readonly unknown[];
    let given: ReadonlyMap<number, unknown>;
    try {
      items = this.#readItems(task, lookup);
      given = this.#readGiven(task, items, lookup);
    } catch (thrown) {
      this.#ends.fail(task, taskErrorFrom(thrown));
      return;
    }
    const { table, settings, events } = this.#parts;
    const startedMs = this.#now();
    if (Number.isNaN(table.startedMs[task])) table.startedMs[task] = startedMs;
    this.#reporter.started(task);
    if (this.#ends.cancelled) {
      this.#ends.stop(task, false);
      return;
    }
    this.#loop.feed({ type: "lent", task });
    // What runs within the task has time limits of its own.
    const noLimits = { timeoutMs: Number.POSITIVE_INFINITY, graceMs: Number.POSITIVE_INFINITY };
    const attempt = new TimedWork(noLimits, (outcome) => {
      this.#active.delete(task);
      this.#ended(task, startedMs, outcome);
    });
    this.#active.set(task, attempt);
    const onProgress = (progress: unknown) => this.#reporter.progress(task, progress, settings.maxOutputBytes);
    attempt.follow(
      this.#parts.runElements({
        task,
        items,
        given,
        lookup: this.#held(task, lookup),
        signal: attempt.signal,
        onProgress: events.active ? onProgress : undefined,
      }),
    );
  }

  #readItems(task: number, lookup: ReferenceLookup): readonly unknown[] {
    const { items: given, max_items = defaultMaxElements } = this.#parts.table.tasks[task]!.for_each!;
    const items = withReferences(() => resolveReferences(given, lookup));
    if (!Array.isArray(items)) {
      const message = `Expected \`for_each.items\` to give a list, got ${describe(items)}${typeof given === "string" ? ` (${given})` : ""}.`;
      throw new TaskFailure(TaskErrorCode.ITEMS, message, { retryable: false });
    }
    if (items.length > max_items) {
      const message = `Expected \`for_each.items\` to give a list of at most ${max_items} elements, got ${items.length}. Raise \`for_each.max_items\`, or divide the list.`;
      const details = { items: items.length, max_items };
      throw new TaskFailure(TaskErrorCode.ITEMS, message, { retryable: false, details });
    }
    return items;
  }

  #readGiven(task: number, items: readonly unknown[], lookup: ReferenceLookup): ReadonlyMap<number, unknown> {
    const { given } = this.#parts.table.tasks[task]!.for_each!;
    if (given === undefined) return none;
    const outputs = withReferences(() => resolveReferences(given, lookup)) as Record<string, unknown>;
    const found = new Map(Object.entries(outputs).map(([index, output]) => [Number(index), output]));
    const beyond = [...found.keys()].find((index) => index >= items.length);
    if (beyond === undefined) return found;
    const message = `Expected \`for_each.given\` to name elements of the list, got element ${beyond} of a list of ${items.length}.`;
    throw new TaskFailure(TaskErrorCode.ITEMS, message, { retryable: false, details: { items: items.length } });
  }

  /** The names that the task's elements refer to, with what they mean now. */
  #held(task: number, lookup: ReferenceLookup): ReferenceLookup {
    const held = new Map<string, ReturnType<ReferenceLookup>>();
    for (const { reference } of collectReferences(referringValues(this.#parts.table.tasks[task]!))) {
      if (!held.has(reference.name)) held.set(reference.name, lookup(reference.name));
    }
    return (name) => held.get(name) ?? { found: false };
  }

  #ended(task: number, startedMs: number, outcome: WorkOutcome): void {
    const { table, state, registry } = this.#parts;
    this.#lastEndMs = this.#now();
    table.listGroups.set(task, elementGroups(table.tasks[task]!, state.limits, registry));
    const result = outcome.type === "value" ? (outcome.value as ElementsResult) : undefined;
    if (result !== undefined) {
      this.#usage.add(result.usage);
      table.longestMs.set(task, Math.max(result.longestMs, table.longestMs.get(task) ?? 0));
    }
    if (result !== undefined && result.waiting.length > 0 && !this.#ends.stopping && !hasFailed(result)) {
      forgetAttempts(table, task);
      this.#before.set(task, result.workMs + (this.#before.get(task) ?? 0));
      this.#gates.suspend(task, taskErrorFrom(waitingFailure(result.waiting)), result.answersKnown);
      return;
    }
    table.durationMs[task]! += this.#lastEndMs - startedMs;
    table.slotMs[task]! += (result?.workMs ?? 0) + (this.#before.get(task) ?? 0);
    noteAttempt(table, task, startedMs, this.#lastEndMs);
    if (result === undefined) {
      if (outcome.type === "thrown" && !this.#ends.stopping) this.#ends.fail(task, taskErrorFrom(outcome.thrown));
      else this.#ends.stop(task, false);
    } else if (isStopped(result.endReason)) this.#ends.stop(task, false);
    else if (hasFailed(result)) this.#fail(task, result);
    else this.#complete(task, result);
  }

  #fail(task: number, { firstLost, counts }: ElementsResult): void {
    const { id, error } = firstLost!;
    const { total, failed, skipped } = counts;
    if (skipCauses[error.code] !== undefined && failed === 0) {
      // Nobody failed: no budget was left, or a person said no.
      const message = `Element ${id} was skipped: ${error.message}`;
      this.#ends.refuse(task, taskError(error.code, message, { ...error.details, element: id }));
      return;
    }
    const lost = [failed > 0 ? `${failed} failed` : "", skipped > 0 ? `${skipped} were skipped` : ""];
    const message = `Of ${total} elements ${lost.filter((part) => part !== "").join(" and ")}; the first is ${id}: ${error.message}`;
    this.#ends.fail(task, taskError(TaskErrorCode.ELEMENT, message, { element: id, error, failed, skipped, total }));
  }

  #complete(task: number, { outputs }: ElementsResult): void {
    const { settings } = this.#parts;
    const never = Number.POSITIVE_INFINITY;
    const limits = { timeoutMs: never, idleTimeoutMs: never, totalTimeoutMs: never, errorStacks: settings.errorStacks };
    const verdict = judge(
      { type: "value", value: outputs },
      { ...limits, maxOutputBytes: settings.maxOutputBytes, cancelled: false },
    );
    if (verdict.type === "completed") this.#ends.complete(task, verdict.output, verdict.bytes);
    else if (verdict.type === "failed") this.#ends.fail(task, withAdvice(verdict.error));
  }

  #now(): number {
    return performance.now() - this.#parts.startedAt;
  }
}

function withAdvice(error: TaskError): TaskError {
  if (error.code !== TaskErrorCode.OUTPUT_TOO_LARGE) return error;
  return { ...error, message: `${error.message} The outputs of all elements together are one output.` };
}

/** More elements failed than may fail. */
function hasFailed({ endReason }: ElementsResult): boolean {
  return endReason === "failed";
}
