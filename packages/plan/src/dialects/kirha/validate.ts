import { IssueCode, type PlanIssue } from "../../issue.ts";
import type { JsonSchema } from "../../json.ts";
import type { Resource } from "../../ports/resource.ts";
import { parseReference } from "../../references/parse-reference.ts";
import type { PathSegment } from "../../references/reference.ts";
import { validatePlan } from "../../validation/validate-plan.ts";
import { formatKirhaPath } from "./path.ts";

/** A tool as this dialect describes it; schemas as objects or as JSON text. */
export interface KirhaTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema | string;
  readonly outputSchema?: JsonSchema | string;
}

/** A fault of a plan. The fields beside `code` and `message` are there where they say something. */
export interface KirhaFault {
  /** One of `codes`' values, or a code of `IssueCode` for what this dialect's own validator does not look for. */
  readonly code: string;
  readonly message: string;
  readonly stepId?: string;
  readonly toolName?: string;
  readonly argumentPath?: string;
  readonly fromStepId?: string;
  readonly outputPath?: string;
  readonly expectedType?: string;
  readonly actualType?: string;
}

/** This dialect's names for issues about tools and references. */
const codes: ReadonlyMap<IssueCode, string> = new Map([
  [IssueCode.UNKNOWN_TOOL, "tool_not_found"],
  [IssueCode.RESOURCE_SCHEMA, "schema_parse_error"],
  [IssueCode.UNKNOWN_REFERENCE, "dependency_step_missing"],
  [IssueCode.UNKNOWN_ARGUMENT, "input_key_missing"],
  [IssueCode.UNKNOWN_OUTPUT, "output_key_missing"],
  [IssueCode.TYPE_MISMATCH, "type_mismatch"],
]);

/**
 * `validatePlan` in this dialect's words, all faults at once. Warnings are left out, but for a reference into a parameter
 * that the tool does not have.
 */
export function validateKirhaPlan(
  plan: { readonly planned_tasks: readonly { readonly task_id: string; readonly tool_id: string | null }[] },
  tools: readonly KirhaTool[],
): { readonly valid: boolean; readonly errors: readonly KirhaFault[] } {
  const toolOf = new Map(plan.planned_tasks.map((task) => [task.task_id, task.tool_id ?? undefined]));
  const issues = validatePlan(plan, kirhaResources(tools)).filter(
    ({ code, severity, from_task_id }) =>
      severity === "error" || (code === IssueCode.UNKNOWN_ARGUMENT && from_task_id !== undefined),
  );
  const errors = issues.map((issue) => toFault(issue, toolOf));
  return { valid: errors.length === 0, errors };
}

/** Tools as resources. A schema whose text is no JSON stays text, so that validation says so. */
export function kirhaResources(tools: readonly KirhaTool[]): Resource[] {
  return tools.map(({ name, description = "", inputSchema, outputSchema }) => ({
    kind: "tool",
    id: name,
    description,
    ...(inputSchema !== undefined && { input_schema: readSchema(inputSchema) }),
    ...(outputSchema !== undefined && { output_schema: readSchema(outputSchema) }),
  }));
}

function readSchema(schema: JsonSchema | string): JsonSchema {
  if (typeof schema !== "string") return schema;
  try {
    return JSON.parse(schema) as JsonSchema;
  } catch {
    return schema as unknown as JsonSchema;
  }
}

function toFault(issue: PlanIssue, toolOf: ReadonlyMap<string, string | undefined>): KirhaFault {
  const { task_id, argument_path, from_task_id, output_path, expected, actual } = issue;
  const isReference = from_task_id !== undefined;
  const isTyped = issue.code === IssueCode.TYPE_MISMATCH;
  const toolName = issue.resource_id ?? (task_id === undefined ? undefined : toolOf.get(task_id));
  const isArgument = argument_path !== undefined && issue.code !== IssueCode.UNKNOWN_TOOL;
  return {
    code: codes.get(issue.code) ?? issue.code,
    message: issue.message,
    ...(task_id !== undefined && { stepId: task_id }),
    ...(toolName !== undefined && { toolName }),
    ...(isArgument && { argumentPath: kirhaPath(argument_path) }),
    ...(isReference && { fromStepId: from_task_id, outputPath: kirhaPath(output_path ?? "") }),
    ...(isTyped && expected !== undefined && { expectedType: expected }),
    ...(isTyped && actual !== undefined && { actualType: actual }),
  };
}

/** A path of ours as this dialect writes it; one it cannot write stays as it is. */
function kirhaPath(text: string): string {
  if (text === "") return "";
  const { path } = parseReference(`x${text.startsWith("[") ? "" : "."}${text}`);
  return path.some((segment) => "map" in segment) ? text : formatKirhaPath(path.map(toKirha));
}

function toKirha(segment: PathSegment): string | number {
  if ("index" in segment) return segment.index;
  return "key" in segment ? segment.key : "*";
}
