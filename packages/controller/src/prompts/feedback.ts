import type { PlanIssue } from "@planloom/plan";
import type { AttemptFeedback } from "../behavior-controller.ts";
import { cut } from "../transport/cut.ts";
import { dataBlock } from "./data-block.ts";

const maxIssues = 30;
const maxLine = 1_000;
const maxAnswer = 4_000;

const repairWords = {
  replace: "use one of",
  rename: "rename to one of",
  add: "add one of",
  remove: "remove",
} as const;

/**
 * What earlier attempts got wrong, each issue with its legal ways out. Bounded: so many issues an attempt, and only
 * the last answer is repeated.
 */
export function feedbackPrompt(feedback: readonly AttemptFeedback[]): string {
  const parts = feedback.map(({ attempt, issues }) => {
    const lines = issues.slice(0, maxIssues).map(issueLine);
    const more = issues.length - lines.length;
    return [
      `Previous attempt failed (attempt ${attempt}):`,
      ...lines,
      ...(more > 0 ? [`- and ${more} more of this kind`] : []),
    ].join("\n");
  });
  const answer = feedback.at(-1)?.answer ?? "";
  if (answer !== "") {
    parts.push(`It answered:\n${dataBlock("previous_answer", cut(answer, maxAnswer))}`);
  }
  return [...parts, "Answer again, whole, with all of this corrected."].join("\n\n");
}

/** One issue: where, what, and what would be right. */
export function issueLine(issue: PlanIssue): string {
  const task = issue.task_id === undefined ? "" : `task ${JSON.stringify(issue.task_id)}`;
  const path = issue.argument_path ? `at ${issue.argument_path}` : "";
  const place = [task, path].filter((part) => part !== "").join(" ");
  const candidates = issue.repair?.candidates ?? [];
  const repair =
    issue.repair === undefined || candidates.length === 0
      ? ""
      : ` (${repairWords[issue.repair.operation]}: ${candidates.map((value) => JSON.stringify(value)).join(", ")})`;
  return cut(`- ${place === "" ? "" : `${place}: `}${issue.message}${repair}`, maxLine);
}
