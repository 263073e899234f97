import type { AttemptFeedback } from "@planloom/controller";
import type { PlanningContext, Resource } from "@planloom/plan";
import { type ShownResources, shownInPart } from "../prompt-size/fit-request.ts";
import { joinSections, type PlannerPrompts } from "../prompts/planner-prompts.ts";
import { type CheckedInput, checkJob, type JobParts, type PreparedJob } from "./plan-input.ts";

/** What a description says beside the job. */
export interface DescriptionContext {
  readonly context: PlanningContext | undefined;
  readonly instructions: string | undefined;
}

/**
 * The text that a planner sends: job, resources, notes, task and what is remembered, each a section written by the planner's prompts.
 * A caller may build it step by step; for a request it is written again, with the resources that fit.
 */
export class PlanDescription {
  readonly #prompts: PlannerPrompts;
  readonly #resources: readonly Resource[];
  readonly #notes = new Map<string, string>();
  /** Sections that were prepared; the order in which `whole` joins them is fixed. */
  readonly #sections = { resources: "", task: "" };
  #job: PreparedJob | undefined;

  constructor(prompts: PlannerPrompts, resources: readonly Resource[]) {
    this.#prompts = prompts;
    this.#resources = resources;
  }

  /** The job that was described last, with its text. */
  get job(): PreparedJob | undefined {
    return this.#job;
  }

  get notes(): readonly string[] {
    return [...this.#notes.values()];
  }

  /** @throws PlannerError INPUT_INVALID, GOAL_EMPTY, GOAL_TOO_LARGE */
  describeJob(job: JobParts): string {
    const checked = checkJob(job);
    const block = this.#prompts.job(checked);
    this.#job = { job: checked, block };
    return block;
  }

  describeResources(): string {
    this.#sections.resources = this.#prompts.resources(this.#resources);
    return this.#sections.resources;
  }

  /** @returns the section that was added */
  addTask(text: string): string {
    const block = this.#prompts.task(text);
    this.#sections.task = joinSections([this.#sections.task, block]);
    return block;
  }

  withoutTask(): void {
    this.#sections.task = "";
  }

  /** An empty text removes the note. */
  setNote(key: string, text: string): void {
    if (text === "") this.#notes.delete(key);
    else this.#notes.set(key, text);
  }

  /** All that was prepared so far. */
  whole(): string {
    const { resources, task } = this.#sections;
    return joinSections([this.#job?.block ?? "", resources, this.#prompts.notes(this.#notes), task]);
  }

  /** The text of a request: the description of the input, the instructions, and what was wrong with the answers before. */
  requestText(
    checked: CheckedInput,
    { context, instructions }: DescriptionContext,
    feedback: readonly AttemptFeedback[],
    shown: ShownResources,
  ): string {
    return joinSections([
      this.#inputText(checked, context, shown),
      instructionsText(instructions),
      this.#prompts.feedback(feedback),
    ]);
  }

  /** The same without the resources, as sections which a controller may put in an order of its own. */
  requestSections(
    { job, taskDescription }: CheckedInput,
    { context, instructions }: DescriptionContext,
    feedback: readonly AttemptFeedback[],
  ): readonly string[] {
    const sections = [
      this.#prompts.context(context),
      this.#prompts.notes(this.#notes),
      this.#prompts.task(taskDescription),
      instructionsText(instructions),
      this.#prompts.feedback(feedback),
      job === undefined ? "" : this.#prompts.job(job),
    ];
    return sections.filter((section) => section !== "");
  }

  #inputText(checked: CheckedInput, context: PlanningContext | undefined, shown: ShownResources): string {
    const { job, prompt } = checked;
    const resources = this.#prompts.resources(shown.resources, shown.leftOut);
    if (prompt !== undefined || job === undefined) {
      // If the description is this planner's own, the prepared block of resources can be found in it and replaced.
      const prepared = this.#sections.resources;
      const text = shownInPart(shown) && prepared !== "" ? prompt?.replace(prepared, () => resources) : prompt;
      return joinSections([text ?? "", this.#prompts.context(context)]);
    }
    return joinSections([
      this.#prompts.job(job),
      resources,
      this.#prompts.notes(this.#notes),
      this.#prompts.task(checked.taskDescription),
      this.#prompts.context(context),
    ]);
  }
}

const instructionsText = (instructions: string | undefined) =>
  instructions === undefined ? "" : `## Instructions\n${instructions}`;
