import { callNow, checkedAlike } from "@planloom/plan";
import { describeContext } from "./describe-context.ts";
import { describeFeedback } from "./describe-feedback.ts";
import { describeJob } from "./describe-job.ts";
import { describeNotes } from "./describe-notes.ts";
import { describeReplan, describeReplanNote } from "./describe-replan.ts";
import { describeResources } from "./describe-resources.ts";
import { describeInput, describeTask } from "./describe-task.ts";

/** Every text that this package writes for a model; each can be replaced through the option `prompts`. */
export const plannerPrompts = {
  job: describeJob,
  resources: describeResources,
  notes: describeNotes,
  context: describeContext,
  task: describeTask,
  input: describeInput,
  feedback: describeFeedback,
  replan: describeReplan,
  replanNote: describeReplanNote,
};
export type PlannerPrompts = typeof plannerPrompts;

/**
 * The texts with those that the caller replaces, each called through the guarded edge.
 * @throws PlanError CALLBACK (the functions) where one of the caller's throws or gives no text
 */
export function promptsWith(replaced: Partial<PlannerPrompts> = {}): PlannerPrompts {
  const guarded = Object.entries(replaced).flatMap(([name, write]) => {
    if (write === undefined) return [];
    const call = (...given: unknown[]) =>
      callNow(`prompts.${name}`, () => Reflect.apply(write, replaced, given), "a text", isText);
    return [[name, call] as const];
  });
  return { ...plannerPrompts, ...Object.fromEntries(guarded) };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** What is checked of each text. */
export const promptChecks = checkedAlike(Object.keys(plannerPrompts) as (keyof PlannerPrompts)[], "function");

/** The sections of a prompt that say something, a blank line between them. */
export function joinSections(sections: readonly string[]): string {
  return sections.filter((section) => section !== "").join("\n\n");
}
