import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ended,
  freightServers,
  repository,
  runCliHere,
  runCliProcess,
  startCli,
  temporaryHome,
} from "../support/run-cli.ts";

const example = join(repository, "examples/freight/mcp.json");
let mcp: string;
const goal = "Get facilities in Berlin, then their shipments, then check for contaminants";
let home: Awaited<ReturnType<typeof temporaryHome>>;
const cli = (args: string[]) => runCliHere(args, { ...home.env, FREIGHT_LATENCY_MS: "5" });
const cliProcess = (args: string[]) => runCliProcess(args, { ...home.env, FREIGHT_LATENCY_MS: "5" });

beforeAll(async () => {
  home = await temporaryHome();
  mcp = await freightServers(home.path);
});
afterAll(() => home.remove());

test("plan --json prints the TaskData alone and saves it", async () => {
  const result = await cli([
    "plan",
    goal,
    "--mcp",
    mcp,
    "--json",
    "--now",
    "2025-10-12T06:00:00Z",
    "--time-zone",
    "UTC",
  ]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const plan = JSON.parse(result.stdout);
  expect(plan.planned_tasks.map((task: { tool_id: string }) => task.tool_id)).toEqual([
    "freight/facilities_list",
    "freight/shipments_list",
    "freight/contaminants_list",
  ]);
  const shown = await cli(["show", plan.task_id, "--json"]);
  // No person was shown it.
  expect(JSON.parse(shown.stdout)).toEqual({ ...plan, metadata: { ...plan.metadata, unseen: true } });
  expect((await cli(["validate", plan.task_id, "--mcp", mcp])).code).toBe(0);
  const dot = await cli(["graph", plan.task_id, "--format", "dot"]);
  expect(dot.stdout).toMatch(/^digraph/);
  const optimized = JSON.parse((await cli(["optimize", plan.task_id, "--json"])).stdout);
  expect(optimized.subgraphs.flatMap((subgraph: { tasks: string[] }) => subgraph.tasks).sort()).toEqual(
    plan.planned_tasks.map((task: { task_id: string }) => task.task_id).sort(),
  );
});

test("keys of the MCP configuration that nothing reads are said before the plan", async () => {
  const file = join(home.path, "mcp-ignored.json");
  const { mcpServers } = JSON.parse(await readFile(example, "utf8"));
  const server = { ...mcpServers.freight, cwd: join(repository, "examples/freight"), disabledTools: ["x"] };
  await writeFile(file, JSON.stringify({ mcpServers: { freight: server } }));
  const { stdout, code } = await cli(["plan", "Get facilities in Berlin", "--mcp", file]);
  expect(code).toBe(0);
  expect(stdout).toContain("MCP server freight: disabledTools of its configuration means nothing here and is ignored.");
});

test("run prints plain lines when piped: no escape sequences, every task, results and bound", async () => {
  const result = await cliProcess(["run", goal, "--mcp", mcp]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(stripVTControlCharacters(result.stdout)).toBe(result.stdout);
  expect(result.stdout).toMatch(/Plan[\s\S]*Schedule {2}predicted[\s\S]*Run[\s\S]*Results[\s\S]*Time/);
  expect(result.stdout).toMatch(/planned by embedded \(records\) in .* · likely right, 0\.85$/m);
  expect(result.stdout).toMatch(/lower bound/);
  expect(result.stdout).toMatch(/3 of 3 tasks completed/);
});

test("run --json gives outputs in plan order, and list knows the run", async () => {
  const result = await cli(["run", "Get shipments, facilities, and inspections", "--mcp", mcp, "--json"]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const run = JSON.parse(result.stdout);
  expect(run.end_reason).toBe("completed");
  expect(run.results.map((task: { status: string }) => task.status)).toEqual(["completed", "completed", "completed"]);
  expect(run.results[0].output.length).toBe(100);
  const listed = JSON.parse((await cli(["list", "--json"])).stdout);
  expect(listed.runs.map((item: { run_id: string }) => item.run_id)).toContain(run.run_id);
  const shown = await cli(["show", run.run_id.slice(0, 12)]);
  expect(shown.stdout).toMatch(/completed/);
});

test("a dry run executes nothing and shows resolved arguments", async () => {
  const result = await cli(["run", goal, "--mcp", mcp, "--dry-run"]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(result.stdout).toMatch(/Dry run[\s\S]*location: "Berlin"/);
  expect(result.stdout).toMatch(/<.*id.*>/);
});

test("Ctrl-C ends with 130 and says how to resume; resume repeats nothing", async () => {
  const env = { ...home.env, FREIGHT_LATENCY_MS: "700" };
  const child = startCli(["run", goal, "--mcp", mcp], env);
  const result = ended(child);
  let seen = "";
  child.stdout?.on("data", (text: string) => {
    seen += text;
    // The first task is done and the second runs.
    if (/✓ facilities_list/.test(seen) && !child.killed) child.kill("SIGINT");
  });
  const stopped = await result;
  expect(stopped.code).toBe(130);
  const resumeLine = /planloom resume (\S+)/.exec(stopped.stdout);
  expect(resumeLine).not.toBeNull();
  const resumed = await cli(["resume", resumeLine?.[1] as string, "--json"]);
  expect(resumed.code).toBe(0);
  const run = JSON.parse(resumed.stdout);
  expect(run.end_reason).toBe("completed");
  const [first] = run.results;
  expect(first.status).toBe("completed");
  const progress = await cli(["resume", resumeLine?.[1] as string]);
  expect(progress.stdout).not.toMatch(/✓/);
});

test("a plan in another system's format runs too, with variables from the command line", async () => {
  const path = join(home.path, "plan.json");
  await writeFile(
    path,
    JSON.stringify({
      id: "inspect-city",
      title: "Inspect a city",
      variables: { city: "Hamburg" },
      steps: [
        {
          index: "1",
          title: "Sites",
          tool: "facilities_list",
          args: { location: "${city}" },
          depends_on: [],
          result_variable: "sites",
        },
        { index: "2", title: "Visits", tool: "inspections_list", args: { limit: 5 }, depends_on: ["1"] },
      ],
    }),
  );
  const result = await cli(["run", path, "--mcp", mcp, "--json", "--var", "city=Berlin"]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const run = JSON.parse(result.stdout);
  expect(run.results[0].output.every((row: { location: string }) => row.location === "Berlin")).toBe(true);
});

test("the example's mcp.json names no path of one machine", async () => {
  expect(await readFile(example, "utf8")).not.toMatch(/\/(home|root|Users|work)\//);
});
