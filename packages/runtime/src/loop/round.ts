import { planExecuteDependencies } from "@planloom/plan/internals";
import type { ReplanWhen } from "./loop-options.ts";
import type { LoopPlan } from "./session.ts";

/** A step that a round executes. */
export interface RoundStep {
  /** Its place in the plan, from 0. */
  readonly index: number;
  readonly step: string;
  /** Places of the steps of the same round that it waits for. */
  readonly needs: readonly number[];
}

/**
 * The steps of a plan to execute before the replanner is asked: those that wait for nothing, the first k that can be executed
 * one after the other, or all. In plan order; each waits only for steps of the round. O(steps + dependencies).
 */
export function stepsOfRound(plan: LoopPlan, when: ReplanWhen): RoundStep[] {
  const dependencies = planExecuteDependencies(plan);
  const limit = when === "failure" ? Number.POSITIVE_INFINITY : when === "always" ? 0 : when.every;
  const chosen = new Set<number>();
  if (limit === 0) {
    for (const [index, needed] of dependencies.entries()) if (needed.length === 0) chosen.add(index);
  } else {
    const dependents = dependencies.map((): number[] => []);
    const missing = dependencies.map((needed) => needed.length);
    for (const [index, needed] of dependencies.entries()) for (const each of needed) dependents[each]!.push(index);
    const ready = missing.flatMap((count, index) => (count === 0 ? [index] : []));
    for (let at = 0; at < ready.length && chosen.size < limit; at++) {
      chosen.add(ready[at]!);
      for (const next of dependents[ready[at]!]!) {
        missing[next]!--;
        if (missing[next] === 0) ready.push(next);
      }
    }
  }
  return [...chosen]
    .sort((a, b) => a - b)
    .map((index) => ({ index, step: plan.steps[index]!, needs: dependencies[index]! }));
}

/** Places of steps that no other step of the round waits for. */
export function lastSteps(round: readonly RoundStep[]): number[] {
  const needed = new Set(round.flatMap(({ needs }) => needs));
  return round.flatMap(({ index }) => (needed.has(index) ? [] : [index]));
}

const mostEarlier = 50;

/** For each step of a round the steps that it waits for, directly or not, in plan order; the nearest 50 of them. */
export function earlierSteps(round: readonly RoundStep[]): Map<number, RoundStep[]> {
  const byIndex = new Map(round.map((each) => [each.index, each]));
  return new Map(
    round.map(({ index, needs }) => {
      const found = new Set(needs);
      for (const each of found) {
        if (found.size >= mostEarlier) break;
        for (const further of byIndex.get(each)!.needs) found.add(further);
      }
      return [index, [...found].sort((a, b) => a - b).map((each) => byIndex.get(each)!)];
    }),
  );
}
