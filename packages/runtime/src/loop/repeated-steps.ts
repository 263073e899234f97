import { planExecuteDependencies } from "@planloom/plan/internals";
import type { ExecutedStep, LoopPlan } from "./session.ts";

/** A step's text without what two spellings of the same step differ in: case, spaces, a number before it, a stop after it. */
function spelling(step: string): string {
  return step
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/^(?:step )?\d{1,4}[.):] ?/, "")
    .replace(/[.!;]$/, "");
}

/**
 * Leaves out of a plan what was executed with success already, or failed `maxAttempts` times. What waited for such a step does
 * not wait any more. Fields of the plan's own stay as they are. Linear.
 */
export function withoutRepeats(
  plan: LoopPlan,
  executed: readonly ExecutedStep[],
  maxAttempts: number,
): { readonly plan: LoopPlan; readonly repeated: readonly string[] } {
  const failures = new Map<string, number>();
  const done = new Set<string>();
  for (const { step, failed } of executed) {
    const key = spelling(step);
    if (failed) failures.set(key, (failures.get(key) ?? 0) + 1);
    else done.add(key);
  }
  const places = new Map<number, number>();
  const repeated: string[] = [];
  const kept: number[] = [];
  for (const [index, step] of plan.steps.entries()) {
    const key = spelling(step);
    if (done.has(key) || (failures.get(key) ?? 0) >= maxAttempts) {
      repeated.push(step);
      continue;
    }
    places.set(index, kept.length);
    kept.push(index);
  }
  if (repeated.length === 0) return { plan, repeated };
  const steps = kept.map((index) => plan.steps[index]!);
  if (plan.depends_on === undefined) return { plan: { ...plan, steps }, repeated };
  const dependencies = planExecuteDependencies(plan);
  const depends_on = kept.map((index) =>
    dependencies[index]!.flatMap((needed) => {
      const place = places.get(needed);
      return place === undefined ? [] : [place + 1];
    }),
  );
  return { plan: { ...plan, steps, depends_on }, repeated };
}
