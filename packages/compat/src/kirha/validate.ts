import {
  dialects,
  IssueCode,
  type KirhaStep,
  type PathSegment,
  type PlanIssue,
  parseReference,
  validatePlan,
} from "@planloom/plan";
import { formatKirhaPath, isKirhaReference, isKirhaTemplate, readKirhaSteps } from "@planloom/plan/internals";
import { readKirhaPath } from "./read-path.ts";
import { traverseKirhaReferences } from "./references.ts";
import { type KirhaTool, kirhaResources } from "./tools.ts";

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
  [IssueCode.SCHEMA_BUDGET, "schema_parse_error"],
  [IssueCode.UNKNOWN_REFERENCE, "dependency_step_missing"],
  [IssueCode.UNKNOWN_ARGUMENT, "input_key_missing"],
  [IssueCode.UNKNOWN_OUTPUT, "output_key_missing"],
  [IssueCode.TYPE_MISMATCH, "type_mismatch"],
]);

/**
 * `validatePlan` in this dialect's words, all faults at once. Warnings are left out, but for a reference into a parameter
 * that the tool does not have. As there, one fault hides what only follows from it: of a step without a usable tool nothing
 * else is said, of a reference into no parameter neither, and a value from a step without a usable tool has no known type
 * (`schema_parse_error`). A template is one value, with any number of references in it.
 * @param source a reply, the text of a plan, or steps, as written or parsed.
 * @throws PlanError as `read` of the dialect
 */
export function validateKirhaPlan(
  source: unknown,
  tools: readonly KirhaTool[],
): { readonly valid: boolean; readonly errors: readonly KirhaFault[] } {
  const steps = readKirhaSteps(source);
  const issues = validatePlan(dialects.kirha.read(steps), kirhaResources(tools)).filter(
    ({ code, severity, from_task_id }) =>
      severity === "error" || (code === IssueCode.UNKNOWN_ARGUMENT && from_task_id !== undefined),
  );
  const toolOf = new Map(steps.map((step) => [step.stepId, step.toolName]));
  const faults = issues.map((issue) => toFault(issue, toolOf));
  const unusable = new Set(faults.flatMap((fault) => (isAboutTool(fault) ? (fault.stepId ?? []) : [])));
  const byStep = Map.groupBy(faults, (fault) => fault.stepId);
  const errors = [
    ...(byStep.get(undefined) ?? []),
    ...steps.flatMap((step) => {
      const own = byStep.get(step.stepId) ?? [];
      return unusable.has(step.stepId) ? own.filter(isAboutTool) : settle(step, own, unusable);
    }),
  ];
  return { valid: errors.length === 0, errors };
}

function isAboutTool({ code }: KirhaFault): boolean {
  return code === "tool_not_found" || code === "schema_parse_error";
}

function settle(step: KirhaStep, faults: readonly KirhaFault[], unusable: ReadonlySet<string>): KirhaFault[] {
  const { dependencyPaths, templatePaths } = traverseKirhaReferences(step.arguments);
  const templates = new Set(templatePaths.map(formatKirhaPath));
  const seen = new Set<string>();
  const settled = faults.flatMap((fault) => {
    const isTarget = fault.code === "input_key_missing" || fault.code === "type_mismatch";
    const { fromStepId: _, outputPath: __, ...bare } = fault;
    const kept = isTarget && templates.has(fault.argumentPath ?? "") ? bare : fault;
    const key = JSON.stringify([fault.argumentPath, "fromStepId" in kept && [kept.fromStepId, kept.outputPath]]);
    if (isTarget && seen.has(key)) return [];
    if (seen.has(key) && fault.code === "dependency_step_missing") return [];
    seen.add(key);
    return [kept];
  });
  const untyped = [...dependencyPaths, ...templatePaths].flatMap((path) => {
    const value = readKirhaPath(step.arguments, path);
    const argumentPath = formatKirhaPath(path);
    const references = isKirhaTemplate(value) ? value.$values : isKirhaReference(value) ? [value] : [];
    if (settled.some((fault) => fault.code === "input_key_missing" && fault.argumentPath === argumentPath)) return [];
    return references
      .filter(({ $fromStep }) => unusable.has($fromStep))
      .map(({ $fromStep, $outputKey }): KirhaFault => {
        const message = `The output of step ${JSON.stringify($fromStep)} has no known type, for its tool cannot be used.`;
        const place = { stepId: step.stepId, toolName: step.toolName, argumentPath };
        return { code: "schema_parse_error", message, ...place, fromStepId: $fromStep, outputPath: $outputKey };
      });
  });
  return [...settled, ...untyped];
}

function toFault(issue: PlanIssue, toolOf: ReadonlyMap<string, string>): KirhaFault {
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
    ...(isTyped && expected !== undefined && { expectedType: kirhaType(expected) }),
    ...(isTyped && actual !== undefined && { actualType: kirhaType(actual) }),
  };
}

/** Integers are numbers here; alternatives are sorted. */
function kirhaType(text: string): string {
  const types = text.split(" | ").map((type) => (type === "integer" ? "number" : type));
  return [...new Set(types)].sort().join(" | ");
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
