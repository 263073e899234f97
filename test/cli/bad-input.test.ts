import { mkdir, open, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SqliteJournal } from "planloom";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const file = (name: string) => join(home.path, name);
const cli = (...args: string[]) => runCliHere(args, home.env);

beforeAll(async () => {
  home = await temporaryHome();
});
afterAll(() => home.remove());

const ONE_TOOL = `export default { tools: [
  { id: "books_list", description: "List books", resource: { kind: "tool", id: "books_list", description: "List books" }, execute: () => [] },
] };`;
const task = (id: string, more: object = {}) => ({ task_id: id, execution_type: "tool", tool_id: "t", ...more });

test.for<{ name: string; plan: string | object; says: RegExp }>([
  {
    name: "a cycle",
    plan: { planned_tasks: [task("a", { dependencies: ["b"] }), task("b", { dependencies: ["a"] })] },
    says: /a.*b.*a/s,
  },
  { name: "a wrong type", plan: { planned_tasks: [task("a", { dependencies: "b" })] }, says: /dependencies/ },
  { name: "a prototype name as id", plan: '{"planned_tasks":[{"task_id":"__proto__"}]}', says: /__proto__|prototype/i },
  {
    name: "a constructor as id",
    plan: '{"planned_tasks":[{"task_id":"constructor"}]}',
    says: /constructor|prototype/i,
  },
  {
    name: "a reference to nothing",
    plan: { planned_tasks: [task("a", { arguments: { x: "${ghost.y}" } })] },
    says: /ghost/,
  },
  {
    name: "a malformed reference",
    plan: { planned_tasks: [task("a", { arguments: { x: "${a.[}" } })] },
    says: /reference/i,
  },
  { name: "text that is not JSON", plan: "{ not json", says: /line 1|position|JSON/i },
  { name: "JSON that is no plan", plan: "[1,2,3]", says: /plan/i },
  { name: "an empty file", plan: "", says: /empty|plan/i },
])("a plan file with $name is refused with a code and no stack trace", async ({ name, plan, says }) => {
  const path = file(`${name.replaceAll(" ", "-")}.json`);
  await writeFile(path, typeof plan === "string" ? plan : JSON.stringify(plan));
  const result = await cli("validate", path);
  expect(result.code).toBe(2);
  const output = result.stdout + result.stderr;
  expect(output).toMatch(says);
  expect(output).toMatch(/\[\w+\]/);
  expect(output).not.toMatch(/^\s+at /m);
});

test("a plan file of 50 MB is refused before it is read", async () => {
  const path = file("huge.json");
  const handle = await open(path, "w");
  await handle.truncate(50 * 1024 * 1024);
  await handle.close();
  const result = await cli("validate", path);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toMatch(/PLAN_TOO_LARGE/);
});

test.for<{ name: string; args: string[]; code: number; says: RegExp }>([
  { name: "no goal", args: ["plan"], code: 2, says: /goal/i },
  { name: "a blank goal", args: ["plan", "   "], code: 2, says: /goal/i },
  { name: "an enormous goal", args: ["plan", "words ".repeat(20_000)], code: 2, says: /goal/i },
  { name: "no resources", args: ["plan", "Get the weather"], code: 2, says: /resource|tool/i },
  { name: "an unknown command", args: ["fly"], code: 2, says: /fly/ },
  { name: "an unknown option", args: ["plan", "x", "--colour"], code: 2, says: /--colour/ },
  { name: "a missing plan", args: ["validate", "nothing-here"], code: 2, says: /nothing-here/ },
  { name: "a missing MCP file", args: ["plan", "x y", "--mcp", "gone.json"], code: 2, says: /gone\.json/ },
  { name: "an unknown run", args: ["resume", "zzz"], code: 2, says: /zzz/ },
  { name: "a wrong controller", args: ["plan", "x y", "--controller", "ftp://x"], code: 2, says: /embedded, llm/ },
  { name: "a model without a name", args: ["plan", "x y", "--controller", "llm"], code: 2, says: /PLANLOOM_MODEL/ },
  { name: "a model without a key", args: ["plan", "x y", "--model", "m"], code: 2, says: /OPENAI_API_KEY/ },
  { name: "a wrong time zone", args: ["plan", "x y", "--time-zone", "Mars/Base"], code: 2, says: /Europe\/Berlin/ },
  { name: "a wrong date", args: ["plan", "x y", "--now", "someday"], code: 2, says: /ISO/ },
  { name: "a path as plan id", args: ["show", "../../etc/passwd"], code: 2, says: /passwd/ },
])("$name ends with $code, a code and the way out", async ({ args, code, says }) => {
  const result = await cli(...args);
  expect(result.stderr).toMatch(says);
  expect(result.stderr).not.toMatch(/^\s+at /m);
  expect(result).toMatchObject({ code, stdout: "" });
});

test.for<{ name: string; text: string; file: string; args: (path: string) => string[]; says: RegExp }>([
  {
    name: "an unknown strategy",
    text: '{"planned_tasks":[{"task_id":"a","execution_type":"tool","tool_id":"t"}]}',
    file: "plain.json",
    args: (path) => ["optimize", path, "--strategy", "magic"],
    says: /chain-fusion/,
  },
  {
    name: "a variable that the plan has not",
    text: '{"planned_tasks":[{"task_id":"a"}],"variables":{"city":"Berlin","day":1}}',
    file: "variables.json",
    args: (path) => ["run", path, "--var", "town=Berlin"],
    says: /"town"; it has city, day/,
  },
  {
    name: "tools that are no list",
    text: "export default { tools: 5 };",
    file: "planloom.config.mjs",
    args: (path) => ["plan", "Get all rows", "--config", path],
    says: /`tools` of a configuration to be a list/,
  },
])("$name ends with 2 before anything starts", async ({ text, file: name, args, says }) => {
  await writeFile(file(name), text);
  const result = await cli(...args(file(name)));
  expect(result.stderr).toMatch(says);
  expect(result).toMatchObject({ code: 2, stdout: "" });
});

test("a home that cannot be written is named, with the way out", async () => {
  await writeFile(file("a-file"), "");
  await writeFile(file("one.config.mjs"), ONE_TOOL);
  const env = { PLANLOOM_HOME: file("a-file") };
  const result = await runCliHere(["plan", "List books", "--config", file("one.config.mjs")], env);
  expect(result).toMatchObject({ code: 2, stderr: expect.stringMatching(/PLANLOOM_HOME/) });
});

test.for([
  { name: "not JSON", text: "{ nope", says: /JSON/i },
  { name: "no mcpServers", text: "{}", says: /mcpServers/ },
  { name: "a server without command or url", text: '{"mcpServers":{"a":{}}}', says: /command|url/ },
  {
    name: "a command that does not exist",
    text: '{"mcpServers":{"a":{"command":"planloom-no-such-command"}}}',
    says: /planloom-no-such-command/,
  },
])("an MCP configuration with $name is refused", async ({ name, text, says }) => {
  const path = file(`mcp-${name.replaceAll(" ", "-")}.json`);
  await writeFile(path, text);
  const result = await cli("plan", "Get all rows", "--mcp", path);
  expect(result.code).toBeGreaterThan(0);
  expect(result.stdout).toBe("");
  expect(result.stderr).toMatch(says);
  expect(result.stderr).not.toMatch(/^\s+at /m);
});

test("errors are JSON with --json, alone on standard output", async () => {
  const result = await runCliHere(["plan", "--json"], home.env);
  expect(result.code).toBe(2);
  expect(result.stderr).toBe("");
  expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
});

test("a failed plan leaves no half-written file at home", async () => {
  await cli("plan", "   ");
  const left = await readdir(home.env.PLANLOOM_HOME as string, { recursive: true }).catch(() => []);
  expect(left.filter((name) => name.includes("plans/"))).toEqual([]);
});

test("a journal of a newer version is refused with the way out", async () => {
  const other = file("newer");
  await mkdir(other, { recursive: true });
  const path = join(other, "journal.sqlite");
  await (await SqliteJournal.open(path)).close();
  const database = new DatabaseSync(path);
  database.exec("INSERT INTO migrations (version, name, applied_at) VALUES (999, 'from the future', '')");
  database.close();
  const result = await runCliHere(["list"], { PLANLOOM_HOME: other });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/newer/i);
  expect(result.stderr).toMatch(/\[RUNTIME_\w+\]/);
});

test("a misspelt option of a configuration is refused: it would leave a gate open", async () => {
  const config = file("misspelt.config.mjs");
  await writeFile(config, 'export default { aproval: { resources: ["pay"] } };');
  const { code, stderr } = await cli("plan", "anything", "--config", config);
  expect(code).toBe(2);
  expect(stderr).toContain(
    "misspelt.config.mjs: Unknown option `aproval` of a configuration: did you mean `approval`?",
  );
});

test("a journal in a configuration is refused: it would be passed over", async () => {
  const config = file("journal.config.mjs");
  await writeFile(config, 'export default { journal: "runs.sqlite" };');
  const { code, stderr } = await cli("plan", "anything", "--config", config);
  expect(code).toBe(2);
  expect(stderr).toContain(
    "Unknown option `journal` of a configuration: the command line keeps runs in PLANLOOM_HOME or in the database of --on;",
  );
});

test.skipIf(process.platform === "win32").for([
  // By name alone only regular files are taken as plans; those given to the library are read to the limit.
  { name: "a plan", args: ["validate"], says: /No plan file/ },
  { name: "a job", args: ["plan", "--job"], says: /larger than a job may be \(1 MiB\)/ },
  { name: "an environment", args: ["bench", "--env"], says: /larger than an environment may be \(1 MiB\)/ },
  { name: "a file of servers", args: ["plan", "x y", "--mcp"], says: /larger|at most/ },
])("$name without end is refused", async ({ name, args, says }) => {
  const endless = file(`${name.replaceAll(" ", "-")}-without-end.json`);
  await symlink("/dev/zero", endless);
  const result = await cli(...args, endless);
  const output = result.stdout + result.stderr;
  expect(output).toContain("-without-end.json");
  expect(output).toMatch(says);
  expect(output).not.toMatch(/^\s+at /m);
  expect(result.code).toBe(2);
});
