import type { ReplanFailure } from "@planloom/controller";
import { mayLeaveElementsOut, readElementId } from "@planloom/plan";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import { withoutTrace } from "../error-trace.ts";
import type { TaskError } from "../task-error.ts";
import type { ElementEnd } from "../task-execution/plan-changes.ts";
import type { TaskTable } from "../task-execution/task-table.ts";

interface SplitElement {
  /** Number of the list. */
  readonly list: number;
  /** Its id (`fetch[42]`). */
  readonly element: string;
}

/** How elements of lists ended that are tasks of their own now. They are not executed again where nothing is put in their place. */
export class ElementEnds {
  readonly #parts: { readonly state: RunState; readonly table: TaskTable };
  /** By the tasks' ids. */
  readonly #ends = new Map<string, ElementEnd>();
  /** Why they failed, as a replanner gets it, by the tasks' ids. */
  readonly #failures = new Map<string, ReplanFailure>();

  constructor(parts: { readonly state: RunState; readonly table: TaskTable }) {
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

  /** Notes how the elements ended, as long as they are in their lists. @returns what keeps that for the tasks that they became */
  read(elements: readonly SplitElement[]): (tasks: ReadonlyMap<string, string>) => void {
    const { table } = this.#parts;
    const ends = elements.flatMap((each) => {
      const { details } = table.errors[each.list] ?? {};
      const error = details?.element === each.element ? (details.error as TaskError | undefined) : undefined;
      const uid = table.uids[each.list];
      const end = error === undefined ? this.#outputOf(each) : { error };
      return end === undefined ? [] : [{ ...each, end, ...(uid !== undefined && { uid }) }];
    });
    return (tasks) => {
      for (const { element, end, uid } of ends) this.#keep(tasks.get(element)!, end, uid);
    };
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

  /** What an element gave, if it is completed. */
  #outputOf({ list, element }: SplitElement): { readonly output: unknown } | undefined {
    const { state, table } = this.#parts;
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
