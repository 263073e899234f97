import { scanReferences } from "../../references/collect-references.ts";
import type { PathSegment, Reference } from "../../references/reference.ts";

/** `step[2].data.*.id`: the number of the step, and the path in its outcome. */
export interface StepTemplate {
  readonly index: number;
  readonly path: readonly PathSegment[];
}

/** A reference of this dialect, or undefined when it does not begin with `step[N]`. */
export function stepTemplate({ name, path }: Reference): StepTemplate | undefined {
  const [first, ...rest] = path;
  return name === "step" && first && "index" in first ? { index: first.index, path: rest } : undefined;
}

/** Numbers of the steps that a value refers to at any depth, each once, ascending. */
export function inferStepDependencies(value: unknown): number[] {
  const found = new Set<number>();
  for (const { reference } of scanReferences(value).references) {
    const step = stepTemplate(reference);
    if (step) found.add(step.index);
  }
  return [...found].sort((a, b) => a - b);
}
