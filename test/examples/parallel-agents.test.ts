import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { quickStartEnv } from "../support/child-env.ts";

test("subgraphs go to three agent processes in parallel, and the example asserts its own result", async () => {
  const main = new URL("../../examples/parallel-agents/main.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [main], {
    env: { ...process.env, ...quickStartEnv() },
  });
  expect(stdout).toMatch(/10 tasks in 4 dispatches[\s\S]*The warmest region: north/);
});
