import { isRecord } from "@planloom/plan";

/** Small whole numbers are counts, indexes and flags more often than data. */
const freeUpTo = 10;
/** A value with more numbers is a table, and is not searched: that would cost more than it helps. */
const mostNumbers = 100_000;

/**
 * Remembers every number of the goal, the variables, the run's input and outputs, to find numbers in an input that a
 * model made up. Numbers within texts are remembered, but only JSON numbers of the input are checked: a text may be a
 * date. Whole numbers up to 10 are never looked at.
 */
export class GroundedNumbers {
  readonly #known = new Set<number>();

  add(value: unknown): void {
    visit(value, true, (number) => {
      if (this.#known.size < mostNumbers) this.#known.add(number);
      return false;
    });
  }

  /** The first number in `input` that is not known. */
  findUngrounded(input: unknown): number | undefined {
    let found: number | undefined;
    visit(input, false, (number) => {
      if ((Number.isInteger(number) && Math.abs(number) <= freeUpTo) || this.#known.has(number)) return false;
      found = number;
      return true;
    });
    return found;
  }
}

/** Shows every number to `see`, until it says that it has seen enough. No recursion: outputs may be deep. */
function visit(value: unknown, texts: boolean, see: (number: number) => boolean): void {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "number") {
      if (see(next)) return;
    } else if (typeof next === "string") {
      if (!texts) continue;
      for (const [text] of next.matchAll(/-?\d{1,15}(?:\.\d{1,15})?/g)) if (see(Number(text))) return;
    } else if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (isRecord(next)) for (const key of Object.keys(next)) pending.push(next[key]);
  }
}
