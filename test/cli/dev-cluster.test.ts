import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { compileCacheEnv } from "../support/child-env.ts";
import { postgresUrl } from "../support/postgres.ts";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

/** Whether a process is there. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(postgresUrl === undefined)(
  "planloom dev-cluster starts Postgres, workers and the server, and ends all of them",
  async () => {
    const home = await temporaryHome();
    await mkdir(home.path, { recursive: true });
    const planloom = pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href;
    const config = join(home.path, "tools.mjs");
    await writeFile(
      config,
      `import { defineTool } from "${planloom}";
export default { tools: [defineTool({ id: "who", description: "Which process", readOnly: true, execute: () => process.pid })] };`,
    );
    const plan = join(home.path, "plan.json");
    await writeFile(
      plan,
      JSON.stringify({ planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "who" }] }),
    );
    // As it is installed: the programs of Postgres are not part of a bundle.
    const main = join(repository, "packages/cli/src/main.ts");
    const cluster = spawn(
      process.execPath,
      [main, ...["dev-cluster", "--workers", "2", "--port", "0", "--config", config, "--json"]],
      {
        env: { PATH: process.env.PATH, ...compileCacheEnv(), ...home.env },
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    let said = "";
    for await (const text of cluster.stdout.setEncoding("utf8")) {
      said += text;
      if (said.includes('"url"') && said.endsWith("}\n")) break;
    }
    const [started, served] = said.split(/(?<=^\})\n/m).map((part) => part && JSON.parse(part));
    expect(started.workers).toHaveLength(2);
    expect((await fetch(`${served.url}/health`)).status).toBeLessThan(500);
    const env = { ...home.env, PLANLOOM_ON: started.postgres };
    const run = await runCliHere(["run", plan, "--queue", "planloom", "--config", config, "--json"], env);
    expect(started.workers).toContain(JSON.parse(run.stdout).results[0].output);
    // What the server begins goes to the workers too, and so does what it resumes of theirs.
    const request = { method: "POST", headers: { "content-type": "application/json" } };
    const gated = { task_id: "b", execution_type: "tool", tool_id: "who", approval: "required", dependencies: ["a"] };
    const asks = {
      planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "who" }, gated],
    };
    await writeFile(plan, JSON.stringify(asks));
    const begun = await runCliHere(["run", plan, "--queue", "planloom", "--config", config, "--json"], env);
    const cli = JSON.parse(begun.stdout).run_id;
    await runCliHere(["approve", cli], env);
    const runs = `${served.url}/runs`;
    expect((await fetch(`${runs}/${cli}/resume`, request)).status).toBe(202);
    await fetch(runs, { ...request, body: JSON.stringify({ run_id: "http", plan: asks }) });
    for (const [run_id, task] of [
      [cli, "b"],
      ["http", "a"],
    ]) {
      const output = async () => {
        const body = (await (await fetch(`${runs}/${run_id}/tasks/${task}`)).json()) as {
          record?: { output?: unknown };
        };
        return body.record?.output;
      };
      await vi.waitFor(async () => expect(started.workers).toContain(await output()), {
        timeout: 20_000,
        interval: 50,
      });
    }
    cluster.kill("SIGTERM");
    await once(cluster, "exit");
    expect(started.workers.filter(isThere)).toEqual([]);
    const gone = new pg.Client({ connectionString: started.postgres });
    await expect(gone.connect()).rejects.toThrow();
    await home.remove();
  },
);
