import type { PlanIssue, TaskData } from "planloom";
import type { GroupedPlan } from "planloom/dispatch";
import { DEFAULT_ITEMS } from "planloom/plan";
import { IssueCode, renderAscii } from "planloom/planning";
import type { EstimateSources, RatedCalls } from "planloom/runtime";
import { answeredIssues } from "planloom/serving";
import { count, duration, plainLine, type Style } from "../terminal/style.ts";
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

/** Issues, errors first; each with where and the way out. Where there are too many to read, how many more there are. */
export function issueList(found: readonly PlanIssue[], style: Style): string {
  const { issues, issue_count } = answeredIssues(found);
  const left = issue_count - issues.length;
  const more = left === 0 ? "" : `  … and ${left.toLocaleString("en")} more\n`;
  const sorted = [...issues].sort((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
  const lines = sorted.map((issue) => {
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
  });
  return `${lines.join("")}${more}`;
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
export function subgraphList({ subgraphs }: Pick<GroupedPlan, "subgraphs">, style: Style): string {
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

/** What a run is predicted to take whose tasks start one by one, each as soon as what it needs is there. */
export function scheduleView(
  {
    predictedMs,
    concurrency,
    sources,
    rates,
  }: { predictedMs: number; concurrency: number; sources: EstimateSources; rates: readonly RatedCalls[] },
  style: Style,
): string {
  const width = Number.isFinite(concurrency) ? `${concurrency} at once` : "any number at once";
  const text = `Each task starts as soon as what it needs is there, ${width}. ${durationsFrom(sources)}${ratesText(rates)}`;
  const lines = indent(wrapped(text, style.width - 2).join("\n"), 2);
  return `${section("Schedule", `predicted ${duration(predictedMs)}`, style)}${style.paint("dim", lines)}\n`;
}

/** What rates hold back, a sentence for each; empty where they hold back nothing. */
export function ratesText(rates: readonly RatedCalls[]): string {
  return rates
    .map(({ resource, calls, limit, interval_ms, least_ms }) => {
      const rate = `${limit} in ${duration(interval_ms)}`;
      return ` Of ${plainLine(resource)} at most ${rate} are called: its ${count(calls, "call")} begin over ${duration(least_ms)} at least.`;
    })
    .join("");
}

/** Where durations are from, as it is shown. */
export interface ShownSources extends EstimateSources {
  /** What tasks without a known duration were taken to last: the mean of the others, in milliseconds. @default a second */
  readonly assumedMs?: number;
}

/** What a prediction rests on, in a sentence. */
export function durationsFrom(sources: ShownSources): string {
  const { assumedLists = 0 } = sources;
  if (assumedLists === 0) return durationsOf(sources);
  const each = assumedLists === 1 ? "A list of unknown length counts" : `${assumedLists} lists of unknown length count`;
  return `${durationsOf(sources)} ${each} as ${DEFAULT_ITEMS} elements${assumedLists === 1 ? "" : " each"}.`.trim();
}

function durationsOf({ planned, learned, declared, assumed, assumedMs }: ShownSources): string {
  const usual = assumedMs === undefined ? "1 s" : `${duration(assumedMs)}, the mean of the others`;
  const parts = [
    [planned, "from the plan"],
    [learned, "from earlier runs"],
    [declared, "from the tools"],
    [assumed, `not known and taken as ${usual}`],
  ] as const;
  const named = parts.filter(([tasks]) => tasks > 0);
  const [only, ...others] = named;
  if (only === undefined) return "";
  if (others.length === 0) return `Durations are ${only[1]}${only[1] === parts[3][1] ? " each" : ""}.`;
  return `Durations: ${named.map(([tasks, where]) => `${tasks} ${where}`).join(", ")}.`;
}

/** Which tasks go together to a dispatcher, why this grouping won, and what one dispatch a task would take. */
export function subgraphView(grouped: GroupedPlan, rates: readonly RatedCalls[], style: Style): string {
  const { environment, costs, predictedMs, lowerBoundMs, perTaskMs } = grouped;
  const isMeasured =
    costs !== undefined &&
    costs.measured > 0 &&
    // What is configured goes before what was measured.
    environment.overheadMs === (costs.overheadMeanMs ?? costs.overheadMs);
  const measured = isMeasured ? ", measured" : "";
  const sentences = [
    grouped.reason,
    `A dispatch costs ${duration(environment.overheadMs)}${measured}; one for each task would end after ${duration(perTaskMs)}.`,
    durationsFrom(grouped.sources),
    ...(rates.length === 0 ? [] : [`The prediction leaves out the rates of the run.${ratesText(rates)}`]),
  ];
  const figures = `predicted ${duration(predictedMs)}, lower bound ${duration(lowerBoundMs)}`;
  const reason = wrapped(sentences.join(" "), style.width - 2).join("\n");
  return `${section("Subgraphs", figures, style)}${subgraphList(grouped, style)}${style.paint("dim", indent(reason, 2))}\n`;
}

function indent(text: string, columns: number): string {
  const pad = " ".repeat(columns);
  return text
    .split("\n")
    .map((line) => (line === "" ? line : pad + line))
    .join("\n");
}
