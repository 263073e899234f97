import { IssueCode, isRecord, PlanError, type PlanIssue, type TaskData } from "@planloom/plan";
import { refused } from "./json-answer.ts";
import type { ProtocolAnswer } from "./protocol.ts";

const maxIssues = 30;

interface Reader {
  read(source: unknown, context: { readonly goal: string }): TaskData;
}

/** Reads a plan in a dialect; what the dialect refuses becomes issues. */
export function readDialect(dialect: Reader, source: unknown, context: { readonly goal: string }): ProtocolAnswer {
  try {
    return { data: dialect.read(source, context) };
  } catch (error) {
    if (!(error instanceof PlanError)) {
      throw error;
    }
    return refused(error.message, issuesOf(error));
  }
}

function issuesOf(error: PlanError): PlanIssue[] {
  const listed = error.details.issues ?? error.details.faults;
  const issues = (Array.isArray(listed) ? listed : []).filter(isRecord).slice(0, maxIssues);
  if (issues.length === 0) {
    return [{ code: IssueCode.UNREADABLE, severity: "error", message: error.message }];
  }
  return issues.map(({ path, message }) => ({
    code: IssueCode.SCHEMA,
    severity: "error",
    message: typeof message === "string" ? message : error.message,
    ...(typeof path === "string" && path !== "" ? { argument_path: path } : {}),
  }));
}
