import type { Executor } from "@planloom/plan";

/** Executors of the tasks of an element. A person is asked about each call that these tasks make, and not about the element. */
const known = new WeakSet<Executor>();

export function noteOfElements(executor: Executor): void {
  known.add(executor);
}

/** True for the executor of the tasks of an element. */
export function isOfElements(executor: Executor): boolean {
  return known.has(executor);
}
