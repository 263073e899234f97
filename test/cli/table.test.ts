import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { styleFor } from "../../packages/cli/src/terminal/style.ts";
import { renderValue } from "../../packages/cli/src/terminal/table.ts";

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
