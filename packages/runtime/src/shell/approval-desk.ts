import { type ExecutionKind, type PlannerTask, planHashes, resourcePin, type TaskData } from "@planloom/plan";
import type { Registry } from "../executors/registry.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";

/**
 * Knows which tasks need a person's approval and what was answered. An answer holds for one task with one content: when the
 * task, or anything it depends on, is planned anew, it is asked again. Hashes are made when the first gate is met.
 */
export class ApprovalDesk {
  readonly #plan: TaskData;
  readonly #resources: ReadonlySet<string>;
  readonly #answers: Map<string, ApprovalAnswer>;
  readonly #prefix: string;
  /** Tasks that name a guarded resource themselves. */
  readonly #guarded = new Set<number>();
  #hashes: ReadonlyMap<string, { readonly content_hash: string }> | undefined;

  /**
   * @param resources `kind:uid` of those whose every use needs approval.
   * @param within for a nested plan: the desk of the run it is in, whose answers count, and the id of the task it is in.
   */
  constructor(
    plan: TaskData,
    resources: ReadonlySet<string>,
    answers: readonly ApprovalAnswer[],
    within?: { readonly desk: ApprovalDesk; readonly path: string },
  ) {
    this.#plan = plan;
    this.#resources = resources;
    this.#answers = within === undefined ? new Map() : within.desk.#answers;
    this.#prefix = within === undefined ? "" : `${within.path}/`;
    if (within === undefined) for (const answer of answers) this.add(answer);
  }

  /** 1 for the tasks that are known to need approval before anything was bound; undefined when none does. */
  gates(known: Registry): Uint8Array | undefined {
    let gates: Uint8Array | undefined;
    const tasks = this.#plan.planned_tasks;
    for (let task = 0; task < tasks.length; task++) {
      const guarded = this.#isForGuarded(tasks[task]!, known);
      if (guarded) this.#guarded.add(task);
      if (tasks[task]!.approval !== "required" && !guarded) continue;
      gates ??= new Uint8Array(tasks.length);
      gates[task] = 1;
    }
    return gates;
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
    this.#hashes ??= planHashes(this.#plan);
    return this.#hashes.get(this.#plan.planned_tasks[task]!.task_id)!.content_hash;
  }

  /** The last answer for a task and content counts. */
  add(answer: ApprovalAnswer): void {
    this.#answers.set(key(answer.task_id, answer.content_hash), answer);
  }

  #find(task: number): ApprovalAnswer | undefined {
    if (this.#answers.size === 0) return undefined;
    const taskId = `${this.#prefix}${this.#plan.planned_tasks[task]!.task_id}`;
    return this.#answers.get(key(taskId, this.contentHash(task)));
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

function key(taskId: string, contentHash: string): string {
  return `${contentHash} ${taskId}`;
}
