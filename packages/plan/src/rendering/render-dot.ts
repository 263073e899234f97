import { checkOptions } from "../check-options.ts";
import { planView } from "../graph/plan-view.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { tasksOf } from "../references/task-names.ts";
import { fit, printable } from "./printable.ts";
import { boxes, type DiagramOptions, diagramChecks, labelLines } from "./render-mermaid.ts";
import { branchText } from "./task-text.ts";

/**
 * The plan in Graphviz' DOT language. Nodes are named `t0`, `t1`, … in plan order; texts of the plan appear only in
 * quoted labels, with quotes and backslashes escaped. A decision is a diamond, and the names of its branches are on its arrows.
 * @throws PlanError as `planView`.
 */
export function renderDot(plan: TaskData | readonly PlannerTask[], options: DiagramOptions = {}): string {
  checkOptions("`renderDot`", options, diagramChecks);
  const view = planView(plan);
  const tasks = tasksOf(plan);
  const lines = ["digraph plan {", `  rankdir=${options.direction ?? "TB"};`, '  node [shape=box, style="rounded"];'];
  boxes(tasks, options.subgraphs).forEach(({ subgraph, tasks: members }, number) => {
    const indent = subgraph ? "    " : "  ";
    if (subgraph) {
      lines.push(
        `  subgraph cluster_${number} {`,
        `    label="${escaped(fit(printable(subgraph.subgraph_id), 80, "…"))}";`,
      );
    }
    for (const task of members) {
      const shape = tasks[task]!.choose === undefined ? "" : ', shape=diamond, style=""';
      lines.push(`${indent}t${task} [label="${labelLines(tasks[task]!).map(escaped).join("\\n")}"${shape}];`);
    }
    if (subgraph) lines.push("  }");
  });
  for (let task = 0; task < view.n; task++) {
    for (let edge = view.outPtr[task]!; edge < view.outPtr[task + 1]!; edge++) {
      const target = view.out[edge]!;
      const branch = branchText(tasks[task]!, tasks[target]!);
      const label = branch === "" ? "" : ` [label="${escaped(fit(printable(branch), 80, "…"))}"]`;
      lines.push(`  t${task} -> t${target}${label};`);
    }
  }
  lines.push("}");
  return `${lines.join("\n")}\n`;
}

function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, (character) => `\\${character}`);
}
