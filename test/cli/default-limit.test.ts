import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCli } from "@planloom/cli";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(
    join(home.path, "planloom.config.mjs"),
    `import { defineTool } from ${library};
const whole = (more) => ({ type: "integer", ...more });
const properties = { from: whole({ default: 0 }), max_results: whole({ default: 5 }), days: whole({ default: 3 }) };
export default { tools: [defineTool({ id: "birds", description: "List birds", readOnly: true, input: { type: "object", properties },
  execute: ({ from = 0, max_results = 5 }) => Array.from({ length: 8 - from }, (_, at) => ({ bird: at })).slice(0, max_results) })] };`,
  );
});
afterAll(() => home.remove());

/** The line above the rows that the tool gives for the arguments. */
async function heading(given: object): Promise<string> {
  const task = { task_id: "seen", execution_type: "tool", tool_id: "birds", arguments: given };
  await writeFile(join(home.path, "plan.json"), JSON.stringify({ planned_tasks: [task] }));
  let stdout = "";
  const sink = { write: (text: string) => (stdout += text) };
  const io = { stdout: sink, stderr: sink, env: home.env, cwd: home.path, signal: new AbortController().signal };
  expect(await runCli(["run", "plan.json", "--config", "planloom.config.mjs"], io)).toBe(0);
  return /\(\d+ rows.*\)/.exec(stdout)?.[0] ?? stdout;
}

test("rows that a tool's default may have cut are not shown as if they were all", async () => {
  const cut = "(5 rows, the tool's default max_results: there may be more)";
  expect(await heading({})).toBe(cut);
  expect(await heading({ max_results: 5 })).toBe(cut);
  expect(await heading({ max_results: 4 })).toBe("(4 rows)");
  expect(await heading({ max_results: 9 })).toBe("(8 rows)");
  // As many rows as another parameter's default says nothing of a limit.
  expect(await heading({ from: 5 })).toBe("(3 rows)");
});
