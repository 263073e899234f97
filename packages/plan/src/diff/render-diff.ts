import { checkOptions } from "../check-options.ts";
import { printable } from "../rendering/printable.ts";
import { valueText } from "../validation/value-text.ts";
import type { PlanDiff } from "./diff-plans.ts";

export interface DiffTextOptions {
  /** @default true */
  readonly unicode?: boolean;
}

const maxLines = 400;

/**
 * A diff for people: `+` added, `-` removed, `~` changed, `>` rewired, `=` the same work again, outputs that another task gives; then what time and money
 * become. Texts of the plans are shown on one line each, without control characters.
 */
export function renderDiff(diff: PlanDiff, options: DiffTextOptions = {}): string {
  checkOptions("`renderDiff`", options, { unicode: "boolean" });
  const arrow = options.unicode === false ? "->" : "→";
  const show = (text: string): string => printable(text, options);
  const idOf = ({ task_id, was }: { task_id: string; was?: string }): string =>
    was === undefined ? show(task_id) : `${show(was)} ${arrow} ${show(task_id)}`;
  const lines: string[] = [];
  for (const { task_id, description } of diff.removed) lines.push(`- ${show(task_id)}  ${show(description)}`.trimEnd());
  for (const { task_id, description, lineage } of diff.added) {
    const place = lineage === undefined ? "" : `  (in the place of ${show(lineage)})`;
    lines.push(`+ ${show(task_id)}  ${show(description)}${place}`);
  }
  for (const task of diff.changed) {
    lines.push(`~ ${idOf(task)}`);
    for (const { path, before, after } of task.changes) {
      const [left, right] = [before, after].map((value) => (value === undefined ? "nothing" : valueText(value)));
      lines.push(`    ${show(path)}: ${left} ${arrow} ${right}`);
    }
  }
  for (const task of diff.rewired) {
    const parts = [
      ...(task.waits_for.length > 0 ? [`waits for ${task.waits_for.map(show).join(", ")}`] : []),
      ...(task.no_longer.length > 0 ? [`no longer for ${task.no_longer.map(show).join(", ")}`] : []),
    ];
    lines.push(`> ${idOf(task)}  ${parts.join(", ")}`);
  }
  for (const task of diff.renewed) lines.push(`= ${idOf(task)}  to be done again`);
  for (const { name, was, is } of diff.outputs ?? []) {
    const [left, right] = [was, is].map((id) => (id === undefined ? "nothing" : show(id)));
    lines.push(`~ output ${show(name)}: ${left} ${arrow} ${right}`);
  }
  const shown = lines.slice(0, maxLines);
  if (lines.length > maxLines) shown.push(`… ${lines.length - maxLines} more lines`);
  const { before, after } = diff;
  const change = (left: number, right: number, unit: string): string =>
    left === right ? `${left}${unit}` : `${left} ${arrow} ${right}${unit}`;
  const totals = [
    change(before.tasks, after.tasks, before.tasks === 1 && after.tasks === 1 ? " task" : " tasks"),
    `longest path ${change(before.critical_path_ms, after.critical_path_ms, " ms")}`,
    `work ${change(before.work_ms, after.work_ms, " ms")}`,
    ...(before.cost + after.cost > 0 ? [`cost ${change(round(before.cost), round(after.cost), "")}`] : []),
    ...(before.tokens + after.tokens > 0 ? [change(before.tokens, after.tokens, " tokens")] : []),
  ];
  return `${[...(diff.equal ? ["No task differs.", ...shown] : shown), totals.join(", ")].join("\n")}\n`;
}

function round(value: number): number {
  return Number(value.toPrecision(12));
}
