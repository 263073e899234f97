import {
  defaultMaxElements,
  elementId,
  elementNames,
  hashValue,
  indexName,
  isAboutElements,
  isDecidedByConditions,
  isRecord,
  PlanError,
  type PlannerTask,
  type ReferenceLookup,
  resolveReferences,
} from "@planloom/plan";
import { evaluateExpression } from "../expressions/evaluate-expression.ts";
import { askCondition } from "../input/condition.ts";
import { decideByConditions } from "../input/decision.ts";
import type { TaskRecord } from "../journal/journal.ts";
import { addressOf } from "../nested-keeping.ts";
import { type TaskError, TaskErrorCode, taskErrorFrom } from "../task-error.ts";
import { type Difference, firstDifference } from "./first-difference.ts";
import type { RecordedReplies } from "./recorded-replies.ts";
import type { RecordedTasks } from "./recorded-tasks.ts";

/** The first thing that came out differently from what the journal has. */
export interface Divergence extends Difference {
  /** The task's id; for what is within an element of a list its address: `out[0]/in[1]`. */
  readonly task_id: string;
  /**
   * `input`: references, `convertor_code` or arguments give other values. `outcome`: the task could be prepared now and
   * could not be then, or the other way round. `reached`: the run had a result of the task, and the replay does not reach it.
   * `reply`: what is recorded of the task is not what Stage 2, a model or an agent replied then.
   */
  readonly what: "input" | "outcome" | "reached" | "reply";
}

/** What the tasks of one plan, or of one element of a list, are compared with. */
export interface Recorded {
  /** Ids of the tasks that they are in, from the outside in. */
  readonly path: readonly string[];
  readonly records: RecordedTasks;
  readonly replies: RecordedReplies;
  /** Replays the tasks of an element. @param path ids of the tasks that they are in, the element's last. @param lookup of the element and what is around it */
  replayElement(
    tasks: readonly PlannerTask[],
    path: readonly string[],
    lookup: ReferenceLookup,
  ): Promise<Divergence | undefined>;
}

/** Compares what a task would be given and decide now with what is recorded of it. */
export class ReplayComparison {
  readonly #lookup: ReferenceLookup;
  readonly #recorded: Recorded;

  constructor(lookup: ReferenceLookup, recorded: Recorded) {
    this.#lookup = lookup;
    this.#recorded = recorded;
  }

  /** @returns what is otherwise than it is recorded; undefined where nothing is */
  async compare(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    const found = await this.#compareTask(task, record);
    // What is found within an element has its address already.
    if (found === undefined || found.task_id !== task.task_id) return found;
    return { ...found, task_id: addressOf(this.#recorded.path, found.task_id) };
  }

  async #compareTask(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    const unmet = await this.#compareCondition(task, record);
    if (unmet !== undefined) return unmet;
    // What stopped it then was outside of the plan: no model, a budget, a person, a failure that halted the run.
    if (record.status === "skipped" && record.input_hash === "") return undefined;
    // Earlier versions asked people about tasks that were not prepared yet.
    if (record.status === "waiting_approval" && record.input_hash === "") return undefined;
    if (task.for_each !== undefined) return this.#compareElements(task, record);
    if (isDecidedByConditions(task)) return this.#compareDecision(task, record);
    return this.#compareCall(task, record, this.#lookup, this.#recorded.path);
  }

  /** Whether the task is executed as it was then. A condition about elements is asked for each of them, and not here. */
  async #compareCondition(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    const wasUnmet = record.error?.code === TaskErrorCode.NOT_MET;
    if (isAboutElements(task) || (task.when === undefined && !wasUnmet)) return undefined;
    let met = true;
    try {
      const asked = task.when && askCondition(task.when.condition, this.#lookup);
      if (asked !== undefined) met = ("value" in asked ? asked.value : await asked.evaluated) === true;
    } catch {
      // What keeps it from being asked fails the task, then as now.
      return undefined;
    }
    if (met !== wasUnmet || record.error?.code === TaskErrorCode.CONDITION) return undefined;
    const actual = met ? "its condition is true" : "its condition is false";
    return { task_id: task.task_id, what: "outcome", path: "", expected: outcomeOf(record), actual };
  }

  async #compareDecision(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    let actual: unknown;
    try {
      actual = await decideByConditions(task.choose!, this.#lookup);
    } catch (thrown) {
      const { code, message } = taskErrorFrom(thrown);
      if (record.error?.code === code) return undefined;
      actual = { code, message };
    }
    if (record.status === "completed" && hashValue(actual) === hashValue(record.output)) return undefined;
    return { task_id: task.task_id, what: "outcome", path: "", expected: outcomeOf(record), actual };
  }

  /** Each element that has a record: its input is put together from the list as it is now. */
  async #compareElements(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    const { task_id, for_each } = task;
    const differs = (actual: unknown): Divergence => ({
      task_id,
      what: "outcome",
      path: "",
      expected: outcomeOf(record),
      actual,
    });
    let items: unknown;
    try {
      items = resolveReferences(for_each!.items, this.#lookup);
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      const code = TaskErrorCode.REFERENCE;
      return record.error?.code === code ? undefined : differs({ code, message: error.message });
    }
    const { max_items = defaultMaxElements } = for_each!;
    const isList = Array.isArray(items) && items.length <= max_items;
    if ((record.error?.code === TaskErrorCode.ITEMS) === isList)
      return differs(isList ? { items } : { items: "no list" });
    if (!isList) return undefined;
    if (record.status === "completed" && (record.output as readonly unknown[]).length !== (items as unknown[]).length)
      return differs({ elements: (items as unknown[]).length });
    const [itemName] = elementNames(task);
    const path = [...this.#recorded.path, task_id];
    const elements = this.#recorded.records.within(path);
    for (const [index, item] of (items as unknown[]).entries()) {
      const element = elements.get(elementId(task_id, index));
      if (element === undefined || element.status === "skipped") continue;
      const lookup: ReferenceLookup = (name) => {
        if (name === itemName) return { found: true, value: item };
        return name === indexName ? { found: true, value: index } : this.#lookup(name);
      };
      const id = element.task_id;
      const divergence =
        for_each!.tasks === undefined
          ? await this.#compareCall({ ...task, task_id: id }, element, lookup, path)
          : await this.#recorded.replayElement(for_each!.tasks, [...path, id], lookup);
      if (divergence === undefined) continue;
      return for_each!.tasks === undefined ? { ...divergence, task_id: addressOf(path, id) } : divergence;
    }
    return undefined;
  }

  async #compareCall(
    task: PlannerTask,
    record: TaskRecord,
    lookup: ReferenceLookup,
    path: readonly string[],
  ): Promise<Divergence | undefined> {
    const { task_id } = task;
    // It made no call.
    if (task.wait !== undefined) return undefined;
    const made = await this.#input(task, lookup);
    // It had not reached its call; references are resolved only after an answer.
    if ("error" in made && record.status === "waiting_approval") return undefined;
    if ("error" in made) {
      if (record.status === "failed" && record.error?.code === made.error.code) return undefined;
      return { task_id, what: "outcome", path: "", expected: outcomeOf(record), actual: made.error };
    }
    const couldNotPrepare = record.input_hash === "" && isPreparing(record.error?.code);
    if (couldNotPrepare) {
      return { task_id, what: "outcome", path: "", expected: record.error, actual: { input: made.input } };
    }
    // Nothing was recorded of the input of a task that failed before it had one.
    const expectedHash = record.asked_hash ?? record.input_hash;
    if (expectedHash === "") return undefined;
    const hash = hashValue(made.input);
    if (hash === expectedHash) {
      const other = this.#recorded.replies.difference(record, path);
      return other && { task_id, what: "reply", ...other };
    }
    // What Stage 2 left as it was is the input that was recorded.
    const kept = expectedHash === record.input_hash ? record.input : undefined;
    const difference = kept === undefined ? undefined : firstDifference(kept, made.input);
    return {
      task_id,
      what: "input",
      ...(difference ?? { path: "", expected: { sha256: expectedHash }, actual: { sha256: hash, input: made.input } }),
    };
  }

  async #input(
    task: PlannerTask,
    lookup: ReferenceLookup,
  ): Promise<{ readonly input: unknown } | { readonly error: TaskError }> {
    let input: unknown;
    try {
      input = resolveReferences(task.arguments, lookup);
      resolveReferences(task.parameters, lookup);
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      return { error: { code: TaskErrorCode.REFERENCE, message: error.message } };
    }
    if (!task.convertor_code) return { input };
    try {
      input = await evaluateExpression(task.convertor_code, input as Record<string, unknown>);
    } catch (error) {
      return {
        error: { code: TaskErrorCode.CONVERTOR, message: error instanceof Error ? error.message : String(error) },
      };
    }
    if (isRecord(input)) return { input };
    return { error: { code: TaskErrorCode.CONVERTOR, message: "convertor_code gives no object." } };
  }
}

function isPreparing(code: string | undefined): boolean {
  return code === TaskErrorCode.REFERENCE || code === TaskErrorCode.CONVERTOR;
}

/** How a task ended, for people: its output or its error. */
export function outcomeOf({ status, output, error }: TaskRecord): unknown {
  return { status, ...(status === "completed" ? { output } : { error }) };
}
