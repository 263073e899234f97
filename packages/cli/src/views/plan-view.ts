import { IssueCode, type Optimized, type PlanIssue, renderAscii, type TaskData } from "planloom";
import { count, duration, plainLine, type Style } from "../terminal/style.ts";
import { section } from "./heading.ts";

/** The plan as a picture, with what the planner could not place. */
export function planPicture(plan: TaskData, style: Style, remark = ""): string {
  const note = [count(plan.planned_tasks.length, "task"), remark].filter((part) => part !== "").join(" · ");
  const picture = renderAscii(plan, { unicode: style.unicode, colour: style.colour, width: style.width - 2 });
  return `${section("Plan", note, style)}${indent(picture)}\n`;
}

/** Issues, errors first; each with where and the way out. */
export function issueList(issues: readonly PlanIssue[], style: Style): string {
  const sorted = [...issues].sort((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
  return sorted
    .map((issue) => {
      const mark =
        issue.severity === "error"
          ? style.paint("red", style.glyph("✗", "x"))
          : style.paint("yellow", issue.code === IssueCode.UNRESOLVED ? style.glyph("◌", "o") : "!");
      const repair = issue.repair?.candidates
        .slice(0, 5)
        .map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
      const out =
        repair === undefined || repair.length === 0
          ? ""
          : `\n      ${style.paint("cyan", `${issue.repair?.operation} with:`)} ${plainLine(repair.join(", "))}`;
      return `  ${mark} ${plainLine(issue.message)} ${style.paint("dim", `[${issue.code}]`)}${out}\n`;
    })
    .join("");
}

/** Which tasks go together, and why this grouping won. */
export function subgraphView(optimized: Optimized, style: Style): string {
  const lines = optimized.subgraphs.map((subgraph) => {
    const after =
      subgraph.dependencies.length === 0 ? "" : style.paint("dim", `  after ${subgraph.dependencies.join(", ")}`);
    const members = subgraph.tasks.map((task) => plainLine(task.task_id)).join(style.glyph(" → ", " -> "));
    return `  ${style.paint("cyan", subgraph.subgraph_id.padEnd(6))} ${members}${after}\n`;
  });
  const shown = lines.slice(0, 12);
  if (lines.length > shown.length) shown.push(style.paint("dim", `  … and ${lines.length - shown.length} more\n`));
  const figures = `${optimized.strategy} · predicted ${duration(optimized.predictedMs)}, lower bound ${duration(optimized.lowerBoundMs)}`;
  return `${section("Subgraphs", figures, style)}${shown.join("")}  ${style.paint("dim", plainLine(optimized.reason))}\n`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : `  ${line}`))
    .join("\n");
}
