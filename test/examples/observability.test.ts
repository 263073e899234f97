import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { quickStartEnv } from "../support/child-env.ts";

test("a goal is printed as the tree of its spans, with the attempt that failed", async () => {
  const main = new URL("../../examples/observability/main.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [main], {
    env: { ...process.env, ...quickStartEnv() },
  });
  expect(stdout).toMatch(/^invoke_workflow run [\s\S]*^ {2}plan [\s\S]*execute_tool weather_get .* ECONNREFUSED/m);
});
