import { isRecord, type PlannerTask, resourcePin, withInnerTasks } from "@planloom/plan";
import { hasBegun } from "../core/revise.ts";
import type { RunState } from "../core/run-state.ts";
import { isTerminal } from "../core/task-state.ts";
import type { Budget } from "../ports/amounts.ts";
import type { ReplanSettings } from "../ports/replan-policy.ts";
import type { ReplanCause } from "../ports/stored-revision.ts";
import { type TaskError, TaskErrorCode } from "../task-error.ts";
import type { TaskTable } from "../task-execution/task-table.ts";
import { Forecast } from "./forecast.ts";
import type { LiveRegistry, ResourceChanges } from "./live-registry.ts";

/** That a part of a plan is to be changed, and why. */
export interface ReplanRequest {
  /** Absent: all that has not begun. */
  readonly task?: number;
  /** The element of the list `task` that it is about (`fetch[42]`). Absent: the whole task. */
  readonly element?: string;
  /** What is within that element, by its address in it (`in[1]`). Absent: the whole element. */
  readonly within?: string;
  /** The element as the journal has it: its ids in the lists that it was in. Absent as long as it is in its list. */
  readonly recordedAs?: readonly string[];
  readonly cause: ReplanCause;
  readonly message?: string;
  /** What a person marked, as it was named. */
  readonly mark?: string;
  /** It cannot stay as it is. */
  readonly required: boolean;
}

export interface ReplanTriggersParts {
  readonly state: RunState;
  readonly table: TaskTable;
  readonly settings: ReplanSettings;
  readonly registry: LiveRegistry;
  readonly concurrency: number;
  readonly budget: Budget | undefined;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
}

const outputCodes: ReadonlySet<string> = new Set([
  TaskErrorCode.OUTPUT_INVALID,
  TaskErrorCode.OUTPUT_NOT_JSON,
  TaskErrorCode.OUTPUT_TOO_LARGE,
]);
const gone: ReadonlySet<string> = new Set([TaskErrorCode.RESOURCE_NOT_FOUND, TaskErrorCode.UNAVAILABLE]);

/** What in a run calls for a change of its plan, by the settings: marks, failures, resources that change, reviews, deadlines and budgets. It asks for nothing itself. */
export class ReplanTriggers {
  readonly #parts: ReplanTriggersParts;
  #completed = 0;
  #forecast: Forecast | undefined;
  #isForecastSaid = false;

  constructor(parts: ReplanTriggersParts) {
    this.#parts = parts;
  }

  /** At the start of a run: the tasks that the plan marks. */
  marked(): ReplanRequest[] {
    const { settings, table } = this.#parts;
    if (settings.on.has("deadline") || settings.on.has("budget")) this.#forecast = this.#makeForecast();
    if (!settings.on.has("marked")) return [];
    return table.tasks.flatMap(({ mark_replan }, task) =>
      mark_replan ? [{ task, cause: "marked" as const, required: true }] : [],
    );
  }

  /** Why a change is to be asked for after a failure; undefined where none is. The resources must have been looked at since. */
  causeOf(task: number, error: TaskError): ReplanCause | undefined {
    const { settings, table, registry } = this.#parts;
    const planned = table.tasks[task]!;
    const { code, details } = planned.for_each === undefined ? error : failureWithin(error);
    if (planned.on_failure === "continue" || planned.on_failure === "halt") return undefined;
    if (gone.has(code) && settings.on.has("resource")) {
      const { kind, uid } = (details ?? {}) as { kind?: unknown; uid?: unknown };
      return registry.neverWasAvailable(String(kind), String(uid)) ? undefined : "resource";
    }
    if (code === TaskErrorCode.UNAVAILABLE) return undefined;
    if (outputCodes.has(code) && settings.on.has("output")) return "output";
    return planned.on_failure === "replan" || settings.on.has("failure") ? "failure" : undefined;
  }

  /** The tasks that have not begun and use what changed. Empty unless the settings replan for resources. */
  usersOf({ changed, gone: lost }: ResourceChanges): ReplanRequest[] {
    const { table, state, registry, settings } = this.#parts;
    if (changed.size === 0 || !settings.on.has("resource")) return [];
    const requests: ReplanRequest[] = [];
    for (let task = 0; task < table.tasks.length; task++) {
      if (isTerminal(state.state[task]!) || hasBegun(state, task)) continue;
      const used = withInnerTasks([table.tasks[task]!]).flatMap((each: PlannerTask) => {
        const { kind, uid } = resourcePin(each);
        if (kind === undefined || uid === undefined) return [];
        const key = `${kind}:${registry.find(kind, uid)?.resource.id ?? uid}`;
        return changed.has(key) ? [{ kind, uid, isLost: lost.has(key) }] : [];
      });
      // Where the tasks of a list use several resources, one that is gone says more than one that has changed.
      const found = used.find(({ isLost }) => isLost) ?? used[0];
      if (found === undefined) continue;
      const { kind, uid, isLost } = found;
      const what = isLost ? "has gone" : "has changed: what it takes or gives, its version, or where it is reached";
      requests.push({ task, cause: "resource", message: `${kind} "${uid}" ${what}.`, required: isLost });
    }
    return requests;
  }

  /** A task was completed: whether all that is left is to be looked at again. */
  completed(task: number): ReplanRequest[] {
    this.#completed++;
    const isReview = this.#completed % this.#parts.settings.every === 0;
    this.#forecast?.ended(task);
    const late = this.#late();
    return [
      ...(isReview ? [{ cause: "review" as const, required: false }] : []),
      ...(late === undefined ? [] : [late]),
    ];
  }

  /** A task ended in any way. */
  ended(task: number): void {
    this.#forecast?.ended(task);
  }

  /** The plan is another one now. */
  planChanged(): void {
    if (this.#forecast === undefined) return;
    this.#forecast = this.#makeForecast();
    this.#isForecastSaid = false;
  }

  /** Whether the run will miss its deadline or its budget; said once for each plan. */
  #late(): ReplanRequest | undefined {
    const { settings, startedAt } = this.#parts;
    if (this.#forecast === undefined || this.#isForecastSaid) return undefined;
    const late = settings.on.has("deadline") ? this.#forecast.deadlineMissed(performance.now() - startedAt) : undefined;
    const dear = settings.on.has("budget") ? this.#forecast.budgetMissed() : undefined;
    const message = late ?? dear;
    if (message === undefined) return undefined;
    this.#isForecastSaid = true;
    return { cause: late === undefined ? "budget" : "deadline", message, required: false };
  }

  #makeForecast(): Forecast {
    const { state, table, settings, concurrency, budget } = this.#parts;
    return new Forecast(state, table, { concurrency, deadlineMs: settings.deadlineMs, budget });
  }
}

/** What failed in the first lost element of a list. */
function failureWithin(error: TaskError): Pick<TaskError, "details"> & { readonly code: string } {
  let found: Pick<TaskError, "details"> & { readonly code: string } = error;
  while (found.code === TaskErrorCode.ELEMENT || found.code === TaskErrorCode.NESTED) {
    const inner = found.details?.error;
    if (!isRecord(inner) || typeof inner.code !== "string") break;
    found = { code: inner.code, ...(isRecord(inner.details) && { details: inner.details }) };
  }
  return found;
}
