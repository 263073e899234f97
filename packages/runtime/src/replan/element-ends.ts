import type { ReplanFailure } from "@planloom/controller";
import { elementId, mayLeaveElementsOut, readElementId, wholeReference } from "@planloom/plan";
import { hasBegun } from "../core/revise.ts";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import { withoutTrace } from "../error-trace.ts";
import type { NestedRecord, TaskRecord } from "../journal/journal.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { TaskError } from "../task-error.ts";
import type { ElementEnd } from "../task-execution/plan-changes.ts";
import type { TaskTable } from "../task-execution/task-table.ts";
import { recordsWithin } from "./ends-within.ts";
import { recordedNames } from "./marked-place.ts";

export interface SplitElement {
  /** Number of the list. */
  readonly list: number;
  /** Its id (`fetch[42]`). */
  readonly element: string;
}

interface ReadEnds {
  /** Ids of elements. */
  readonly completed: ReadonlySet<string>;
  /** @param tasks ids by elements */
  keep(tasks: ReadonlyMap<string, string>): void;
}

interface ElementEndsParts {
  readonly state: RunState;
  readonly table: TaskTable;
  keptNested(): Promise<readonly NestedRecord[]>;
}

/** How elements of lists ended that are tasks of their own now. They are not executed again where nothing is put in their place. */
export class ElementEnds {
  readonly #parts: ElementEndsParts;
  /** By the tasks' ids. */
  readonly #ends = new Map<string, ElementEnd>();
  /** Why they failed, as a replanner gets it, by the tasks' ids. */
  readonly #failures = new Map<string, ReplanFailure>();

  constructor(parts: ElementEndsParts) {
    this.#parts = parts;
  }

  /** @param task number of a task that is about to be executed for the first time */
  of(task: number): ElementEnd | undefined {
    const { state, table } = this.#parts;
    return state.attempts[task] === 1 ? this.#ends.get(table.tasks[task]!.task_id) : undefined;
  }

  failureOf(taskId: string): ReplanFailure | undefined {
    return this.#failures.get(taskId);
  }

  /** Reads how the elements ended, as long as they are in their lists. @returns which were completed, and what keeps that for the tasks that they became */
  async read(elements: readonly SplitElement[]): Promise<ReadEnds> {
    const { table } = this.#parts;
    const found = elements.map((each) => this.#endOf(each));
    const isKnown = found.every((end) => end !== undefined);
    const records = isKnown ? undefined : recordsWithin(await this.#parts.keptNested());
    const ends = elements.flatMap(({ list, element }, at) => {
      const recorded = records && lastOf(records, recordedNames(table.tasks[list]!, element));
      const end = found[at] ?? (recorded && endOf(recorded));
      const uid = recorded?.uid ?? table.uids[list];
      return end === undefined ? [] : [{ element, end, ...(uid !== undefined && { uid }) }];
    });
    return {
      completed: new Set(ends.flatMap(({ element, end }) => (end.error === undefined ? [element] : []))),
      keep: (tasks) => {
        for (const { element, end, uid } of ends) this.#keep(tasks.get(element)!, end, uid);
      },
    };
  }

  /**
   * In a session that continues an earlier one: the elements that became tasks, which were to be replaced at once, and of which nothing became until
   * that session was over. O(revisions)
   * @param records how elements ended, by address
   */
  restore(earlier: readonly StoredRevision[], records: ReadonlyMap<string, TaskRecord>): void {
    const { state } = this.#parts;
    for (const { patch, interim } of earlier) {
      if (interim !== true) continue;
      for (const { for_each } of patch.tasks) {
        for (const [index, output] of Object.entries(for_each?.given ?? {})) {
          const id = typeof output === "string" ? wholeReference(output)?.name : undefined;
          const task = id === undefined ? -1 : state.view.indexOf(id);
          if (task === -1 || state.state[task] === TaskState.COMPLETED || hasBegun(state, task)) continue;
          const names = (for_each?.continues ?? []).map((list) => elementId(list, Number(index)));
          const recorded = lastOf(records, names);
          const end = recorded && endOf(recorded);
          if (end !== undefined) this.#keep(id!, end, recorded?.uid);
        }
      }
    }
  }

  #keep(id: string, end: ElementEnd, uid: string | undefined): void {
    const { state, table } = this.#parts;
    if (end.error === undefined) {
      // A list of this one element gives a list.
      const isList = table.tasks[state.view.indexOf(id)]?.for_each !== undefined;
      this.#ends.set(id, { output: isList ? [end.output] : end.output });
      return;
    }
    this.#ends.set(id, end);
    this.#failures.set(id, { ...withoutTrace(end.error), ...(uid !== undefined && { uid }) });
  }

  /** How an element ended, as far as this session knows. */
  #endOf({ list, element }: SplitElement): ElementEnd | undefined {
    const { state, table } = this.#parts;
    const { details } = table.errors[list] ?? {};
    if (details?.element === element && details.error !== undefined) return { error: details.error as TaskError };
    const { index } = readElementId(element)!;
    const ended = table.elements.get(list);
    if (ended !== undefined) return ended.completed?.(index);
    // It was completed in an earlier session; where no element may be lost, all are completed.
    const planned = table.tasks[list]!;
    const { on_failure = "all" } = planned.for_each ?? {};
    const outputs = state.state[list] === TaskState.COMPLETED ? table.outputs.get(list) : undefined;
    if (on_failure !== "all" || mayLeaveElementsOut(planned) || !Array.isArray(outputs)) return undefined;
    return { output: outputs[index] as unknown };
  }
}

function endOf({ status, output, error }: TaskRecord): ElementEnd | undefined {
  if (status === "completed") return { output: output ?? null };
  return status === "failed" && error !== undefined ? { error } : undefined;
}

/** @param names of one element, oldest first */
function lastOf(records: ReadonlyMap<string, TaskRecord>, names: readonly string[]): TaskRecord | undefined {
  return names.flatMap((name) => records.get(name) ?? []).at(-1);
}
