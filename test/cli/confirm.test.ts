import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCli } from "@planloom/cli";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { repository, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
const config = `
import { defineTool } from ${library};
const text = { type: "string" };
const input = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const tool = (id, description, given, { gives = "done", ...more } = {}) =>
  defineTool({ id, description, input: given, ...more, execute: (value) => {
    globalThis.confirmCalls.push([id, value]);
    return gives;
  } });
export default { approval: {}, tools: [
  tool("notes/list", "List notes", input({ author: text }), { readOnly: true, gives: [{ id: "n1" }],
    output: { type: "array", items: { type: "object", properties: { id: text } } } }),
  tool("notes/add", "Add a note", input({ title: text, priority: { type: "string", enum: ["low", "high"], default: "low" } }, ["title"])),
  tool("notes/delete", "Delete a note", input({ title: text }), { destructive: true }),
] };
`;
const calls: [string, unknown][] = [];
Object.assign(globalThis, { confirmCalls: calls });

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(join(home.path, "planloom.config.mjs"), config);
  const task = (task_id: string, tool_id: string, more: object) => ({
    task_id,
    execution_type: "tool",
    tool_id,
    ...more,
  });
  const planned_tasks = [
    task("list", "notes/list", { arguments: { author: "Ada" } }),
    task("add", "notes/add", { arguments: { title: "${list.0.id}" } }),
    task("delete", "notes/delete", { arguments: { title: "Old" } }),
    task("purge", "notes/delete", { arguments: { title: "${list.0.id}" } }),
  ];
  await writeFile(join(home.path, "plan.json"), JSON.stringify({ planned_tasks }));
});
afterAll(() => home.remove());
beforeEach(() => {
  calls.length = 0;
});

/** With `answers` somebody sits at the terminal. */
async function cli(args: readonly string[], answers?: (string | undefined)[]) {
  let stdout = "";
  const asked: string[] = [];
  const sink = { write: (text: string) => (stdout += text) };
  const ask = async (question: string) => {
    asked.push(question);
    return answers?.shift();
  };
  const code = await runCli([...args, "--config", join(home.path, "planloom.config.mjs")], {
    stdout: sink,
    stderr: sink,
    env: { LANG: "C.UTF-8", ...home.env },
    cwd: home.path,
    signal: new AbortController().signal,
    ...(answers !== undefined && { ask }),
  });
  return { code, stdout, asked };
}
const called = () => calls.map(([id]) => id);
const goal = "Delete the note Milk";

test("a goal whose call changes something ends with 3, the call whole and how to go on", async () => {
  const text = await cli(["run", goal]);
  expect(text.code).toBe(3);
  expect(called()).toEqual([]);
  expect(text.stdout).toMatch(/To confirm.*\n(.*\n)?\s+delete\s+notes\/delete {2}destructive\n\s+title: "Milk"/);
  const [, run, task] = /planloom approve (\S+) (\S+)/.exec(text.stdout) ?? [];
  const { code, stdout } = await cli(["run", goal, "--json"]);
  expect(code).toBe(3);
  const answer = JSON.parse(stdout);
  expect(answer.questions).toMatchObject([{ id: "delete", uid: "notes/delete", input: { title: "Milk" } }]);
  expect(answer.next[0]).toEqual(["planloom", "approve", answer.run_id, "delete"]);
  // `approve` takes no configuration.
  expect(await runCli(["approve", run!, task!], { ...silent(), cwd: home.path })).toBe(0);
  expect((await cli(["resume", run!])).code).toBe(0);
  expect(calls).toEqual([["notes/delete", { title: "Milk" }]]);
});

function silent() {
  const sink = { write: () => {} };
  return { stdout: sink, stderr: sink, env: home.env, signal: new AbortController().signal };
}

test.for([
  { args: ["run", "Add a note titled Milk", "--yes"], code: 0, made: ["notes/add"] },
  { args: ["run", "List the notes of Ada"], code: 0, made: ["notes/list"] },
  { args: ["run", goal, "--yes"], code: 3, made: [] },
  { args: ["run", goal, "--allow", "notes/delete"], code: 0, made: ["notes/delete"] },
  { args: ["run", goal, "--confirm", "never"], code: 0, made: ["notes/delete"] },
  { args: ["run", "plan.json"], code: 3, made: ["notes/list", "notes/add"] },
  { args: ["run", "plan.json", "--confirm", "writes"], code: 3, made: ["notes/list"] },
])("$args.0 $args.1 $args.2: exit $code, calls $made", async ({ args, code, made }) => {
  const run = await cli(args);
  expect(run.code).toBe(code);
  expect(called()).toEqual(made);
});

test("a saved plan of a goal that nobody was shown asks as the goal would, until a person has edited it", async () => {
  const made = await cli(["plan", "Add a note titled Milk", "--json"]);
  const { task_id, metadata, ...plan } = JSON.parse(made.stdout);
  expect(metadata.unseen).toBeUndefined();
  expect((await cli(["run", task_id])).code).toBe(3);
  expect(called()).toEqual([]);
  const copy = join(home.path, "copy.json");
  const saved = JSON.stringify({ ...plan, task_id, metadata: { ...metadata, unseen: true } });
  await writeFile(copy, saved.replaceAll("Milk", "Bread"));
  expect((await cli(["edit", task_id, "--from", copy])).stdout).toContain("Saved as");
  expect((await cli(["run", task_id])).code).toBe(0);
  expect(calls).toEqual([["notes/add", { title: "Bread" }]]);
});

const call = (task_id: string, tool_id: string, more: object = {}) => ({
  task_id,
  execution_type: "tool",
  tool_id,
  ...more,
});

test("calls within a list are shown, and asked about where they are destructive, as any other", async () => {
  const tasks = [
    call("first", "notes/add", { arguments: { title: "Gated" }, approval: "required" }),
    call("second", "notes/add", { arguments: { title: "For ${item}" } }),
    call("third", "notes/delete", { arguments: { title: "${item}" }, dependencies: ["second"] }),
  ];
  const list = { task_id: "each", for_each: { items: ["Milk"], tasks: tasks.slice(1) } };
  await writeFile(join(home.path, "list.json"), JSON.stringify({ planned_tasks: [list] }));
  const shown = await cli(["run", "list.json", "--dry-run", "--confirm", "writes"]);
  expect(shown.stdout).toMatch(/for each of \["Milk"\]\n\s+second {2}notes\/add\n\s+title: "For \$\{item\}"/);
  const seen = await cli(["run", "list.json", "--confirm", "writes"], ["y", "n"]);
  expect(seen.stdout).toMatch(/To confirm[\s\S]*second {2}notes\/add\n[\s\S]*third {2}notes\/delete {2}destructive/);
  expect([seen.asked.length, called()]).toEqual([2, ["notes/add"]]);
  // One task's gate does not hide the others from the person.
  await writeFile(
    join(home.path, "gated.json"),
    JSON.stringify({
      planned_tasks: [
        call("top", "notes/add", { arguments: { title: "Top" } }),
        { ...list, for_each: { items: ["Milk"], tasks: tasks.slice(0, 2) } },
      ],
    }),
  );
  calls.length = 0;
  const gated = await cli(["run", "gated.json", "--confirm", "writes"], [""]);
  expect(gated.stdout).toMatch(/To confirm[\s\S]*second {2}notes\/add/);
  expect(called()).toEqual([]);
});

test("a resumed run asks as before, and with --yes only about what is destructive", async () => {
  const { stdout } = await cli(["run", "plan.json", "--confirm", "writes", "--json"]);
  const { run_id } = JSON.parse(stdout);
  expect((await cli(["resume", run_id, "--json"])).code).toBe(3);
  expect(called()).toEqual(["notes/list"]);
  expect((await cli(["resume", run_id, "--yes"])).code).toBe(3);
  expect(called()).toEqual(["notes/list", "notes/add"]);
  expect((await cli(["resume", run_id, "--allow", "notes/delete"])).code).toBe(0);
});

test("--yes is offered as a next step where it makes a call, not where all that waits is destructive or gated", async () => {
  const task = (task_id: string, tool_id: string, more: object = {}) => ({
    ...{ task_id, execution_type: "tool", tool_id, arguments: { title: task_id } },
    ...more,
  });
  const offers = async (...planned_tasks: object[]) => {
    await writeFile(join(home.path, "offers.json"), JSON.stringify({ planned_tasks }));
    const { code, stdout } = await cli(["run", "offers.json", "--confirm", "writes"]);
    expect(code).toBe(3);
    return /planloom resume \S+.* --yes/.test(stdout);
  };
  const [add, other] = [task("add", "notes/add"), task("other", "notes/delete")];
  expect(await offers(add, other)).toBe(true);
  expect(await offers(task("delete", "notes/delete"), other)).toBe(false);
  expect(await offers({ ...add, approval: "required" }, other)).toBe(false);
});

test.for([["n"], [""], [undefined]])("on a terminal nothing runs after %j", async (answers) => {
  const { code, stdout, asked } = await cli(["run", goal], answers);
  expect(asked).toEqual(["Run the plan? [y/N] "]);
  expect(code).toBe(1);
  expect(called()).toEqual([]);
  expect(stdout).toMatch(/Nothing was run\.[\s\S]*planloom run \S+/);
});

test("the line to type after a no has the options that the run would have had", async () => {
  const given = ["--time-zone", "Europe/Berlin", "--max-replans", "2", "--replan", "failure", "--no-checkpoint"];
  const { stdout } = await cli(["run", "plan.json", "--confirm", "writes", ...given], ["n"]);
  const line = stdout.split("\n").find((each) => each.includes("planloom run "))!;
  for (const word of [...given, "--confirm writes"]) expect(line).toContain(word);
});

test("on a terminal a yes to the plan is one to the calls that were shown whole; others are asked about when they exist", async () => {
  const one = await cli(["run", goal], ["y"]);
  expect([one.code, one.asked.length]).toEqual([0, 1]);
  expect(calls).toEqual([["notes/delete", { title: "Milk" }]]);
  calls.length = 0;
  const all = await cli(["run", "plan.json", "--confirm", "writes"], ["yes", "y"]);
  expect(all.code).toBe(0);
  expect(all.asked).toHaveLength(2);
  expect(all.stdout).toMatch(/exactly this call\n\s+purge\s+notes\/delete\n\s+\{\n\s+"title": "n1"/);
  expect(called().toSorted()).toEqual(["notes/add", "notes/delete", "notes/delete", "notes/list"]);
  calls.length = 0;
  const open = await cli(["run", "plan.json"], ["y", ""]);
  expect(open.code).toBe(3);
  expect(called().filter((id) => id === "notes/delete")).toHaveLength(1);
  const denied = await cli(["run", "plan.json"], ["y", "n"]);
  expect(denied.code).toBe(1);
  const [, run] = /planloom resume (\S+)/.exec(open.stdout) ?? [];
  calls.length = 0;
  expect(await cli(["resume", run!], ["y"])).toMatchObject({ code: 0, asked: [expect.stringContaining("Make it?")] });
  expect(calls).toEqual([["notes/delete", { title: "n1" }]]);
});

test("the condition of a call is shown whole with what is to be confirmed, also of calls for each element", async () => {
  const condition = `$string(\${look}) != "${"kept ".repeat(30)}"`;
  const inner = {
    ...call("inner", "notes/add", { arguments: { title: "${item}" } }),
    when: { condition: "${index} = 0" },
  };
  await writeFile(
    join(home.path, "conditional.json"),
    JSON.stringify({
      planned_tasks: [
        call("look", "notes/list", { arguments: { author: "Ada" } }),
        { ...call("drop", "notes/delete", { arguments: { title: "Milk" } }), when: { condition } },
        { task_id: "each", for_each: { items: ["Milk"], tasks: [inner] } },
      ],
    }),
  );
  const { stdout } = await cli(["run", "conditional.json", "--confirm", "writes"], ["n"]);
  const shown = stdout.slice(stdout.indexOf("To confirm")).replaceAll(/\s+/g, " ");
  expect(shown).toContain(`only when ${condition}`.replaceAll(/\s+/g, " "));
  expect(shown).toContain("only when ${index} = 0");
  expect((await cli(["run", "conditional.json", "--dry-run"])).stdout).toMatch(/3 calls if all conditions hold\n$/);
  expect(called()).toEqual([]);
});

test("what calls nothing within a list is shown as what it does", async () => {
  const tasks = [
    { task_id: "pause", wait: { for_ms: 10 } },
    { task_id: "way", choose: { branches: [{ name: "a", condition: "${index} = 0" }], else: "b" } },
  ];
  const file = join(home.path, "quiet.json");
  await writeFile(file, JSON.stringify({ planned_tasks: [{ task_id: "each", for_each: { items: ["Milk"], tasks } }] }));
  const { stdout } = await cli(["run", file, "--dry-run"]);
  expect(stdout).toMatch(/pause {2}waits 10 ms\n\s+way {2}decides by conditions: a \| else b\n/);
});

test("a call that is confirmed with its plan is shown with its parameters and how often it is made, also within a list", async () => {
  const more = {
    arguments: { title: "Old" },
    parameters: { mode: "hard" },
    retry_until: { condition: 'output = "done"', interval_ms: 0, max_polls: 3 },
  };
  const list = { task_id: "each", for_each: { items: ["Milk"], tasks: [call("inner", "notes/delete", more)] } };
  const file = join(home.path, "often.json");
  await writeFile(file, JSON.stringify({ planned_tasks: [call("delete", "notes/delete", more), list] }));
  const { stdout, asked } = await cli(["run", file], ["n"]);
  expect(
    stdout.match(/parameters: \{"mode":"hard"\}\n\s+repeated until output = "done", at once, at most 3 times/g),
  ).toHaveLength(2);
  expect(asked).toHaveLength(1);
  await writeFile(file, JSON.stringify({ planned_tasks: [call("delete", "notes/delete", more)] }));
  expect((await cli(["run", file], ["y"])).code).toBe(0);
  expect(called()).toEqual(["notes/delete"]);
});
