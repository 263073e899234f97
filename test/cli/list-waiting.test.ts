import { defineTool, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { expect, test } from "vitest";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

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
