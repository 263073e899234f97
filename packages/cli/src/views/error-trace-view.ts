import { isRecord } from "../terminal/table.ts";

/** Lines of a stack that are shown; `--json` has all that are kept. */
const maxFrames = 5;
const maxLines = 20;

/** What is kept of an error beyond its message: status, what caused it, its inner errors, and where it was thrown. */
export function errorTraceLines(error: { readonly details?: Readonly<Record<string, unknown>> }): string[] {
  const { error_code, error_status, error_cause, error_errors, error_stack } = error.details ?? {};
  const lines: string[] = [];
  const marks = [
    ...(typeof error_status === "number" ? [`status ${error_status}`] : []),
    ...(typeof error_code === "string" ? [`code ${error_code}`] : []),
  ];
  if (marks.length > 0) lines.push(marks.join(", "));
  addSummaries(error_cause === undefined ? [] : [error_cause], "caused by", lines);
  addSummaries(Array.isArray(error_errors) ? error_errors : [], "one of them", lines);
  if (typeof error_stack === "string") {
    const frames = error_stack.split("\n").filter((line) => /^\s*at /.test(line));
    lines.push(...frames.slice(0, maxFrames).map((frame) => frame.trim()));
  }
  return lines.slice(0, maxLines);
}

function addSummaries(summaries: readonly unknown[], how: string, lines: string[]): void {
  for (const summary of summaries) {
    if (!isRecord(summary) || lines.length >= maxLines) continue;
    const { name, message, code, status, cause, errors } = summary;
    const marks = [code, typeof status === "number" ? `status ${status}` : undefined].filter(
      (mark) => mark !== undefined,
    );
    const suffix = marks.length === 0 ? "" : ` (${marks.join(", ")})`;
    lines.push(`${how} ${name === undefined ? "" : `${String(name)}: `}${String(message)}${suffix}`);
    if (cause !== undefined) addSummaries([cause], "caused by", lines);
    if (Array.isArray(errors)) addSummaries(errors, "one of them", lines);
  }
}
