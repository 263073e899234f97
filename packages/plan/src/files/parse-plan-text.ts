import { checkOptions } from "../check-options.ts";
import { type ReadContext, readChecks } from "../dialects/dialect.ts";
import { dialects } from "../dialects/dialects.ts";
import { checkTextSize } from "../dialects/json-values.ts";
import { readPlan } from "../dialects/read-plan.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import type { TaskData } from "../records/task-data.ts";
import { checkDocument } from "./check-document.ts";
import { jsonErrorOffset, placeOf } from "./json-error-offset.ts";
import { parseYaml } from "./yaml.ts";

export type PlanFormat = "json" | "yaml";

export interface ParsePlanOptions extends ReadContext {
  /** @default "json" */
  readonly format?: PlanFormat;
}

/**
 * Reads a plan document: a `TaskData` or a plan in any dialect, as JSON or YAML. A reply with a plan tag (Kirha) is read
 * too, and so is the content of a code fence. References are translated, structure is not judged: that is `validatePlan`'s.
 * @throws PlanError INVALID (with line and column, or the path in the record), DIALECT, TOO_LARGE before anything is parsed; OPTION.
 */
export function parsePlanText(text: string, options: ParsePlanOptions = {}): TaskData {
  checkOptions("`parsePlanText`", options, { ...readChecks, format: ["json", "yaml"] });
  checkTextSize(text, options.maxBytes);
  const { format = "json", ...context } = options;
  const document = withoutFence(text.startsWith("\uFEFF") ? text.slice(1) : text);
  const value = format === "yaml" ? parseYaml(document) : parseJson(document);
  if (value === undefined) {
    const plan = dialects.kirha.read(document, context);
    context.onRead?.({ dialect: dialects.kirha.name, issues: [] });
    return plan;
  }
  checkDocument(value.document);
  return readPlan(value.document, context);
}

/** Returns the content of a code fence that is the whole text, as models answer. The fence's line stays empty, so that positions still fit the text. */
function withoutFence(text: string): string {
  const start = text.search(/\S/);
  if (start === -1 || !text.startsWith("```", start)) return text;
  const line = text.indexOf("\n", start);
  const end = text.trimEnd().length - 3;
  const isFence =
    line !== -1 && line < end && text.startsWith("```", end) && /^```[\w-]*\s*$/.test(text.slice(start, line));
  return isFence ? text.slice(0, start).replace(/[^\n]/g, "") + text.slice(line, end) : text;
}

/** Undefined for a text that is not JSON but has a plan tag. */
function parseJson(text: string): { document: unknown } | undefined {
  try {
    return { document: JSON.parse(text) };
  } catch (cause) {
    if (text.includes("<plan>") && text.includes("</plan>")) return undefined;
    const offset = jsonErrorOffset(text);
    const { line, column } = placeOf(text, offset);
    const character = text.codePointAt(offset);
    const came = character === undefined ? "the end" : JSON.stringify(String.fromCodePoint(character));
    const message = text.trim() === "" ? "the text is empty" : `unexpected ${came} at line ${line}, column ${column}`;
    throw new PlanError(PlanErrorCode.INVALID, `Expected a plan as JSON: ${message}.`, {
      details: { issues: [{ path: "", message, line, column }], line, column },
      cause,
    });
  }
}
