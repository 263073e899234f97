import { access, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { SqliteJournal } from "planloom";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runCliHere, runCliProcess, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
let env: Record<string, string>;
const at = (...names: string[]) => join(home.path, ...names);
const cli = (folder: string, args: readonly string[], more: Record<string, string> = {}) =>
  runCliHere(args, { ...env, ...more }, at(folder));

const plan = { task_id: "p", planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "hello" }] };

/** Whether something executed `file` since the last call. */
async function executed(): Promise<boolean> {
  const was = await access(at("executed")).then(
    () => true,
    () => false,
  );
  await rm(at("executed"), { force: true });
  return was;
}

beforeAll(async () => {
  home = await temporaryHome();
  env = { ...home.env, PLANLOOM_TRUST: "" };
  for (const name of ["repo", "mine", "other"]) await mkdir(at(name));
  const hello = `{ kind: "tool", resources: () => [{ kind: "tool", id: "hello", description: "Says hello" }], execute: () => "hello" }`;
  // A process executes a module once; a command that loads it again reads its executors again.
  const config = `import { writeFileSync } from "node:fs";
    const note = () => writeFileSync(${JSON.stringify(at("executed"))}, "");
    note();
    export default { get executors() { note(); return [${hello}]; } };`;
  for (const name of ["repo", "other"]) await writeFile(at(name, "planloom.config.mjs"), config);
  await writeFile(at("repo", "plan.json"), JSON.stringify(plan));
  await writeFile(at("mine", "plan.json"), JSON.stringify(plan));
  const args = ["-e", `require("node:fs").writeFileSync(${JSON.stringify(at("executed"))}, "")`];
  await writeFile(
    at("other", "mcp.json"),
    JSON.stringify({ mcpServers: { evil: { command: process.execPath, args } } }),
  );
});
beforeEach(() => rm(at("executed"), { force: true }));
afterAll(() => home.remove());

const withConfig: readonly (readonly string[])[] = [
  ["validate", "plan.json"],
  ["doctor"],
  ["plan", "Say hello"],
  ["run", "plan.json"],
  ["run", "plan.json", "--dry-run"],
  ["optimize", "plan.json"],
  ["graph", "plan.json", "--subgraphs"],
  ["replan", "plan.json", "--mark", "a"],
];
const withoutConfig: readonly (readonly string[])[] = [
  ["show", "plan.json"],
  ["list"],
  ["graph", "plan.json"],
  ["convert", "plan.json"],
  ["--help"],
  ["validate", "plan.json", "--no-config"],
  ["optimize", "plan.json", "--no-config"],
];

test("the configuration of a folder that nobody trusts is not executed, and the way to allow it is said", async () => {
  for (const args of withConfig) {
    const { code, stdout, stderr } = await cli("repo", args);
    expect({ args, executed: await executed() }).toEqual({ args, executed: false });
    expect({ args, code }).toEqual({ args, code: args[0] === "doctor" ? 1 : 2 });
    expect(stdout + stderr).toContain("planloom.config.mjs is code, and its folder is not trusted.");
    if (args[0] !== "doctor")
      expect(stderr).toMatch(/CLI_UNTRUSTED.*planloom trust, or --config planloom\.config\.mjs/s);
  }
  for (const args of withoutConfig) {
    const { code, stderr } = await cli("repo", args);
    expect({ args, code, stderr, executed: await executed() }).toEqual({ args, code: 0, stderr: "", executed: false });
  }
}, 120_000);

test("it is executed when it is named, trusted by the user or by the environment, and not when that is taken back", async () => {
  const args = ["validate", "plan.json"];
  const ran = async (more: readonly string[], variables: Record<string, string> = {}) => {
    const { code } = await cli("repo", [...args, ...more], variables);
    return [code, await executed()];
  };
  const refused = async (variables: Record<string, string> = {}) => {
    const { code } = await cli("repo", args, variables);
    return { code, executed: await executed() };
  };
  const notExecuted = { code: 2, executed: false };
  expect(await ran(["--config", "planloom.config.mjs"])).toEqual([0, true]);
  expect(await refused()).toEqual(notExecuted);
  expect(await ran([], { PLANLOOM_TRUST: at("repo") })).toEqual([0, true]);
  expect(await refused({ PLANLOOM_TRUST: home.path })).toEqual(notExecuted);
  expect(await refused({ PLANLOOM_TRUST: "." })).toEqual(notExecuted);
  expect((await cli("repo", ["trust"])).stdout).toBe(`${at("repo")} is trusted.\n`);
  expect(await ran([])).toEqual([0, true]);
  // The list is the user's: not beside a journal that somebody else may have made.
  expect(await ran([], { PLANLOOM_HOME: at("elsewhere") })).toEqual([0, true]);
  expect((await stat(at(".planloom", "trusted.json"))).mode & 0o777).toBe(0o600);
  expect(JSON.parse((await cli("repo", ["trust", "--list", "--json"])).stdout)).toEqual({ folders: [at("repo")] });
  expect((await cli("repo", ["trust", "--remove"])).code).toBe(0);
  expect(await refused()).toEqual(notExecuted);
}, 60_000);

test("what init writes is trusted; a configuration that was there is not", async () => {
  expect(JSON.parse((await cli("mine", ["init", "new", "--json"])).stdout)).toMatchObject({ trusted: true });
  expect(JSON.parse(await readFile(at(".planloom", "trusted.json"), "utf8"))).toEqual({ folders: [at("mine", "new")] });
  await writeFile(at("mine", "new", "planloom.config.ts"), await readFile(at("repo", "planloom.config.mjs"), "utf8"));
  expect((await runCliHere(["validate", "../plan.json"], env, at("mine", "new"))).code).toBe(0);
  expect(await executed()).toBe(true);

  await writeFile(at("repo", "planloom.config.ts"), await readFile(at("repo", "planloom.config.mjs"), "utf8"));
  const kept = await cli("repo", ["init"]);
  expect(kept.stdout).toMatch(/was not made here.*planloom trust/s);
  await cli("repo", ["validate", "plan.json"]);
  expect(await executed()).toBe(false);
  await rm(at("repo", "planloom.config.ts"));
}, 60_000);

test("resume, fork and replan start nothing that the journal alone names, and say what it would be", async () => {
  const file = at("repo", "planloom.config.mjs");
  const begun = await cli("mine", ["run", "plan.json", "--config", file, "--json"]);
  const { run_id } = JSON.parse(begun.stdout) as { run_id: string };
  await executed();
  const again = [
    ["resume", run_id],
    ["fork", run_id, "a"],
    ["replan", run_id, "--mark", "a"],
  ];
  for (const args of again) {
    const { code, stderr } = await cli("mine", args);
    expect({ args, code, executed: await executed() }).toEqual({ args, code: 2, executed: false });
    expect(stderr).toContain(`- the code of ${file}`);
    expect(stderr).toContain("[CLI_UNTRUSTED]");
    expect(stderr).toMatch(
      /Give it again \(--config .*planloom\.config\.mjs\).*planloom trust .*repo.*--trust-journal/,
    );
  }
  const forked = ["fork", run_id, "a"];
  for (const [more, variables] of [
    [["--config", file], {}],
    [["--trust-journal"], {}],
    [[], { PLANLOOM_TRUST: at("repo") }],
  ] as const) {
    expect((await cli("mine", [...forked, ...more], variables)).code).toBe(0);
    expect(await executed()).toBe(true);
  }

  // A journal that somebody changed: servers and a controller that the user never named.
  const journal = await SqliteJournal.open(join(env.PLANLOOM_HOME!, "journal.sqlite"));
  await journal.close();
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(env.PLANLOOM_HOME!, "journal.sqlite"));
  const cliOptions = JSON.stringify({ mcp: [at("other", "mcp.json")], controller: "http://127.0.0.1:9/steal" });
  database.prepare("UPDATE plans SET options = json_set(options, '$.metadata.cli', json(?))").run(cliOptions);
  database.close();
  for (const args of again) {
    const { code, stderr } = await cli("mine", args);
    expect({ args, code, executed: await executed() }).toEqual({ args, code: 2, executed: false });
    expect(stderr).toContain(`- the server evil of ${at("other", "mcp.json")}: ${process.execPath} -e`);
    expect(stderr).toContain("- requests to the controller http://127.0.0.1:9/steal");
  }
  await cli("mine", ["fork", run_id, "a", "--trust-journal"]);
  expect(await executed()).toBe(true);
}, 120_000);

test("an empty HOME is not this folder", async () => {
  await mkdir(at("mine", ".planloom"), { recursive: true });
  const { PLANLOOM_HOME: _, ...homeless } = env;
  const { stdout } = await runCliProcess(["doctor"], { ...homeless, HOME: "" }, at("mine"));
  expect(stdout).toContain(`${join(userInfo().homedir, ".planloom")} `);
  expect(stdout).not.toContain(at("mine"));
});
