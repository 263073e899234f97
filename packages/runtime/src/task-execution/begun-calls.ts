import { isRecord } from "@planloom/plan";
import type { BegunCall, NestedRecord, PendingUsage, TaskRecord } from "../journal/journal.ts";
import { pendingKey } from "../journal/pending-key.ts";
import type { TaskError } from "../task-error.ts";

/** A begun call and the task it is of. Plain JSON. */
export interface BegunPlace extends Pick<PendingUsage, "path" | "scope" | "task_id"> {
  readonly begun: BegunCall;
}

/** Calls of earlier sessions of which it is unknown whether they were carried out, of a run and all that is nested in it. */
export class BegunCalls {
  readonly #calls = new Map<string, BegunPlace>();

  constructor(places: readonly BegunPlace[] = []) {
    for (const place of places) this.#calls.set(pendingKey(place), place);
  }

  find(place: Omit<BegunPlace, "begun">): BegunCall | undefined {
    return this.#calls.size === 0 ? undefined : this.#calls.get(pendingKey(place))?.begun;
  }

  /** A person has said what is to become of it. */
  forget(place: Omit<BegunPlace, "begun">): void {
    this.#calls.delete(pendingKey(place));
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** Those of the run's own tasks with these ids, and of tasks nested in them. */
  within(ids: ReadonlySet<string>): BegunPlace[] {
    return [...this.#calls.values()].filter(({ path, task_id }) => ids.has(path[0] ?? task_id));
  }
}

/**
 * What the journal says of begun calls: those whose tasks have no record since, and those whose tasks wait for an answer about them,
 * were denied, or failed because of them.
 */
export function begunCalls(
  tasks: readonly TaskRecord[],
  nested: readonly NestedRecord[],
  pending: readonly PendingUsage[],
): BegunPlace[] {
  const own = tasks.flatMap((record) => placeOf(record, { path: [] }));
  const inner = nested.flatMap(({ record, path, scope }) => placeOf(record, { path, scope }));
  const open = pending.flatMap(({ path, scope, task_id, begun }) =>
    begun === undefined ? [] : [{ path, ...(scope !== undefined && { scope }), task_id, begun }],
  );
  return [...own, ...inner, ...open];
}

function placeOf({ task_id, status, error }: TaskRecord, place: Pick<BegunPlace, "path" | "scope">): BegunPlace[] {
  const begun = status === "completed" ? undefined : begunOf(error);
  return begun === undefined ? [] : [{ ...place, task_id, begun }];
}

/** The begun call that an error is about. */
function begunOf(error: TaskError | undefined): BegunCall | undefined {
  const begun = error?.details?.begun;
  if (!isRecord(begun)) return undefined;
  const { at, attempt, uid } = begun;
  if (typeof at !== "string" || typeof attempt !== "number" || typeof uid !== "string") return undefined;
  return { at, attempt, uid };
}
