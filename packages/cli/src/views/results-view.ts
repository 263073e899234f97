import type { PlanloomRunResult, Resource, RunResult, TaskResult, WaitingCall } from "planloom";
import type { RunGrouping } from "planloom/dispatch";
import { errorText } from "../options/option-places.ts";
import { count, duration, elementsText, plainLine, type Style } from "../terminal/style.ts";
import { renderValue } from "../terminal/table.ts";
import { waitText } from "../terminal/wait-text.ts";
import { askedView } from "./asked-view.ts";
import { defaultLimit } from "./default-limit.ts";
import { section } from "./heading.ts";

const MAX_TASKS = 20;

/**
 * Tasks' outputs as tables, in plan order; failures and skips with their reason.
 * @param waiting what a person is asked in the run
 * @param resources of the session: by their schemas it is said where rows may have been cut by a tool's default
 */
export function resultsView(
  result: RunResult,
  style: Style,
  waiting: readonly WaitingCall[] = [],
  resources: readonly Resource[] = [],
): string {
  const titles = new Map(result.plan.planned_tasks.map((task) => [task.task_id, task.title ?? task.description]));
  const shown = worthShowing(result.results, ({ status }) => status, MAX_TASKS);
  const parts = shown.map(
    (task) => taskView(task, titles.get(task.task_id) ?? "", style, resources) + callsWithin(task, waiting, style),
  );
  const rest = result.results.length - shown.length;
  if (rest > 0) parts.push(style.paint("dim", `  … and ${rest} more tasks (--json has them all)\n`));
  return `${section("Results", "", style)}${parts.join("\n")}`;
}

/** At most `most` of the tasks, in their order; of more, those that failed and were skipped have half of the room, in this order. */
export function worthShowing<Task>(
  tasks: readonly Task[],
  statusOf: (task: Task) => string | undefined,
  most: number,
): readonly Task[] {
  if (tasks.length <= most) return tasks;
  const failed = tasks.filter((task) => statusOf(task) === "failed");
  const done = tasks.filter((task) => statusOf(task) === "completed");
  const open = new Set([...failed, ...tasks.filter((task) => statusOf(task) !== "completed")]);
  const chosen = new Set([...open].slice(0, Math.max(most / 2, most - done.length)));
  for (const task of done.slice(0, most - chosen.size)) chosen.add(task);
  return tasks.filter((task) => chosen.has(task));
}

/** Calls shown before "… and N more". */
const mostCalls = 20;

/** What a person is asked about calls within a task, such as those of the elements of its list: each with its arguments. */
function callsWithin({ task_id, status, input }: TaskResult, waiting: readonly WaitingCall[], style: Style): string {
  if (status !== "waiting_approval" || input !== undefined) return "";
  const calls = waiting.filter(({ id }) => id.startsWith(`${task_id}[`) || id.startsWith(`${task_id}/`));
  const views = calls.slice(0, mostCalls).map((call) => {
    const uid = call.uid === undefined ? "" : `  ${style.paint("dim", plainLine(call.uid))}`;
    return `    ${style.paint("bold", plainLine(call.id))}${uid}\n${askedView(call, style)}`;
  });
  const more = calls.length - views.length;
  return views.join("") + (more > 0 ? style.paint("dim", `    … and ${more} more\n`) : "");
}

function taskView(task: TaskResult, title: string, style: Style, resources: readonly Resource[]): string {
  const name = style.paint("bold", plainLine(task.task_id));
  if (task.status === "completed") {
    const elements = task.elements === undefined ? "" : ` ${style.paint("dim", `(${elementsText(task.elements)})`)}`;
    const rows =
      elements !== ""
        ? elements
        : Array.isArray(task.output)
          ? ` ${style.paint("dim", `(${count(task.output.length, "row")}${cutBy(task, resources)})`)}`
          : "";
    return `  ${name}${rows}  ${style.paint("dim", plainLine(title))}\n${renderValue(task.output, style, 4)}\n`;
  }
  if (task.status === "skipped") {
    return `  ${name}  ${style.paint("yellow", "skipped")}: ${plainLine(skipReason(task))}\n`;
  }
  if (task.status !== "failed") {
    // A person who is asked sees what the call is.
    const asked = task.status === "waiting_approval" && task.input !== undefined;
    const uid = asked && task.uid !== undefined ? `  ${style.paint("dim", plainLine(task.uid))}` : "";
    const wait = task.wait === undefined ? "" : ` ${plainLine(waitText(task.wait))}`;
    const within =
      task.status === "waiting" && task.wait === undefined ? `: ${plainLine(task.error?.message ?? "")}` : "";
    const about = asked ? askedView({ ...task.question, input: task.input! }, style) : "";
    const doubt = task.error?.details?.begun === undefined ? "" : `    ${plainLine(errorText(task.error))}\n`;
    return `  ${name}  ${style.paint("yellow", statusWord(task.status))}${wait}${within}${uid}\n${doubt}${about}`;
  }
  const why =
    task.error === undefined
      ? ""
      : `: ${plainLine(errorText(task.error))} ${style.paint("dim", `[${plainLine(task.error.code)}]`)}`;
  return `  ${name}  ${style.paint("red", "failed")}${why}\n`;
}

/** Words for rows that a tool's default may have cut, which otherwise look like all there are. */
function cutBy(task: TaskResult, resources: readonly Resource[]): string {
  const name = defaultLimit(task, resources);
  return name === undefined ? "" : `, the tool's default ${plainLine(name)}: there may be more`;
}

/** A status as a person says it. */
export function statusWord(status: TaskResult["status"]): string {
  if (status === "waiting_approval") return "waits for approval";
  if (status === "waiting") return "waits";
  return status === "pending" ? "not reached yet" : status;
}

export function skipReason(task: TaskResult): string {
  return (
    task.error?.message ?? (task.skipped_because === undefined ? "not reached" : `because of ${task.skipped_because}`)
  );
}

/** Of tools that take less, the ratio measures the first journal write of a process rather than the schedule. */
const minComparableMs = 20;

/** How long it took against the bound that no schedule can beat. */
export function timeView(result: PlanloomRunResult, style: Style): string {
  const { achievedMs, lowerBoundMs, ratio } = result.certificate;
  const times = lowerBoundMs < minComparableMs ? "" : ` (×${ratio.toFixed(2)})`;
  const bound =
    lowerBoundMs > 0
      ? `${duration(achievedMs)} achieved, ${duration(lowerBoundMs)} is the lower bound for these durations${times}`
      : duration(achievedMs);
  return `${section("Time", "", style)}  ${bound}\n${dispatchLine(result, style)}${waitsLine(result.certificate, style)}`;
}

/** What the dispatches were predicted to take, and what one for each task was. */
export function predictionLine({
  dispatches,
  dispatcher,
  predicted_ms,
  per_task_ms,
}: Pick<RunGrouping, "dispatches" | "dispatcher" | "predicted_ms" | "per_task_ms">): string {
  return `  ${dispatches.toLocaleString("en")} ${dispatches === 1 ? "dispatch" : "dispatches"} to ${plainLine(dispatcher)}: ${duration(predicted_ms)} predicted; one for each task, ${duration(per_task_ms)} predicted\n`;
}

function dispatchLine({ grouping }: PlanloomRunResult, style: Style): string {
  if (grouping === undefined) return "";
  const { dispatches, predicted_ms, per_task_ms, dispatcher, achieved } = grouping;
  const predicted = { dispatches, dispatcher, predicted_ms, per_task_ms };
  return style.paint("dim", `${predictionLine(predicted)}${achieved === undefined ? "" : differenceLine(achieved)}`);
}

/** What made the run longer or shorter than predicted. */
function differenceLine({
  off_by,
  difference,
  achieved_ms,
  per_task_ms,
  lower_bound_ms,
}: NonNullable<NonNullable<PlanloomRunResult["grouping"]>["achieved"]>) {
  const { tasks_ms, overhead_ms, idle_ms } = difference;
  const part = (ms: number, what: string) => `${what} ${ms < 0 ? "-" : "+"}${duration(Math.abs(ms))}`;
  const parts = [part(tasks_ms, "tasks"), part(overhead_ms, "dispatching"), part(idle_ms, "idle executors")];
  const percent = Math.round(100 * off_by);
  return `  ${percent < 0 ? "" : "+"}${percent} % beside the prediction: ${parts.join(", ")}\n  with these durations and dispatches one for each task would have taken ${duration(per_task_ms)} (×${(per_task_ms / achieved_ms).toFixed(2)}), and no grouping less than ${duration(lower_bound_ms)}\n`;
}

/** What made it longer, and no schedule could help. */
function waitsLine({ waits }: RunResult["certificate"], style: Style): string {
  if (waits === undefined) return "";
  const parts = [
    ["the next attempt", waits.retryMs] as const,
    ["a rate or a budget", waits.limitMs] as const,
    ["approval", waits.approvalMs] as const,
    ["a time or a signal", waits.timeMs ?? 0] as const,
  ].flatMap(([what, ms]) => (ms >= 1 ? [`${duration(ms)} for ${what}`] : []));
  return parts.length === 0 ? "" : style.paint("dim", `  tasks waited ${parts.join(", ")}\n`);
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
  const asleep = result.results.filter((task) => task.status === "waiting").length;
  if (asleep > 0) parts.push(style.paint("yellow", `${asleep} waiting for a time or a signal`));
  if (skipped > 0) parts.push(style.paint("yellow", `${skipped} skipped`));
  return `${parts.join(", ")} ${style.paint("dim", `(${result.end_reason})`)}`;
}
