import type { ApprovalAnswer } from "../journal/journal.ts";

/**
 * The answers of people in a run and all runs nested in it. Listeners get each further answer. A no is final: no later
 * yes to the same question changes it. Of several approvals the last counts.
 */
export class AnswerStore {
  /** By question. */
  readonly #answers = new Map<string, ApprovalAnswer>();
  /** Approvals with another input, by the question whose input was edited. */
  readonly #edits = new Map<string, ApprovalAnswer>();
  /** When a question was last answered. */
  readonly #versions = new Map<string, number>();
  /** Ids of the calls that a person said yes to. */
  readonly #approved = new Set<string>();
  readonly #listeners = new Set<(answer: ApprovalAnswer) => void>();
  #version = 0;
  /** True once a person was asked and had not answered yet. */
  asked = false;
  /** Adds what is kept in the journal by now; undefined where the answers are in no journal, or another process reads it. */
  read: (() => Promise<void>) | undefined;

  /** Grows with every answer; 0 before the first. */
  get version(): number {
    return this.#version;
  }

  /** Adds an answer. Listeners do not get one that is known already. */
  add(answer: ApprovalAnswer): void {
    const { task_id, content_hash, edited_from, answered_at } = answer;
    const key = keyOf(task_id, content_hash);
    const before = this.#answers.get(key);
    if (before?.answer === "deny") return;
    if (before?.answered_at === answered_at && before.answer === answer.answer) return;
    this.#answers.set(key, answer);
    if (answer.answer === "approve") this.#approved.add(task_id);
    this.#versions.set(key, ++this.#version);
    // By the order of coming: clocks of processes differ, and two answers may have one time.
    this.#edits.delete(key);
    if (edited_from !== undefined && answer.input !== undefined) {
      const edited = keyOf(task_id, edited_from);
      this.#edits.set(edited, answer);
      this.#versions.set(edited, this.#version);
    }
    for (const listener of [...this.#listeners]) listener(answer);
  }

  /** Whether a person ever said yes to a call of this id, whatever it was asked with. */
  hasYesTo(id: string): boolean {
    return this.#approved.has(id);
  }

  /** @param id of the task within the whole run. */
  find(id: string, contentHash: string): ApprovalAnswer | undefined {
    return this.#answers.get(keyOf(id, contentHash));
  }

  /** A yes to the same with another input, unless an answer to the same itself came after it. */
  findEdit(id: string, contentHash: string): ApprovalAnswer | undefined {
    return this.#edits.get(keyOf(id, contentHash));
  }

  /** True when one of the calls was answered after `version`. */
  hasNews(calls: readonly { readonly id: string; readonly content_hash: string }[], version: number): boolean {
    if (this.#version === version) return false;
    return calls.some(({ id, content_hash }) => (this.#versions.get(keyOf(id, content_hash)) ?? 0) > version);
  }

  /** In the order of coming. */
  all(): ApprovalAnswer[] {
    const versionOf = ({ task_id, content_hash }: ApprovalAnswer) =>
      this.#versions.get(keyOf(task_id, content_hash)) ?? 0;
    return [...this.#answers.values()].sort((a, b) => versionOf(a) - versionOf(b));
  }

  /** @returns stops listening. */
  listen(listener: (answer: ApprovalAnswer) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function keyOf(id: string, contentHash: string): string {
  return `${contentHash} ${id}`;
}
