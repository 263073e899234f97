import { checkOptions } from "../check-options.ts";
import { taskLevels } from "../graph/bounds.ts";
import { planView } from "../graph/plan-view.ts";
import type { OptionChecks } from "../options/option-checks.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { SubGraph } from "../records/sub-graph.ts";
import type { TaskData } from "../records/task-data.ts";
import { tasksOf } from "../references/task-names.ts";
import { ansiPaint, asciiCharset, type Paint, plainPaint, unicodeCharset } from "./ascii-style.ts";
import type { Canvas } from "./canvas.ts";
import { type LaneRow, layOutLanes } from "./lanes.ts";
import { abbreviated } from "./level-summary.ts";
import { displayWidth, fit, pad, printable } from "./printable.ts";
import { groupTasks } from "./task-groups.ts";
import { argumentsText, flowText, resourceText, titleText } from "./task-text.ts";

export interface AsciiOptions {
  /** Groups the tasks; each group has a heading. Tasks in no subgraph form a last group. */
  readonly subgraphs?: readonly SubGraph[];
  /** Box-drawing characters; without, everything is plain ASCII, the tasks' own texts too. @default true */
  readonly unicode?: boolean;
  /** `true` for ANSI colours, or a function of one's own. @default false */
  readonly colour?: boolean | Paint;
  /** Columns, at least 20. @default 100 */
  readonly width?: number;
  /** Plans with more tasks are summed up by level. @default 60 */
  readonly maxTasks?: number;
}

const checks = {
  subgraphs: "list",
  unicode: "boolean",
  colour: "own",
  width: "positive",
  maxTasks: "nonNegative",
} as const satisfies OptionChecks<AsciiOptions>;

/** More lanes than this make a picture that is too hard to follow. */
const maxLanes = 14;

/**
 * A picture of a plan for a terminal: one row a task, in an order in which they can run; lines lead from each task down
 * to what depends on it; tasks at one level (numbered at the left) can run at once. Beside each its id,
 * resource, arguments in brief and title. Where lines would tangle, dependencies are named instead; plans beyond
 * `maxTasks` are summed up by level and say so. No line is longer than `width`; no character of the plan's texts
 * reaches the terminal unless it is printable.
 * @throws PlanError as `planView`: a plan with a cycle has no order.
 */
export function renderAscii(plan: TaskData | readonly PlannerTask[], options: AsciiOptions = {}): string {
  checkOptions("`renderAscii`", options, checks);
  const { unicode = true, colour = false, maxTasks = 60 } = options;
  const view = planView(plan);
  const canvas: Canvas = {
    view,
    tasks: tasksOf(plan),
    levels: taskLevels(view),
    characters: unicode ? unicodeCharset : asciiCharset,
    paint: typeof colour === "function" ? colour : colour ? ansiPaint : plainPaint,
    width: Math.max(20, options.width ?? 100),
    unicode,
  };
  const lines = [heading(plan, canvas)];
  if (view.n > maxTasks) lines.push(...abbreviated(canvas, maxTasks));
  else lines.push(...picture(canvas, options.subgraphs));
  return `${lines.join("\n")}\n`;
}

function heading(plan: TaskData | readonly PlannerTask[], canvas: Canvas): string {
  const { view, levels, characters, width, unicode } = canvas;
  const perLevel = new Map<number, number>();
  for (const level of levels) perLevel.set(level, (perLevel.get(level) ?? 0) + 1);
  const atOnce = [...perLevel.values()].reduce((most, count) => Math.max(most, count), 0);
  const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const facts = [
    count(view.n, "task"),
    count(perLevel.size, "level"),
    ...(atOnce > 1 ? [`up to ${atOnce} at once`] : []),
  ];
  const summary = facts.join(characters.dot);
  const title = printable("planned_tasks" in plan ? (plan.title ?? "") : "", { unicode });
  const text =
    title === ""
      ? summary
      : `${fit(title, Math.max(10, width - summary.length - 3), characters.ellipsis)}${characters.dot}${summary}`;
  return canvas.paint("title", fit(text, width, characters.ellipsis));
}

function picture(canvas: Canvas, subgraphs: readonly SubGraph[] | undefined): string[] {
  const groups = groupTasks(canvas, subgraphs);
  const order = groups.flatMap((group) => group.tasks);
  const rows = layOutLanes(canvas.view, order, maxLanes);
  const lanes = rows ? Math.max(0, ...rows.map((row) => row.cells.length)) : 0;
  const columns = columnWidths(canvas, lanes);
  const lines: string[] = [];
  let at = 0;
  let level = -1;
  for (const group of groups) {
    if (group.heading !== undefined) {
      lines.push(groupLine(group.heading, rows?.[at - 1], columns, canvas));
      level = -1;
    }
    for (const task of group.tasks) {
      const shown = canvas.levels[task] !== level;
      level = canvas.levels[task]!;
      lines.push(taskLine(task, shown ? String(level + 1) : "", rows?.[at], columns, canvas));
      at++;
    }
  }
  return lines;
}

/** Columns of the level number, the lanes, the ids and the resources; what is left is for arguments and title. */
interface Columns {
  readonly level: number;
  readonly lanes: number;
  readonly id: number;
  readonly resource: number;
}

function columnWidths(canvas: Canvas, lanes: number): Columns {
  const { tasks, levels, width, unicode } = canvas;
  let [id, resource, level] = [0, 0, 1];
  tasks.forEach((task, number) => {
    id = Math.max(id, displayWidth(printable(task.task_id, { unicode })));
    resource = Math.max(resource, displayWidth(printable(resourceText(task), { unicode })));
    level = Math.max(level, String(levels[number]! + 1).length);
  });
  const laneColumns = Math.max(1, lanes * 2 - 1);
  const room = width - level - laneColumns - 4;
  id = Math.min(id, Math.max(6, Math.floor(room * 0.35)));
  return {
    level: level + 1,
    lanes: laneColumns,
    id,
    resource: Math.min(resource, Math.max(0, Math.floor((room - id) * 0.5))),
  };
}

function taskLine(task: number, level: string, row: LaneRow | undefined, columns: Columns, canvas: Canvas): string {
  const { characters, paint, unicode, width } = canvas;
  const record = canvas.tasks[task]!;
  const clean = (text: string, room: number) => fit(printable(text, { unicode }), room, characters.ellipsis);
  const id = clean(record.task_id, columns.id);
  const resource = clean(resourceText(record), columns.resource);
  const room =
    width - columns.level - columns.lanes - 2 - columns.id - 2 - (columns.resource > 0 ? columns.resource + 2 : 0) - 1;
  const rest = clean(details(record, row === undefined, canvas), Math.max(0, room));
  const line =
    paint("level", level.padStart(columns.level)) +
    " " +
    graphText(record, row, columns, canvas) +
    "  " +
    paint("id", pad(id, columns.id)) +
    (columns.resource > 0 ? `  ${paint("resource", pad(resource, columns.resource))}` : "") +
    (rest === "" ? "" : `  ${paint("arguments", rest)}`);
  return line.trimEnd();
}

/** Arguments and title; the dependencies in words where no lines show them. */
function details(task: PlannerTask, inWords: boolean, { view, characters }: Canvas): string {
  const parts = [flowText(task), argumentsText(task), titleText(task)].filter((part) => part !== "");
  if (inWords) {
    const number = view.indexOf(task.task_id);
    const sources = [...view.in.subarray(view.inPtr[number]!, view.inPtr[number + 1]!)].map(
      (source) => view.ids[source],
    );
    if (sources.length > 0) parts.unshift(`after ${sources.join(", ")}`);
  }
  return parts.filter((part) => part !== "").join(characters.dot);
}

function graphText(
  task: PlannerTask,
  row: LaneRow | undefined,
  columns: Columns,
  { characters, paint }: Canvas,
): string {
  const node = paint(task.status, characters.status[task.status]);
  if (!row) return pad("", columns.lanes - 1) + node;
  let text = "";
  let run = "";
  row.cells.forEach((cell, lane) => {
    if (cell === "node") {
      text += paint("line", run) + node;
      run = "";
    } else run += characters.cells[cell];
    if (lane < row.cells.length - 1) run += row.linked[lane] ? characters.link : " ";
  });
  const drawn = row.cells.length * 2 - 1;
  return text + (run === "" ? "" : paint("line", run)) + " ".repeat(Math.max(0, columns.lanes - drawn));
}

function groupLine(text: string, above: LaneRow | undefined, columns: Columns, canvas: Canvas): string {
  const { characters, paint, width, unicode } = canvas;
  const lanes = (above?.below ?? []).map((runs) => (runs ? characters.cells.pass : " ")).join(" ");
  const label = fit(
    `${characters.rule}${characters.rule} ${printable(text, { unicode })}`,
    width - columns.level - columns.lanes - 3,
    characters.ellipsis,
  );
  return `${" ".repeat(columns.level)} ${paint("line", pad(lanes, columns.lanes))}  ${paint("note", label)}`.trimEnd();
}
