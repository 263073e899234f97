import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

const home = await temporaryHome();
const config = join(home.path, "budget.config.ts");
const plan = join(home.path, "plan.json");
const index = pathToFileURL(join(import.meta.dirname, "../../packages/planloom/src/index.ts")).href;

beforeAll(async () => {
  await mkdir(home.path, { recursive: true });
  await writeFile(
    config,
    `import { defineTool } from ${JSON.stringify(index)};
    const input = { type: "object", properties: {} };
    const tool = (id) => defineTool({ id, description: "Count", readOnly: true, input, execute: () => id });
    export default { tools: ["a", "b", "c"].map(tool) };`,
  );
  const tasks = ["a", "b", "c"].map((tool_id, at, all) => ({
    task_id: tool_id,
    tool_id,
    arguments: {},
    dependencies: all.slice(Math.max(0, at - 1), at),
  }));
  await writeFile(plan, JSON.stringify({ planned_tasks: tasks }));
});
afterAll(() => home.remove());

const cli = (...words: string[]) => runCliHere([...words, "--config", config, "--json"], home.env);

test("--budget caps a run, is kept for its resumption, and a larger one lets it continue", async () => {
  const first = JSON.parse((await cli("run", plan, "--budget", "calls=2")).stdout);
  expect(first.end_reason).toBe("budget");
  const shown = await runCliHere(["resume", first.run_id, "--config", config], home.env);
  expect(shown.stdout).toContain("With a larger --budget");
  expect(JSON.parse((await cli("resume", first.run_id)).stdout).end_reason).toBe("budget");
  expect(JSON.parse((await cli("resume", first.run_id, "--budget", "calls=3")).stdout).end_reason).toBe("completed");
  const forked = await cli("fork", first.run_id, "b", "--budget", "calls=0");
  expect(JSON.parse(forked.stdout).end_reason).toBe("budget");
});

test.each<[string, string[], RegExp]>([
  ["an amount of nothing known", ["run", "no such goal", "--budget", "call=2"], /calls, tokens, cost, seconds/],
  ["with every run that is due", ["resume", "--due", "--budget", "calls=2"], /got --due/],
])("--budget is refused %s", async (_, words, says) => {
  const { code, stdout } = await cli(...words);
  expect(code).toBe(2);
  expect(JSON.parse(stdout).error.message).toMatch(says);
});
