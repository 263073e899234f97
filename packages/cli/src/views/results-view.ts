import type { RunResult, TaskResult } from "planloom";
import { count, duration, plainLine, type Style } from "../terminal/style.ts";
import { renderValue } from "../terminal/table.ts";
import { section } from "./heading.ts";

/** Every task's output as a table, in plan order; failures and skips with their reason. */
export function resultsView(result: RunResult, style: Style): string {
  const titles = new Map(result.plan.planned_tasks.map((task) => [task.task_id, task.title ?? task.description]));
  const parts = result.results.map((task) => taskView(task, titles.get(task.task_id) ?? "", style));
  const shown = parts.slice(0, 20);
  if (parts.length > shown.length)
    shown.push(style.paint("dim", `  … and ${parts.length - shown.length} more tasks (--json has them all)\n`));
  return `${section("Results", "", style)}${shown.join("\n")}`;
}

function taskView(task: TaskResult, title: string, style: Style): string {
  const name = style.paint("bold", plainLine(task.task_id));
  if (task.status === "completed") {
    const rows = Array.isArray(task.output) ? ` ${style.paint("dim", `(${count(task.output.length, "row")})`)}` : "";
    return `  ${name}${rows}  ${style.paint("dim", plainLine(title))}\n${renderValue(task.output, style, 4)}\n`;
  }
  if (task.status === "skipped") {
    return `  ${name}  ${style.paint("yellow", "skipped")}: ${plainLine(skipReason(task))}\n`;
  }
  if (task.status === "cancelled") return `  ${name}  ${style.paint("yellow", "cancelled")}\n`;
  const why =
    task.error === undefined ? "" : `: ${plainLine(task.error.message)} ${style.paint("dim", `[${task.error.code}]`)}`;
  return `  ${name}  ${style.paint("red", task.status)}${why}\n`;
}

export function skipReason(task: TaskResult): string {
  return (
    task.error?.message ?? (task.skipped_because === undefined ? "not reached" : `because of ${task.skipped_because}`)
  );
}

/** How long it took against the bound that no schedule can beat. */
export function timeView(result: RunResult, style: Style): string {
  const { achievedMs, lowerBoundMs, ratio } = result.certificate;
  const bound =
    lowerBoundMs > 0
      ? `${duration(achievedMs)} achieved, ${duration(lowerBoundMs)} is the lower bound for these durations (×${ratio.toFixed(2)})`
      : duration(achievedMs);
  return `${section("Time", "", style)}  ${bound}\n`;
}

/** The end in one line. */
export function endLine(result: RunResult, style: Style): string {
  const done = result.results.filter((task) => task.status === "completed").length;
  const failed = result.results.filter((task) => task.status === "failed").length;
  const skipped = result.results.filter((task) => task.status === "skipped").length;
  const parts = [`${done} of ${count(result.results.length, "task")} completed`];
  if (failed > 0) parts.push(style.paint("red", `${failed} failed`));
  const waiting = result.results.filter((task) => task.status === "waiting_approval").length;
  if (waiting > 0) parts.push(style.paint("yellow", `${waiting} waiting for approval`));
  if (skipped > 0) parts.push(style.paint("yellow", `${skipped} skipped`));
  return `${parts.join(", ")} ${style.paint("dim", `(${result.end_reason})`)}`;
}
