import type { ReplanTask } from "@planloom/controller";
import { type PlanIssue, PlannerTask, pinTo, type Resource, validatePlan } from "@planloom/plan";

/**
 * What is wrong with a marked task as it is, or with another resource or other arguments, for the resources there are
 * now. Its inputs count by their output schemas, where those are known; what is unknown never blocks.
 */
export function judgeTask(
  { task, inputs }: ReplanTask,
  change: { readonly arguments?: Record<string, unknown>; readonly resource?: Resource },
  resources: readonly Resource[],
): PlanIssue[] {
  const sources = inputs.map(({ task_id, output_schema }, index): [Partial<PlannerTask>, Resource | undefined] => {
    if (output_schema === undefined) return [{ task_id }, undefined];
    const id = `\0input ${index}`;
    const output = { output_schema } as Pick<Resource, "output_schema">;
    return [
      { task_id, execution_type: "tool", tool_id: id },
      { kind: "tool", id, description: "", ...output },
    ];
  });
  const candidate = PlannerTask.safeParse({
    ...task,
    ...(change.resource === undefined
      ? {}
      : pinTo({ kind: change.resource.kind, id: change.resource.id }, task.parameters)),
    arguments: change.arguments ?? task.arguments,
    dependencies: inputs.map(({ task_id }) => task_id),
  });
  if (!candidate.success) return [];
  const known = [...resources, ...sources.flatMap(([, resource]) => (resource === undefined ? [] : [resource]))];
  return validatePlan({ planned_tasks: [...sources.map(([source]) => source), candidate.data] }, known).filter(
    ({ task_id, severity, code }) =>
      task_id === task.task_id && (severity === "error" || code === "unknown_argument") && code !== "unknown_reference",
  );
}
