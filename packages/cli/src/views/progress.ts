import type { RunEvent, TaskData, TaskResult } from "planloom";
import type { TextSink } from "../io.ts";
import { errorText } from "../options/option-places.ts";
import { duration, elementsText, plainLine, type Style } from "../terminal/style.ts";
import { isRecord } from "../terminal/table.ts";
import { waitText } from "../terminal/wait-text.ts";

/** Shows a run as it happens. `stop` leaves the last state on the screen. */
export interface Progress {
  onEvent(event: RunEvent): void;
  stop(): void;
}

type Counts = NonNullable<TaskResult["elements"]>;

interface Row {
  readonly id: string;
  readonly label: string;
  /** What a list does for each element; empty for other tasks. */
  readonly list: string;
  state: "waiting" | "running" | "done" | "failed" | "skipped" | "retrying" | "replaced";
  startedAt: number;
  text: string;
  /** Of a task that is executed for each element of a list: how many have ended, in words. */
  elements: string;
  /** Tenths of the list of which a line was printed. */
  tenths: number;
}

/** Rows on screen at once; a larger plan shows what runs, and counts the rest. */
const MAX_ROWS = 14;
const FRAMES = { unicode: [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"], ascii: ["|", "/", "-", "\\"] };

/** Live lines on a terminal, one plain line an event elsewhere. */
export async function progressFor(plan: TaskData, sink: TextSink, style: Style): Promise<Progress> {
  const board = new Board(plan, style);
  if (!style.live) {
    return {
      onEvent: (event) => {
        const line = board.apply(event, Date.now());
        if (line !== undefined) sink.write(`${line}\n`);
      },
      stop: () => {},
    };
  }
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(sink as unknown as NodeJS.WriteStream);
  let frame = 0;
  const draw = () => update(board.lines(Date.now(), frame++).join("\n"));
  const timer = setInterval(draw, 80);
  timer.unref();
  return {
    onEvent: (event) => {
      board.apply(event, Date.now());
    },
    stop: () => {
      clearInterval(timer);
      board.end();
      draw();
      update.done();
    },
  };
}

class Board {
  #rows: Map<string, Row>;
  readonly #style: Style;
  #width: number;
  /** Whose replacement is being asked for. */
  #asked: readonly string[] = [];

  constructor(plan: TaskData, style: Style) {
    this.#style = style;
    this.#rows = new Map(plan.planned_tasks.map((task) => [task.task_id, newRow(task.task_id, task)]));
    this.#width = this.#widest();
  }

  #widest(): number {
    let widest = 0;
    for (const { label } of this.#rows.values()) widest = Math.max(widest, label.length);
    return Math.min(32, widest);
  }

  /** Takes the event in; returns the line to print where lines are not redrawn. */
  apply(event: RunEvent, now: number): string | undefined {
    if (event.type === "patch-request" || event.type === "patch-apply" || event.type === "patch-refuse") {
      return this.#patch(event);
    }
    if (event.type === "subgraph-split") {
      const why = event.why === "waiting" ? "durations are not as estimated" : "an executor was idle";
      return `  ${this.#style.paint("dim", `${plainLine(event.subgraphId)} was split (${why}): ${names(event.taskIds)} by themselves`)}`;
    }
    if (!("taskId" in event)) return undefined;
    const row = this.#rows.get(event.taskId);
    if (row === undefined) return undefined;
    switch (event.type) {
      case "task-start":
        row.state = "running";
        row.startedAt = now;
        row.text = plainLine(event.uid ?? row.list);
        row.tenths = 0;
        return this.#line(row, now, "…");
      case "task-retry":
        row.state = "retrying";
        row.text = `attempt ${event.attempt} failed: ${plainLine(errorText(event.error))}; again in ${duration(event.delayMs)}`;
        return this.#line(row, now, "↻");
      case "task-end":
        row.state = "done";
        row.text = [duration(event.durationMs), row.elements].filter((part) => part !== "").join(", ");
        return this.#line(row, now, "✓");
      case "task-error":
        row.state = "failed";
        row.text = plainLine(errorText(event.error));
        return this.#line(row, now, "✗");
      case "task-skip":
        row.state = "skipped";
        row.text = `skipped: ${plainLine(errorText(event.error))}`;
        return this.#line(row, now, "○");
      case "task-waiting":
        row.state = "waiting";
        row.text = "waits for approval";
        return this.#line(row, now, "·");
      case "task-wait":
        row.state = "waiting";
        row.text = event.wait === undefined ? "waits" : `waits ${plainLine(waitText(event.wait))}`;
        return this.#line(row, now, "·");
      case "task-progress":
        return this.#elements(row, event.progress, now);
      default:
        return undefined;
    }
  }

  /** A list is one row, however long it is; a line is printed for each tenth of it. */
  #elements(row: Row, progress: unknown, now: number): string | undefined {
    const counts =
      isRecord(progress) && isRecord(progress.elements) ? (progress.elements as unknown as Counts) : undefined;
    if (counts === undefined) return undefined;
    row.elements = elementsText(counts);
    if (row.state === "running") row.text = row.elements;
    const { total, completed, failed, skipped } = counts;
    const tenths = Math.floor((10 * (completed + failed + skipped)) / Math.max(1, total));
    if (tenths <= row.tenths || tenths === 10) return undefined;
    row.tenths = tenths;
    return this.#line(row, now, "…");
  }

  /** The plan changes: replaced tasks stay in sight, the new ones are below them. */
  #patch(event: Extract<RunEvent, { type: `patch-${string}` }>): string | undefined {
    const { paint, glyph } = this.#style;
    const say = (text: string) => `  ${paint("magenta", glyph("↺", "~"))} ${text}`;
    switch (event.type) {
      case "patch-request": {
        this.#asked = event.taskIds;
        return say(`replanning ${names(event.taskIds.length > 0 ? event.taskIds : ["what has not begun"])}`);
      }
      case "patch-refuse":
        this.#asked = [];
        return say(paint("dim", `the plan stays: ${plainLine(event.message)}`));
      case "patch-apply": {
        this.#asked = [];
        const moves = [
          ...event.replaced,
          ...event.renewed.map(({ task_id, new_task_id }) => ({ task_id, replaced_by: [new_task_id] })),
        ];
        for (const { task_id, replaced_by } of moves) this.#replace(task_id, replaced_by);
        this.#width = this.#widest();
        const replaced = moves.map(({ task_id, replaced_by }) =>
          replaced_by.length === 0
            ? `${plainLine(task_id)} dropped`
            : `${plainLine(task_id)} ${glyph("→", "->")} ${names(replaced_by)}`,
        );
        return say(`replanned: ${replaced.slice(0, 6).join("; ")}${replaced.length > 6 ? "; …" : ""}`);
      }
      default:
        return event satisfies never;
    }
  }

  #replace(taskId: string, by: readonly string[]): void {
    const rows: [string, Row][] = [];
    for (const [id, row] of this.#rows) {
      rows.push([id, row]);
      if (id !== taskId) continue;
      row.state = "replaced";
      row.text = by.length === 0 ? "dropped" : `replaced by ${names(by)}`;
      for (const fresh of by) if (!this.#rows.has(fresh)) rows.push([fresh, newRow(fresh)]);
    }
    this.#rows = new Map(rows);
  }

  /** Nothing runs any more: what was under way is said to have been broken off. */
  end(): void {
    for (const row of this.#rows.values()) {
      if (row.state !== "running" && row.state !== "retrying") continue;
      row.state = "skipped";
      row.text = "broken off";
    }
  }

  lines(now: number, frame: number): string[] {
    const rows = [...this.#rows.values()];
    const frames = this.#style.unicode ? FRAMES.unicode : FRAMES.ascii;
    const spinner = frames[frame % frames.length] as string;
    const asked =
      this.#asked.length > 0 ? [`  ${this.#style.paint("magenta", spinner)} replanning ${names(this.#asked)}`] : [];
    if (rows.length <= MAX_ROWS) return [...rows.map((row) => this.#line(row, now, spinner)), ...asked];
    const active = rows.filter((row) => row.state === "running" || row.state === "retrying").slice(0, MAX_ROWS - 2);
    const ended = rows.filter((row) => row.state === "done").length;
    const failed = rows.filter((row) => row.state === "failed" || row.state === "skipped").length;
    return [
      `  ${ended} of ${rows.length} done${failed > 0 ? `, ${failed} failed or skipped` : ""}`,
      ...active.map((row) => this.#line(row, now, spinner)),
      ...asked,
    ];
  }

  #line(row: Row, now: number, spinner: string): string {
    const { paint, glyph } = this.#style;
    const marks = {
      waiting: paint("dim", glyph("·", ".")),
      running: paint("cyan", glyph(spinner, spinner === "…" ? ">" : spinner)),
      retrying: paint("yellow", glyph("↻", "r")),
      done: paint("green", glyph("✓", "+")),
      failed: paint("red", glyph("✗", "x")),
      skipped: paint("yellow", glyph("○", "o")),
      replaced: paint("magenta", glyph("↺", "~")),
    };
    const label =
      row.label.length > this.#width ? `${row.label.slice(0, this.#width - 1)}…` : row.label.padEnd(this.#width);
    const text =
      row.state === "running" && this.#style.live ? `${row.text}  ${duration(now - row.startedAt)}` : row.text;
    const room = Math.max(10, this.#style.width - this.#width - 8);
    return `  ${marks[row.state]} ${label}  ${paint("dim", text.length > room ? `${text.slice(0, room - 1)}…` : text)}`;
  }
}

function newRow(id: string, { for_each, tool_id }: Partial<TaskData["planned_tasks"][number]> = {}): Row {
  // What a list calls is known of its elements alone, whose events are not shown.
  const list = for_each === undefined ? "" : `for each element ${tool_id ?? ""}`.trimEnd();
  return { id, label: plainLine(id), list, state: "waiting", startedAt: 0, text: "", elements: "", tenths: 0 };
}

function names(ids: readonly string[]): string {
  return `${ids.slice(0, 3).map(plainLine).join(", ")}${ids.length > 3 ? `, … (${ids.length})` : ""}`;
}
