import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("three workers execute the subgraphs, and the example asserts its own result", async () => {
  const main = new URL("../../examples/parallel-subgraphs/main.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [main]);
  expect(stdout).toContain("3 workers");
  expect(stdout).toContain('["north: 7","south: 6","west: 4"]');
});
