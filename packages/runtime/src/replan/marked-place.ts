import { elementId, findPlace, type PlannerTask, readElementId } from "@planloom/plan";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { ReplanWithin } from "../ports/replan-policy.ts";
import type { TaskTable } from "../task-execution/task-table.ts";
import type { EndsWithin } from "./ends-within.ts";
import type { ReplanRequest } from "./replan-triggers.ts";

export type Numbered = { readonly state: RunState; readonly table: TaskTable };

/** What an address means in a run: a task, an element of a list, or what is within one. */
export type MarkedPlace = Required<Pick<ReplanRequest, "task">> & Pick<ReplanRequest, "element" | "within">;

/** Finds what an address means among the tasks that are not replaced; undefined where it means none of them. */
export function markedPlace(run: Numbered, address: string): MarkedPlace | undefined {
  const { state, table } = run;
  const id = presentAddress(table.tasks, address);
  const { steps, rest } = findPlace(table.tasks, id);
  const [first] = steps;
  if (rest !== "" || first === undefined) return undefined;
  const { task_id } = first.task;
  const element = first.index === undefined ? undefined : elementId(task_id, first.index);
  const place = inPresentList(run, {
    task: state.view.indexOf(task_id),
    ...(element !== undefined && { element }),
    ...(element !== undefined && steps.length > 1 && { within: id.slice(element.length + 1) }),
  });
  return state.state[place.task] === TaskState.REPLACED ? undefined : place;
}

/** An element of a list that was replaced in an earlier session, so that no task has its id, is one of the list that continues with it. */
function presentAddress(tasks: readonly PlannerTask[], address: string): string {
  if (findPlace(tasks, address).steps.length > 0) return address;
  for (const { task_id, for_each } of tasks) {
    const gone = for_each?.continues?.find((list) => address.startsWith(`${list}[`));
    if (gone !== undefined) return task_id + address.slice(gone.length);
  }
  return address;
}

/** @param id as the person named the place */
export function markRequest(place: MarkedPlace, id: string, note: string | undefined): ReplanRequest {
  return { ...place, cause: "person", required: true, mark: id, ...(note && { message: note }) };
}

/** An element whose list was replaced, since another element of it was, as an element of the list that continues with it. */
export function inPresentList<Place extends Pick<ReplanRequest, "task" | "element">>(
  { state, table }: Numbered,
  request: Place,
): Place {
  const { task, element } = request;
  if (task === undefined || element === undefined || state.state[task] !== TaskState.REPLACED) return request;
  const { taskId, index } = readElementId(element)!;
  const continues = ({ for_each }: PlannerTask, number: number) =>
    state.state[number] !== TaskState.REPLACED && for_each?.continues?.includes(taskId) === true;
  const present = table.tasks.findIndex(continues);
  if (present === -1) return request;
  return { ...request, task: present, element: elementId(table.tasks[present]!.task_id, index) };
}

/** What is asked for an element, as asked for the task that it has become; or why it cannot be. @param id of that task */
export function inOwnTask({ state, table }: Numbered, request: ReplanRequest, id: string): ReplanRequest | string {
  const { element, ...rest } = request;
  const task = state.view.indexOf(id);
  const { within } = rest;
  if (within === undefined) return { ...rest, task };
  if (findPlace(table.tasks[task]!.for_each?.tasks ?? [], within).rest === "")
    return { ...rest, task, recordedAs: recordedNames(table.tasks[request.task!]!, element!) };
  return `The element "${element}" is executed by task "${id}" now, which has no "${within}" within it. Mark "${id}".`;
}

/** The ids that an element has in a list, and in those that the list continues with, oldest first. */
export function recordedNames({ task_id, for_each }: PlannerTask, element: string): string[] {
  const { index } = readElementId(element)!;
  return [...(for_each?.continues ?? []), task_id].map((id) => elementId(id, index));
}

/** What a replan is handed of requests that are about what is within elements, by addresses in the tasks that execute these alone. */
export function regionWithin(
  { table }: Numbered,
  requests: readonly ReplanRequest[],
  ends: EndsWithin,
): ReplanWithin | undefined {
  const outputs = new Map<string, unknown>();
  const failures: EndsWithin["failures"] = new Map();
  const marked = requests.flatMap(({ task, within, recordedAs = [] }) => {
    if (task === undefined || within === undefined) return [];
    const own = elementId(table.tasks[task]!.task_id, 0);
    for (const name of [...recordedAs, own]) {
      readdress(ends.outputs, outputs, `${name}/`, `${own}/`);
      readdress(ends.failures, failures, `${name}/`, `${own}/`);
    }
    return [`${own}/${within}`];
  });
  return marked.length === 0 ? undefined : { marked, outputs, failures };
}

function readdress<Value>(
  from: ReadonlyMap<string, Value>,
  to: Map<string, Value>,
  before: string,
  after: string,
): void {
  for (const [address, value] of from)
    if (address.startsWith(before)) to.set(after + address.slice(before.length), value);
}
