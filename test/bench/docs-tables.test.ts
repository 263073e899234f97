import { expect, test } from "vitest";
import { fillTables } from "./docs-tables.ts";

const table = {
  title: "M2: against the best",
  note: "",
  columns: ["strategy", "tasks"],
  rows: [
    ["per-task", 12],
    ["portfolio, overhead 1x", 21_393],
    ["anytime", 7],
  ],
};

test.for([
  { name: "all rows", marks: "<!-- table M2 -->", rows: ["per-task", "portfolio, overhead 1x", "anytime"] },
  {
    name: "chosen rows",
    marks: "<!-- table M2; rows: anytime, portfolio -->",
    rows: ["anytime", "portfolio, overhead 1x"],
  },
])("a table between marks has $name, and nothing else changes", ({ marks, rows }) => {
  const page = `Before.\n\n${marks}\n\nold\n\n<!-- end -->\n\nAfter.\n\n<!-- table M3 -->\nkept\n<!-- end -->\n`;
  const filled = fillTables(page, [table]);
  expect(
    filled
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| strategy |"))
      .slice(1),
  ).toEqual(rows.map((row) => expect.stringContaining(`| ${row} |`)));
  expect(filled).toContain("Before.");
  expect(filled).toContain("After.\n\n<!-- table M3 -->\nkept\n<!-- end -->");
  expect(filled).not.toContain("old");
  expect(fillTables(filled, [table])).toBe(filled);
});

test("numbers are written with separators, texts as they are", () => {
  expect(fillTables("<!-- table M2 -->\n<!-- end -->", [table])).toContain("| portfolio, overhead 1x | 21,393 |");
});
