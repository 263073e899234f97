import { loadJsonata } from "#lazy/jsonata";
import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { parseTemplate } from "../references/parse-template.ts";
import { valueText } from "./value-text.ts";

/** Faults by source; undefined for an expression that can be read. A patch is checked with `$` in the place of conversions. */
const faults = new Map<string, string | undefined>([["$", undefined]]);
const mostFaults = 1_000;
/** Longer sources, and brackets nested deeper, are refused when they are evaluated. */
const longestSource = 10_000;

/**
 * Whether the conditions of a task (`when`, `choose`, `retry_until`) and its `convertor_code` can be read as JSONata. Nothing is evaluated. A
 * condition that cannot be read would fail its task, and is an error; of a conversion it is a warning, since Stage 2 may replace it.
 */
export function checkExpressions({ task_id, when, choose, retry_until, convertor_code }: PlannerTask): PlanIssue[] {
  if (!when && !choose && !retry_until && !convertor_code) return [];
  const issues: PlanIssue[] = [];
  const check = (source: string | undefined, argument_path: string, severity: PlanIssue["severity"] = "error") => {
    const fault = source === undefined ? undefined : faultOf(source);
    if (fault === undefined) return;
    const message = `Task ${valueText(task_id, 130)}: \`${argument_path}\` is not a JSONata expression: ${fault}.`;
    issues.push({ code: IssueCode.EXPRESSION_SYNTAX, severity, message, task_id, argument_path });
  };
  check(withoutReferences(when?.condition), "when.condition");
  for (const [number, { condition }] of (choose?.branches ?? []).entries())
    check(withoutReferences(condition), `choose.branches[${number}].condition`);
  check(withoutReferences(retry_until?.condition), "retry_until.condition");
  check(convertor_code ?? undefined, "convertor_code", "warning");
  return issues;
}

/** The expression with a field in the place of each reference; undefined where there is none to read, or a reference is malformed. */
function withoutReferences(condition: string | undefined): string | undefined {
  if (condition === undefined) return undefined;
  try {
    const { parts } = parseTemplate(condition);
    if (parts.length === 1 && typeof parts[0] === "object") return undefined;
    return parts.map((part) => (typeof part === "string" ? part : "($$.r)")).join("");
  } catch {
    return undefined;
  }
}

function faultOf(source: string): string | undefined {
  if (faults.has(source)) return faults.get(source);
  const fault = source.length > longestSource ? undefined : readFault(source);
  if (faults.size >= mostFaults) faults.clear();
  faults.set(source, fault);
  return fault;
}

function readFault(source: string): string | undefined {
  try {
    loadJsonata()(source, { RegexEngine: AnyPattern as unknown as RegExpConstructor });
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return "its brackets are nested too deep";
    const { message } = error as { message?: unknown };
    return String(message ?? error).replace(/\.$/, "");
  }
}

/** Patterns are read by an engine of linear time when the expression is evaluated. */
class AnyPattern {}
