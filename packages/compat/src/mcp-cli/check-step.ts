import { IssueCode, type PlanIssue } from "@planloom/plan";
import { describeValue, McpCliStep, toolOfStep } from "@planloom/plan/internals";

/** What is wrong with one step that a model proposes: an unknown tool, or no title. */
export function checkMcpCliStep(step: unknown, tools: readonly string[]): PlanIssue[] {
  const parsed = McpCliStep.safeParse(step);
  if (!parsed.success) {
    const message = `Expected a step with a tool and a title, got ${describeValue(step)}.`;
    return [{ code: IssueCode.SCHEMA, severity: "error", message }];
  }
  const issues: PlanIssue[] = [];
  const tool = toolOfStep(parsed.data);
  if (tool === undefined || !tools.includes(tool)) {
    issues.push({
      code: IssueCode.UNKNOWN_TOOL,
      severity: "error",
      message: `Unknown tool: ${tool ?? "none"}. There are: ${tools.slice(0, 10).join(", ")}.`,
      ...(tool !== undefined && { actual: tool }),
      repair: { operation: "replace", candidates: tools.slice(0, 10) },
    });
  }
  if (!parsed.data.title) {
    const message = "Expected the step to have a title, got none.";
    issues.push({ code: IssueCode.SCHEMA, severity: "error", argument_path: "title", message });
  }
  return issues;
}
