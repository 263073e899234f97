import { canonicalText } from "./canonical-text.ts";

/**
 * Counts calls of one resource with one input that go beyond what the plan itself asks for: repeated attempts, and tasks of
 * nested plans. The number of tasks in a plan is known when it is run, so their first attempts do not count as a runaway,
 * however alike they are; that also spares their inputs from being hashed.
 */
export class RunawayGuard {
  readonly #limit: number;
  readonly #calls = new Map<string, number>();

  /** @param limit such calls of one resource with one input; `Infinity` for none. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts the call, unless it is one too many. False when it is. */
  allows(resource: string, input: Readonly<Record<string, unknown>>): boolean {
    if (this.#limit === Number.POSITIVE_INFINITY) return true;
    const key = `${resource}\n${canonicalText(input)}`;
    const calls = this.#calls.get(key) ?? 0;
    if (calls >= this.#limit) return false;
    this.#calls.set(key, calls + 1);
    return true;
  }

  /** A call that was counted does not count after all. */
  forget(resource: string, input: Readonly<Record<string, unknown>>): void {
    const key = `${resource}\n${canonicalText(input)}`;
    const calls = this.#calls.get(key);
    if (calls !== undefined) this.#calls.set(key, calls - 1);
  }
}
