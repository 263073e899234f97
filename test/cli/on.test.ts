import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { PostgresJournal } from "@planloom/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callAt } from "../server/support.ts";
import { dropSchema, postgresUrl, query } from "../support/postgres.ts";
import { ended, repository, runCliHere, startCli, temporaryHome } from "../support/run-cli.ts";

describe.skipIf(postgresUrl === undefined)("--on: runs of several machines", () => {
  /** Two machines: they share a database, and neither home nor file. */
  let here: Awaited<ReturnType<typeof temporaryHome>>;
  let there: Awaited<ReturnType<typeof temporaryHome>>;
  let url: string;
  let config: string;
  const onThere = (...args: string[]) => runCliHere([...args, "--on", url], there.env);
  const asJson = async (run: ReturnType<typeof onThere>) => JSON.parse((await run).stdout);
  const task = (task_id: string, tool_id: string, more: object = {}) => ({
    task_id,
    tool_id,
    execution_type: "tool",
    ...more,
  });

  beforeAll(async () => {
    [here, there] = await Promise.all([temporaryHome(), temporaryHome()]);
    // A database of its own: the command line has one schema.
    await query(postgresUrl!, "CREATE DATABASE planloom_cli");
    const address = new URL(postgresUrl!);
    address.pathname = "/planloom_cli";
    url = address.href;
    await mkdir(here.path, { recursive: true });
    config = join(here.path, "planloom.config.mjs");
    const planloom = pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href;
    await writeFile(
      config,
      `import { defineTool } from "${planloom}";
export default { tools: [
  defineTool({ id: "look", description: "looks", readOnly: true, execute: () => "seen" }),
  defineTool({ id: "hang", description: "hangs", readOnly: true, execute: (_, { signal }) => new Promise((_, fail) => {
    signal.addEventListener("abort", () => fail(new Error("stopped")));
  }) }),
] };`,
    );
  });
  afterAll(async () => {
    await dropSchema(url, "planloom");
    await query(postgresUrl!, "DROP DATABASE planloom_cli WITH (FORCE)");
    await Promise.all([here.remove(), there.remove()]);
  });

  const planFile = async (task_id: string, planned_tasks: object[]) => {
    const file = join(here.path, `${task_id}.json`);
    await writeFile(file, JSON.stringify({ task_id, planned_tasks }));
    return file;
  };

  test("a run of one machine is listed, shown, approved and resumed from another one", async () => {
    const file = await planFile("gated", [
      task("a", "look"),
      task("b", "look", { dependencies: ["a"], approval: "required" }),
    ]);
    const run = ["run", file, "--config", config, "--json", "--on", url];
    const { run_id, end_reason } = JSON.parse((await runCliHere(run, here.env)).stdout);
    expect(end_reason).toBe("waiting_approval");
    expect((await asJson(onThere("list", "--json"))).runs).toMatchObject([{ run_id, status: "waiting_approval" }]);
    expect((await onThere("show", run_id)).stdout).toContain("waiting");
    expect((await onThere("approve", run_id, "b", "--by", "Ann")).code).toBe(0);
    const resumed = await asJson(onThere("resume", run_id, "--config", config, "--json"));
    expect(resumed).toMatchObject({ end_reason: "completed", results: [{ recorded: true }, { output: "seen" }] });
    expect(existsSync(join(here.path, "home", "journal.sqlite"))).toBe(false);
    expect((await onThere("delete", run_id)).code).toBe(0);
    expect((await asJson(onThere("list", "--json"))).runs).toEqual([]);
  });

  test("a run in progress is cancelled from another machine; a killed one is interrupted and resumed", async () => {
    const file = await planFile("hanging", [task("a", "look"), task("b", "hang", { dependencies: ["a"] })]);
    const environment = { ...here.env, PLANLOOM_ON: url };
    const journal = await PostgresJournal.open(url);
    /** The id of the run, once its first task is recorded. */
    const begun = async () => {
      for (;;) {
        const [run] = await journal.listRuns({ status: "running" });
        if (run?.completed === 1) return run.run_id;
      }
    };
    const first = startCli(["run", file, "--config", config, "--json"], environment);
    const cancelled = ended(first);
    const runId = await begun();
    expect((await onThere("cancel", runId)).code).toBe(0);
    expect(JSON.parse((await cancelled).stdout)).toMatchObject({ run_id: runId, end_reason: "cancelled" });

    const second = startCli(["run", file, "--config", config, "--json"], environment);
    const killedId = await begun();
    second.kill("SIGKILL");
    await once(second, "exit");
    expect(await journal.listRuns({ status: "interrupted" })).toMatchObject([{ run_id: killedId }]);
    await journal.close();
    const stopped = onThere("resume", killedId, "--config", config, "--json", "--concurrency", "1");
    // It hangs there as it did here.
    const other = await PostgresJournal.open(url);
    while (!(await other.requestCancel(killedId)));
    await other.close();
    expect(JSON.parse((await stopped).stdout)).toMatchObject({
      end_reason: "cancelled",
      results: [{ recorded: true }, {}],
    });
  });

  test("a server of one machine is seen, answered and replaced from another one", async () => {
    const servers: ReturnType<typeof startCli>[] = [];
    /** Starts a server on a machine of its own home, and gives where it listens. */
    const served = async (env: Record<string, string>) => {
      const child = startCli(["serve", "--json", "--port", "0", "--config", config, "--on", url], env);
      servers.push(child);
      const said: string[] = [];
      for await (const line of createInterface({ input: child.stdout! })) {
        said.push(line);
        if (line === "}") break;
      }
      return { child, ...(JSON.parse(said.join("\n")) as { url: string; resumed: number }) };
    };
    try {
      const first = await served(here.env);
      const gated = [task("a", "look"), task("b", "look", { dependencies: ["a"], approval: "required" })];
      await callAt(`${first.url}/runs`, "POST", { plan: { planned_tasks: gated }, run_id: "gated" });
      const status = async (at: string, id: string) => (await callAt(`${at}/runs/${id}`, "GET")).body.status;
      await expect.poll(() => status(first.url, "gated"), { timeout: 20_000 }).toBe("waiting_approval");
      // Another machine: the command line sees the run, and a second server has its page, its question and its events.
      const waiting = await asJson(onThere("list", "--status", "waiting_approval", "--json"));
      expect(waiting.runs).toMatchObject([{ run_id: "gated", status: "waiting_approval" }]);
      const second = await served(there.env);
      expect((await callAt(`${second.url}/runs/gated/page`, "GET")).body.run.events.length).toBeGreaterThan(2);
      const [{ calls }] = (await callAt(`${second.url}/approvals`, "GET")).body.waiting;
      const yes = { id: calls[0].id, answer: "approve", content_hash: calls[0].content_hash };
      expect((await callAt(`${second.url}/runs/gated/approvals`, "POST", yes)).body.resumed).toBe(true);
      await expect.poll(() => status(first.url, "gated"), { timeout: 20_000 }).toBe("completed");
      // A run of the first server is cancelled through the second; one that its death leaves is continued by the next.
      const hanging = (id: string) => ({
        plan: { planned_tasks: [task("a", "look"), task("b", "hang", { dependencies: ["a"] })] },
        run_id: id,
      });
      await callAt(`${first.url}/runs`, "POST", hanging("cancelled"));
      await callAt(`${first.url}/runs`, "POST", hanging("killed"));
      await callAt(`${second.url}/runs/cancelled/cancel`, "POST", {});
      await expect.poll(() => status(second.url, "cancelled"), { timeout: 20_000 }).toBe("cancelled");
      first.child.kill("SIGKILL");
      await once(first.child, "exit");
      await expect.poll(() => status(second.url, "killed"), { timeout: 20_000 }).toBe("interrupted");
      const third = await served(here.env);
      expect(third.resumed).toBe(1);
      await expect.poll(() => status(second.url, "killed"), { timeout: 20_000 }).toBe("running");
      await callAt(`${third.url}/runs/killed/cancel`, "POST", {});
      await expect.poll(() => status(second.url, "killed"), { timeout: 20_000 }).toBe("cancelled");
      for (const id of ["gated", "cancelled", "killed"])
        expect((await callAt(`${second.url}/runs/${id}`, "DELETE")).status).toBe(200);
    } finally {
      for (const child of servers) child.kill("SIGKILL");
    }
  }, 120_000);

  test("an address that is none is refused without its password", async () => {
    for (const address of ["nowhere", "mysql://me:secret@h/d", "postgres://me:secret@127.0.0.1:1/d"]) {
      const refused = await runCliHere(["list", "--on", address], { ...here.env, PLANLOOM_ON: "" });
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toMatch(/address of a Postgres database|Check that the server runs/);
      expect(refused.stderr).not.toContain("secret");
    }
  });
});
