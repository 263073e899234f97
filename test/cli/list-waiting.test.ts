import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineTool, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

test("list --waiting lists each call that a person is asked about", async () => {
  const home = await temporaryHome();
  expect(await runCliHere(["list", "--waiting"], home.env)).toMatchObject({
    code: 0,
    stdout: "Nothing waits for a person.\n",
  });
  const journal = await SqliteJournal.open(`${home.env.PLANLOOM_HOME}/journal.sqlite`);
  const executors = [toolExecutor([defineTool({ id: "pay", description: "", execute: () => 1 })])];
  const task = { task_id: "order", execution_type: "tool", tool_id: "pay", approval: "required" } as const;
  await run({ title: "March", planned_tasks: [task] }, { executors, journal, runId: "r1" });
  await journal.close();
  expect((await runCliHere(["list", "--waiting"], home.env)).stdout).toMatch(/r1 +March +order +pay/);
  const { stdout } = await runCliHere(["list", "--waiting", "--json"], home.env);
  expect(JSON.parse(stdout)).toMatchObject({ waiting: [{ run_id: "r1", calls: [{ id: "order", uid: "pay" }] }] });
  await home.remove();
});

test("a run whose list waits for approval shows each call with its arguments", async () => {
  const home = await temporaryHome();
  const config = join(home.path, "tools.mjs");
  const library = pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href;
  await writeFile(
    config,
    `import { defineTool } from ${JSON.stringify(library)};
export default { tools: [defineTool({ id: "send", description: "Sends", execute: () => 1 })] };`,
  );
  const plan = join(home.path, "plan.json");
  const each = {
    ...{ task_id: "each", execution_type: "tool", tool_id: "send" },
    for_each: { items: ["ann", "ben"] },
    arguments: { to: "${item}" },
  };
  await writeFile(plan, JSON.stringify({ planned_tasks: [each] }));
  const { code, stdout } = await runCliHere(["run", plan, "--config", config, "--confirm", "writes"], home.env);
  expect(code).toBe(3);
  expect(stdout).toMatch(/… each +for each element send$/m);
  const results = stdout.slice(stdout.indexOf("Results"), stdout.indexOf("Time"));
  expect(results).toMatch(/each\[0\] +send\s+\{\s+"to": "ann"[\s\S]*each\[1\] +send\s+\{\s+"to": "ben"/);
  const [run] = JSON.parse((await runCliHere(["list", "--json"], home.env)).stdout).runs;
  expect((await runCliHere(["show", run.run_id], home.env)).stdout).toMatch(
    /each +waits for approval +0 elements ended/,
  );
  await home.remove();
});
