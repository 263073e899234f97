import { type EmbeddedPlan, type PlanGoalOptions, planGoal } from "@planloom/embedded";
import { isRecord, type PlannerTaskInput, type Resource } from "@planloom/plan";
import type { BenchTool, Item, Step } from "./plans-data.ts";

export interface Prediction {
  readonly id: string;
  readonly steps: readonly Step[];
}

/** The planner sees the query, the tools and the context; nothing else of the item. */
export function predict(
  item: Item,
  resources: readonly Resource[],
  options: Pick<PlanGoalOptions, "words" | "meaning"> = {},
): { prediction: Prediction; plan: EmbeddedPlan } {
  const plan = planGoal(item.query, resources, { ...circumstances(item), ...options });
  return { prediction: { id: item.id, steps: toSteps(plan.plan.planned_tasks) }, plan };
}

/** What the planner knows of the moment. */
export function circumstances({ context }: Item): PlanGoalOptions {
  return { now: "2024-01-01T00:00:00Z", timeZone: "UTC", ...(context !== undefined && { context }) };
}

export function toResources(tools: readonly BenchTool[]): Resource[] {
  return tools.map(({ name, description = "", inputSchema, outputSchema }) => ({
    kind: "tool",
    id: name,
    name,
    description,
    input_schema: inputSchema ?? { type: "object", properties: {} },
    ...(outputSchema !== undefined && { output_schema: outputSchema }),
  }));
}

const reference = /\$\{(\w+)([^}]*)\}/g;

/** Tasks as steps: `${task.field}` becomes `{$ref}`, text around references `{$template}`. */
export function toSteps(tasks: readonly PlannerTaskInput[]): Step[] {
  const position = new Map(tasks.map((task, at) => [task.task_id ?? "", at]));
  const referred = (id: string, path: string) => ({
    $ref: { step: position.get(id) ?? -1, path: path.replace(/^\./, "").replace(/\["([^"]*)"\]/g, ".$1") },
  });
  const value = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(value);
    if (isRecord(part)) return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, value(each)]));
    if (typeof part !== "string") return part;
    const found = [...part.matchAll(reference)].filter((match) => position.has(match[1] ?? ""));
    const [only] = found;
    if (only === undefined) return part.replaceAll("$${", "${");
    if (only[0] === part) return referred(only[1] ?? "", only[2] ?? "");
    let count = 0;
    const $template = part.replace(reference, (whole, id: string) => (position.has(id) ? `{${count++}}` : whole));
    return { $template, $refs: found.map((match) => referred(match[1] ?? "", match[2] ?? "")) };
  };
  return tasks.map((task) => ({
    tool: task.tool_id ?? "",
    args: Object.fromEntries(Object.entries(task.arguments ?? {}).map(([name, each]) => [name, value(each)])),
    dependsOn: (task.dependencies ?? []).flatMap((id) => position.get(id) ?? []),
  }));
}
