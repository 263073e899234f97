import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, repository, runCliHere, runCliProcess, startCli, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
let config: string;
const cli = (...args: string[]) => runCliHere(args, home.env);

const planloom = pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href;
const configText = `
import { defineWorkflow } from "${planloom}";
import { setTimeout as sleep } from "node:timers/promises";
const tool = (id) => ({ kind: "tool", id, description: "The tool " + id });
export default {
  executors: [{
    kind: "tool",
    resources: () => [tool("quick"), tool("slow"), tool("fails")],
    async execute({ uid }, { signal }) {
      if (uid === "fails") throw new Error("out of order");
      await sleep(uid === "slow" ? 15_000 : 20, undefined, { signal });
      return { by: uid };
    },
  }],
  workflows: [defineWorkflow({
    id: "release",
    description: "Looks and, when somebody has approved, ships",
    plan: { planned_tasks: [
      { task_id: "look", execution_type: "tool", tool_id: "quick" },
      { task_id: "ship", execution_type: "tool", tool_id: "quick", dependencies: ["look"], approval: "required" },
    ] },
  })],
};`;

const task = (task_id: string, tool_id: string, more: Record<string, unknown> = {}) => ({
  task_id,
  execution_type: "tool",
  tool_id,
  description: `Does ${task_id}`,
  ...more,
});

async function planFile(name: string, tasks: unknown[]): Promise<string> {
  const file = join(home.path, `${name}.json`);
  await writeFile(file, JSON.stringify({ task_id: name, title: `The plan ${name}`, planned_tasks: tasks }));
  return file;
}

beforeAll(async () => {
  home = await temporaryHome();
  config = join(home.path, "planloom.config.mjs");
  await mkdir(home.path, { recursive: true });
  await writeFile(config, configText);
});
afterAll(() => home.remove());

test("a run that only waits ends with 3 and says how to answer; yes lets it go on, no skips what depends on it", async () => {
  const file = await planFile("gated", [
    task("look", "quick"),
    task("deploy", "quick", { approval: "required", dependencies: ["look"] }),
    task("tell", "quick", { dependencies: ["deploy"] }),
  ]);
  const first = await cli("run", file, "--config", config);
  expect(first).toMatchObject({ code: 3, stderr: "" });
  expect(first.stdout).toContain("1 waiting for approval");
  const [, run = ""] = /planloom approve (\S+) deploy/.exec(first.stdout) ?? [];
  expect((await cli("resume", run)).code).toBe(3);

  const refused = await cli("approve", run, "tell2");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("RUNTIME_TASK_NOT_FOUND") });
  const yes = JSON.parse((await cli("approve", run, "--note", "seen", "--json")).stdout);
  expect(yes).toMatchObject({ run_id: run, answers: [{ task_id: "deploy", answer: "approve", note: "seen" }] });
  const resumed = await cli("resume", run, "--json");
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.stdout).results.map((result: { status: string }) => result.status)).toEqual(
    Array(3).fill("completed"),
  );
  expect((await cli("deny", run)).stderr).toContain("No task of this run waits");

  const second = JSON.parse((await cli("run", file, "--config", config, "--json")).stdout);
  expect((await cli("deny", second.run_id.slice(0, 8), "deploy")).code).toBe(0);
  const denied = await cli("resume", second.run_id, "--json");
  expect(denied.code).toBe(1);
  expect(JSON.parse(denied.stdout)).toMatchObject({ end_reason: "denied" });
});

test("a gate within a workflow is shown and answered by its path", async () => {
  const file = await planFile("nested", [
    { task_id: "out", execution_type: "dsl", parameters: { uid: "release" }, description: "Releases" },
  ]);
  const first = await cli("run", file, "--config", config);
  expect(first.code).toBe(3);
  const [, run = ""] = /planloom approve (\S+) out\/ship/.exec(first.stdout) ?? [];
  const shown = await cli("show", run);
  expect(shown.stdout).toMatch(/Waiting\s+for approval\n\s+out\/ship/);
  expect((await cli("approve", run)).stdout).toContain("out/ship  approved");
  const resumed = await cli("resume", run, "--json");
  expect(JSON.parse(resumed.stdout)).toMatchObject({ end_reason: "completed", usage: { attempts: 2 } });
});

/** Starts `run FILE` in a process of its own; settles when `text` stands in its output after the beginning of the run. */
async function startedRun(file: string, text: RegExp) {
  const child = startCli(["run", file, "--config", config], home.env);
  const running = ended(child);
  let seen = "";
  await new Promise<void>((resolve) => {
    child.stdout?.on("data", (more: string) => {
      seen += more;
      if (text.test(seen.slice(seen.indexOf("\nRun")))) resolve();
    });
  });
  const { runs } = JSON.parse((await cli("list", "--json")).stdout);
  return {
    child,
    running,
    run_id: runs.find(({ status }: { status: string }) => status === "running").run_id as string,
  };
}

test("a run whose process was killed is shown as interrupted, one that goes on is refused to others", async () => {
  const file = await planFile("killed", [task("a", "quick"), task("b", "slow", { dependencies: ["a"] })]);
  const { child, running, run_id } = await startedRun(file, /b .*slow/);
  expect((await cli("show", run_id)).stdout).toMatch(
    new RegExp(`${run_id} · running .*planloom cancel ${run_id}`, "s"),
  );
  for (const command of ["resume", "delete"]) {
    const refused = await cli(command, run_id);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("RUNTIME_RUN_LEASED") });
    expect(refused.stderr).toMatch(/is being run by process \d+ on \S+\. /);
  }
  child.kill("SIGKILL");
  await running;
  const { stdout } = await cli("show", run_id);
  expect(stdout).toMatch(new RegExp(`${run_id} · interrupted .*planloom resume ${run_id}`, "s"));
  expect(JSON.parse((await cli("delete", run_id, "--json")).stdout)).toMatchObject({ deleted: [{ id: run_id }] });
});

test("cancel reaches the process that runs it", async () => {
  const file = await planFile("long", [task("a", "quick"), task("b", "slow", { dependencies: ["a"] })]);
  const { running, run_id } = await startedRun(file, /b .*slow/);
  const asked = await cli("cancel", run_id.slice(0, 10), "--json");
  expect(JSON.parse(asked.stdout)).toEqual({ run_id, state: "requested" });
  const { code, stdout } = await running;
  expect(code).toBe(5);
  expect(stdout).toContain("(cancelled)");
  expect(await cli("cancel", run_id)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("RUNTIME_NOT_RUNNING"),
  });
});

test("show draws when each task ran, the critical path marked", async () => {
  const file = await planFile("drawn", [
    task("first", "quick"),
    task("second", "quick", { dependencies: ["first"] }),
    task("broken", "fails"),
    task("never", "quick", { dependencies: ["broken"] }),
  ]);
  const { run_id } = JSON.parse((await cli("run", file, "--config", config, "--json")).stdout);
  const { stdout } = await cli("show", run_id);
  const drawn = stdout.slice(stdout.indexOf("Timeline"), stdout.indexOf("\nTasks"));
  expect(drawn).toMatch(/◆ critical path: \d+ ms/);
  expect(drawn).toMatch(/ ◆ first +█+ +\d+ ms/);
  expect(drawn).toMatch(/ ◆ second +█+ +\d+ ms/);
  expect(drawn).toMatch(/ {4}broken +░+/);
  expect(drawn).not.toContain("never");
  for (const line of drawn.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
});

test("of a large run the failed tasks are shown, whatever comes before them", async () => {
  const tasks = Array.from({ length: 90 }, (_, i) => task(`t${i}`, "quick"));
  const file = await planFile("large", [
    ...tasks,
    task("broken", "fails"),
    task("after", "quick", { dependencies: ["broken"] }),
  ]);
  const ran = await cli("run", file, "--config", config, "--concurrency", "50");
  const results = ran.stdout.slice(ran.stdout.indexOf("\nResults"));
  expect(results).toContain("broken  failed: out of order");
  expect(results).toContain("after  skipped");
  expect(results).toContain("… and 72 more tasks");
  const [, run = ""] = /planloom show (\S+)/.exec(ran.stdout) ?? [];
  const shown = (await cli("show", run)).stdout;
  const listed = shown.slice(shown.indexOf("\nTasks"));
  expect(listed).toMatch(/ {2}broken {2}failed {2}\d+ ms\n {4}out of order/);
  expect(listed).toMatch(/ {2}after {2}skipped\n/);
  expect(listed).toContain("… and 32 more tasks");
});

test("validate checks against the tools of the folder's configuration", async () => {
  const file = await planFile("misspelt", [task("a", "quik")]);
  expect(await cli("validate", file)).toMatchObject({ code: 0, stdout: expect.stringContaining("tools not checked") });
  const inFolder = await runCliHere(["validate", file], home.env, home.path);
  expect(inFolder.code).toBe(2);
  expect(inFolder.stdout).toContain("quik");
});

test("subgraphs of many tasks keep to the width", async () => {
  const chain = Array.from({ length: 60 }, (_, i) =>
    task(`task_${i}`, "quick", { dependencies: i === 0 ? [] : [`task_${i - 1}`] }),
  );
  const { stdout } = await cli("optimize", await planFile("chain", chain));
  const [, drawn = ""] = /\nSubgraphs(.*?)\nPrediction/s.exec(stdout) ?? [];
  expect(drawn).toMatch(/sg-1 {3}task_0 → task_1 → .* … \d+ more\n/);
  for (const line of drawn.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
});

test("show says how often a task was tried, and that one waits", async () => {
  const retry = { max_attempts: 2, initial_delay_ms: 1 };
  const file = await planFile("tried", [
    task("again", "fails", { retry }),
    task("ask", "quick", { approval: "required", arguments: { amount: 3 } }),
  ]);
  expect((await cli("run", file, "--config", config)).stdout).toMatch(
    / {2}ask {2}waits for approval {2}quick\n {4}\{\n {6}"amount": 3\n/,
  );
  const { run_id } = JSON.parse((await cli("run", file, "--config", config, "--json")).stdout);
  const { stdout } = await cli("show", run_id);
  expect(stdout).toMatch(/ {2}again {2}failed {2}\d+ ms in 2 attempts\n/);
  expect(stdout).toMatch(/ {2}ask {2}waits for approval\n/);
});

test("delete takes plans and runs, and nothing when a name is wrong", async () => {
  const file = await planFile("gone", [task("a", "quick")]);
  const { run_id } = JSON.parse((await cli("run", file, "--config", config, "--json")).stdout);
  expect((await cli("delete", run_id, "no-such-thing")).code).toBe(2);
  expect((await cli("show", run_id)).code).toBe(0);
  const deleted = JSON.parse((await cli("delete", run_id, "--json")).stdout);
  expect(deleted).toEqual({ deleted: [{ kind: "run", id: run_id }] });
  expect(await cli("show", run_id)).toMatchObject({ code: 2 });
  expect(await cli("resume", run_id)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("No run, no plan file and no saved plan called"),
  });
});

test("replay needs no tools and finds what a changed plan would have done; fork runs again from a task", async () => {
  const tasks = [task("a", "quick"), task("b", "quick", { dependencies: ["a"], arguments: { of: "${a.by}" } })];
  const file = await planFile("again", tasks);
  const { run_id } = JSON.parse((await cli("run", file, "--config", config, "--json")).stdout);
  const replayed = JSON.parse((await cli("replay", run_id, "--json")).stdout);
  expect(replayed).toMatchObject({ same: true, replay: { replayed: 2 }, verification: { ok: true } });
  expect((await cli("replay", run_id.slice(0, 9))).stdout).toContain("as recorded");

  const changed = await planFile("changed", [tasks[0], { ...tasks[1], arguments: { of: "somebody" } }]);
  const other = await cli("replay", run_id, "--plan", changed);
  expect(other.code).toBe(1);
  expect(other.stdout).toContain('b: input differs at of\n  · then "quick"\n  · now "somebody"\n');

  const forked = JSON.parse((await cli("fork", run_id, "b", "--set", "of=me", "--json")).stdout);
  expect(forked.run_id).not.toBe(run_id);
  expect(forked.results).toMatchObject([
    { task_id: "a", recorded: true },
    { task_id: "b", status: "completed", input: { of: "me" } },
  ]);
  const misspelt = await cli("fork", run_id, "typed", "--set", "of=me");
  expect(misspelt.code).toBe(2);
  expect(await cli("fork", run_id, "zz")).toMatchObject({ code: 2, stderr: expect.stringContaining("It has a, b.") });
});

test("fork runs one element of a list again, as the pages say", async () => {
  const each = task("m", "quick", { for_each: { items: [1, 2] }, arguments: { of: "${item}" } });
  const { run_id } = JSON.parse(
    (await cli("run", await planFile("list", [each]), "--config", config, "--json")).stdout,
  );
  const forked = JSON.parse((await cli("fork", run_id, "m[1]", "--json")).stdout);
  expect(forked.results).toMatchObject([{ task_id: "m", status: "completed" }]);
  expect((await cli("fork", run_id, "n[1]")).stderr).toContain('no task "n[1]"');
});

test("a word that is written like a file is one, also where its ending is mistyped", async () => {
  const file = await planFile("chained", [task("a", "quick")]);
  expect(await cli("run", file.slice(0, -2))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/No plan file .*Did you mean "chained\.(?:json|yaml)"/),
  });
});

test("init writes what runs, and keeps what is there", async () => {
  // Within the repository, where the configuration finds planloom.
  const folder = await mkdtemp(join(repository, "test/.init-"));
  try {
    const first = JSON.parse((await runCliHere(["init", "--json"], home.env, folder)).stdout);
    expect(first.files.map(({ written }: { written: boolean }) => written)).toEqual([true, true]);
    const goal = ["run", "List greetings in German", "--mcp", "mcp.json", "--json"];
    const result = await runCliProcess(goal, home.env, folder);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(result.stdout).output_data).toMatchObject({
      greetings_list: { greetings: ["Guten Tag", "Moin"] },
    });
    await writeFile(join(folder, "mcp.json"), "mine");
    expect((await runCliHere(["init"], home.env, folder)).stdout).toMatch(/mcp.json {2}was there and is kept/);
    expect(await readFile(join(folder, "mcp.json"), "utf8")).toBe("mine");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
