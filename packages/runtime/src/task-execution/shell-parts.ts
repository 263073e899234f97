import type { Executor, ReferenceLookup, TaskData } from "@planloom/plan";
import type { EventSink } from "../event-sink.ts";
import type { EndReason } from "../events.ts";
import type { ApprovedCall } from "../executors/scope.ts";
import type { TaskRecord } from "../journal/journal.ts";
import type { WaitingCall } from "../journal/waiting-call.ts";
import type { ElementCounts, RunResult, Usage } from "../run-result.ts";
import type { TaskError } from "../task-error.ts";
import type { RecordWriter } from "./journal-writer.ts";
import type { PlanChanges } from "./plan-changes.ts";
import type { PlanRun, WholeRun } from "./plan-run.ts";
import type { RunHost } from "./run-host.ts";

/** What a shell is made of: the plan, what its run has in common with others, and what it has around it. */
export interface ShellParts extends WholeRun, PlanRun {
  readonly host: RunHost;
  readonly lookup: ReferenceLookup;
  /** The elements of a list, where the shell executes those rather than the tasks of a plan. */
  readonly elements: ElementStore | undefined;
  readonly events: EventSink;
  /** Changes the plan while it runs; where a policy asks for it. */
  readonly replanning: PlanChanges | undefined;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  makeWriter(onError: (error: unknown) => void): RecordWriter | undefined;
  runNested(
    plan: TaskData,
    input: Readonly<Record<string, unknown>>,
    parent: NestedParent,
    executors: readonly Executor[] | undefined,
  ): Promise<NestedResult>;
  /** Executes a task for each element of a list. */
  runElements(elements: ElementRun): Promise<ElementsResult>;
  /** How a task of a plan nested in task `outer` ended in an earlier session, or before that plan was suspended. */
  recorded(
    outer: string,
    plan: () => TaskData,
    input: Readonly<Record<string, unknown>>,
    taskId: string,
    polls: number,
  ): TaskRecord | undefined;
}

/** What the numbers of a shell mean, where they are elements of a list. */
export interface ElementStore {
  /** Whether an element is executed by tasks of its own (`for_each.tasks`). */
  readonly hasTasks: boolean;
  /** The names that references of the element that a number means may use. */
  lookupOf(number: number): ReferenceLookup;
  /** From now on the number means this element. */
  begin(number: number, index: number): void;
  /** The element has ended as `state`; what is in the table is its. */
  end(number: number, index: number, state: number): void;
}

/** A task that is executed for each element of a list. */
export interface ElementRun {
  /** Number of the task in its plan. */
  readonly task: number;
  readonly items: readonly unknown[];
  /** Outputs of elements that are not executed, by index. */
  readonly given: ReadonlyMap<number, unknown>;
  /** The values of the names that the elements may refer to in addition to their own. */
  readonly lookup: ReferenceLookup;
  readonly signal: AbortSignal;
  /** Absent without a listener. */
  readonly onProgress: ((progress: unknown) => void) | undefined;
}

/** What became of the elements. */
export interface ElementsResult {
  readonly endReason: EndReason;
  /** In the order of the list; what `for_each.failed_as` says for elements that were not completed. */
  readonly outputs: unknown[];
  readonly counts: ElementCounts;
  /** The first element in the order of the list that failed or was skipped. */
  readonly firstLost: { readonly id: string; readonly error: TaskError } | undefined;
  /** Calls that wait for a person. */
  readonly waiting: readonly WaitingCall[];
  readonly answersKnown: number;
  readonly usage: Usage;
  /** Milliseconds in which elements held a slot, added up. */
  readonly workMs: number;
  /** Milliseconds that the longest element took. */
  readonly longestMs: number;
}

/** The task that a nested run is in. */
export interface NestedParent {
  readonly taskId: string;
  /** How often the task's call was made before (`retry_until`). */
  readonly polls: number;
  /** Id of the task within the whole run. */
  readonly path: string;
  readonly keyPrefix: string;
  readonly signal: AbortSignal;
  readonly approved: ApprovedCall | undefined;
  /** The plan makes only the approved call. */
  readonly isCovered: boolean;
  onProgress(progress: unknown): void;
  addUsage(usage: Usage): void;
  /** Milliseconds in which tasks of the nested run held a slot. */
  addWork(workMs: number): void;
}

export interface NestedResult {
  readonly result: RunResult;
  /** Version of the answers that it knew when it ended. */
  readonly answersKnown: number;
}

export interface ShellOutcome {
  readonly endReason: EndReason;
  readonly achievedMs: number;
  readonly usage: Usage;
  /** The journal could not be written, or the lease was lost. */
  readonly fatal: unknown;
  /** Version of the answers that it knew when it ended. */
  readonly answersKnown: number;
}
