import { type ExecutionKind, type PlannerTask, planHashes, resourcePin, type TaskData } from "@planloom/plan";
import type { Registry } from "../executors/registry.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";
import type { AnswerBook } from "./answer-book.ts";

export interface DeskOptions {
  /** For a nested plan: the id of the task it is in, within the whole run. */
  readonly path?: string | undefined;
  /** What answers are bound to, by task id. @default the content hash within the plan */
  readonly hashOf?: ((taskId: string) => string) | undefined;
}

/**
 * Knows which tasks need a person's approval and what was answered. An answer holds for one task with one content: when the
 * task, or anything it depends on, is planned anew, it is asked again. Hashes are made when the first gate is met.
 */
export class ApprovalDesk {
  readonly book: AnswerBook;
  /** Before the ids of its tasks, to have their ids within the whole run. */
  readonly prefix: string;
  #plan: TaskData;
  /** By number; of a revised plan, those that were replaced too. */
  #tasks: readonly PlannerTask[];
  readonly #resources: ReadonlySet<string>;
  readonly #hashOf: DeskOptions["hashOf"];
  /** Tasks that name a guarded resource themselves. */
  readonly #guarded = new Set<number>();
  #hashes: ReadonlyMap<string, { readonly content_hash: string }> | undefined;

  /**
   * @param resources `kind:uid` of those whose every use needs approval.
   * @param book shared by a run and all that is nested in it.
   */
  constructor(plan: TaskData, resources: ReadonlySet<string>, book: AnswerBook, { path, hashOf }: DeskOptions = {}) {
    this.#plan = plan;
    this.#tasks = plan.planned_tasks;
    this.#resources = resources;
    this.book = book;
    this.prefix = path === undefined ? "" : `${path}/`;
    this.#hashOf = hashOf;
  }

  /** 1 for the tasks that are known to need approval before anything was bound; undefined when none does. */
  gates(known: Registry): Uint8Array | undefined {
    let gates: Uint8Array | undefined;
    const tasks = this.#tasks;
    for (let task = 0; task < tasks.length; task++) {
      if (!this.#needsApproval(task, known)) continue;
      gates ??= new Uint8Array(tasks.length);
      gates[task] = 1;
    }
    return gates;
  }

  /**
   * The plan was changed; `tasks` are those of the run by number. What was answered holds as far as contents are the same.
   * @returns the tasks that need approval and are new or have another content
   */
  revise(plan: TaskData, tasks: readonly PlannerTask[], known: Registry): number[] {
    const before = this.#hashes;
    const first = this.#tasks.length;
    const old = this.#tasks;
    this.#plan = plan;
    this.#tasks = tasks;
    this.#hashes = undefined;
    const now = new Set(plan.planned_tasks.map(({ task_id }) => task_id));
    const asked: number[] = [];
    for (let task = 0; task < tasks.length; task++) {
      if (!now.has(tasks[task]!.task_id) || !this.#needsApproval(task, known)) continue;
      const same = task < first && before?.get(old[task]!.task_id)?.content_hash === this.contentHash(task);
      if (!same) asked.push(task);
    }
    return asked;
  }

  #needsApproval(task: number, known: Registry): boolean {
    const planned = this.#tasks[task]!;
    const guarded = this.#isForGuarded(planned, known);
    if (guarded) this.#guarded.add(task);
    return guarded || planned.approval === "required";
  }

  /** True when Stage 2 chose a resource that needs approval and nobody approved this one for the task. */
  mustAsk(task: number, kind: ExecutionKind, uid: string): boolean {
    if (this.#resources.size === 0 || !this.#resources.has(`${kind}:${uid}`)) return false;
    const answer = this.#find(task);
    return answer?.answer !== "approve" || !this.#isAbout(answer, task, uid);
  }

  /** @param uid the resource that was chosen, where one was. */
  answerFor(task: number, uid: string | undefined): ApprovalAnswer["answer"] | undefined {
    const answer = this.#find(task);
    if (answer === undefined) return undefined;
    const holds = answer.answer === "deny" || uid === undefined || this.#isAbout(answer, task, uid);
    return holds ? answer.answer : undefined;
  }

  contentHash(task: number): string {
    const { task_id } = this.#tasks[task]!;
    if (this.#hashOf !== undefined) return this.#hashOf(task_id);
    this.#hashes ??= planHashes(this.#plan);
    return this.#hashes.get(task_id)!.content_hash;
  }

  #find(task: number): ApprovalAnswer | undefined {
    if (this.book.version === 0) return undefined;
    return this.book.find(`${this.prefix}${this.#tasks[task]!.task_id}`, this.contentHash(task));
  }

  /** A yes given before Stage 2 had chosen is no yes to what it chose, unless the task itself names the resource. */
  #isAbout(answer: ApprovalAnswer, task: number, uid: string): boolean {
    return answer.uid === uid || (answer.uid === undefined && this.#guarded.has(task));
  }

  #isForGuarded(task: PlannerTask, known: Registry): boolean {
    if (this.#resources.size === 0) return false;
    const { kind, uid } = resourcePin(task);
    const resource = kind !== undefined && uid !== undefined ? known.find(kind, uid)?.resource : undefined;
    return resource !== undefined && this.#resources.has(`${resource.kind}:${resource.id}`);
  }
}
