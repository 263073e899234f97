import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { runCli } from "@planloom/cli";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

const config = `import { writeFileSync } from "node:fs";
import { defineTool } from ${JSON.stringify(join(repository, "packages/planloom/src/index.ts"))};
const properties = { city: { type: "string", enum: ["Oslo", "Bergen"] } };
export default { tools: [
  defineTool({ id: "get_forecast", description: "Get the weather forecast for a city", readOnly: true, input: { type: "object", properties, required: ["city"] }, execute: ({ city }) => ({ city, sun: true }) }),
  defineTool({ id: "move_boat", description: "Move the boat to a city", readOnly: false, input: { type: "object", properties, required: ["city"] }, execute: ({ city }) => ({ moored: city }) }),
] };`;

let home: Awaited<ReturnType<typeof temporaryHome>>;
beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(join(home.path, "planloom.config.ts"), config);
});
afterAll(() => home.remove());

/** A command in this process that gets `piped` on its standard input, in small pieces. */
async function cli(piped: string | Buffer, ...args: string[]) {
  const written = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const bytes = Buffer.from(piped);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
  const code = await runCli(args, {
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    env: { PATH: process.env.PATH, ...home.env },
    cwd: home.path,
    input: Readable.from(pieces, { objectMode: false }),
    signal: new AbortController().signal,
  });
  return { code, ...written };
}

const plan = (tool_id: string) => ({
  task_id: `pipe-${tool_id}`,
  planned_tasks: [{ task_id: "one", execution_type: "tool", tool_id, arguments: { city: "Oslo" } }],
});

test("a goal that is piped in is planned and run", async () => {
  const done = await cli("Get the forecast for Bergen\n", "run", "-", "--json");
  expect(done.code, done.stderr).toBe(0);
  expect(Object.values(JSON.parse(done.stdout).plan.output_data)).toEqual([{ city: "Bergen", sun: true }]);
});

test.for([
  ["JSON", JSON.stringify(plan("get_forecast"))],
  ["JSON in a code fence", `\`\`\`json\n${JSON.stringify(plan("get_forecast"), null, 2)}\n\`\`\`\n`],
  [
    "YAML",
    "task_id: pipe\nplanned_tasks:\n  - task_id: one\n    execution_type: tool\n    tool_id: get_forecast\n    arguments: { city: Oslo }\n",
  ],
])("a plan that is piped in as %s is run", async ([, text]) => {
  const done = await cli(text!, "run", "-", "--json");
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(JSON.parse(done.stdout).plan.output_data).toEqual({ one: { city: "Oslo", sun: true } });
});

test("of a plan that is piped in nobody has seen the calls that change something, so they wait", async () => {
  const piped = await cli(JSON.stringify(plan("move_boat")), "run", "-", "--json");
  expect(piped.code).toBe(3);
  expect(JSON.parse(piped.stdout).end_reason).toBe("waiting_approval");

  await writeFile(join(home.path, "seen.json"), JSON.stringify(plan("move_boat")));
  expect((await cli("", "run", "seen.json", "--json")).code).toBe(0);
});

test("other commands read a plan from standard input, and a job is read from there", async () => {
  expect((await cli(JSON.stringify(plan("get_forecast")), "graph", "-", "--format", "mermaid")).stdout).toContain(
    "one",
  );
  const made = await cli(JSON.stringify({ job_goal: "Get the forecast for Oslo" }), "plan", "--job", "-", "--json");
  expect(JSON.parse(made.stdout).planned_tasks).toMatchObject([{ arguments: { city: "Oslo" } }]);
});

test.for([
  { name: "nothing", piped: "", args: ["run", "-"], says: /Standard input is empty.*CLI_CONFIG/s },
  {
    name: "bytes that are not UTF-8",
    piped: Buffer.from("Get M\xfcnchen", "latin1"),
    args: ["run", "-"],
    says: /not UTF-8.*CLI_CONFIG/s,
  },
  { name: "half a plan", piped: '{"planned_tasks": [', args: ["run", "-"], says: /line 1, column.*PLAN_INVALID/s },
  { name: "answers, too", piped: "Get forecast\n", args: ["run", "-", "--ask"], says: /--ask.*CLI_USAGE/s },
])("standard input with $name is refused", async ({ piped, args, says }) => {
  const { code, stdout, stderr } = await cli(piped, ...args);
  expect(code).toBe(2);
  expect(stdout + stderr).toMatch(says);
});

test("a goal on the command line whose bytes are not UTF-8 is refused, not planned with signs in its place", async () => {
  const main = join(repository, "packages/cli/src/main.ts");
  const script = `exec "$0" "$1" plan "$(printf 'Get the forecast for M\\374nchen')"`;
  const child = spawn("sh", ["-c", script, process.execPath, main], {
    cwd: home.path,
    env: { PATH: process.env.PATH, ...home.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { code, stderr } = await ended(child);
  expect(code).toBe(2);
  expect(stderr).toMatch(/CLI_USAGE/);
  expect(stderr).toContain("not UTF-8");
});

test.for([
  ["plan", "--job", "job.yaml"],
  ["plan", "Get forecast", "--mcp", "job.yaml"],
  ["optimize", "seen.json", "--env", "job.yaml"],
])("a file of %s %s that is not UTF-8 is refused", async (args) => {
  await writeFile(join(home.path, "job.yaml"), Buffer.from("job_goal: M\xfcnchen", "latin1"));
  await writeFile(join(home.path, "seen.json"), JSON.stringify(plan("move_boat")));
  const { code, stdout, stderr } = await runCliHere(args, home.env, home.path);
  expect(code).toBe(2);
  expect(stdout + stderr).toMatch(/not UTF-8/);
});
