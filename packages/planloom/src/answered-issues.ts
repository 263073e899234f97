/** An answer has at most so many issues: a plan of a million tasks may have one or more in each. */
export const maxAnsweredIssues = 1_000;

export interface AnsweredIssues<Issue> {
  /** Errors first where not all are given. */
  readonly issues: readonly Issue[];
  /** How many there are in all. */
  readonly issue_count: number;
  /** Whether some are left out. */
  readonly more_issues: boolean;
}

/** The issues of an answer on any surface, at most `maxAnsweredIssues` of them, with how many there are. Linear. */
export function answeredIssues<Issue>(found: readonly Issue[]): AnsweredIssues<Issue> {
  const issue_count = found.length;
  if (issue_count <= maxAnsweredIssues) return { issues: found, issue_count, more_issues: false };
  const isError = (issue: Issue) => (issue as { readonly severity?: unknown }).severity === "error";
  const errors = found.filter(isError);
  const others = errors.length < maxAnsweredIssues ? found.filter((issue) => !isError(issue)) : [];
  return { issues: [...errors, ...others].slice(0, maxAnsweredIssues), issue_count, more_issues: true };
}

/** The details of an error as an answer has them. Where `issues` are too many, it has how many there are. */
export function answeredDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { issues } = details;
  if (!Array.isArray(issues) || issues.length <= maxAnsweredIssues) return details;
  return { ...details, ...answeredIssues(issues) };
}
