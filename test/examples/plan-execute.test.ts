import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("a loop finds what is slow, waits for a yes, and answers; the example asserts its own result", async () => {
  const main = new URL("../../examples/plan-execute/main.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", main]);
  expect(stdout).toContain('It waits: restart {"service":"payment"}');
  expect(stdout).toContain("checkout and payment were slow because of payment");
}, 60_000);
