import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const file = (name: string) => join(home.path, name);
const cli = (...args: string[]) => runCliHere(args, home.env, home.path);
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
  defineTool({ id: "berths_broken", description: "Lists berths", readOnly: true, execute: () => { throw new Error("503"); } }),
  defineTool({ id: "tell", description: "Tells", execute: () => ({}) }),
] };
`;

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(file("plan.json"), JSON.stringify(plan));
  await writeFile(file("planloom.config.mjs"), config);
  const out = { task_id: "out", for_each: { items: [1], tasks: [{ task_id: "in", tool_id: "tell" }] } };
  await writeFile(file("nested.json"), JSON.stringify({ planned_tasks: [out] }));
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
  {
    name: "a policy that there is not",
    args: ["run", "plan.json", "--replan", "always"],
    says: /failure[\s\S]*"always"/,
  },
  { name: "a limit of nothing", args: ["run", "plan.json", "--max-replans", "3"], says: /--replan failure/ },
  { name: "no mark", args: ["replan", "plan.json"], says: /--mark/ },
  { name: "an unknown task", args: ["replan", "plan.json", "--mark", "ghost"], says: /ghost[\s\S]*berths/ },
  {
    name: "what is within an element, by a point",
    args: ["replan", "nested.json", "--mark", "out[0].in"],
    says: /no task out\[0\]\.in\.[\s\S]*named as out\[0\]\/in\./,
  },
  {
    name: "what is within an element, without the element",
    args: ["replan", "nested.json", "--mark", "out/in"],
    says: /named as out\[0\]\/in\./,
  },
  { name: "an unknown plan", args: ["diff", "plan.json", "nothing-here"], says: /nothing-here/ },
])("$name ends with 2 and the way out", async ({ args, says }) => {
  const result = await cli(...args);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toMatch(says);
});

test("a run repairs itself, says what it changed, and show says it again", async () => {
  const failing = { ...plan.planned_tasks[0], tool_id: "berths_broken", status: "pending", retry: { max_attempts: 1 } };
  await writeFile(
    file("live.json"),
    JSON.stringify({ ...plan, task_id: "live", planned_tasks: [failing, plan.planned_tasks[1]] }),
  );
  const done = await cli("run", "live.json", "--replan", "failure,resource", "--config", "planloom.config.mjs");
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/replanning berths[\s\S]*berths (→|->) berths_2[\s\S]*Replanned {2}once/);
  const [, runId = ""] = /planloom show (\S+)/.exec(done.stdout) ?? [];
  const shown = await cli("show", runId);
  expect(shown.stdout).toMatch(/Replanned {2}once[\s\S]*tool_id: "berths_broken" (→|->) "berths_list"/);
});

test("the plan of a run is changed in the journal, and resume continues with it", async () => {
  const failing = { ...plan.planned_tasks[0], tool_id: "berths_broken", status: "pending", retry: { max_attempts: 1 } };
  await writeFile(
    file("later.json"),
    JSON.stringify({ ...plan, task_id: "later", planned_tasks: [failing, plan.planned_tasks[1]] }),
  );
  const failed = await cli("run", "later.json", "--config", "planloom.config.mjs");
  expect(failed).toMatchObject({ code: 1 });
  const [, runId = ""] = /planloom resume (\S+)/.exec(failed.stdout) ?? [];
  const changed = await cli("replan", runId, "--mark", "berths");
  expect(changed).toMatchObject({ code: 0 });
  expect(changed.stdout).toContain(`planloom resume ${runId}`);
  expect(await cli("replan", runId, "--mark", "berths_2", "--out", "x.json")).toMatchObject({ code: 2 });
  const resumed = await cli("resume", runId);
  expect(resumed).toMatchObject({ code: 0 });
  expect(resumed.stdout).toMatch(/Replanned {2}once/);
});
