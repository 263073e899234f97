import { expect, test } from "vitest";
import { snippetsOf } from "./snippets.ts";

test("snippets are found with the line on which they begin, and without the indentation of their list", () => {
  const page = [
    "# A",
    "```ts",
    "a();",
    "```",
    "- b",
    "  ```typescript title",
    "  if (b) {",
    "    b();",
    "  }",
    "  ```",
    "```sh",
    "c",
    "```",
  ];
  expect(snippetsOf(page.join("\n"))).toEqual([
    { line: 3, code: "a();\n" },
    { line: 7, code: "if (b) {\n  b();\n}\n" },
  ]);
});
