import type { PlanIssue } from "./issue.ts";
import { isRecord } from "./json.ts";

/**
 * What the planner noted about a plan in `metadata.issues`, such as parts of the goal that it left open. A plan from a file may have anything there; what
 * is not an issue is left out.
 */
export function notedIssues({
  metadata,
}: {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}): PlanIssue[] {
  const noted = metadata?.issues;
  return Array.isArray(noted) ? noted.filter(isIssue) : [];
}

function isIssue(value: unknown): value is PlanIssue {
  if (!isRecord(value)) return false;
  const { code, severity, message, repair } = value;
  return (
    [code, severity, message].every((text) => typeof text === "string") &&
    (repair === undefined || (isRecord(repair) && Array.isArray(repair.candidates)))
  );
}
