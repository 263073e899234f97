import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { quickStartEnv } from "../support/child-env.ts";

test("an agent plans over MCP, a person approves the mail, and the example asserts its own result", async () => {
  const main = new URL("../../examples/plan-as-a-tool/main.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [main], {
    env: { ...process.env, ...quickStartEnv() },
  });
  expect(stdout).toMatch(/The plan: get_balance, then send_mail[\s\S]*The person is asked:[\s\S]*Please pay/);
});
