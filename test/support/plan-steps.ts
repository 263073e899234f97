import { isRecord, type PlannerTaskInput } from "@planloom/plan";

export interface Step {
  tool: string;
  params: unknown;
  depends_on: number[];
}

/** Tasks with positions instead of ids: `${step[0].*.id}`. */
export function stepsOf(tasks: readonly PlannerTaskInput[]): Step[] {
  const ids = tasks.map((task) => task.task_id ?? "");
  const value = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(value);
    if (isRecord(part)) return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, value(each)]));
    if (typeof part !== "string") return part;
    return part.replace(
      /\$\{(\w+)([^}]*)\}/g,
      (_, name: string, path: string) => `\${step[${ids.indexOf(name)}]${path}}`,
    );
  };
  return tasks.map((task) => ({
    tool: task.tool_id ?? task.function_id ?? task.agent_id ?? String(task.parameters?.uid ?? ""),
    params: value(task.arguments ?? {}),
    depends_on: (task.dependencies ?? []).map((id) => ids.indexOf(id)),
  }));
}
