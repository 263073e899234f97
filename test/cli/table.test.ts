import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { styleFor } from "../../packages/cli/src/terminal/style.ts";
import { renderRows, renderValue } from "../../packages/cli/src/terminal/table.ts";

const style = styleFor({ write: () => true, columns: 60 }, { NO_COLOR: "1", LANG: "C.UTF-8" });

test.each<[string, unknown, string[]]>([
  ["records", [{ a: 1, b: "x" }, { a: 22 }], ["     a  b", "  ────  ────", "     1  x", "    22"]],
  [
    "results of which one failed",
    [{ text: "one" }, null, { text: "two" }],
    ["  text", "  ────", "  one ", "  null", "  two "],
  ],
  ["nothing but what failed", [null, null], ["  • null", "  • null"]],
  ["values of several kinds", [1, null, "two", { a: 1 }], ["  • 1", "  • null", "  • two", '  • {"a":1}']],
])("a list of %s", (_, value, lines) => {
  const shown = stripVTControlCharacters(renderValue(value, style)).split("\n");
  expect(shown.map((line) => line.trimEnd())).toEqual(lines.map((line) => line.trimEnd()));
});

test("an id that a person types is shown whole, other cells are cut", () => {
  const id = "pXHQunvh9nNsMl2yZADra-20261130T210300Z";
  const rows = renderRows(["due", "run"], [[id, id]], { ...style, width: 90 }, { whole: new Set([1]) });
  expect(stripVTControlCharacters(rows).split("\n").at(-1)).toBe(`  ${id.slice(0, 27)}…  ${id}`);
});
