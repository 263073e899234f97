import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the example of a plan in TypeScript runs and asserts its own result", async () => {
  const main = new URL("../../examples/plan-builder/main.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [main]);
  expect(stdout).toBe("Dear Anna of Iceland, we have read First of 1 and Second of 1.\n(none)\n");
}, 60_000);
