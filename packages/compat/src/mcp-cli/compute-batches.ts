import { findCycle, type McpCliStep, PlanError, PlanErrorCode } from "@planloom/plan";
import { stepDependencies, stepIndices } from "@planloom/plan/internals";

/**
 * The indices of steps in batches: each batch depends on earlier ones only; plan order inside. Linear.
 * @throws PlanError DUPLICATE_TASK, UNKNOWN_DEPENDENCY, CYCLE: nothing is dropped or forced.
 */
export function computeBatches(steps: readonly Pick<McpCliStep, "index" | "depends_on">[]): string[][] {
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
          `Expected step ${indices[at]} to depend on steps of the plan, got ${JSON.stringify(dependency)}, which is not one.`,
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
