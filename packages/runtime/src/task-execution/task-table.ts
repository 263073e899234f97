import type { PlannerTask } from "@planloom/plan";
import type { Question } from "../approvals/question.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { TaskUsage } from "../journal/journal.ts";
import type { WaitView } from "../ports/wait-view.ts";
import type { ElementCounts } from "../run-result.ts";
import type { TaskError } from "../task-error.ts";
import { TaskOutputs } from "./task-outputs.ts";
import { createTimingTable, forgetAttempts, type TimingTable } from "./task-timing.ts";
import { WaitTimes } from "./wait-times.ts";

/** The elements of a list that have ended. */
export interface EndedElements {
  readonly counts: ElementCounts;
  /** What an element gave; undefined for one that is not completed. Absent where another process executed the list. */
  completed?(index: number): { readonly output: unknown } | undefined;
}

/** What the shell remembers of each task, by task number. Statuses are the core's. */
export interface TaskTable {
  readonly tasks: readonly PlannerTask[];
  readonly prepared: (PreparedStep | undefined)[];
  readonly outputs: TaskOutputs;
  /** Size as JSON of inputs of 16 KiB and more, where they were written down. */
  readonly inputBytes: Map<number, number>;
  readonly errors: (TaskError | undefined)[];
  /** The resource that a task without a step was to use. */
  readonly uids: (string | undefined)[];
  /** What tasks wait for that sleep. */
  readonly sleeping: Map<number, WaitView>;
  /** Start of the first attempt, milliseconds since the run began; NaN before. */
  readonly startedMs: Float64Array;
  /** All attempts together, in milliseconds. */
  readonly durationMs: Float64Array;
  /** How long of that time it held a slot; a task that runs a nested plan lends its own, and counts that plan's. */
  readonly slotMs: Float64Array;
  /** 1 for tasks that ended in an earlier session. */
  readonly recorded: Uint8Array;
  /** What tasks used in all sessions, if it is counted. */
  readonly usage: Map<number, TaskUsage>;
  /** How long the longest element of each task with `for_each` took, in milliseconds. */
  readonly longestMs: Map<number, number>;
  /** The groups of limits in which the calls of elements of tasks with `for_each` count, beside that of all tasks. */
  readonly listGroups: Map<number, readonly number[]>;
  /** How many elements of tasks with `for_each` whose lists were read have ended. */
  readonly elements: Map<number, EndedElements>;
  readonly timing: TimingTable;
  readonly waits: WaitTimes;
  /** SHA-256 of what Stage 2 was given, of tasks that were prepared elsewhere. */
  readonly askedHashes: Map<number, string>;
  /** Tasks whose output came from the cache. */
  readonly cached: Set<number>;
  /** The last attempt of tasks of subgraphs that go whole, as their worker reported it. */
  readonly dispatched: Map<number, { readonly attempt: number; readonly uid?: string; readonly startedAt: number }>;
  /** What people were last asked about tasks. */
  readonly questions: Map<number, Question>;
  /** How often subgraphs were split by adaptive dispatch. */
  regroupings: number;
}

export function createTaskTable(tasks: readonly PlannerTask[]): TaskTable {
  const n = tasks.length;
  return {
    tasks,
    prepared: new Array<PreparedStep | undefined>(n).fill(undefined),
    outputs: new TaskOutputs(n),
    inputBytes: new Map(),
    errors: new Array<TaskError | undefined>(n).fill(undefined),
    uids: new Array<string | undefined>(n).fill(undefined),
    startedMs: new Float64Array(n).fill(Number.NaN),
    durationMs: new Float64Array(n),
    slotMs: new Float64Array(n),
    recorded: new Uint8Array(n),
    usage: new Map(),
    longestMs: new Map(),
    listGroups: new Map(),
    elements: new Map(),
    timing: createTimingTable(n),
    waits: new WaitTimes(),
    sleeping: new Map(),
    askedHashes: new Map(),
    cached: new Set(),
    dispatched: new Map(),
    questions: new Map(),
    regroupings: 0,
  };
}

/** Forgets how a task ended that is open again. */
export function forgetEnd(table: TaskTable, number: number): void {
  table.errors[number] = undefined;
  table.recorded[number] = 0;
}

/** Forgets everything about what the number meant. */
export function clearTask(table: TaskTable, number: number): void {
  table.prepared[number] = undefined;
  table.outputs.set(number, undefined);
  table.errors[number] = undefined;
  table.uids[number] = undefined;
  forgetAttempts(table, number);
  table.recorded[number] = 0;
  for (const known of [
    table.inputBytes,
    table.usage,
    table.askedHashes,
    table.cached,
    table.questions,
    table.longestMs,
    table.listGroups,
    table.elements,
    table.sleeping,
  ]) {
    if (known.size > 0) known.delete(number);
  }
}

type GrowingTable = { -readonly [Key in keyof TaskTable]: TaskTable[Key] };

/** Appends tasks, and puts those of `changed` (by number) in the place of what they were before they begin. */
export function growTaskTable(
  table: TaskTable,
  added: readonly PlannerTask[],
  changed: ReadonlyMap<number, PlannerTask>,
): void {
  const fresh = createTaskTable(added);
  const grown = table as GrowingTable;
  const tasks = [...table.tasks, ...added];
  for (const [number, task] of changed) tasks[number] = task;
  grown.tasks = tasks;
  table.prepared.push(...fresh.prepared);
  table.outputs.grow(added.length);
  table.errors.push(...fresh.errors);
  table.uids.push(...fresh.uids);
  grown.startedMs = appended(table.startedMs, fresh.startedMs);
  grown.durationMs = appended(table.durationMs, fresh.durationMs);
  grown.slotMs = appended(table.slotMs, fresh.slotMs);
  const recorded = new Uint8Array(tasks.length);
  recorded.set(table.recorded);
  grown.recorded = recorded;
  grown.timing = { ...table.timing, endedMs: appended(table.timing.endedMs, fresh.timing.endedMs) };
}

function appended(numbers: Float64Array, more: Float64Array): Float64Array {
  const both = new Float64Array(numbers.length + more.length);
  both.set(numbers);
  both.set(more, numbers.length);
  return both;
}
