import { expect, test } from "vitest";
import { failuresOf } from "./failures.ts";

test("says which tests failed, and which files failed outside of a test", () => {
  const passed = { fullName: "group good", status: "passed", failureMessages: [] };
  const failed = { fullName: "group bad", status: "failed", failureMessages: ["Error: expected 1\n    at x"] };
  const testResults = [
    { name: "/r/test/a.test.ts", status: "failed", message: "", assertionResults: [passed, failed] },
    { name: "/r/test/b.test.ts", status: "passed", message: "", assertionResults: [passed] },
    { name: "/r/test/c.test.ts", status: "failed", message: "Cannot find x\nmore", assertionResults: [] },
    { name: "/r/test/d.test.ts", status: "failed", message: "A hook failed", assertionResults: [passed] },
  ];
  expect(failuresOf({ testResults }, "/r")).toEqual([
    { test: "test/a.test.ts > group bad", message: "Error: expected 1" },
    { test: "test/c.test.ts", message: "Cannot find x" },
    { test: "test/d.test.ts", message: "A hook failed" },
  ]);
});
