import { isRecord, recogniseDialect } from "@planloom/plan";

/** Keys under which answers hold their tasks, in the order in which they are tried. */
const wrappers = ["planned_tasks", "tasks", "plan", "steps", "subtasks", "data", "result"] as const;
const maxDepth = 3;

/**
 * The part of an answer that some dialect reads as a plan: the answer itself, or the value of one of the usual keys.
 * A bare list of texts, of records or of nothing is made a plan that a dialect knows. `undefined` when there is none.
 */
export function findPlan(value: unknown, depth = 0): unknown {
  if (recogniseDialect(value) !== undefined) return value;
  if (Array.isArray(value)) {
    const wrapped =
      value.length > 0 && value.every((step) => typeof step === "string") ? { steps: value } : { tasks: value };
    return value.every((step) => typeof step === "string" || isRecord(step)) ? wrapped : undefined;
  }
  if (!isRecord(value) || depth >= maxDepth) return undefined;
  for (const key of wrappers) {
    const found = Object.hasOwn(value, key) ? findPlan(value[key], depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
