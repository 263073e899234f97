import type { Resource, TaskData } from "planloom";
import type { DryStep } from "planloom/runtime";
import { escapedOdd } from "../io.ts";
import { plainLine, type Style } from "../terminal/style.ts";
import { isRecord } from "../terminal/table.ts";
import { wrapped } from "../terminal/wrap.ts";
import { converterLine } from "./asked-view.ts";
import { elementCalls, moreOfCall, onlyWhen } from "./element-calls.ts";
import { section } from "./heading.ts";
import { confidenceWords, proposalLine } from "./trust-view.ts";

/** Where a value was read from, as a planner notes it in `metadata.provenance`. */
interface Origin {
  readonly source?: string;
  readonly text?: string;
  readonly likelihood?: number;
}

/** Values less likely than this are marked as guessed. */
const guessedBelow = 0.5;

/** The calls of a plan that a person confirms: their arguments whole, and which of them the planner has guessed. */
export function confirmView(
  plan: TaskData,
  steps: readonly DryStep[],
  resources: readonly Resource[],
  style: Style,
): string {
  const tasks = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  const destructive = new Set(resources.flatMap(({ id, destructive }) => (destructive === true ? [id] : [])));
  const calls = steps.map((step) => {
    const task = tasks.get(step.task_id);
    const origins = originsOf(plan, step.task_id);
    const values = Object.entries(task?.arguments ?? step.input);
    const code = step.convertor_code === undefined ? "" : converterLine(step.convertor_code, 6, style);
    const danger = destructive.has(step.uid ?? "") ? `  ${style.paint("red", "destructive")}` : "";
    const head = `  ${style.paint("bold", plainLine(step.task_id))}  ${style.paint("dim", plainLine(step.uid ?? (task?.for_each?.tasks === undefined ? "chosen later" : "several calls")))}${danger}\n`;
    return (
      head +
      onlyWhen(task, 6, style) +
      values.map(([name, value]) => argument(name, value, origins, style)).join("") +
      code +
      moreOfCall(task, 6, style) +
      elementCalls(task, style, destructive)
    );
  });
  return (
    section("To confirm", "these calls may change something", style) +
    proposalLine(plan, style, confidenceWords(plan)) +
    calls.join("")
  );
}

/** One argument, whole, with a mark where it was guessed: beside it, or below where it does not fit. */
export function argument(
  name: string,
  value: unknown,
  origins: Readonly<Record<string, unknown>>,
  style: Style,
): string {
  const lines = wrapped(escapedOdd(`${name}: ${JSON.stringify(value)}`), style.width - 8);
  const text = lines.map((line, at) => `${" ".repeat(at === 0 ? 6 : 8)}${line}`).join("\n");
  const origin = markOf(value, Object.hasOwn(origins, name) ? origins[name] : undefined);
  if (origin === "") return `${text}\n`;
  const mark = `${style.glyph("◌", "?")} ${origin}`;
  const isBeside = 8 + (lines.at(-1) ?? "").length + 2 + mark.length <= style.width;
  if (isBeside) return `${text}  ${style.paint("yellow", mark)}\n`;
  const below = wrapped(mark, style.width - 10).map((line) => `        ${style.paint("yellow", line)}\n`);
  return `${text}\n${below.join("")}`;
}

function markOf(value: unknown, origin: unknown): string {
  if (!isRecord(origin)) return "";
  const { source, text, likelihood } = origin as Origin;
  if (source === "default") return "the tool's default";
  if (typeof likelihood !== "number" || likelihood >= guessedBelow) return "";
  const from = typeof text === "string" && text !== value ? ` from ${JSON.stringify(plainLine(text))}` : "";
  return `guessed${from}, ${Math.round(likelihood * 100)} % likely`;
}

const sources: Readonly<Record<string, string>> = {
  goal: "from the goal",
  default: "the tool's default",
  earlier: "said for a task before",
  context: "remembered",
  job: "a setting of the job",
  answer: "answered by you",
  edit: "edited by you",
};

/** Where a value comes from, in words: `from "facebook/react"`, `from list_issues`, "answered by you". */
export function sourceText(value: unknown, origin: unknown): string {
  if (!isRecord(origin)) return "";
  const { source, text, tasks } = origin;
  if (source === "goal" && typeof text === "string" && text !== String(value)) return `from "${plainLine(text)}"`;
  if (source === "reference" && Array.isArray(tasks)) return `from ${plainLine(tasks.map(String).join(", "))}`;
  return typeof source === "string" && Object.hasOwn(sources, source) ? sources[source]! : "";
}

/** A plan file says what it likes there. */
export function originsOf({ metadata }: TaskData, taskId: string): Readonly<Record<string, unknown>> {
  const all = metadata?.provenance;
  const own = isRecord(all) && Object.hasOwn(all, taskId) ? all[taskId] : undefined;
  return isRecord(own) ? own : {};
}
