import { IssueCode, type PlanIssue } from "../../issue.ts";
import { scanReferences } from "../../references/collect-references.ts";
import { formatReference } from "../../references/format-reference.ts";
import type { PlannerAgentPlan, PlannerAgentStep } from "./plan-schema.ts";
import { inferStepDependencies, stepTemplate } from "./templates.ts";

export interface CheckPlannerAgentOptions {
  /** Names of the tools there are; absent: tools are not checked. */
  readonly tools?: readonly string[];
  /** The user's question; lets a plan that is too short be noticed. */
  readonly query?: string;
  /** Whether a step may use a later one, as plans of ours may; order then comes from the graph. @default false */
  readonly forwardReferences?: boolean;
}

/**
 * The checks of this dialect on a plan as written: numbers in range and earlier than the step that uses them, templates well
 * formed. Task ids in the issues are `step-N`. Literal values against schemas are `validatePlan`'s.
 */
export function checkPlannerAgentPlan(plan: PlannerAgentPlan, options: CheckPlannerAgentOptions = {}): PlanIssue[] {
  const tools = options.tools && new Set(options.tools);
  const issues = plan.steps.flatMap((step, index) => [
    ...(tools && !tools.has(step.tool) ? [unknownTool(step, index, options.tools ?? [])] : []),
    ...checkDependencies(step, index, plan.steps.length, options),
    ...checkTemplates(step, index, plan.steps.length, options),
  ]);
  if (plan.steps.length === 1 && options.query !== undefined && /\band\s+(?:their|its|the)\b/i.test(options.query)) {
    issues.push({
      code: IssueCode.UNRESOLVED,
      severity: "warning",
      message: "The query reads like a multi-step request, but the plan has one step.",
    });
  }
  return issues;
}

function checkDependencies(
  step: PlannerAgentStep,
  index: number,
  count: number,
  { forwardReferences = false }: CheckPlannerAgentOptions,
): PlanIssue[] {
  return (step.depends_on ?? []).flatMap((dependency): PlanIssue[] => {
    const place = {
      severity: "error",
      task_id: taskId(index),
      argument_path: "depends_on",
      actual: String(dependency),
    } as const;
    if (dependency < 0 || dependency >= count) {
      return [{ ...place, code: IssueCode.UNKNOWN_DEPENDENCY, message: `Invalid dependency index: ${dependency}` }];
    }
    if (dependency === index) {
      return [{ ...place, code: IssueCode.SELF_DEPENDENCY, message: `Step ${index} depends on itself.` }];
    }
    if (dependency < index || forwardReferences) return [];
    const message = `Step ${index} depends on future step ${dependency}.`;
    return [{ ...place, code: IssueCode.UNKNOWN_DEPENDENCY, message, expected: `a number below ${index}` }];
  });
}

function checkTemplates(
  step: PlannerAgentStep,
  index: number,
  count: number,
  { forwardReferences = false }: CheckPlannerAgentOptions,
): PlanIssue[] {
  const { references, malformed } = scanReferences(step.params);
  const issues = malformed.map((found): PlanIssue => {
    const { argument_path, message, text } = found;
    const place = { task_id: taskId(index), argument_path, actual: text };
    return { ...place, code: IssueCode.REFERENCE_SYNTAX, severity: "error", message: `Invalid template: ${message}` };
  });
  for (const { reference, argument_path } of references) {
    const text = formatReference(reference);
    const found = stepTemplate(reference);
    const place = { severity: "error", task_id: taskId(index), argument_path, actual: text } as const;
    const last = reference.path.at(-1);
    if (found === undefined) {
      const message = `Invalid template ${text}: it must start with step[N], as in \${step[0].data.id}.`;
      issues.push({ ...place, code: IssueCode.REFERENCE_SYNTAX, message });
    } else if (last && "key" in last && last.key === "ids") {
      const better = formatReference({
        ...reference,
        path: [...reference.path.slice(0, -1), { map: true }, { key: "id" }],
      });
      const message = `Invalid template ${text}: outputs have no list "ids"; write ${better}.`;
      issues.push({
        ...place,
        code: IssueCode.UNKNOWN_OUTPUT,
        message,
        repair: { operation: "replace", candidates: [better] },
      });
    } else if (found.index >= count) {
      issues.push({
        ...place,
        code: IssueCode.UNKNOWN_REFERENCE,
        message: `Step ${found.index} not found for ${text}.`,
      });
    } else if (found.index === index || (found.index > index && !forwardReferences)) {
      const message = `Step ${index} refers to ${found.index === index ? "itself" : `future step ${found.index}`} in ${text}.`;
      issues.push({ ...place, code: IssueCode.UNKNOWN_REFERENCE, message });
    }
  }
  if ((step.depends_on ?? []).length === 0 && inferStepDependencies(step.params).length > 0) {
    issues.push({
      code: IssueCode.UNRESOLVED,
      severity: "warning",
      task_id: taskId(index),
      argument_path: "depends_on",
      message: `Step ${index} uses template but has no dependencies; they are inferred.`,
    });
  }
  return issues;
}

function unknownTool(step: PlannerAgentStep, index: number, tools: readonly string[]): PlanIssue {
  return {
    code: IssueCode.UNKNOWN_TOOL,
    severity: "error",
    task_id: taskId(index),
    message: `Tool not available: ${step.tool}`,
    actual: step.tool,
    repair: { operation: "replace", candidates: tools.slice(0, 10) },
  };
}

/** The id that a step gets when the plan is read. */
export function taskId(index: number): string {
  return `step-${index}`;
}
