import { IssueCode, type PlanIssue } from "@planloom/plan";
import type { AttemptFeedback } from "../behavior-controller.ts";
import { cut } from "../transport/cut.ts";
import { dataBlock } from "./data-block.ts";

const maxIssues = 30;
const maxMessage = 300;
const maxLine = 1_000;
const maxAnswer = 4_000;
/** Enough to show what was meant by "no JSON". */
const maxUnreadable = 500;

const repairWords = {
  replace: "use one of",
  rename: "rename to one of",
  add: "add one of",
  remove: "remove",
} as const;

/**
 * What earlier attempts got wrong, each issue once with its legal ways out; what is only a warning is not asked to be changed.
 * Bounded: so many issues an attempt, and only the last answer is repeated. What a model wrote is put on one
 * line, without marks that end a fence.
 */
export function feedbackPrompt(feedback: readonly AttemptFeedback[]): string {
  const said = new Set<string>();
  const parts = feedback.flatMap(({ attempt, issues }) => {
    const wrong = issues.some(isError) ? issues.filter(isError) : issues;
    const fresh = [...new Set(wrong.map(issueLine))].filter((line) => !said.has(line));
    for (const line of fresh) said.add(line);
    const lines = fresh.slice(0, maxIssues);
    const again = wrong.length > 0 && fresh.length === 0 ? ["- the same again"] : [];
    const more = fresh.length > lines.length ? [`- and ${fresh.length - lines.length} more of this kind`] : [];
    return [`Previous attempt failed (attempt ${attempt}):`, ...lines, ...again, ...more].join("\n");
  });
  const last = feedback.at(-1);
  const answer = last?.answer ?? "";
  if (answer !== "") {
    const unreadable = last?.issues.some(({ code }) => code === IssueCode.UNREADABLE) === true;
    parts.push(`It answered:\n${dataBlock("previous_answer", cut(answer, unreadable ? maxUnreadable : maxAnswer))}`);
  }
  return [...parts, "Answer again, whole, with all of this corrected."].join("\n\n");
}

/** One issue on one line: where, what, and what would be right. */
export function issueLine(issue: PlanIssue): string {
  const task = issue.task_id === undefined ? "" : `task ${JSON.stringify(cut(issue.task_id, 100))}`;
  const path = issue.argument_path ? `at ${cut(issue.argument_path, 200)}` : "";
  const place = [task, path].filter((part) => part !== "").join(" ");
  const candidates = [...new Set(issue.repair?.candidates.map((value) => JSON.stringify(value)))];
  const message = saidToModel(issue);
  const repair =
    issue.repair === undefined || candidates.length === 0
      ? ""
      : ` (${repairWords[issue.repair.operation]}: ${candidates.join(", ")})`;
  return cut(oneLine(`- ${place === "" ? "" : `${place}: `}${cut(message, maxMessage)}${repair}`), maxLine);
}

/** The message without the place, which is said once; of an answer that cannot be read what was expected, for the rest is advice to people. */
function saidToModel({ code, message, task_id, expected, actual = "" }: PlanIssue): string {
  if (code !== IssueCode.UNREADABLE || expected === undefined) {
    return message.replace(`Task ${JSON.stringify(task_id)}: `, "");
  }
  // A longer one is the answer itself, which is repeated below.
  return `Expected ${expected}${actual === "" || actual.length > 60 ? "" : `, got ${actual}`}.`;
}

function isError(issue: PlanIssue): boolean {
  return issue.severity === "error";
}

/** A message quotes what a model wrote: without line ends and `<` that text begins no section and ends no fence. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").replaceAll("<", "\\u003c");
}
