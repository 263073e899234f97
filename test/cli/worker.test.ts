import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresUrl, query } from "../support/postgres.ts";
import { repository, runCliHere, startCli, startCliHere, temporaryHome } from "../support/run-cli.ts";

describe.skipIf(postgresUrl === undefined)("planloom worker", () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>;
  let url: string;
  let config: string;
  let plan: string;

  beforeAll(async () => {
    home = await temporaryHome();
    await query(postgresUrl!, "CREATE DATABASE planloom_worker");
    const address = new URL(postgresUrl!);
    address.pathname = "/planloom_worker";
    url = address.href;
    await mkdir(home.path, { recursive: true });
    config = join(home.path, "tools.mjs");
    const planloom = pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href;
    await writeFile(
      config,
      `import { defineTool } from "${planloom}";
export default { tools: [
  defineTool({ id: "who", description: "Which process", readOnly: true, execute: () => ({ pid: process.pid }) }),
  defineTool({ id: "send", description: "Sends", destructive: true, execute: () => ({ pid: process.pid }) }),
] };`,
    );
    plan = join(home.path, "plan.json");
    const step = (task_id: string, tool_id: string, dependencies: string[] = []) => ({
      ...{ task_id, tool_id, dependencies },
      execution_type: "tool",
    });
    const planned_tasks = [step("a", "who"), step("b", "who", ["a"]), step("c", "send", ["b"])];
    await writeFile(plan, JSON.stringify({ planned_tasks }));
  });
  afterAll(async () => {
    await query(postgresUrl!, "DROP DATABASE planloom_worker WITH (FORCE)");
    await home.remove();
  });

  test("says at once that no worker takes from a queue, and waits for one", async () => {
    const run = startCliHere(["run", plan, "--queue", "nobody", "--config", config, "--yes", "--on", url], home.env);
    await expect
      .poll(run.complained, { timeout: 60_000, interval: 20 })
      .toBe('No worker takes subgraphs from the queue "nobody"; waiting for one: planloom worker --queue nobody\n');
    expect((await run.stop()).code).toBe(130);
  });

  test("executes the subgraphs of run --queue, asks before writes, and ends at SIGTERM", async () => {
    const worker = startCli(["worker", "--queue", "mine", "--config", config, "--on", url, "--json"], home.env);
    let complained = "";
    worker.stderr!.setEncoding("utf8").on("data", (text: string) => {
      complained += text;
    });
    let said = "";
    for await (const text of worker.stdout!.setEncoding("utf8")) {
      said += text;
      if (said.endsWith("\n")) break;
    }
    // Nothing but JSON is on its standard output.
    expect(JSON.parse(said)).toMatchObject({ queue: "mine", concurrency: 1, resources: 3 });
    const given = [plan, "--queue", "mine", "--config", config, "--confirm", "writes", "--json", "--on", url];
    const first = await runCliHere(["run", ...given], home.env);
    expect(first).toMatchObject({ code: 3, stderr: "" });
    const waiting = JSON.parse(first.stdout);
    expect(waiting.grouping).toMatchObject({ dispatcher: "postgres", executors: 1, measured: 8 });
    expect(waiting.results[0].output.pid).toBe(worker.pid);
    expect(waiting.results[1].output.pid).toBe(worker.pid);
    expect((await runCliHere(["approve", waiting.run_id, "c", "--on", url], home.env)).code).toBe(0);
    // The journal says which queue it has.
    const resumed = await runCliHere(["resume", waiting.run_id, "--config", config, "--json", "--on", url], home.env);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ end_reason: "completed" });
    expect(JSON.parse(resumed.stdout).results[2].output.pid).toBe(worker.pid);
    worker.kill("SIGTERM");
    expect((await once(worker, "exit"))[0]).toBe(143);
    // Neither does what it is made of, such as the driver of the engine.
    expect(complained).not.toMatch(/warning/i);
  });

  test("needs a database, as --queue does", async () => {
    const alone = await runCliHere(["worker", "--no-config"], home.env);
    expect(alone).toMatchObject({ code: 2 });
    expect(alone.stderr).toContain("--on postgres://");
    const file = await runCliHere(["run", plan, "--queue", "mine", "--config", config], home.env);
    expect(file).toMatchObject({ code: 2 });
    expect(file.stderr).toContain("Expected a database for --queue");
  });
});
