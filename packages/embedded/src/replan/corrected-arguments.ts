import type { ReplanTask } from "@planloom/controller";
import { IssueCode, isRecord, type PlanIssue, type Resource } from "@planloom/plan";
import { judgeTask } from "./judge-task.ts";
import { repaired } from "./repairs.ts";

const schemaCodes: ReadonlySet<string> = new Set([
  IssueCode.MISSING_ARGUMENT,
  IssueCode.UNKNOWN_ARGUMENT,
  IssueCode.INVALID_ARGUMENT,
  IssueCode.TYPE_MISMATCH,
  IssueCode.UNKNOWN_OUTPUT,
]);
/** Each round may uncover one more thing: a renamed argument, then its new enumeration. */
const maxRounds = 4;

/**
 * Arguments that fit the resource as it is now, from the legal ways out that validation (of the task, or named by the
 * failure) knows: keys renamed, values replaced, forbidden ones removed. `undefined` when nothing is wrong with them or it
 * cannot be put right.
 */
export function correctedArguments(
  marked: ReplanTask,
  resource: Resource,
  resources: readonly Resource[],
): Record<string, unknown> | undefined {
  let values: Record<string, unknown> = { ...marked.task.arguments };
  let issues = [...failureIssues(marked.failure?.details), ...judgeTask(marked, { resource }, resources)];
  for (let round = 0; round < maxRounds; round++) {
    const wrong = withRenames(issues.filter(({ code }) => schemaCodes.has(code)));
    if (wrong.length === 0) break;
    const next = repaired(values, wrong);
    if (JSON.stringify(next) === JSON.stringify(values)) return undefined;
    values = next;
    issues = judgeTask(marked, { resource, arguments: values }, resources);
  }
  const clean = !issues.some(({ severity }) => severity === "error");
  return clean && JSON.stringify(values) !== JSON.stringify(marked.task.arguments) ? values : undefined;
}

/** An unknown key that may be renamed to a missing one settles both; what is missing is not filled in as well. */
function withRenames(issues: readonly PlanIssue[]): readonly PlanIssue[] {
  const missing = issues.filter(({ code }) => code === IssueCode.MISSING_ARGUMENT).map((issue) => issue.argument_path);
  const unknown = issues.filter(({ code }) => code === IssueCode.UNKNOWN_ARGUMENT);
  const [only] = unknown;
  if (unknown.length !== 1 || missing.length !== 1 || only === undefined) return issues;
  const rename: PlanIssue = { ...only, repair: { operation: "rename", candidates: [missing[0]] } };
  return [rename, ...issues.filter((issue) => issue !== only && issue.code !== IssueCode.MISSING_ARGUMENT)];
}

function failureIssues(details: unknown): PlanIssue[] {
  const listed = isRecord(details) && Array.isArray(details.issues) ? details.issues : [];
  return listed
    .filter((issue) => isRecord(issue) && typeof issue.code === "string" && typeof issue.message === "string")
    .slice(0, 50) as unknown as PlanIssue[];
}
