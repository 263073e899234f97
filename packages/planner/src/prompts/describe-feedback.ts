import type { AttemptFeedback } from "@planloom/controller";
import type { PlanIssue } from "@planloom/plan";
import { cutText, dataBlock } from "./data-block.ts";

const maxAnswer = 8_000;
const maxIssues = 50;

/**
 * What earlier attempts got wrong, oldest first, for the end of the next prompt. Issues are cumulative; only the latest
 * answer is repeated, so the prompt does not grow with whole plans.
 */
export function describeFeedback(feedback: readonly AttemptFeedback[]): string {
  if (feedback.length === 0) return "";
  const parts = feedback.map(({ attempt, issues }) => {
    const lines = issues.slice(0, maxIssues).map(issueLine);
    if (issues.length > maxIssues) lines.push(`- and ${issues.length - maxIssues} more`);
    return [`Previous attempt failed (attempt ${attempt}). Correct this:`, ...lines].join("\n");
  });
  const answer = feedback.at(-1)?.answer;
  if (answer !== undefined && answer !== "") {
    parts.push(["It answered:", dataBlock("previous_answer", cutText(answer, maxAnswer))].join("\n"));
  }
  return `## Feedback\n${parts.join("\n\n")}`;
}

/** One issue in words, with the legal ways out that validation found. */
export function issueLine(issue: PlanIssue): string {
  const place = [
    issue.task_id === undefined ? "" : `task ${JSON.stringify(issue.task_id)}`,
    issue.argument_path === undefined || issue.argument_path === "" ? "" : `at ${issue.argument_path}`,
  ].filter((part) => part !== "");
  const where = place.length === 0 ? "" : `${place.join(" ")}: `;
  return `- [${issue.code}] ${where}${issue.message}${repairText(issue)}`;
}

const repairWords = {
  replace: "use one of",
  rename: "rename it to one of",
  add: "add one of",
  remove: "remove",
} as const;

function repairText({ repair }: PlanIssue): string {
  if (repair === undefined || repair.candidates.length === 0) return "";
  const candidates = repair.candidates.map((candidate) => JSON.stringify(candidate)).join(", ");
  return ` (${repairWords[repair.operation]}: ${candidates})`;
}
