import stringWidth from "fast-string-width";
import type { TaskData } from "planloom";
import { planView } from "planloom/plan";
import type { TaskRecord } from "planloom/runtime";
import { duration, plainLine, type Style } from "../terminal/style.ts";
import { section } from "./heading.ts";

/** Rows drawn; of more tasks those of the critical path come first, then the longest. */
const MAX_ROWS = 40;
const LABEL_WIDTH = 28;
const TIME_WIDTH = 9;

interface Bar {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: TaskRecord["status"];
  readonly critical: boolean;
}

/** When each task ran, as bars; those of the critical path are solid and marked. Empty where nothing was executed. */
export function timeline(plan: TaskData, records: ReadonlyMap<string, TaskRecord>, style: Style): string {
  const critical = new Set(criticalPath(plan, records));
  const bars = plan.planned_tasks.flatMap(({ task_id }): Bar[] => {
    const record = records.get(task_id);
    if (record === undefined || !wasExecuted(record)) return [];
    const endedAt = record.timing?.ended_at ?? record.started_at + record.duration_ms;
    return [
      { id: task_id, startedAt: record.started_at, endedAt, status: record.status, critical: critical.has(task_id) },
    ];
  });
  if (bars.length === 0) return "";
  const shown = bars
    .toSorted((a, b) => Number(b.critical) - Number(a.critical) || spanOf(b) - spanOf(a))
    .slice(0, MAX_ROWS)
    .toSorted((a, b) => a.startedAt - b.startedAt || a.endedAt - b.endedAt);
  const axis = makeAxis(bars);
  const labelWidth = Math.min(LABEL_WIDTH, Math.max(...shown.map(({ id }) => stringWidth(plainLine(id)))));
  const columns = Math.max(10, style.width - labelWidth - TIME_WIDTH - 6);
  const lines = shown.map((bar) => line(bar, axis, { labelWidth, columns }, style));
  const rest = bars.length - shown.length;
  if (rest > 0) lines.push(style.paint("dim", `  … and ${rest} more`));
  const onPath = bars.filter((bar) => bar.critical);
  const remark = `${style.glyph("◆", "*")} critical path: ${duration(onPath.reduce((sum, bar) => sum + spanOf(bar), 0))}`;
  const total = `${duration(axis.busyMs)} with something running${axis.cut ? ", idle time cut" : ""}`;
  return `${section("Timeline", `${remark} · ${total}`, style)}${lines.join("\n")}\n`;
}

function line(
  bar: Bar,
  axis: Axis,
  { labelWidth, columns }: { labelWidth: number; columns: number },
  style: Style,
): string {
  const from = Math.min(columns - 1, Math.floor((axis.place(bar.startedAt) / axis.length) * columns));
  const to = Math.max(from + 1, Math.min(columns, Math.ceil((axis.place(bar.endedAt) / axis.length) * columns)));
  const fill = bar.critical ? style.glyph("█", "#") : style.glyph("░", "=");
  const colour = bar.status === "completed" ? (bar.critical ? "yellow" : "cyan") : "red";
  const drawn = " ".repeat(from) + style.paint(colour, fill.repeat(to - from)) + " ".repeat(columns - to);
  const mark = bar.critical ? style.paint("yellow", style.glyph("◆", "*")) : " ";
  const label = clip(plainLine(bar.id), labelWidth);
  return `  ${mark} ${label}${" ".repeat(labelWidth - stringWidth(label))} ${drawn} ${style.paint("dim", duration(spanOf(bar)).padStart(TIME_WIDTH))}`;
}

/**
 * The chain of dependencies whose executions took longest together, first to last. Tasks that were not executed take no time.
 * O(tasks + dependencies).
 */
export function criticalPath(plan: TaskData, records: ReadonlyMap<string, TaskRecord>): string[] {
  const view = planView(plan);
  const length = new Float64Array(view.n);
  const before = new Int32Array(view.n).fill(-1);
  let last = -1;
  for (const task of view.topo) {
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge += 1) {
      const source = view.in[edge]!;
      if (length[source]! > (before[task] === -1 ? 0 : length[before[task]!]!)) before[task] = source;
    }
    const record = records.get(view.ids[task]!);
    const own = record !== undefined && wasExecuted(record) ? record.duration_ms : 0;
    length[task] = own + (before[task] === -1 ? 0 : length[before[task]!]!);
    if (last === -1 || length[task]! > length[last]!) last = task;
  }
  const path: string[] = [];
  for (let task = last; task !== -1; task = before[task]!) path.push(view.ids[task]!);
  return path.reverse();
}

interface Axis {
  /** The position of a time, from 0 to `length`. */
  place(at: number): number;
  readonly length: number;
  /** Time in which something ran. */
  readonly busyMs: number;
  /** Times without work were shortened: nights between a run and its resumption, say. */
  readonly cut: boolean;
}

function makeAxis(bars: readonly Bar[]): Axis {
  const busy: { from: number; to: number }[] = [];
  for (const { startedAt, endedAt } of bars.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const last = busy.at(-1);
    if (last !== undefined && startedAt <= last.to) last.to = Math.max(last.to, endedAt);
    else busy.push({ from: startedAt, to: endedAt });
  }
  const busyMs = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const longestGap = Math.max(1, busyMs * 0.1);
  let at = 0;
  let cut = false;
  const places = busy.map(({ from, to }, index) => {
    const gap = index === 0 ? 0 : from - busy[index - 1]!.to;
    if (gap > longestGap) cut = true;
    const start = at + Math.min(gap, longestGap);
    at = start + to - from;
    return { from, to, start };
  });
  const place = (time: number) => {
    const found = places.findLast(({ from }) => from <= time) ?? places[0];
    return found === undefined ? 0 : found.start + Math.min(time, found.to) - found.from;
  };
  return { place, length: Math.max(at, 1e-9), busyMs, cut };
}

function wasExecuted(record: TaskRecord): boolean {
  return record.attempts > 0 && (record.status === "completed" || record.status === "failed");
}

const spanOf = (bar: Bar): number => bar.endedAt - bar.startedAt;

function clip(text: string, width: number): string {
  return stringWidth(text) <= width ? text : `${[...text].slice(0, Math.max(1, width - 1)).join("")}…`;
}
