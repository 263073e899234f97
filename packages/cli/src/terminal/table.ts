import Table from "cli-table3";
import stringWidth from "fast-string-width";
import { count, plainLine, type Style } from "./style.ts";

/** Rows, and keys of a record, shown before "… and N more". */
const MAX_ROWS = 8;
const MAX_ENTRIES = 60;
const MAX_CELL = 28;
const MIN_COLUMN = 4;

const thin = (style: Style) => {
  const line = style.glyph("─", "-");
  return {
    top: "",
    "top-mid": "",
    "top-left": "",
    "top-right": "",
    bottom: "",
    "bottom-mid": "",
    "bottom-left": "",
    "bottom-right": "",
    left: "",
    "left-mid": "",
    mid: "",
    "mid-mid": "",
    right: "",
    "right-mid": "",
    middle: "  ",
    line,
  };
};

/** Lays out rows under a header, dropping columns on the right that do not fit and saying so. Cells of `whole` columns are never cut: ids that a person types. */
export function renderRows(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  options: { indent?: number; alignRight?: ReadonlySet<number>; whole?: ReadonlySet<number> } = {},
): string {
  const indent = options.indent ?? 2;
  const widths = header.map((name, column) => {
    const widest = Math.max(MIN_COLUMN, stringWidth(name), ...rows.map((row) => stringWidth(row[column] ?? "")));
    return options.whole?.has(column) ? widest : Math.min(MAX_CELL, widest);
  });
  let used = indent;
  let columns = 0;
  while (columns < widths.length && used + (widths[columns] as number) <= style.width) {
    used += (widths[columns] as number) + 2;
    columns++;
  }
  columns = Math.max(1, columns);
  const { line, ...chars } = thin(style);
  const table = new Table({
    chars,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colWidths: widths.slice(0, columns),
    colAligns: widths.slice(0, columns).map((_, column) => (options.alignRight?.has(column) ? "right" : "left")),
    truncate: style.glyph("…", "~"),
  });
  table.push(header.slice(0, columns).map((name) => style.paint("bold", name)));
  table.push(widths.slice(0, columns).map((width) => style.paint("dim", line.repeat(width))));
  for (const row of rows) table.push(row.slice(0, columns).map((cell) => cell));
  const pad = " ".repeat(indent);
  const lines = table
    .toString()
    .split("\n")
    .map((text) => (pad + text).trimEnd());
  if (columns < header.length) {
    lines.push(style.paint("dim", `${pad}(not shown for width: ${header.slice(columns).join(", ")})`));
  }
  return lines.join("\n");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return plainLine(value);
  if (typeof value === "object") return plainLine(JSON.stringify(value));
  return String(value);
}

/** Any JSON value as something a person can read: records as a table, one record as lines, text as it is. */
export function renderValue(value: unknown, style: Style, indent = 2): string {
  const pad = " ".repeat(indent);
  if (Array.isArray(value)) {
    if (value.length === 0) return style.paint("dim", `${pad}(none)`);
    const shown = value.slice(0, MAX_ROWS);
    const records = shown.filter((item): item is Record<string, unknown> => isRecord(item));
    // What failed in a list of results is null there, and is a row of its own.
    const gaps = shown.filter((item) => item === null).length;
    const more =
      value.length > MAX_ROWS ? `\n${style.paint("dim", `${pad}… and ${value.length - MAX_ROWS} more`)}` : "";
    if (records.length === 0 || records.length + gaps < shown.length) {
      const lines = shown.map((item) => (item === null ? "null" : clip(cell(item), style.width - indent - 2)));
      return lines.map((line) => `${pad}${style.glyph("•", "-")} ${line}`).join("\n") + more;
    }
    const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
    const right = new Set(names.flatMap((name, i) => (records.every((r) => typeof r[name] === "number") ? [i] : [])));
    const rows = shown.map((item) =>
      isRecord(item) ? names.map((name) => cell(item[name])) : names.map((_, column) => (column === 0 ? "null" : "")),
    );
    return renderRows(names.map(plainLine), rows, style, { indent, alignRight: right }) + more;
  }
  if (isRecord(value)) {
    const all = Object.entries(value);
    if (all.length === 0) return style.paint("dim", `${pad}(nothing)`);
    const entries = all.slice(0, MAX_ENTRIES);
    const more =
      all.length > entries.length
        ? `\n${style.paint("dim", `${pad}… and ${(all.length - entries.length).toLocaleString("en")} more keys`)}`
        : "";
    const width = Math.min(24, Math.max(...entries.map(([name]) => stringWidth(name))));
    const lines = entries
      .map(([name, item]) =>
        Array.isArray(item) && item.some(isRecord)
          ? `${pad}${plainLine(name)} ${style.paint("dim", `(${count(item.length, "row")})`)}\n${renderValue(item, style, indent + 2)}`
          : `${pad}${plainLine(name).padEnd(width)}  ${clip(cell(item), style.width - indent - width - 2)}`,
      )
      .join("\n");
    return lines + more;
  }
  return cellLines(value, style, pad);
}

function cellLines(value: unknown, style: Style, pad: string): string {
  const lines = (typeof value === "string" ? value : String(value)).split("\n").map((line) => pad + plainLine(line));
  const shown = lines.slice(0, 20);
  if (lines.length > shown.length) shown.push(style.paint("dim", `${pad}… and ${lines.length - 20} more lines`));
  return shown.join("\n");
}

function clip(text: string, width: number): string {
  return stringWidth(text) <= width ? text : `${[...text].slice(0, Math.max(1, width - 1)).join("")}…`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
