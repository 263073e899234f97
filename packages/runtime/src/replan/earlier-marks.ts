import { readElementId, wholeReference } from "@planloom/plan";
import type { StoredRevision } from "../ports/stored-revision.ts";
import { inOwnTask, markedPlace, markRequest, type Numbered } from "./marked-place.ts";
import type { Mark } from "./replan-calls.ts";
import type { ReplanRequest } from "./replan-triggers.ts";

interface EarlierSession {
  /** What people marked, and nothing was decided about. */
  readonly marks: readonly Mark[];
  /** Oldest first. */
  readonly revisions: readonly StoredRevision[];
  /** Addresses of the calls in a list of which it is unknown whether they were carried out. */
  inDoubt(listId: string): readonly string[];
}

/** Marks of earlier sessions, as what is asked for in this one. */
export class EarlierMarks {
  readonly #run: Numbered;
  readonly #session: EarlierSession;
  #later: readonly ReplanRequest[] = [];

  constructor(run: Numbered, session: EarlierSession) {
    this.#run = run;
    this.#session = session;
  }

  /** What is asked for as soon as the run begins. */
  now(): ReplanRequest[] {
    const { marks, revisions } = this.#session;
    const requests = marks.flatMap((mark) => markedBefore(this.#run, mark, revisions.at(-1)) ?? []);
    this.#later = requests.filter((request) => this.#isInDoubt(request));
    return requests.filter((request) => !this.#later.includes(request));
  }

  /** A list was completed: what is asked for elements of it that were in doubt, about which people were asked first. */
  completed(task: number): ReplanRequest[] {
    if (this.#later.length === 0) return [];
    const due = this.#later.filter((request) => request.task === task);
    this.#later = this.#later.filter((request) => request.task !== task);
    return due;
  }

  /** Whether a call of the element was begun, and is in doubt: as a task of its own it would be made again without a question. */
  #isInDoubt({ task, element }: ReplanRequest): boolean {
    if (element === undefined) return false;
    const open = this.#session.inDoubt(this.#run.table.tasks[task!]!.task_id);
    return open.some((address) => address === element || address.startsWith(`${element}/`));
  }
}

/**
 * What a mark of an earlier session means now. An element that became a task of its own, and was not replaced before that session was over, is that task; one that was replaced
 * since is none any more.
 * @param last the last change of that session
 */
function markedBefore(run: Numbered, { id, note }: Mark, last: StoredRevision | undefined): ReplanRequest | undefined {
  const place = markedPlace(run, id);
  if (place === undefined) return undefined;
  const request = markRequest(place, id, note);
  if (place.element === undefined) return request;
  const given = run.table.tasks[place.task]!.for_each?.given?.[readElementId(place.element)!.index];
  if (given === undefined) return request;
  const own = typeof given === "string" ? wholeReference(given)?.name : undefined;
  if (last?.interim !== true || !last.patch.tasks.some(({ task_id }) => task_id === own)) return undefined;
  const within = inOwnTask(run, request, own!);
  return typeof within === "string" ? undefined : within;
}
