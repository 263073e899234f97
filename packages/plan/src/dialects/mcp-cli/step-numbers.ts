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
