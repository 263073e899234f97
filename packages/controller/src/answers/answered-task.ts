import { type ExecutionKind, isRecord } from "@planloom/plan";
import { kindFields } from "../prompts/cards.ts";

const kindsByField = Object.entries(kindFields) as readonly (readonly [ExecutionKind, string])[];

/**
 * One task of an answer in the fields of a plan: the kind by the field that names its resource, a model's prompt among its arguments, `after` among the
 * dependencies, arguments that are null left out: the goal does not say them. What is written in a plan's own fields stays as it is.
 */
export function answeredTask(answered: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { after, prompt, llm_id, workflow_id, ...task } = answered;
  const found = kindsByField.find(([, field]) => typeof answered[field] === "string");
  const uid = llm_id ?? workflow_id;
  const given = withoutNulls(isRecord(task.arguments) ? task.arguments : {});
  const dependencies = [...textsIn(task.dependencies), ...textsIn(after)];
  return {
    ...task,
    ...(found !== undefined && task.execution_type === undefined && { execution_type: found[0] }),
    ...(typeof uid === "string" && { parameters: { ...(isRecord(task.parameters) && task.parameters), uid } }),
    ...(isRecord(task.arguments) || prompt !== undefined
      ? { arguments: prompt === undefined ? given : { ...given, prompt } }
      : {}),
    ...((dependencies.length > 0 || task.dependencies !== undefined) && { dependencies: [...new Set(dependencies)] }),
  };
}

function withoutNulls(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
