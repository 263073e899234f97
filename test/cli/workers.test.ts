import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const cli = (...args: string[]) => runCliHere([...args, "--config", join(home.path, "tools.mjs")], home.env);
const step = (task_id: string, dependencies: string[] = []) => ({
  task_id,
  execution_type: "tool",
  tool_id: task_id.startsWith("send") ? "send" : "who",
  dependencies,
});
let plan: string;

beforeAll(async () => {
  home = await temporaryHome();
  await mkdir(home.path, { recursive: true });
  const planloom = pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href;
  await writeFile(
    join(home.path, "tools.mjs"),
    `import { defineTool } from "${planloom}";
export default { tools: [
  defineTool({ id: "who", description: "Which process", readOnly: true, execute: () => ({ pid: process.pid, home: process.env.PLANLOOM_HOME }) }),
  defineTool({ id: "send", description: "Sends", destructive: true, execute: () => ({ pid: process.pid }) }),
] };`,
  );
  plan = join(home.path, "plan.json");
  await writeFile(
    plan,
    JSON.stringify({ planned_tasks: [step("a"), step("b", ["a"]), step("c"), step("send", ["c"])] }),
  );
});
afterAll(() => home.remove());

const pidsOf = (result: { results: { output?: { pid: number } }[] }) => result.results.map(({ output }) => output?.pid);

test("--workers groups the plan for processes that have the same tools, and a run that waits goes on there", async () => {
  const first = await cli("run", plan, "--workers", "2", "--json");
  expect(first).toMatchObject({ code: 3, stderr: "" });
  const waiting = JSON.parse(first.stdout);
  expect(waiting.grouping).toMatchObject({ dispatcher: "child-process", executors: 2 });
  expect(waiting.grouping.measured).toBeGreaterThan(0);
  const [a, b, c] = pidsOf(waiting);
  expect([a, b, c].every((pid) => Number.isInteger(pid) && pid !== process.pid)).toBe(true);
  expect(b).toBe(a);
  // Environment of the command, not of the process that the test runs in.
  expect(waiting.results[0].output.home).toBe(home.env.PLANLOOM_HOME);

  const approved = await runCliHere(["approve", waiting.run_id, "send"], home.env);
  expect(approved).toMatchObject({ code: 0, stderr: "" });
  // The journal says that it had workers.
  const resumed = await cli("resume", waiting.run_id, "--json");
  expect(resumed).toMatchObject({ code: 0, stderr: "" });
  const sent = pidsOf(JSON.parse(resumed.stdout)).at(-1);
  expect(Number.isInteger(sent)).toBe(true);
  expect(sent).not.toBe(process.pid);
});

test("what it prints: the grouping, what a dispatch costs, what was predicted and achieved", async () => {
  const { code, stdout } = await cli("run", plan, "--workers", "2", "--allow", "send");
  expect(code).toBe(0);
  expect(stdout).toMatch(/Subgraphs {2}predicted .* lower bound .*/);
  expect(stdout).toMatch(
    /A\s+dispatch\s+costs\s+\S+\s+m?s,\s+measured;\s+one\s+for\s+each\s+task\s+would\s+end\s+after/,
  );
  expect(stdout).toMatch(
    /Time\n {2}\S+ m?s achieved.*\n {2}\d dispatch(es)? to child-process: .* predicted; one for each task, \S+ m?s predicted\n.*beside the prediction.*\n {2}with these durations and dispatches one for each task would have taken \S+ m?s \(×\d+\.\d+\), and no grouping less than \S+ m?s\n/,
  );
  const shown = await runCliHere(["show", /planloom show (\S+)/.exec(stdout)![1]!], home.env);
  expect(shown.stdout).toMatch(/ {2}\d dispatch(es)? to child-process: \S+ m?s predicted; .*\n {2}\S+ m?s achieved\n/);
  expect(stdout).not.toContain("Schedule");
});

test("--dry-run --workers says when each task would begin in its dispatch, and does not call measured what is configured", async () => {
  const config = join(home.path, "dear.mjs");
  await writeFile(
    config,
    `import own from "./tools.mjs";
export default { ...own, optimizer: { environment: { overheadMs: 2000 } } };`,
  );
  const chain = join(home.path, "chain.json");
  await writeFile(
    chain,
    JSON.stringify({
      planned_tasks: [
        { ...step("a"), estimate_data: { duration_ms: 300 } },
        { task_id: "pause", wait: { for_ms: 4000 }, dependencies: ["a"] },
        { ...step("b", ["pause"]), estimate_data: { duration_ms: 200 } },
      ],
    }),
  );
  const dry = ["run", chain, "--dry-run", "--workers", "2", "--config", config];
  const { steps, predictedMs } = JSON.parse((await runCliHere([...dry, "--json"], home.env)).stdout);
  // One dispatch for a, two for the wait, one for b.
  expect(predictedMs).toBe(4 * 2000 + 300 + 4000 + 200);
  expect(steps.map(({ task_id, start_ms }: { task_id: string; start_ms: number }) => [task_id, start_ms])).toEqual([
    ["a", 2000],
    ["pause", 4300],
    ["b", predictedMs - 200],
  ]);
  const { stdout } = await runCliHere(dry, home.env);
  expect(stdout).toContain("A dispatch costs 2.00 s;");
  expect(stdout).toMatch(/\+12.30 s +b/);
});

test("--optimizer says who groups for the workers, and is refused where nothing is grouped", async () => {
  const robust = await cli("run", plan, "--workers", "2", "--optimizer", "robust", "--allow", "send", "--json");
  expect(robust).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(robust.stdout).grouping).toMatchObject({ strategy: "robust", dispatcher: "child-process" });
  const alone = await cli("run", plan, "--optimizer", "robust");
  expect(alone.code).toBe(2);
  expect(alone.stderr).toContain("Expected tasks to group with --optimizer, but they start one by one.");
  const model = await cli("run", plan, "--workers", "2", "--optimizer", "model");
  expect(model.stderr).toContain("Expected a model for the grouping");
});

test("without workers the time that is predicted is that of tasks that start one by one", async () => {
  await writeFile(
    join(home.path, "estimated.json"),
    JSON.stringify({
      planned_tasks: ["a", "b", "c"].map((id) => ({ ...step(id), estimate_data: { duration_ms: 2_000 } })),
    }),
  );
  const both = await Promise.all(
    [[], ["--dry-run"]].map((more) => cli("run", join(home.path, "estimated.json"), "--concurrency", "2", ...more)),
  );
  expect(both[0]!.stdout).toMatch(/Schedule {2}predicted 4\.00 s\n.*2 at once\. Durations are from the plan\./);
  expect(both[1]!.stdout).toMatch(/ {2}predicted 4\.00 s, 3 calls/);
});

test("durations of earlier runs are used where the plan has none", async () => {
  const { stdout } = await cli("run", plan, "--dry-run");
  expect(stdout).toMatch(/predicted \d+ ms, 4 calls/);
  const optimized = await cli("optimize", plan, "--learned", "--json");
  expect(optimized.code).toBe(0);
  expect(JSON.parse(optimized.stdout).predictedMs).toBeLessThan(1_000);
});

test.each([["0"], ["1.5"], ["many"], ["1000"]])("--workers %s is refused", async (count) => {
  const { code, stderr } = await cli("run", plan, "--workers", count);
  expect(code).toBe(2);
  expect(stderr).toContain("a whole number from 1 to 256");
});

test("optimize --optimizer model says what it lacks, and what has no effect there", async () => {
  const lacking = await cli("optimize", plan, "--optimizer", "model");
  expect(lacking).toMatchObject({ code: 2, stderr: expect.stringContaining("needs a model") });
  const idle = await cli("optimize", plan, "--optimizer", "model", "--strategy", "exact");
  expect(idle.stderr).toContain("--strategy has no effect where a model groups");
});

test("--adaptive needs workers, and then the run may split subgraphs", async () => {
  const alone = await cli("run", plan, "--adaptive");
  expect(alone.code).toBe(2);
  expect(alone.stderr).toContain("Expected subgraphs to split with --adaptive, but tasks start one by one.");
  expect(alone.stderr).toContain("--workers N");
  const both = await cli("run", plan, "--workers", "2", "--adaptive", "--json");
  expect(both).toMatchObject({ code: 3, stderr: "" });
  expect(JSON.parse(both.stdout).grouping).toMatchObject({ dispatcher: "child-process" });
});
