import { checkOptions } from "../check-options.ts";
import { planView } from "../graph/plan-view.ts";
import type { OptionChecks } from "../options/option-checks.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { SubGraph } from "../records/sub-graph.ts";
import type { TaskData } from "../records/task-data.ts";
import { tasksOf } from "../references/task-names.ts";
import { fit, printable } from "./printable.ts";
import { branchText, flowText, resourceText, titleText } from "./task-text.ts";

export interface DiagramOptions {
  /** Draws a box around the tasks of each. */
  readonly subgraphs?: readonly SubGraph[];
  /** Top to bottom or left to right. @default "TB" */
  readonly direction?: "TB" | "LR";
}

/** What is checked of each option. */
export const diagramChecks = {
  subgraphs: "list",
  direction: ["TB", "LR"],
} as const satisfies OptionChecks<DiagramOptions>;

/** Longest text of one line of a label, in columns. */
const labelWidth = 80;

/** The lines of a task's label: id, title, resource; as untrusted as the plan is. */
export function labelLines(task: PlannerTask): string[] {
  return [task.task_id, titleText(task), resourceText(task), flowText(task)]
    .map((line) => fit(printable(line), labelWidth, "…"))
    .filter((line) => line !== "");
}

/** Task numbers by subgraph, each task once; tasks in no subgraph last, under `undefined`. */
export function boxes(
  tasks: readonly PlannerTask[],
  subgraphs: readonly SubGraph[] = [],
): { readonly subgraph: SubGraph | undefined; readonly tasks: readonly number[] }[] {
  const owner = new Map<string, SubGraph>();
  for (const subgraph of subgraphs) {
    for (const { task_id } of subgraph.tasks) if (!owner.has(task_id)) owner.set(task_id, subgraph);
  }
  const members = new Map<SubGraph | undefined, number[]>(subgraphs.map((subgraph) => [subgraph, []]));
  members.set(undefined, []);
  tasks.forEach(({ task_id }, number) => {
    members.get(owner.get(task_id))?.push(number);
  });
  return [...members].map(([subgraph, list]) => ({ subgraph, tasks: list })).filter((box) => box.tasks.length > 0);
}

/**
 * The plan as a Mermaid flowchart. Nodes are named `t0`, `t1`, … in plan order; texts of the plan appear only in quoted
 * labels, where everything but letters, digits and harmless punctuation is written as an entity. A decision is a diamond, and the names of
 * its branches are on its arrows.
 * @throws PlanError as `planView`.
 */
export function renderMermaid(plan: TaskData | readonly PlannerTask[], options: DiagramOptions = {}): string {
  checkOptions("`renderMermaid`", options, diagramChecks);
  const view = planView(plan);
  const tasks = tasksOf(plan);
  const lines = [`flowchart ${options.direction ?? "TB"}`];
  boxes(tasks, options.subgraphs).forEach(({ subgraph, tasks: members }, number) => {
    const indent = subgraph ? "    " : "  ";
    if (subgraph)
      lines.push(`  subgraph g${number}["${entities(fit(printable(subgraph.subgraph_id), labelWidth, "…"))}"]`);
    for (const task of members) {
      const label = `"${labelLines(tasks[task]!).map(entities).join("<br/>")}"`;
      lines.push(`${indent}t${task}${tasks[task]!.choose === undefined ? `[${label}]` : `{${label}}`}`);
    }
    if (subgraph) lines.push("  end");
  });
  for (let task = 0; task < view.n; task++) {
    for (let edge = view.outPtr[task]!; edge < view.outPtr[task + 1]!; edge++) {
      const target = view.out[edge]!;
      const branch = branchText(tasks[task]!, tasks[target]!);
      lines.push(
        `  t${task} -->${branch === "" ? "" : `|"${entities(fit(printable(branch), labelWidth, "…"))}"|`} t${target}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Mermaid's own entities (`#34;`), for every character that could end a label or mean something in it. */
export function entities(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}\p{M} .,:_/…-]/gu, (character) => `#${character.codePointAt(0)};`);
}
