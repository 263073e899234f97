import {
  elementId,
  elementNames,
  escapeText,
  indexName,
  isAboutElements,
  type PlannerTask,
  type ReferenceLookup,
  repeatText,
  resourcePin,
  withoutCallText,
} from "@planloom/plan";
import { TaskState } from "../core/task-state.ts";
import type { RunEvent } from "../events.ts";
import type { TaskRecord } from "../journal/journal.ts";
import { type WaitingCall, waitingCalls } from "../journal/waiting-call.ts";
import { type NestedPlace, nestedKey } from "../nested-keeping.ts";
import type { ElementCounts } from "../run-result.ts";
import type { TaskError } from "../task-error.ts";
import { taskResult } from "../task-execution/build-result.ts";
import type { ElementRun, ElementStore, ElementsResult } from "../task-execution/shell-parts.ts";
import { isLeftOut } from "../task-execution/task-ends.ts";
import { makeRecord } from "../task-execution/task-record.ts";
import { clearTask } from "../task-execution/task-table.ts";
import type { Session } from "./session.ts";

/** Events of single elements that are passed on. */
const heard: ReadonlySet<RunEvent["type"]> = new Set(["task-error", "task-waiting", "task-approve", "task-wait"]);

/** At most one progress message in so many milliseconds. */
const progressEveryMs = 100;

/** The elements of one list: what each number means, what each has given, and how many have ended. */
export class Elements implements ElementStore {
  readonly taskId: string;
  readonly hasTasks: boolean;
  /** What an element's task is made of. */
  readonly template: PlannerTask;
  /** 1 for elements that ended before and are not begun again; absent where there are none. */
  readonly done: Uint8Array | undefined;
  /** Elements that people were asked about in an earlier session, by id. */
  readonly asked = new Map<string, TaskRecord>();
  readonly #run: ElementRun;
  readonly #place: NestedPlace;
  readonly #records: Map<string, TaskRecord>;
  /** Keys of elements that ended without being completed, and are not tried again. */
  readonly #lostKeys: Set<string>;
  /** The elements that ended so in this shell. */
  readonly #ended = new Map<number, Pick<TaskRecord, "status"> & { readonly error: TaskError }>();
  #lost = 0;
  readonly #itemName: string;
  readonly #failedAs: "null" | "error";
  readonly #outputs: unknown[];
  /** 1 for elements that are completed. */
  readonly #completed: Uint8Array;
  readonly #counts = { completed: 0, failed: 0, skipped: 0 };
  /** Index of the element of each number. */
  #indexes = new Int32Array(0);
  #session: Session | undefined;
  #startedAt = 0;
  #firstLost: { readonly index: number; readonly error: TaskError } | undefined;
  #workMs = 0;
  #longestMs = 0;
  #notifiedMs = Number.NEGATIVE_INFINITY;

  /** @param uid the resource that executes the tasks of an element, where it has any of its own */
  constructor(
    planned: PlannerTask,
    run: ElementRun,
    place: NestedPlace,
    { records, lost }: { readonly records: Map<string, TaskRecord>; readonly lost: Set<string> },
    uid: string | undefined,
  ) {
    const { for_each, when, on_failure: _, result_variable: __, join: ___, ...rest } = planned;
    this.taskId = planned.task_id;
    this.hasTasks = uid !== undefined;
    this.template = {
      ...rest,
      dependencies: [],
      mark_replan: false,
      ...(when !== undefined && isAboutElements(planned) && { when }),
      // Each of its tasks has the run's attempts; attempts of the whole element multiply them, so that only the task itself may ask for some.
      ...(uid !== undefined && { retry: planned.retry ?? { max_attempts: 1 }, ...asGroup(uid, planned) }),
    };
    this.#run = run;
    this.#place = place;
    this.#records = records;
    this.#lostKeys = lost;
    this.#itemName = elementNames(planned)[0]!;
    this.#failedAs = for_each!.failed_as ?? "null";
    this.#outputs = new Array<unknown>(run.items.length).fill(null);
    this.#completed = new Uint8Array(run.items.length);
    this.done = this.#restore();
  }

  /** How many elements have not ended. */
  get left(): number {
    const { completed, failed, skipped } = this.#counts;
    return this.#run.items.length - completed - failed - skipped;
  }

  /** How many have failed, or were skipped otherwise than by what the plan says of them. */
  get lost(): number {
    return this.#lost;
  }

  get counts(): ElementCounts {
    return { total: this.#run.items.length, ...this.#counts };
  }

  completed(index: number): { readonly output: unknown } | undefined {
    return this.#completed[index] === 1 ? { output: this.#outputs[index] } : undefined;
  }

  attach(session: Session, startedAt: number): void {
    this.#session = session;
    this.#startedAt = startedAt;
    this.#indexes = new Int32Array(session.plan.table.tasks.length).fill(-1);
  }

  idOf(number: number): string {
    const index = this.#indexes[number] ?? -1;
    return index === -1 ? "" : elementId(this.taskId, index);
  }

  /** The number that means an element now; -1 if none does. */
  numberOf(index: number): number {
    return this.#indexes.indexOf(index);
  }

  lookupOf(number: number): ReferenceLookup {
    const index = this.#indexes[number]!;
    const { items, lookup } = this.#run;
    return (name) => {
      if (name === this.#itemName) return { found: true, value: items[index] };
      return name === indexName ? { found: true, value: index } : lookup(name);
    };
  }

  begin(number: number, index: number): void {
    const { table } = this.#session!.plan;
    this.#indexes[number] = index;
    const id = elementId(this.taskId, index);
    clearTask(table, number);
    // The list is this run's own, and the table, the approvals and the plan share it.
    (table.tasks as PlannerTask[])[number] = { ...this.template, task_id: id };
    const usage = this.#recordOf(id)?.usage;
    if (usage !== undefined) table.usage.set(number, usage);
  }

  end(number: number, index: number, state: number): void {
    const { table } = this.#session!.plan;
    this.#workMs += table.slotMs[number]!;
    this.#longestMs = Math.max(this.#longestMs, table.longestMs.get(number) ?? table.durationMs[number]!);
    if (state === TaskState.COMPLETED) {
      this.#outputs[index] = table.outputs.get(number);
      this.#completed[index] = 1;
      this.#counts.completed++;
    } else if (state === TaskState.FAILED || state === TaskState.SKIPPED) {
      this.#lose(index, state === TaskState.FAILED ? "failed" : "skipped", table.errors[number]!);
    }
    const now = performance.now();
    if (now - this.#notifiedMs < progressEveryMs) return;
    this.#notifiedMs = now;
    this.#notify();
  }

  #lose(index: number, status: "failed" | "skipped", error: TaskError): void {
    this.#counts[status]++;
    this.#ended.set(index, { status, error });
    const isLost = status === "failed" || !isLeftOut(error);
    if (isLost) this.#lost++;
    if (isLost && (this.#firstLost === undefined || index < this.#firstLost.index)) this.#firstLost = { index, error };
    if (this.#failedAs === "error") this.#outputs[index] = { error: { code: error.code, message: error.message } };
  }

  /** Only those events of single elements are sent that a person may want to act on. */
  hear(event: RunEvent): void {
    if (heard.has(event.type)) this.#run.onProgress?.({ nested: event });
  }

  /** The calls that wait for a person, after the shell has ended; what the elements have done is known when the task continues. */
  waiting(): WaitingCall[] {
    const { state, table, approvals } = this.#session!.plan;
    this.remember();
    for (const [index, { status, error }] of this.#ended) this.#keep(index, { status, error });
    const inOrder = [...this.#indexes.keys()].sort((one, other) => this.#indexes[one]! - this.#indexes[other]!);
    return inOrder.flatMap((number) => {
      if (state.state[number] === TaskState.ASLEEP) {
        const inner = waitingCalls(table.errors[number]);
        if (inner.length > 0) return inner;
        return [{ id: approvals.idOf(number), content_hash: "", wait: table.sleeping.get(number) ?? {} }];
      }
      if (state.state[number] !== TaskState.GATED) return [];
      this.#records.set(
        nestedKey(this.#place, this.idOf(number)),
        makeRecord(number, "waiting_approval", state, table, this.#startedAt),
      );
      const inner = waitingCalls(table.errors[number]);
      if (inner.length > 0) return inner;
      const {
        uid,
        input,
        content_hash = approvals.contentHash(number),
        question,
      } = taskResult(number, state, table, undefined);
      const about = { ...(uid !== undefined && { uid }), ...(input !== undefined && { input }) };
      return [{ ...question, id: approvals.idOf(number), content_hash, ...about }];
    });
  }

  /** Keeps what is completed for the next time that this list, or one that continues with it, is executed in this session. */
  remember(): void {
    for (const [index, output] of this.#outputs.entries()) this.#remember(index, output);
  }

  result(
    endReason: ElementsResult["endReason"],
    waiting: readonly WaitingCall[],
    answersKnown: number,
    usage: ElementsResult["usage"],
  ): ElementsResult {
    this.#notify();
    const lost = this.#firstLost;
    return {
      endReason,
      outputs: this.#outputs,
      counts: this.counts,
      firstLost: lost && { id: elementId(this.taskId, lost.index), error: lost.error },
      waiting,
      answersKnown,
      usage,
      workMs: this.#workMs,
      longestMs: this.#longestMs,
    };
  }

  #notify(): void {
    this.#run.onProgress?.({ elements: this.counts });
  }

  #recordOf(id: string): TaskRecord | undefined {
    return this.#records.size === 0 ? undefined : this.#records.get(nestedKey(this.#place, id));
  }

  /** Takes over what earlier sessions recorded. */
  #restore(): Uint8Array | undefined {
    const { given } = this.#run;
    for (const [index, output] of given) {
      this.#completed[index] = 1;
      this.#outputs[index] = output;
      this.#counts.completed++;
    }
    for (let index = 0; index < this.#run.items.length && this.#records.size > 0; index++) {
      if (given.has(index)) continue;
      const id = elementId(this.taskId, index);
      const record = this.#recordOf(id);
      if (record?.status === "completed") {
        this.#completed[index] = 1;
        this.#outputs[index] = record.output ?? null;
        this.#counts.completed++;
      } else if (record?.error !== undefined && this.#lostKeys.has(nestedKey(this.#place, id))) {
        this.#lose(index, record.status === "failed" ? "failed" : "skipped", record.error);
      } else if (record?.question !== undefined) this.asked.set(id, record);
    }
    if (this.left === this.#run.items.length) return undefined;
    const done = this.#completed.slice();
    for (const index of this.#ended.keys()) done[index] = 1;
    return done;
  }

  /** A suspended task is begun again in the same session; its completed elements are not. */
  #remember(index: number, output: unknown): void {
    if (this.#completed[index] === 0 || this.#run.given.has(index)) return;
    this.#keep(index, { status: "completed", output });
  }

  #keep(index: number, ended: Pick<TaskRecord, "status" | "output" | "error">): void {
    const task_id = elementId(this.taskId, index);
    const key = nestedKey(this.#place, task_id);
    const before = this.#records.get(key);
    if (ended.status !== "completed") this.#lostKeys.add(key);
    if (before?.status === ended.status) return;
    const { usage } = before ?? {};
    const unknown = { input_hash: "", attempts: 1, started_at: 0, duration_ms: 0 };
    this.#records.set(key, { task_id, ...unknown, ...ended, ...(usage !== undefined && { usage }) });
  }
}

/** The fields of a task that is executed by its own tasks, which are given the element and its place. */
function asGroup(uid: string, planned: PlannerTask) {
  const given = Object.fromEntries(elementNames(planned).map((name) => [name, `\${${name}}`]));
  const open = { tool_id: null, function_id: null, agent_id: null, convertor_code: null };
  return { execution_type: "dsl" as const, ...open, parameters: { uid, ...shownCalls(planned) }, arguments: given };
}

/** Characters of an output that a plan states that a person is shown: the output may be of any size. */
const maxShownOutput = 500;

/** Where a person is asked about each element: the calls in it, as texts with references as the plan has them. */
function shownCalls({ approval, for_each }: PlannerTask): { readonly calls?: readonly string[] } {
  if (approval !== "required") return {};
  return { calls: callTexts(for_each?.tasks ?? []) };
}

function callTexts(tasks: readonly PlannerTask[]): readonly string[] {
  return tasks.flatMap((inner) => {
    const { task_id, status, output, for_each, when, convertor_code, retry_until } = inner;
    if (status === "completed") {
      return [
        escapeText(
          `${task_id}: not called, the plan has its output: ${(JSON.stringify(output) ?? "null").slice(0, maxShownOutput)}`,
        ),
      ];
    }
    const condition = when === undefined ? [] : [`only when ${when.condition}`];
    if (for_each?.tasks !== undefined) {
      const head = [`${task_id}: for each of ${JSON.stringify(for_each.items)}`, ...condition];
      return [escapeText(head.join(" | ")), ...callTexts(for_each.tasks)];
    }
    const { kind = "", uid = "chosen later" } = resourcePin(inner);
    const { uid: _, ...parameters } = inner.parameters;
    const parts = [
      `${task_id}: ${withoutCallText(inner) ?? `${kind} ${uid} ${JSON.stringify(inner.arguments)}`}`,
      ...(for_each === undefined ? [] : [`for each of ${JSON.stringify(for_each.items)}`]),
      ...condition,
      ...(convertor_code ? [convertor_code] : []),
      ...(Object.keys(parameters).length > 0 ? [`parameters ${JSON.stringify(parameters)}`] : []),
      ...(retry_until === undefined ? [] : [repeatText(retry_until)]),
    ];
    return [escapeText(parts.join(" | "))];
  });
}
