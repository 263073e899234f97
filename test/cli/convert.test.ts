import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dialects, loadPlan, planHashes, readPlan } from "@planloom/plan";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const cli = (...args: string[]) => runCliHere(args, home.env, home.path);

beforeAll(async () => {
  home = await temporaryHome();
});
afterAll(() => home.remove());

async function file(name: string, value: unknown): Promise<string> {
  const path = join(home.path, name);
  await writeFile(path, JSON.stringify(value));
  return path;
}

const kirha = [
  { toolName: "sites", thought: "all of Berlin", arguments: { city: "Berlin" } },
  { toolName: "loads", arguments: { site: "{0.rows[0].id}", limit: 5 } },
];

test("a plan of another planner is validated as its own, and says whose it was", async () => {
  const { code, stdout } = await cli("validate", await file("kirha.json", kirha));
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("0 issues, read as kirha") });
  const { dialect } = JSON.parse((await cli("validate", "kirha.json", "--json")).stdout);
  expect(dialect).toBe("kirha");
});

test("convert writes what a person would write, and it means the same", async () => {
  await file("from.json", kirha);
  const { code } = await cli("convert", "from.json", "--out", "ours.yaml");
  expect(code).toBe(0);
  const text = await readFile(join(home.path, "ours.yaml"), "utf8");
  expect(text).not.toMatch(/null|creation_time|mark_replan|: \{\}|: \[\]/);
  const hashes = (plan: Parameters<typeof planHashes>[0]) =>
    [...planHashes(plan).values()].map(({ content_hash }) => content_hash);
  const ours = await loadPlan(join(home.path, "ours.yaml"));
  expect(hashes(ours)).toEqual(hashes(readPlan(kirha)));
  expect(ours.planned_tasks.map(({ task_id }) => task_id)).toEqual(["step-0", "step-1"]);
});

test("and back into a form of theirs; what it cannot say is refused", async () => {
  await file("back.json", kirha);
  const there = await cli("convert", "back.json", "--to", "planner-agent");
  expect(dialects.plannerAgent.recognises(JSON.parse(there.stdout))).toBe(true);
  const refused = await cli("convert", "back.json", "--to", "plan-execute");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("[PLAN_DIALECT]") });
});

test("fields that nothing reads are named, with what was probably meant", async () => {
  const tasks = ["a", "b"].map((task_id) => ({ task_id, execution_type: "tool", tool_id: "t", args: { n: 1 } }));
  await file("misspelt.json", { planned_tasks: tasks, variable: { n: 1 } });
  const { stdout } = await cli("validate", "misspelt.json");
  expect(stdout).toContain('Unknown field "args" (task "a" and 1 more): nothing reads it; perhaps arguments');
  expect(stdout).toContain("rename to: arguments");
  expect(stdout).toContain('Unknown field "variable" (plan): nothing reads it; perhaps variables');
  expect((await cli("show", "misspelt.json")).stdout).toContain('Unknown field "args"');
});

test("a file with a misspelt gate is shown with one error, and not run", async () => {
  const misspelt = { task_id: "a", execution_type: "tool", tool_id: "t", aproval: "required" };
  await file("gate.json", { planned_tasks: [misspelt] });
  const { code, stdout } = await cli("validate", "gate.json");
  expect(code).toBe(2);
  expect(stdout.match(/perhaps approval is meant. It looks like a gate/g)).toHaveLength(1);
  expect((await cli("show", "gate.json")).stdout).toContain('Unknown field "aproval"');
  const run = await cli("run", "gate.json", "--json");
  expect(run.code).toBe(2);
  expect(JSON.parse(run.stdout || run.stderr).error.details.issues).toMatchObject([
    { code: "unknown_field", argument_path: "aproval" },
    { code: "unknown_tool" },
  ]);
});

test("a run of a file without a title is listed by the file's name", async () => {
  await file("nameless.json", { planned_tasks: [{ task_id: "a", description: "Nothing that there is" }] });
  await cli("run", "nameless.json");
  expect((await cli("list")).stdout).toContain("nameless.json");
  expect((await cli("show", "nameless.json")).stdout).toContain("◆ nameless.json");
});

test("a plan as a workload, and workloads of others as plans: graph and estimates", async () => {
  await writeFile(join(home.path, "others.dot"), "digraph g { a [runtime=2]; a -> { b c } -> d }");
  for (const [to, name] of [
    ["dot", "again.dot"],
    ["plan-workload", "again.json"],
    ["wfformat", "wf.json"],
  ] as const) {
    expect(await cli("convert", "others.dot", "--to", to, "--out", name)).toMatchObject({ code: 0 });
    const drawn = await cli("graph", name, "--format", "mermaid");
    expect(drawn).toMatchObject({ code: 0 });
    expect(drawn.stdout.match(/-->/g)).toHaveLength(4);
  }
  expect(JSON.parse((await cli("convert", "others.dot", "--to", "wfformat")).stdout)).toMatchObject({
    schemaVersion: "1.5",
    workflow: { execution: { makespanInSeconds: 6 } },
  });
  await writeFile(join(home.path, "loop.dot"), "digraph g { a -> b -> a }");
  expect((await cli("convert", "loop.dot", "--to", "wfformat")).stderr).toMatch(/a → b → a/);
  await writeFile(join(home.path, "half.dot"), "digraph g { a -> ");
  expect(await cli("graph", "half.dot")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/line 1 of half\.dot \(DOT\)/),
  });
});
