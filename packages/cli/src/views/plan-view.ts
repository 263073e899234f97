import type { Optimized, PlanIssue, TaskData } from "planloom";
import { IssueCode, renderAscii } from "planloom/planning";
import { duration, plainLine, type Style } from "../terminal/style.ts";
import { wrapped } from "../terminal/wrap.ts";
import { converterList } from "./asked-view.ts";
import { section } from "./heading.ts";

/** The plan as a picture; its first line counts tasks and levels. */
export function planPicture(plan: TaskData, style: Style, remark = ""): string {
  // Tasks alone: the headline has said the plan's title already.
  const picture = renderAscii(plan.planned_tasks, {
    unicode: style.unicode,
    colour: style.colour,
    width: style.width - 2,
  });
  return `${section("Plan", remark, style)}${indent(picture.trimEnd(), 2)}\n${converterList(plan, style)}`;
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
          : `
      ${style.paint("cyan", `${wayOut(issue)}:`)} ${plainLine(repair.join(", "))}`;
      return `  ${mark} ${plainLine(issue.message)} ${style.paint("dim", `[${plainLine(issue.code)}]`)}${out}
`;
    })
    .join("");
}

/** Issues may come from a plan file, with any operation. */
function wayOut({ repair }: PlanIssue): string {
  const operation = plainLine(String(repair?.operation));
  if (operation === "rename") return "rename to";
  return operation === "replace" ? "replace with" : operation;
}

/** Subgraphs shown before "… and N more". */
const MOST_SUBGRAPHS = 12;

/** Which tasks go together. */
export function subgraphList({ subgraphs }: Pick<Optimized, "subgraphs">, style: Style): string {
  const lines = subgraphs.slice(0, MOST_SUBGRAPHS).map((subgraph) => {
    const name = subgraph.subgraph_id.padEnd(6);
    const waits = listed(subgraph.dependencies, ", ", style.width / 3);
    const after = waits === "" ? "" : `  after ${waits}`;
    const ids = subgraph.tasks.map((task) => task.task_id);
    const members = listed(ids, style.glyph(" → ", " -> "), style.width - name.length - after.length - 4);
    return `  ${style.paint("cyan", name)} ${members}${style.paint("dim", after)}\n`;
  });
  const more = subgraphs.length - lines.length;
  return lines.join("") + (more > 0 ? style.paint("dim", `  … and ${more} more\n`) : "");
}

/** As many of the names as fit, at least one, and how many more there are. */
function listed(names: readonly string[], separator: string, room: number): string {
  const more = (shown: number) => (shown < names.length ? ` … ${names.length - shown} more` : "");
  let text = "";
  let shown = 0;
  for (const name of names) {
    const longer = text === "" ? plainLine(name) : text + separator + plainLine(name);
    if (shown > 0 && longer.length + more(shown + 1).length > room) break;
    text = longer;
    shown += 1;
  }
  return text + more(shown);
}

/** Which tasks go together, and why this grouping won. */
export function subgraphView(optimized: Optimized, style: Style): string {
  const assumed = optimized.subgraphs.every((subgraph) => subgraph.tasks.every((task) => task.estimate_data === null));
  const figures = `predicted ${duration(optimized.predictedMs)}, lower bound ${duration(optimized.lowerBoundMs)}`;
  const basis = assumed ? "a task without an estimate counts as 1 s" : "";
  const remark = basis === "" ? figures : `${figures}, ${basis}`;
  const fits = "Subgraphs  ".length + remark.length <= style.width;
  const text = fits || basis === "" ? optimized.reason : `${optimized.reason} Here ${basis}.`;
  const reason = wrapped(text, style.width - 2).join("\n");
  return `${section("Subgraphs", fits ? remark : figures, style)}${subgraphList(optimized, style)}${style.paint("dim", indent(reason, 2))}\n`;
}

function indent(text: string, columns: number): string {
  const pad = " ".repeat(columns);
  return text
    .split("\n")
    .map((line) => (line === "" ? line : pad + line))
    .join("\n");
}
