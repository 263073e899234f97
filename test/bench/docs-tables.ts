import { readFile, writeFile } from "node:fs/promises";
import type { ReportTable } from "@planloom/bench";

const MARKED = /(<!-- table ([^;\n]+?)(?:; rows: ([^\n]+?))? -->\n)[\s\S]*?(<!-- end -->)/g;

/**
 * A page of the documentation with its measured tables renewed: between `<!-- table M2; rows: portfolio, anytime -->` and
 * `<!-- end -->` comes the table whose title begins with `M2`, under its note, cut to the rows whose first cell begins with one of these
 * names, in their order. Without `rows` all of them. Marks that no table fits stay as they are.
 */
export function fillTables(page: string, tables: readonly ReportTable[]): string {
  return page.replace(MARKED, (whole, open: string, name: string, rows: string | undefined, close: string) => {
    const table = tables.find(({ title }) => title === name || title.startsWith(`${name}:`));
    return table === undefined ? whole : `${open}\n${tableText(table, rows?.split(", "))}\n\n${close}`;
  });
}

/** Renews the page in place; says how many of the tables had a place in it. */
export async function fillPage(file: string, tables: readonly ReportTable[]): Promise<number> {
  const page = await readFile(file, "utf8");
  await writeFile(file, fillTables(page, tables));
  return tables.filter((table) => fillTables(page, [table]) !== page).length;
}

function tableText({ note, columns, rows }: ReportTable, names?: readonly string[]): string {
  const chosen =
    names === undefined ? rows : names.flatMap((name) => rows.filter(([first]) => String(first).startsWith(name)));
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cellText).join(" | ")} |`;
  const rule = columns.map((_, at) => (at === 0 ? "---" : "---:"));
  return [...(note === "" ? [] : [note, ""]), line(columns), line(rule), ...chosen.map(line)].join("\n");
}

function cellText(cell: string | number): string {
  return typeof cell === "number" ? cell.toLocaleString("en-US") : cell.replaceAll("|", "\\|");
}
