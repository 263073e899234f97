import { isRecord, type Job } from "@planloom/plan";

/** The goal as a sentence: a plain text, the `goal`, `objective` or `description` of a record, else its JSON. */
export function goalText(goal: Job["job_goal"]): string {
  if (typeof goal === "string") return goal.trim();
  for (const key of ["goal", "objective", "description", "query"]) {
    const text = Object.hasOwn(goal, key) ? goal[key] : undefined;
    if (typeof text === "string" && text.trim() !== "") return text.trim();
  }
  return Object.keys(goal).length === 0 ? "" : JSON.stringify(goal);
}

/** The job block of a prompt: goal, then objectives and steerability where there are any. */
export function describeJob(job: Job): string {
  const lines = ["## Job", `Goal: ${valueText(job.job_goal)}`];
  if (Object.keys(job.job_objectives).length > 0) lines.push("Objectives:", ...entryLines(job.job_objectives));
  if (Object.keys(job.job_steerability_data).length > 0) {
    lines.push("Steerability (constraints and preferences):", ...entryLines(job.job_steerability_data));
  }
  return lines.join("\n");
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (isRecord(value)) {
    const entries = Object.entries(value);
    const [only] = entries;
    if (entries.length === 1 && only !== undefined && typeof only[1] === "string") return only[1].trim();
  }
  return JSON.stringify(value) ?? "null";
}

function entryLines(record: Record<string, unknown>): string[] {
  return Object.entries(record).map(
    ([key, value]) => `- ${key}: ${typeof value === "string" ? value : (JSON.stringify(value) ?? "null")}`,
  );
}
