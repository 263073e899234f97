import { ServerError, ServerErrorCode } from "../errors.ts";

/** What is wrong with one part of a request. */
export interface RequestIssue {
  readonly in: "body" | "query" | "path" | "header";
  /** Where: `plan.title`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

export function invalidRequest(issues: readonly RequestIssue[]): ServerError {
  const shown = issues.slice(0, 5).map((issue) => {
    const where = issue.path === "" ? `the ${issue.in}` : `\`${issue.path}\` in the ${issue.in}`;
    return `${where}: ${issue.message}`;
  });
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : "";
  return new ServerError(ServerErrorCode.INVALID_REQUEST, `The request is not valid: ${shown.join("; ")}${more}.`, {
    details: { issues: issues.slice(0, 50) },
  });
}
