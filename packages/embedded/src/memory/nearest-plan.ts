import type { Resource } from "@planloom/plan";
import { type ClockOptions, readClock } from "../language/temporal/calendar.ts";
import { essential, type GoalUnit, isLinking, readUnits } from "./goal-units.ts";
import { isOffered, type RememberedPlan } from "./remembered-plan.ts";

/**
 * The remembered plan whose goal has most words in common with this one: an example for a model, not the plan. Undefined where none has
 * `minShared` of the words of both in common.
 */
export function nearestPlan(
  remembered: readonly RememberedPlan[],
  goal: string,
  resources: readonly Resource[],
  options: ClockOptions & { readonly minShared: number },
): RememberedPlan | undefined {
  const { minShared, ...clock } = options;
  const read = readClock(clock);
  const words = (text: string) => wordsOf(readUnits(text, read) ?? []);
  const own = words(goal);
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  let nearest: { plan: RememberedPlan; shared: number } | undefined;
  for (const plan of remembered) {
    const shared = sharedPart(own, words(plan.goal));
    if (shared < minShared || shared <= (nearest?.shared ?? 0) || !isOffered(plan, byId)) continue;
    nearest = { plan, shared };
  }
  return nearest?.plan;
}

const wordsOf = (units: readonly GoalUnit[]): ReadonlySet<string> =>
  new Set(
    essential(units)
      .filter((unit) => unit.kind === "word" && /\p{L}/u.test(unit.text) && !isLinking(unit))
      .map(({ key }) => key),
  );

/** Twice what both have, of what each has (Dice). */
function sharedPart(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const common = [...left].filter((word) => right.has(word)).length;
  return common === 0 ? 0 : (2 * common) / (left.size + right.size);
}
