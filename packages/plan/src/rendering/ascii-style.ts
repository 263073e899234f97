import type { TaskStatus } from "../records/planner-task.ts";
import type { Cell } from "./lanes.ts";

/** What a piece of the picture is, for colouring. */
export type PaintStyle = "title" | "id" | "resource" | "arguments" | "line" | "level" | "note" | TaskStatus;
/** Wraps text that is safe to print already. */
export type Paint = (style: PaintStyle, text: string) => string;

/** The characters of a picture. */
export interface Charset {
  readonly cells: Readonly<Record<Exclude<Cell, "node">, string>>;
  readonly link: string;
  readonly rule: string;
  readonly dot: string;
  readonly ellipsis: string;
  readonly times: string;
  readonly status: Readonly<Record<TaskStatus, string>>;
}

export const unicodeCharset: Charset = {
  cells: {
    empty: " ",
    pass: "│",
    cross: "│",
    run: "─",
    left: "├",
    leftEnd: "╰",
    middle: "┼",
    middleEnd: "┴",
    right: "┤",
    rightEnd: "╯",
  },
  link: "─",
  rule: "─",
  dot: " · ",
  ellipsis: "…",
  times: "×",
  status: {
    pending: "○",
    running: "◐",
    completed: "●",
    failed: "✗",
    skipped: "⊘",
    waiting_approval: "◇",
    waiting: "◷",
    cancelled: "⊗",
  },
};

export const asciiCharset: Charset = {
  cells: {
    empty: " ",
    pass: "|",
    cross: "|",
    run: "-",
    left: "+",
    leftEnd: "`",
    middle: "+",
    middleEnd: "'",
    right: "+",
    rightEnd: "'",
  },
  link: "-",
  rule: "-",
  dot: " - ",
  ellipsis: "...",
  times: "x",
  status: {
    pending: "o",
    running: ">",
    completed: "*",
    failed: "x",
    skipped: "/",
    waiting_approval: "?",
    waiting: "~",
    cancelled: "!",
  },
};

const codes: Readonly<Record<PaintStyle, string>> = {
  title: "1",
  id: "1",
  resource: "36",
  arguments: "0",
  line: "2",
  level: "2",
  note: "2",
  pending: "0",
  running: "33",
  completed: "32",
  failed: "31",
  skipped: "2",
  waiting_approval: "35",
  waiting: "36",
  cancelled: "31",
};

export const plainPaint: Paint = (_style, text) => text;
export const ansiPaint: Paint = (style, text) =>
  codes[style] === "0" ? text : `\u001b[${codes[style]}m${text}\u001b[0m`;
