import { joinSections, type PlannerPrompts } from "../prompts/planner-prompts.ts";
import type { SubPlanner } from "./sub-planners.ts";

const openRequest = "Choose what is to execute the task and write its input.";
const answerFormat = 'Answer with {"uid", "input_data", "plan"}: the id, the input in its schema, and why.';

/** The whole Stage 2 prompt: what to do, the resources block, the task block, the input as data. */
export function describeStep(
  subPlanner: SubPlanner | undefined,
  resourcesBlock: string,
  taskBlock: string,
  input: Readonly<Record<string, unknown>> | undefined,
  prompts: PlannerPrompts,
): string {
  return joinSections([
    `${subPlanner?.request ?? openRequest} ${answerFormat}`,
    resourcesBlock,
    taskBlock,
    inputBlock(input, prompts),
  ]);
}

/** The same in sections, for a controller that writes the request and describes the resources itself: the task last. */
export function stepSections(
  taskBlock: string,
  input: Readonly<Record<string, unknown>>,
  prompts: PlannerPrompts,
): readonly string[] {
  return [inputBlock(input, prompts), taskBlock].filter((section) => section !== "");
}

function inputBlock(input: Readonly<Record<string, unknown>> | undefined, prompts: PlannerPrompts): string {
  return input === undefined || Object.keys(input).length === 0 ? "" : prompts.input(input);
}
