import type { Step } from "../ports/executor.ts";
import type { Resource } from "../ports/resource.ts";
import { isPlainJson } from "./plain-json.ts";

interface JudgedStep {
  readonly resource: Resource;
  /** The input as JSON text: a step that was changed since has another. */
  readonly text: string;
}

const judged = new WeakMap<Step, JudgedStep>();

/**
 * Remembers that `validateStep(step, resource)` found no error, so that later callers need not validate the same step again. A step
 * with a secret in its input is not remembered, since where a secret may be is for the run to say.
 */
export function rememberJudgedStep(step: Step, resource: Resource): void {
  if (!isPlainJson(step.input_data)) return;
  const text = JSON.stringify(step.input_data);
  if (!text.includes('"$secret"')) judged.set(step, { resource, text });
}

/**
 * Whether this step was found valid for this resource and would be executed with the input that was judged.
 * @param input the copy of the step's input that is executed, as plain JSON.
 */
export function isJudgedStep(step: Step, resource: Resource, input: Readonly<Record<string, unknown>>): boolean {
  const known = judged.get(step);
  return known !== undefined && known.resource === resource && known.text === JSON.stringify(input);
}
