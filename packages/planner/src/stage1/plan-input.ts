import { Job, type JobInput, recogniseDialect } from "@planloom/plan";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { goalText } from "../prompts/describe-job.ts";

/** Characters of a whole job as JSON. A goal is a sentence or a page; what is larger belongs into a file that a tool reads. */
export const maxGoalCharacters = 100_000;
/** Characters of a prompt that a caller wrote (`task_description` alone). */
export const maxDescriptionCharacters = 4_000_000;

/** A job as the Agents Planning System's methods take it: every part optional. */
export type JobParts = Partial<JobInput> & { readonly task_description?: string };

/** What `createPlan` takes: a goal in words, a job, or the whole prompt text as `task_description` alone. */
export type PlanInput = string | JobParts;

/** What is to be planned, checked. */
export interface CheckedInput {
  /** The goal as one text. */
  readonly goal: string;
  /** Absent when only a prompt text is known. */
  readonly job?: Job;
  readonly taskDescription: string;
  /** The prompt text, where the caller wrote or prepared it whole. */
  readonly prompt?: string;
}

/** A job and its block as `prepareJobData` made them. */
export interface PreparedJob {
  readonly job: Job;
  readonly block: string;
}

/**
 * @param prepared what the planner holds; a text with its block in it is that planner's own description, handed back (the Agents Planning System),
 *   and no goal in words.
 * @throws PlannerError INPUT_INVALID, GOAL_EMPTY, GOAL_TOO_LARGE
 */
export function checkPlanInput(input: PlanInput, prepared?: PreparedJob): CheckedInput {
  const parts = typeof input === "string" ? { job_goal: input } : input;
  refusePlanOfOthers(parts);
  if (typeof parts !== "object" || parts === null || Array.isArray(parts)) {
    throw new PlannerError(
      PlannerErrorCode.INPUT_INVALID,
      `Expected a goal in words, a job {job_goal, job_objectives, job_steerability_data} or {task_description}, got ${input === null ? "null" : Array.isArray(input) ? "a list" : typeof input}.`,
    );
  }
  const description = parts.task_description ?? "";
  if (typeof description !== "string") {
    throw new PlannerError(
      PlannerErrorCode.INPUT_INVALID,
      `Expected \`task_description\` to be text, got ${typeof description}.`,
      { details: { issues: [{ path: "task_description", message: "not a string" }] } },
    );
  }
  const noJob =
    parts.job_goal === undefined && parts.job_objectives === undefined && parts.job_steerability_data === undefined;
  const prompt = typeof input === "string" ? input : noJob ? description : undefined;
  if (prepared !== undefined && prompt?.includes(prepared.block) === true) {
    const { job } = prepared;
    return { goal: goalText(job.job_goal), job, taskDescription: "", prompt: checkPrompt(prompt) };
  }
  if (noJob && prompt === "" && "tasks" in parts)
    throw emptyGoal(
      "there is no `job_goal`, only `tasks`. A plan lists its tasks in `planned_tasks`, which is perhaps meant",
    );
  if (noJob) return { goal: firstLine(description), taskDescription: "", prompt: checkPrompt(description) };
  const job = checkJob(parts);
  return { goal: goalText(job.job_goal), job, taskDescription: checkPrompt(description, true) };
}

/** A plan of another system would be taken for a goal that says nothing. @throws PlannerError INPUT_INVALID */
function refusePlanOfOthers(input: unknown): void {
  if (typeof input !== "object" || input === null || "tasks" in input || "planned_tasks" in input) return;
  const dialect = recogniseDialect(input);
  if (dialect === undefined) return;
  throw new PlannerError(
    PlannerErrorCode.INPUT_INVALID,
    `Expected a goal, got a plan in the form of ${dialect.name}. \`readPlan\` of planloom/plan reads it, and what it gives can be run.`,
  );
}

/** @throws PlannerError INPUT_INVALID, GOAL_EMPTY, GOAL_TOO_LARGE */
export function checkJob(parts: JobParts): Job {
  const parsed = Job.safeParse({
    job_goal: parts.job_goal ?? "",
    job_objectives: parts.job_objectives ?? {},
    job_steerability_data: parts.job_steerability_data ?? {},
  });
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
    throw new PlannerError(
      PlannerErrorCode.INPUT_INVALID,
      `The job has the wrong shape: ${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")}.`,
      { details: { issues } },
    );
  }
  checkSize("The job", jobJson(parsed.data).length, maxGoalCharacters);
  if (goalText(parsed.data.job_goal) === "") throw emptyGoal("`job_goal` is empty");
  return parsed.data;
}

function checkPrompt(text: string, mayBeEmpty = false): string {
  if (!mayBeEmpty && text.trim() === "") throw emptyGoal("`task_description` is empty and there is no `job_goal`");
  checkSize("The task description", text.length, maxDescriptionCharacters);
  return text;
}

function jobJson(job: Job): string {
  try {
    return JSON.stringify(job);
  } catch (cause) {
    throw new PlannerError(PlannerErrorCode.INPUT_INVALID, `The job is not JSON: ${String(cause)}.`, { cause });
  }
}

function checkSize(what: string, characters: number, maxCharacters: number): void {
  if (characters <= maxCharacters) return;
  throw new PlannerError(
    PlannerErrorCode.GOAL_TOO_LARGE,
    `${what} has ${characters} characters; at most ${maxCharacters} are read. Put bulk data where a tool can read it and name it in the goal.`,
    { details: { characters, maxCharacters } },
  );
}

function emptyGoal(what: string): PlannerError {
  return new PlannerError(
    PlannerErrorCode.GOAL_EMPTY,
    `There is nothing to plan: ${what}. Say what is to be done, for example "List the open orders, then their invoices".`,
  );
}

function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? "";
}
