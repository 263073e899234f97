import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { formatReference } from "../references/format-reference.ts";
import { parseTemplate } from "../references/parse-template.ts";
import type { Reference } from "../references/reference.ts";
import { readExpression } from "./read-expression.ts";
import { valueText } from "./value-text.ts";

/**
 * Whether the conditions of a task (`when`, `choose`, `retry_until`) and its `convertor_code` can be read as JSONata. Nothing is evaluated. A
 * condition that cannot be read would fail its task, and is an error; of a conversion it is a warning, since Stage 2 may replace it.
 */
export function checkExpressions({ task_id, when, choose, retry_until, convertor_code }: PlannerTask): PlanIssue[] {
  if (!when && !choose && !retry_until && !convertor_code) return [];
  const issues: PlanIssue[] = [];
  const report = (what: string, argument_path: string, severity: PlanIssue["severity"]) => {
    const message = `Task ${valueText(task_id, 130)}: \`${argument_path}\` ${what}.`;
    issues.push({ code: IssueCode.EXPRESSION_SYNTAX, severity, message, task_id, argument_path });
  };
  const check = (source: string, argument_path: string, severity: PlanIssue["severity"] = "error") => {
    const { fault } = readExpression(source);
    if (fault !== undefined) report(`is not a JSONata expression: ${fault}`, argument_path, severity);
  };
  const checkCondition = (condition: string | undefined, argument_path: string) => {
    const parts = condition === undefined ? [] : partsOf(condition);
    const source = sourceOf(parts);
    if (source === undefined) return;
    check(source, argument_path);
    const quoted = quotedReference(parts);
    if (quoted === undefined) return;
    const text = formatReference(quoted);
    report(
      `has ${text} within quotes, where it would be a text and not the value. Write it without quotes, and join texts with \`&\``,
      argument_path,
      "error",
    );
  };
  checkCondition(when?.condition, "when.condition");
  for (const [number, { condition }] of (choose?.branches ?? []).entries())
    checkCondition(condition, `choose.branches[${number}].condition`);
  checkCondition(retry_until?.condition, "retry_until.condition");
  if (convertor_code) check(convertor_code, "convertor_code", "warning");
  return issues;
}

/** The expression of a condition, with values in the place of references; undefined for one that is a reference, or that has a malformed one. */
export function conditionSource(condition: string): string | undefined {
  return sourceOf(partsOf(condition));
}

function sourceOf(parts: Parts): string | undefined {
  if (parts.length < 2 && typeof parts[0] !== "string") return undefined;
  return parts.map((part) => (typeof part === "string" ? part : "($$.r)")).join("");
}

type Parts = readonly (string | Reference)[];

/** The texts and references of a condition; none where a reference is malformed. */
function partsOf(condition: string): Parts {
  try {
    return parseTemplate(condition).parts;
  } catch {
    return [];
  }
}

const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "/": "/", "/*": "*/" };

/** The first reference that is within a text, a pattern, a comment or a name in backticks of the expression. O(length) */
function quotedReference(parts: Parts): Reference | undefined {
  const scan = new QuoteScan();
  for (const part of parts) {
    if (typeof part === "string") scan.read(part);
    else if (scan.isQuoting) return part;
    else scan.isAfterValue = true;
  }
  return undefined;
}

class QuoteScan {
  /** What ends where the scan is now; undefined in the code itself. */
  #end: string | undefined;
  /** Whether a value has just ended, after which `/` divides. */
  isAfterValue = false;

  get isQuoting(): boolean {
    return this.#end !== undefined;
  }

  read(part: string): void {
    for (let at = 0; at < part.length; )
      at += this.#end === undefined ? this.#code(part, at) : this.#quoted(part, at, this.#end);
  }

  /** @returns how many characters were read */
  #code(part: string, at: number): number {
    const here = part[at]!;
    const mark = part.startsWith("/*", at) ? "/*" : here;
    if (closing[mark] !== undefined && !(mark === "/" && this.isAfterValue)) {
      this.#end = closing[mark];
      return mark.length;
    }
    if (!/\s/.test(here)) this.isAfterValue = /[\p{L}\p{N}_$)\]}]/u.test(here);
    return 1;
  }

  /** @returns how many characters were read */
  #quoted(part: string, at: number, end: string): number {
    if (part[at] === "\\" && end !== "`" && end !== "*/") return 2;
    if (!part.startsWith(end, at)) return 1;
    // A comment does not give a value.
    if (end !== "*/") this.isAfterValue = true;
    this.#end = undefined;
    return end.length;
  }
}
