import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliProcess, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const file = (name: string) => join(home.path, name);
const cli = (...args: string[]) => runCliProcess(args, home.env, home.path);
const plan = {
  task_id: "harbour",
  planned_tasks: [
    {
      task_id: "berths",
      description: "List berths",
      execution_type: "tool",
      tool_id: "old_berths_list",
      arguments: {},
      status: "failed",
    },
    { task_id: "tell", execution_type: "tool", tool_id: "tell", arguments: { ids: "${berths.ids}" } },
  ],
};
const config = `
import { defineTool } from ${JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href)};
export default { tools: [
  defineTool({ id: "berths_list", description: "Lists berths", readOnly: true, execute: () => ({ ids: [] }) }),
  defineTool({ id: "tell", description: "Tells", execute: () => ({}) }),
] };
`;

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(file("plan.json"), JSON.stringify(plan));
  await writeFile(file("planloom.config.mjs"), config);
});
afterAll(() => home.remove());

test("replan changes what is marked, shows it, and diff shows it again", async () => {
  const made = await cli(
    "replan",
    "plan.json",
    "--mark",
    "berths",
    "--config",
    "planloom.config.mjs",
    "--out",
    "new.json",
  );
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout).toContain("berths_2");
  expect(made.stdout).toContain('tool_id: "old_berths_list"');
  const written = JSON.parse(await readFile(file("new.json"), "utf8"));
  expect(written.planned_tasks).toMatchObject([
    { task_id: "berths_2", tool_id: "berths_list", main_task_id: "berths", mark_replan: false },
    { task_id: "tell", arguments: { ids: "${berths_2.ids}" } },
  ]);
  expect(JSON.parse(await readFile(file("plan.json"), "utf8"))).toEqual(plan);

  const shown = await cli("diff", "plan.json", "new.json");
  expect(shown.stdout).toMatch(/^~ berths (→|->) berths_2$/m);
  const asJson = await cli("diff", "plan.json", "new.json", "--json");
  expect(JSON.parse(asJson.stdout)).toMatchObject({ equal: false, changed: [{ task_id: "berths_2", was: "berths" }] });
  const drawn = await cli("diff", "plan.json", "new.json", "--format", "mermaid");
  expect(drawn.stdout).toMatch(/^flowchart TB[\s\S]*class t0 changed/);
});

test.for([
  { name: "no mark", args: ["replan", "plan.json"], says: /--mark/ },
  { name: "an unknown task", args: ["replan", "plan.json", "--mark", "ghost"], says: /ghost[\s\S]*berths/ },
  { name: "an unknown plan", args: ["diff", "plan.json", "nothing-here"], says: /nothing-here/ },
])("$name ends with 2 and the way out", async ({ args, says }) => {
  const result = await cli(...args);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toMatch(says);
});
