import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCli } from "@planloom/cli";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
let env: Record<string, string>;
const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
const given = ["--config", "planloom.config.mjs"];

beforeAll(async () => {
  home = await temporaryHome();
  const { PLANLOOM_TRUST: _, ...untrusted } = home.env;
  env = { LANG: "C.UTF-8", ...untrusted };
  const input = { type: "object", properties: { euros: { type: "number" } } };
  await writeFile(
    join(home.path, "planloom.config.mjs"),
    `import { defineTool } from ${library};
export default { tools: [defineTool({ id: "pay", description: "Pay", destructive: true, input: ${JSON.stringify(input)}, execute: ({ euros }) => euros })] };`,
  );
  const task = { task_id: "pay", execution_type: "tool", tool_id: "pay", arguments: { euros: 7 } };
  const plan = { variables: { month: "May" }, planned_tasks: [task] };
  await writeFile(join(home.path, "plan.json"), JSON.stringify(plan));
});
afterAll(() => home.remove());

async function cli(args: readonly string[], answers?: string[]) {
  let stdout = "";
  const sink = { write: (text: string) => (stdout += text) };
  const io = { stdout: sink, stderr: sink, env, cwd: home.path, signal: new AbortController().signal };
  const code = await runCli(args, { ...io, ...(answers && { ask: async () => answers.shift() }) });
  return { code, stdout };
}

/** The words of the last command below "Next" that begins so. */
function nextCommand(stdout: string, verb: string): string[] {
  const lines = stdout.slice(stdout.lastIndexOf("\nNext")).split("\n");
  const line = lines.findLast((each) => each.startsWith(`  $ planloom ${verb} `)) ?? "";
  return line.trim().split(" ").slice(2);
}

/** Runs the plan until somebody is asked. @returns the run's id */
async function waiting(): Promise<string> {
  const { code, stdout } = await cli(["run", "plan.json", ...given]);
  expect(code).toBe(3);
  return nextCommand(stdout, "show")[1] ?? "";
}

test.for([
  { name: "approve", args: (run: string) => ["approve", run] },
  { name: "deny", args: (run: string) => ["deny", run] },
  { name: "show", args: (run: string) => ["show", run] },
  { name: "cancel", args: (run: string) => ["cancel", run] },
])("the resume that $name offers goes on in a folder that is not trusted", async ({ args }) => {
  const run = await waiting();
  const resume = nextCommand((await cli(args(run))).stdout, "resume");
  expect(resume).toEqual(["resume", run, "--config", join(home.path, "planloom.config.mjs")]);
  expect((await cli(resume)).stdout).not.toContain("CLI_UNTRUSTED");
});

test("after a no to the plan, the command to run it has what it was begun with", async () => {
  const { code, stdout } = await cli(
    ["run", "plan.json", ...given, "--confirm", "writes", "--var", "month=June"],
    ["n"],
  );
  expect(code).toBe(1);
  const again = nextCommand(stdout, "run");
  expect(again).toEqual(["run", "plan.json", "--var", "month=June", ...given, "--confirm", "writes"]);
  expect((await cli(again)).code).toBe(3);
});

test("an edited input and who gave it are shown; a final no offers a fork, no resume", async () => {
  const run = await waiting();
  await cli(["approve", run, "--input", '{"euros": 5}', "--by", "Ada", "--note", "less"]);
  const edited = (await cli(["show", run])).stdout;
  expect(edited).toMatch(/approved, edited by Ada at \S+: less\n\s+it will be called with\n\s+\{\n\s+"euros": 5\n/);
  expect(edited).not.toContain('"euros": 7');
  expect(nextCommand(edited, "approve")).toEqual([]);
  expect(JSON.parse((await cli(["show", run, "--json"])).stdout)).toMatchObject({
    waiting: [{ id: "pay", answer: { answer: "approve", input: { euros: 5 }, by: "Ada" } }],
  });

  // Who said yes is seen after the run has gone on, too.
  expect((await cli(["resume", run, ...given])).code).toBe(0);
  expect((await cli(["show", run])).stdout).toMatch(/pay {2}completed.*\n\s+approved, edited by Ada at \S+: less\n/);
  expect(JSON.parse((await cli(["show", run, "--json"])).stdout).answers).toMatchObject([
    { task_id: "pay", answer: "approve", by: "Ada", note: "less" },
  ]);

  const other = await waiting();
  await cli(["deny", other, "--by", "Bob"]);
  expect((await cli(["show", other])).stdout).toMatch(/pay {2}answered.*denied by Bob at/s);
  const ended = await cli(["resume", other, ...given]);
  for (const { stdout } of [ended, await cli(["show", other])]) {
    expect(nextCommand(stdout, "resume")).toEqual([]);
    expect(nextCommand(stdout, "fork").slice(0, 3)).toEqual(["fork", other, "pay"]);
  }
  expect((await cli(nextCommand(ended.stdout, "fork"))).code).toBe(3);
});

test("list --limit limits plans and runs; init says what is missing", async () => {
  for (const author of ["Ada", "Bob"]) await cli(["run", `Pay ${author.length} euros`, ...given]);
  const { plans, runs } = JSON.parse((await cli(["list", "--limit", "1", "--json"])).stdout);
  expect([plans.length, runs.length]).toEqual([1, 1]);
  expect((await cli(["init", "new"])).stdout).toContain("npm install planloom");
});

test("a question in words is answered in words", async () => {
  await writeFile(
    join(home.path, "asks.config.mjs"),
    `import { defineExecutor } from ${library};
import { runPowers } from ${library.replace("planloom/src/index.ts", "runtime/src/index.ts")};
const resources = [{ kind: "agent", id: "desk", description: "Asks" }];
const execute = async (_, context) => {
  const { ask } = runPowers(context);
  return [await ask("who", "Who takes it?"), await ask("days", "In how many days?", { schema: { type: "integer" } })];
};
export default { executors: [defineExecutor({ kind: "agent", resources: () => resources, delegates: () => true, execute })] };`,
  );
  const plan = { planned_tasks: [{ task_id: "d", execution_type: "agent", agent_id: "desk" }] };
  await writeFile(join(home.path, "asks.json"), JSON.stringify(plan));
  const config = ["--config", "asks.config.mjs"];
  const { stdout } = await cli(["run", "asks.json", ...config, "--json"], []);
  const run = String((JSON.parse(stdout) as { run_id: string }).run_id);
  expect((await cli(["approve", run, "--answer", "Bob", "--input", "{}"])).stdout).toContain(
    "Expected one of --answer, --input and --output, got --answer and --input.",
  );
  expect((await cli(["approve", run, "--answer", "Bob", "--output", "1"])).stdout).toContain(
    "got --answer and --output",
  );
  // Nothing is kept of an answer that cannot be given to all that are named.
  expect((await cli(["approve", run, "d/who", "d/what", "--answer", "Bob"])).stdout).toContain('"d/what" asks nothing');
  expect((await cli(["approve", run, "--answer", "Bob"])).code).toBe(0);
  await cli(["resume", run, ...config]);
  expect((await cli(["approve", run, "--answer", "soon"])).stdout).toContain(
    "Expected --answer to be JSON (integer), got soon",
  );
  expect((await cli(["approve", run, "d", "--answer", "3"])).code).toBe(0);
  const ended = JSON.parse((await cli(["resume", run, ...config, "--json"])).stdout);
  expect(ended).toMatchObject({ end_reason: "completed", output_data: { d: ["Bob", 3] } });
  const paid = await waiting();
  expect((await cli(["approve", paid, "--answer", "yes"])).stdout).toContain('"pay" asks whether it may be called');
});
