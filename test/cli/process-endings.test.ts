import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning } from "../mcp/support.ts";
import { quickStartEnv } from "../support/child-env.ts";
import { ended, repository, runCliHere, runCliProcess, startCli, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const at = (name: string) => join(home.path, name);

const tools = `
const tool = (id) => ({ kind: "tool", id, description: "The tool " + id });
export default {
  abortGraceMs: 20_000,
  executors: [{
    kind: "tool",
    resources: () => ["quick", "timer", "deaf", "fails"].map(tool),
    async execute({ uid }) {
      if (uid === "timer") setInterval(() => {}, 1_000);
      if (uid === "fails") throw new Error("out of order");
      await new Promise((resolve) => setTimeout(resolve, uid === "deaf" ? 60_000 : 300));
      return uid;
    },
  }],
};`;

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(at("config.mjs"), tools);
  const command = process.execPath;
  const args = [join(repository, "test/support/slow-server.mjs")];
  await writeFile(
    at("mcp.json"),
    JSON.stringify({ mcpServers: { slow: { command, args, env: { PIDS: at("pids") } } } }),
  );
});
afterAll(() => home.remove());

/** A plan of tasks one after the other, each named for its tool. */
async function planFile(...uids: string[]): Promise<string> {
  const planned_tasks = uids.map((tool_id, index) => ({
    task_id: `t${index}`,
    execution_type: "tool",
    tool_id,
    dependencies: index === 0 ? [] : [`t${index - 1}`],
  }));
  const file = at(`${uids.join("-").replaceAll("/", "_")}.json`);
  await writeFile(file, JSON.stringify({ task_id: uids.join("-").replaceAll("/", "_"), planned_tasks }));
  return file;
}

interface Listed {
  readonly run_id: string;
  readonly status: string;
}

/** The newest run of the home. */
async function lastRun(): Promise<Listed> {
  const { runs } = JSON.parse((await runCliHere(["list", "--json"], home.env)).stdout) as { runs: Listed[] };
  return runs[0]!;
}

/** Settles when the run has begun its first task. */
function begun(child: ReturnType<typeof startCli>): Promise<void> {
  return new Promise((resolve) => {
    let seen = "";
    child.stdout?.on("data", (more: Buffer) => {
      seen += String(more);
      if (/… t0/.test(seen)) resolve();
    });
  });
}

/** Process ids of the servers that were started since the last call. */
async function servers(): Promise<number[]> {
  const text = await readFile(at("pids"), "utf8");
  await writeFile(at("pids"), "");
  return text.trim().split("\n").map(Number);
}

test.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends a run cleanly: it is recorded, the servers are ended, the exit code says which signal",
  async (name) => {
    const child = startCli(["run", await planFile("slow/wait", "slow/wait"), "--mcp", at("mcp.json")], home.env);
    const running = ended(child);
    await begun(child);
    child.kill(name);
    const { code, stdout, stderr } = await running;
    expect({ code, stderr }).toEqual({ code: 128 + constants.signals[name], stderr: "" });
    expect(stdout).toContain("planloom resume");
    // Ctrl-C is a person who cancels; the others end the program, which may go on with the run when it starts again.
    expect((await lastRun()).status).toBe(name === "SIGINT" ? "cancelled" : "shut_down");
    const pids = await servers();
    expect(pids[0]).toBeGreaterThan(0);
    expect(pids.filter(isRunning)).toEqual([]);
  },
);

test("a second signal ends the process at once, and its servers with it", async () => {
  const args = ["run", await planFile("deaf"), "--config", at("config.mjs"), "--mcp", at("mcp.json")];
  const child = startCli(args, home.env);
  const running = ended(child);
  await begun(child);
  child.kill("SIGTERM");
  // Real time: the process has to handle the first signal before the second comes.
  await sleep(400);
  const second = performance.now();
  child.kill("SIGTERM");
  expect((await running).code).toBe(143);
  expect(performance.now() - second).toBeLessThan(5_000);
  const pids = await servers();
  expect(pids[0]).toBeGreaterThan(0);
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});

test("a timer that a tool left keeps the process neither after its end nor after a signal", async () => {
  const args = ["run", await planFile("timer"), "--config", at("config.mjs")];
  expect((await runCliProcess(args, home.env)).code).toBe(0);
  const child = startCli(args, home.env);
  const running = ended(child);
  await begun(child);
  child.kill("SIGTERM");
  expect((await running).code).toBe(143);
});

test("a reader that leaves changes neither the run nor its exit code", async () => {
  for (const [uids, code, status] of [
    [["quick", "timer", "quick"], 0, "completed"],
    [["quick", "fails", "quick"], 1, "failed"],
  ] as const) {
    const child = startCli(["run", await planFile(...uids), "--config", at("config.mjs")], home.env);
    const running = ended(child);
    await begun(child);
    child.stdout?.destroy();
    expect(await running).toMatchObject({ code, stderr: "" });
    expect((await lastRun()).status).toBe(status);
  }
});

test.runIf(process.platform === "linux")(
  "output to a full disk is an error without a stack; the run is kept",
  async () => {
    const full = openSync("/dev/full", "w");
    const main = join(repository, "packages/cli/src/main.ts");
    const start = (...args: string[]) =>
      ended(
        spawn(process.execPath, [main, ...args], {
          cwd: repository,
          env: { PATH: process.env.PATH, ...quickStartEnv(), ...home.env },
          stdio: ["ignore", full, "pipe"],
        }),
      );
    try {
      const { code, stderr } = await start("run", await planFile("quick", "quick"), "--config", at("config.mjs"));
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error Standard output could not be written: ENOSPC.*\nhint .*\n$/);
      expect((await lastRun()).status).toBe("completed");
      expect(await start("list", "--json")).toMatchObject({ code: 1, stderr: expect.stringContaining("ENOSPC") });
      expect((await start("show", "nothing-of-this-name")).code).toBe(2);
    } finally {
      closeSync(full);
    }
  },
);

test.runIf(process.platform === "linux")(
  "a folder that no file system makes is refused, not tried without end",
  async () => {
    for (const args of [
      ["init", "/proc/x/y"],
      ["bench", "--quick", "--out", "/proc/x"],
    ]) {
      const { code, stderr } = await runCliHere(args, home.env);
      expect(code).toBe(2);
      expect(stderr).toContain("Cannot write to /proc/x");
    }
    const elsewhere = { ...home.env, PLANLOOM_HOME: "/proc/x" };
    expect(await runCliHere(["run", await planFile("quick"), "--config", at("config.mjs")], elsewhere)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("RUNTIME_JOURNAL"),
    });
  },
);
