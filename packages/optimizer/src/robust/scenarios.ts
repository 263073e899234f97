import type { PlanView } from "@planloom/plan";
import { inverseNormal } from "./inverse-normal.ts";
import type { Uncertainty } from "./uncertainty.ts";

/**
 * Durations of all tasks, scenario by scenario. Common random numbers: what a task takes in a scenario depends on the seed, the scenario and the task's number
 * alone, so all groupings meet the same luck. Antithetic: the second of each pair has one minus the uniform number of the first. O(tasks) each.
 * @param ids of the tasks, by their numbers in `view`.
 */
export function scenarios(
  view: PlanView,
  ids: readonly string[],
  { sigma = 1, samples = {}, draw }: Uncertainty,
  count: number,
  seed: number,
): Float64Array[] {
  const spread = (id: string) => (typeof sigma === "number" ? sigma : Object.hasOwn(sigma, id) ? sigma[id]! : 1);
  const known = ids.map((id) =>
    Object.hasOwn(samples, id) ? samples[id]!.toSorted((one, two) => one - two) : undefined,
  );
  const spreads = Float64Array.from(ids, spread);
  return Array.from({ length: count }, (_, scenario) => {
    const work = new Float64Array(view.n);
    for (let v = 0; v < view.n; v++) {
      const first = uniform(seed, scenario >> 1, v);
      const chance = scenario % 2 === 0 ? first : 1 - first;
      const estimate = view.work[v]!;
      const own = draw?.(ids[v]!, chance, estimate);
      const list = known[v];
      if (own !== undefined) work[v] = Number.isFinite(own) && own >= 0 ? own : estimate;
      else if (list !== undefined) work[v] = list[Math.floor(chance * list.length)]!;
      else work[v] = estimate * Math.exp(spreads[v]! * inverseNormal(chance) - (spreads[v]! * spreads[v]!) / 2);
    }
    return work;
  });
}

/** In (0, 1), by hashing what decides it. */
function uniform(seed: number, scenario: number, v: number): number {
  let hash = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(scenario + 1, 0x85ebca6b)) + Math.imul(v, 0x27d4eb2f);
  for (let round = 0; round < 2; round++) {
    hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
    hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
    hash ^= hash >>> 15;
  }
  return ((hash >>> 0) + 0.5) / 4_294_967_296;
}
