import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { entities, labelLines, renderMermaid } from "../rendering/render-mermaid.ts";
import { diffPlans } from "./diff-plans.ts";

/**
 * The second plan as a Mermaid flowchart with what differs from the first marked by class: `added`, `changed`, `rewired`,
 * `renewed`; removed tasks are drawn beside it, without edges, as `removed`.
 * @throws PlanError as `planView`.
 */
export function renderDiffMermaid(first: TaskData, second: TaskData): string {
  const diff = diffPlans(first, second);
  const lines = [renderMermaid(second).trimEnd()];
  const gone = new Set(diff.removed.map(({ task_id }) => task_id));
  const removed = first.planned_tasks.filter(({ task_id }) => gone.has(task_id));
  removed.forEach((task: PlannerTask, number) => {
    lines.push(`  r${number}["${labelLines(task).map(entities).join("<br/>")}"]`);
  });
  const number = new Map(second.planned_tasks.map(({ task_id }, index) => [task_id, `t${index}`]));
  const nodes = (tasks: readonly { readonly task_id: string }[]): string[] =>
    tasks.map(({ task_id }) => number.get(task_id) ?? "");
  const classes: readonly (readonly [string, string, readonly string[]])[] = [
    ["added", "fill:#dafbe1,stroke:#1a7f37", nodes(diff.added)],
    ["changed", "fill:#fff8c5,stroke:#9a6700", nodes(diff.changed)],
    ["rewired", "stroke:#0969da,stroke-width:3px", nodes(diff.rewired)],
    ["renewed", "fill:#ddf4ff,stroke:#0969da", nodes(diff.renewed)],
    ["removed", "fill:#ffebe9,stroke:#cf222e,stroke-dasharray:4", removed.map((_task, index) => `r${index}`)],
  ];
  for (const [name, style, members] of classes) {
    if (members.length > 0) lines.push(`  classDef ${name} ${style}`, `  class ${members.join(",")} ${name}`);
  }
  return `${lines.join("\n")}\n`;
}
