import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineTool, memoryJournal, Planloom, TaskData } from "planloom";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
let config: string;
const cli = (...args: string[]) => runCliHere(args, home.env);
const step = (index: string, tool: string) => ({ index, title: `Step ${index}`, tool, args: {}, depends_on: [] });
const written = {
  id: "weekly",
  title: "Weekly",
  steps: [step("1", "look"), { ...step("2", "mend"), depends_on: ["1"] }],
};
const file = () => join(home.path, "weekly.json");

beforeAll(async () => {
  home = await temporaryHome();
  await mkdir(home.path, { recursive: true });
  config = join(home.path, "planloom.config.mjs");
  const planloom = pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href;
  const broken = JSON.stringify(join(home.path, "broken"));
  await writeFile(
    config,
    `import { existsSync } from "node:fs";
import { defineTool } from "${planloom}";
const tool = (id, execute) => defineTool({ id, description: id, readOnly: true, execute });
export default { retry: { max_attempts: 1 }, tools: [
  tool("look", () => "seen"),
  tool("mend", () => { if (existsSync(${broken})) throw new Error("broken"); return "mended"; }),
] };`,
  );
  await writeFile(file(), JSON.stringify(written));
});
afterAll(() => home.remove());

test("save keeps a plan file of any form, resume goes on with the newest run of a plan, and says so where there is none", async () => {
  expect((await cli("show", "weekly")).code).not.toBe(0);
  const saved = await cli("save", file(), "--json");
  expect(JSON.parse(saved.stdout)).toMatchObject({ plan_id: "weekly", from: "mcp-cli", tasks: 2 });
  expect(JSON.parse((await cli("list", "--json")).stdout).plans).toEqual([
    expect.objectContaining({ task_id: "weekly" }),
  ]);
  const early = await cli("resume", "weekly", "--config", config);
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('The plan "weekly" has not been run yet.')]);

  await writeFile(join(home.path, "broken"), "");
  await cli("run", "weekly", "--config", config, "--json");
  const first = JSON.parse((await cli("run", "weekly", "--config", config, "--json")).stdout);
  expect(first.end_reason).toBe("failed");

  await rm(join(home.path, "broken"));
  for (const name of ["weekly", file()]) {
    const resumed = JSON.parse((await cli("resume", name, "--config", config, "--json")).stdout);
    expect([resumed.run_id, resumed.end_reason]).toEqual([first.run_id, "completed"]);
    expect(resumed.results[0]).toMatchObject({ recorded: true });
  }
});

test("save refuses what cannot run, and another plan under the same id", async () => {
  const other = join(home.path, "other.json");
  await writeFile(other, JSON.stringify({ ...written, steps: [step("1", "look")] }));
  await cli("save", file());
  const refused = await cli("save", other);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Another plan is saved as "weekly"')]);
  expect((await cli("save", other, "--replace", "--json")).code).toBe(0);
  expect((await cli("save", other)).code).toBe(0);
  const cyclic = [
    { ...step("1", "look"), depends_on: ["2"] },
    { ...step("2", "look"), depends_on: ["1"] },
  ];
  await writeFile(other, JSON.stringify({ ...written, id: "cyclic", steps: cyclic }));
  const broken = await cli("save", other);
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("cycle")]);
});

test("run --no-checkpoint keeps nothing, and says so; a Planloom's checkpoint: false likewise", async () => {
  const before = JSON.parse((await cli("list", "--json")).stdout).runs.length;
  const ran = await cli("run", file(), "--config", config, "--no-checkpoint");
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("Nothing of this run is kept")]);
  expect(ran.stdout).not.toContain("planloom show");
  expect(JSON.parse((await cli("list", "--json")).stdout).runs).toHaveLength(before);

  const journal = memoryJournal();
  const look = defineTool({ id: "look", description: "Looks", readOnly: true, execute: () => "seen" });
  await using planloom = new Planloom({ tools: [look], journal });
  const plan = TaskData.parse({ planned_tasks: [{ execution_type: "tool", tool_id: "look" }] });
  expect((await planloom.run(plan, { checkpoint: false })).end_reason).toBe("completed");
  await planloom.stream(plan, { checkpoint: false }).result;
  expect(await journal.listRuns()).toHaveLength(0);
  await planloom.run(plan);
  expect(await journal.listRuns()).toHaveLength(1);
});
