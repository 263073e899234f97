import { expect, test } from "vitest";
import { answeredDetails, answeredIssues, maxAnsweredIssues } from "../../packages/planloom/src/answered-issues.ts";

const issue = (severity: "error" | "warning", number: number) => ({ severity, message: `${severity} ${number}` });
const many = (severity: "error" | "warning", count: number) =>
  Array.from({ length: count }, (_, number) => issue(severity, number));

test("as many as an answer may have are given as they are", () => {
  const found = [...many("warning", 10), ...many("error", maxAnsweredIssues - 10)];
  expect(answeredIssues(found)).toEqual({ issues: found, issue_count: maxAnsweredIssues, more_issues: false });
  const details = { issues: found, plan_id: "p" };
  expect(answeredDetails(details)).toBe(details);
  expect(answeredDetails({ issues: 5_000 })).toEqual({ issues: 5_000 });
});

test.for([
  { warnings: maxAnsweredIssues, errors: 3, given: { error: 3, warning: maxAnsweredIssues - 3 } },
  { warnings: 5, errors: maxAnsweredIssues + 1, given: { error: maxAnsweredIssues, warning: 0 } },
])("of more the errors are given first: $errors among $warnings warnings", ({ warnings, errors, given }) => {
  const found = [...many("warning", warnings), ...many("error", errors)];
  const { issues, issue_count, more_issues } = answeredIssues(found);
  const count = (of: string) => issues.filter(({ severity }) => severity === of).length;
  expect({ error: count("error"), warning: count("warning") }).toEqual(given);
  expect(issues[0]).toEqual(issue("error", 0));
  expect({ issue_count, more_issues }).toEqual({ issue_count: warnings + errors, more_issues: true });
  expect(answeredDetails({ issues: found, plan_id: "p" })).toEqual({ plan_id: "p", issues, issue_count, more_issues });
});
