import { isRecord, type JobInput } from "@planloom/plan";
import { isVerb } from "./language/text/actions.ts";
import { auxiliaries, fillers, pronouns } from "./language/text/lexicon.ts";

/** A job as the text that is planned and the settings that only steer it. */
export interface JobText {
  readonly text: string;
  /** Names and values from objectives and steerability data that are not sentences. */
  readonly settings: readonly { readonly name: string; readonly value: string | number | boolean }[];
}

/**
 * A goal and its objectives as lines of text. An objective that begins with a verb is asked for; a short value under a name
 * (`{max_rows: 50}`) is a setting for any task that has such a parameter.
 */
export function readJob(job: JobInput | string): JobText {
  if (typeof job === "string") return { text: job, settings: [] };
  const lines: string[] = [];
  const settings: JobText["settings"][number][] = [];
  const read = (value: unknown, name: string, asks: boolean, depth: number): void => {
    if (depth > 5 || lines.length + settings.length > 500) return;
    if (typeof value === "string") {
      if (asks || isRequest(value)) lines.push(value);
      else settings.push({ name, value });
    } else if (typeof value === "number" || typeof value === "boolean") settings.push({ name, value });
    else if (Array.isArray(value))
      for (const each of value) read(each, name, typeof each === "string" && each.includes(" "), depth + 1);
    else if (isRecord(value))
      for (const [key, each] of Object.entries(value))
        read(each, key, asks && goalNames.has(key.toLowerCase()), depth + 1);
  };
  if (typeof job.job_goal === "string") lines.push(job.job_goal);
  else if (isRecord(job.job_goal)) {
    const named = Object.entries(job.job_goal).some(([key]) => goalNames.has(key.toLowerCase()));
    for (const [key, value] of Object.entries(job.job_goal))
      read(value, key, named ? goalNames.has(key.toLowerCase()) : true, 1);
  }
  const goals = lines.length;
  read(job.job_objectives ?? {}, "", false, 0);
  // Constraints are settings: their sentences ("use only verified sources") ask for no task.
  const objectives = lines.slice(goals);
  read(job.job_steerability_data ?? {}, "", false, 0);
  return { text: [...lines.slice(0, goals), ...objectives].join("\n"), settings };
}

/**
 * "Summarise the findings" asks for something; "a ranking, and figures for each branch" says what counts as done, which
 * is for those who judge the result.
 */
function isRequest(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const first = words
    .slice(0, 6)
    .find((word) => !fillers.has(word) && !pronouns.has(word) && !auxiliaries.has(word) && word !== "to");
  return words.length > 2 && first !== undefined && isVerb(first);
}

const goalNames: ReadonlySet<string> = new Set([
  "goal",
  "objective",
  "objectives",
  "task",
  "tasks",
  "query",
  "request",
  "description",
  "question",
  "text",
  "title",
  "summary",
]);
