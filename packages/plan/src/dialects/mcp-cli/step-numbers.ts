import { PlanError, PlanErrorCode } from "../../errors.ts";
import { findCycle } from "../../graph/find-cycle.ts";
import type { McpCliStep } from "./plan-schema.ts";

type Numbered = Pick<McpCliStep, "index" | "depends_on">;

/** The indices of steps as text; one that is missing is its position from 1. */
export function stepIndices(steps: readonly Numbered[]): string[] {
  return steps.map(({ index }, position) => String(index ?? position + 1));
}

/**
 * Dependencies as indices, in both forms that occur. Texts are indices as written. Numbers are positions from 0 where the
 * steps carry no indices, or where a 0 occurs and no step has the index 0 (the form a planning model is asked for);
 * else they are indices too.
 */
export function stepDependencies(steps: readonly Numbered[]): string[][] {
  const known = new Set(stepIndices(steps));
  const indexed = steps.some(({ index }) => index !== undefined);
  const zero = steps.some(({ depends_on }) => depends_on?.some((it) => it === 0));
  const positions = !indexed || (zero && !known.has("0"));
  const shift = (dependency: string | number) =>
    typeof dependency === "number" && positions ? String(dependency + 1) : String(dependency);
  return steps.map(({ depends_on }) => [...new Set(depends_on?.map(shift))]);
}

/**
 * The indices of steps in batches: each batch depends on earlier ones only; plan order inside. Linear.
 * @throws PlanError DUPLICATE_TASK, UNKNOWN_DEPENDENCY, CYCLE: nothing is dropped or forced.
 */
export function computeBatches(steps: readonly Numbered[]): string[][] {
  const indices = stepIndices(steps);
  const dependencies = stepDependencies(steps);
  const position = new Map<string, number>();
  for (const [at, index] of indices.entries()) {
    if (position.has(index)) {
      throw new PlanError(
        PlanErrorCode.DUPLICATE_TASK,
        `Expected every step to have its own index, got ${JSON.stringify(index)} twice.`,
        { details: { task_id: index } },
      );
    }
    position.set(index, at);
  }
  const missing = dependencies.map((it) => it.length);
  const dependents: number[][] = indices.map(() => []);
  for (const [at, needed] of dependencies.entries()) {
    for (const dependency of needed) {
      const source = position.get(dependency);
      if (source === undefined) {
        throw new PlanError(
          PlanErrorCode.UNKNOWN_DEPENDENCY,
          `Expected step ${indices[at]} to depend on steps of the plan, got ${JSON.stringify(dependency)}, which is none.`,
          { details: { task_id: indices[at], dependency } },
        );
      }
      dependents[source]?.push(at);
    }
  }
  const batches: string[][] = [];
  let placed = 0;
  let ready = [...missing.keys()].filter((at) => missing[at] === 0);
  while (ready.length > 0) {
    batches.push(ready.map((at) => indices[at] as string));
    placed += ready.length;
    const next: number[] = [];
    for (const at of ready) {
      for (const dependent of dependents[at] as number[]) {
        missing[dependent] = (missing[dependent] as number) - 1;
        if (missing[dependent] === 0) next.push(dependent);
      }
    }
    ready = next.sort((a, b) => a - b);
  }
  if (placed < indices.length) {
    const path = findCycle(indices, dependencies) ?? [];
    throw new PlanError(PlanErrorCode.CYCLE, `Steps form a cycle: ${path.join(" -> ")}.`, { details: { path } });
  }
  return batches;
}
