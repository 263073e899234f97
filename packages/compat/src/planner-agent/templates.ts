import {
  formatPath,
  isRecord,
  PlanError,
  type Reference,
  readPath,
  referenceText,
  resolveReferences,
  scanReferences,
} from "@planloom/plan";
import { dialectError, stepTemplate } from "@planloom/plan/internals";

const dialect = "planner-agent";

/** What a step gave: the tool's output is `data`. */
export interface StepOutcome {
  readonly success?: boolean;
  readonly data?: unknown;
  readonly error?: unknown;
}

/** Whether a value holds `${…}` anywhere, at any depth; one that names no step is a template too, a wrong one. */
export function hasStepTemplate(value: unknown): boolean {
  return scanReferences(value).references.length > 0;
}

/** The templates of a value without their `${}`, each once, in order of first mention. */
export function extractStepTemplates(value: unknown): string[] {
  return [...new Set(scanReferences(value).references.map(({ reference }) => referenceText(reference)))];
}

/**
 * Puts the outcomes of steps in, at any depth and in one pass. A string that is exactly one template keeps the value's type.
 * @throws PlanError DIALECT: step not found, failed, or without a value at the path; a name other than `step[N]`.
 */
export function resolveStepTemplates(value: unknown, outcomes: readonly StepOutcome[]): unknown {
  for (const { reference } of scanReferences(value).references) readStep(reference, outcomes);
  return resolveReferences(value, () => ({ found: true, value: outcomes }));
}

/** Whether all templates of a value can be resolved; `error` is about the first that cannot. */
export function validateStepTemplates(
  value: unknown,
  outcomes: readonly StepOutcome[],
): { valid: true } | { valid: false; error: string } {
  try {
    resolveStepTemplates(value, outcomes);
    return { valid: true };
  } catch (error) {
    if (error instanceof PlanError) return { valid: false, error: error.message };
    throw error;
  }
}

function readStep(reference: Reference, outcomes: readonly StepOutcome[]): void {
  const text = referenceText(reference);
  const step = stepTemplate(reference);
  if (step === undefined) {
    throw dialectError(dialect, `Invalid expression: ${text}. Must start with step[N], as in step[0].data.id.`);
  }
  const outcome = outcomes[step.index];
  if (!isRecord(outcome)) {
    throw dialectError(dialect, `Step ${step.index} not found for ${text}: ${outcomes.length} steps have results.`);
  }
  if (outcome.success === false) {
    const why = typeof outcome.error === "string" ? `: ${outcome.error}` : "";
    throw dialectError(dialect, `Step ${step.index} failed${why}; it has no value for ${text}.`);
  }
  const read = readPath(outcome, step.path, { optional: reference.optional });
  if (read.found || reference.optional) return;
  throw dialectError(
    dialect,
    `Invalid path in step ${step.index}: ${text} has no value at ${JSON.stringify(read.at)} (of ${JSON.stringify(formatPath(step.path))}).`,
  );
}
