import type { ApprovalAnswer } from "../journal/journal.ts";

/** What people answered, for a run and all that is nested in it; tells those who wait when more comes. */
export class AnswerBook {
  readonly #answers = new Map<string, { readonly answer: ApprovalAnswer; readonly version: number }>();
  readonly #listeners = new Set<(answer: ApprovalAnswer) => void>();
  #version = 0;
  /** True once somebody was asked and had not answered yet. */
  asked = false;

  /** Grows with every answer; 0 before the first. */
  get version(): number {
    return this.#version;
  }

  /** The last answer for a task and content counts; one that is there already is not told again. */
  add(answer: ApprovalAnswer): void {
    const key = keyOf(answer.task_id, answer.content_hash);
    const before = this.#answers.get(key)?.answer;
    if (before?.answered_at === answer.answered_at && before.answer === answer.answer) return;
    this.#answers.set(key, { answer, version: ++this.#version });
    for (const listener of [...this.#listeners]) listener(answer);
  }

  /** @param id of the task within the whole run. */
  find(id: string, contentHash: string): ApprovalAnswer | undefined {
    return this.#answers.get(keyOf(id, contentHash))?.answer;
  }

  /** True when one of the calls was answered after `version`. */
  hasNews(calls: readonly { readonly id: string; readonly content_hash: string }[], version: number): boolean {
    if (this.#version === version) return false;
    return calls.some(({ id, content_hash }) => (this.#answers.get(keyOf(id, content_hash))?.version ?? 0) > version);
  }

  /** In the order of coming. */
  all(): ApprovalAnswer[] {
    return [...this.#answers.values()].sort((a, b) => a.version - b.version).map(({ answer }) => answer);
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
