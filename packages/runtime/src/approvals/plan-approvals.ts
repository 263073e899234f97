import { type PlannerTask, planHashes, resourcePin, type TaskData } from "@planloom/plan";
import { withOpenInnerTasks } from "@planloom/plan/internals";
import type { ConfirmPolicy } from "../confirm.ts";
import type { Registry } from "../executors/registry.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";
import type { AnswerStore } from "./answer-store.ts";
import { type Question, questionOf } from "./question.ts";

/** The calls that people are asked about, in addition to those of tasks with a gate of their own. */
export interface ApprovalPolicy {
  /** `kind:uid` of resources whose every use needs approval. */
  readonly resources: ReadonlySet<string>;
  /** Which other calls a person confirms. */
  readonly confirm: ConfirmPolicy;
}

export interface PlanApprovalsOptions {
  /** For a nested plan: the id of the task it is in, within the whole run. */
  readonly path?: string | undefined;
  /** The content hash of a task of the plan. @default the one within the plan */
  readonly hashOf?: ((taskId: string) => string) | undefined;
  /** How long an approval holds, in milliseconds. @default Infinity */
  readonly expiresAfterMs?: number | undefined;
  /** True where all calls of the plan were approved already: it makes exactly the call that a person approved. */
  readonly isCovered?: boolean | undefined;
}

/**
 * Knows which tasks need a person's approval and what was answered. A question is asked of a step that is ready for its executor,
 * and an answer holds for that step: for the plan, the resource and the input it was given for. Hashes are made when the first
 * gate is met.
 */
export class PlanApprovals {
  readonly answers: AnswerStore;
  /** Before the ids of its tasks, to have their ids within the whole run. */
  readonly prefix: string;
  #plan: TaskData;
  /** By number; of a revised plan, those that were replaced too. */
  #tasks: readonly PlannerTask[];
  readonly #policy: ApprovalPolicy;
  readonly #hashOf: PlanApprovalsOptions["hashOf"];
  readonly #expiresAfterMs: number;
  /** True where all calls of the plan were approved already. */
  readonly isCovered: boolean;
  /** The fault of `confirm` because of which a person is asked, by task. */
  readonly #confirmFaults = new Map<number, string>();
  #hashes: ReadonlyMap<string, { readonly content_hash: string }> | undefined;

  /**
   * @param answers shared by a run and all that is nested in it.
   */
  constructor(plan: TaskData, policy: ApprovalPolicy, answers: AnswerStore, options: PlanApprovalsOptions = {}) {
    const { path, hashOf, expiresAfterMs = Number.POSITIVE_INFINITY, isCovered = false } = options;
    this.#plan = plan;
    this.#tasks = plan.planned_tasks;
    this.#policy = policy;
    this.answers = answers;
    this.prefix = path === undefined ? "" : `${path}/`;
    this.#hashOf = hashOf;
    this.#expiresAfterMs = expiresAfterMs;
    this.isCovered = isCovered;
  }

  /** The plan as it is now. */
  get plan(): TaskData {
    return this.#plan;
  }

  /** True for a task that is known to need approval before anything was bound, itself or what it executes for each element of a list. */
  willAsk(task: number, known: Registry): boolean {
    return withOpenInnerTasks([this.#tasks[task]!]).some((each) => this.#willAskAbout(each, known));
  }

  #willAskAbout(planned: PlannerTask, known: Registry): boolean {
    if (planned.approval === "required") return true;
    const { kind, uid } = resourcePin(planned);
    const entry = kind !== undefined && uid !== undefined ? known.find(kind, uid) : undefined;
    if (entry === undefined) return false;
    const { resource } = entry;
    if (this.#policy.resources.has(`${resource.kind}:${resource.id}`)) return true;
    return this.#policy.confirm.asksAbout(planned, entry, planned.arguments);
  }

  /** The plan was changed; `tasks` are those of the run by number. */
  revise(plan: TaskData, tasks: readonly PlannerTask[]): void {
    this.#plan = plan;
    this.#tasks = tasks;
    this.#hashes = undefined;
  }

  /** True where a person must approve the task's step: it has a gate, or the run's policy has such calls confirmed. */
  needsApproval(task: number, prepared: PreparedStep): boolean {
    if (this.isCovered) return false;
    if (this.isGated(task, prepared)) return true;
    const { confirm } = this.#policy;
    const asks = confirm.asksAbout(prepared.task, prepared, prepared.step.input_data);
    if (confirm.fault !== undefined) this.#confirmFaults.set(task, confirm.fault);
    else if (this.#confirmFaults.size > 0) this.#confirmFaults.delete(task);
    return asks;
  }

  /** True where the task or its resource has a gate; confirmation is not considered. */
  isGated(task: number, { kind, resource }: Pick<PreparedStep, "kind" | "resource">): boolean {
    if (this.isCovered) return false;
    if (this.#tasks[task]!.approval === "required") return true;
    return this.#policy.resources.size > 0 && this.#policy.resources.has(`${kind}:${resource.id}`);
  }

  /** What a person is asked about a step that is ready. */
  questionAbout(task: number, prepared: PreparedStep): Question {
    const question = questionOf(prepared, this.contentHash(task), this.#plan);
    const fault = this.#confirmFaults.get(task);
    return fault === undefined ? question : { ...question, confirm_error: fault };
  }

  /** The answer that holds for a question now; a yes with `edited_from` of its hash is one to an edited input. */
  answerTo(task: number, { content_hash }: Pick<Question, "content_hash">): ApprovalAnswer | undefined {
    if (this.answers.version === 0) return undefined;
    const id = this.idOf(task);
    const own = this.answers.find(id, content_hash);
    if (own?.answer === "deny") return own;
    // A no that came after a yes to an edited input is one to the question that was edited.
    const first = own?.edited_from === undefined ? undefined : this.answers.find(id, own.edited_from);
    if (first?.answer === "deny") return first;
    const edit = this.answers.findEdit(id, content_hash);
    const last = edit ?? own;
    return last === undefined || this.#hasExpired(last) ? undefined : last;
  }

  /** Of a task, within the whole run. */
  idOf(task: number): string {
    return `${this.prefix}${this.#tasks[task]!.task_id}`;
  }

  /** The task's content hash within its plan. */
  contentHash(task: number): string {
    const { task_id } = this.#tasks[task]!;
    if (this.#hashOf !== undefined) return this.#hashOf(task_id);
    this.#hashes ??= planHashes(this.#plan);
    return this.#hashes.get(task_id)!.content_hash;
  }

  #hasExpired({ answered_at }: ApprovalAnswer): boolean {
    if (this.#expiresAfterMs === Number.POSITIVE_INFINITY) return false;
    const answeredMs = Date.parse(answered_at);
    // A yes of unknown age does not count.
    return !(Date.now() - answeredMs < this.#expiresAfterMs);
  }
}
