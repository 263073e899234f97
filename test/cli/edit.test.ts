import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCli } from "@planloom/cli";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
/** A mill: what grinds, what is known of grinding, and what writes. */
const config = `
import { defineTool } from ${library};
const text = { type: "string" };
const tool = (id, description, readOnly, properties, required = Object.keys(properties)) =>
  defineTool({ id, description, readOnly, input: { type: "object", properties, required }, execute: () => "done" });
export default { tools: [
  tool("mill/grind_batch", "Grind a batch of grain", false, { grain: text, kilograms: { type: "number" } }),
  tool("mill/list_batches", "List the batches of the mill", true, { grain: text }, []),
  tool("mill/weigh_batch", "Weigh a batch", true, { batch_id: text }),
  tool("mill/clean_stone", "Clean the millstone", false, { stone: text }),
] };
`;

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(join(home.path, "planloom.config.mjs"), config);
});
afterAll(() => home.remove());

/** @param edits what the editor does with the file, one a time it is opened: pairs of a text and what stands in its place */
async function cli(args: readonly string[], edits: readonly (readonly [string, string])[] = [], answers?: string[]) {
  const written = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text) });
  const todo = join(home.path, "todo.json");
  await writeFile(todo, JSON.stringify(edits));
  const editor = join(home.path, "editor.mjs");
  await writeFile(
    editor,
    `import { readFileSync, writeFileSync } from "node:fs";
     const edits = JSON.parse(readFileSync(${JSON.stringify(todo)}, "utf8"));
     const [from, to] = edits.shift();
     writeFileSync(${JSON.stringify(todo)}, JSON.stringify(edits));
     const file = process.argv.at(-1);
     writeFileSync(file, readFileSync(file, "utf8").replace(from, () => to));`,
  );
  const env = { ...home.env, PATH: process.env.PATH, EDITOR: `"${process.execPath}" "${editor}"` };
  const ask = async () => answers?.shift();
  const config = args[0] === "show" ? [] : ["--config", join(home.path, "planloom.config.mjs")];
  const code = await runCli([...args, ...config], {
    ...{ stdout: sink("stdout"), stderr: sink("stderr"), env, cwd: repository },
    ...{ signal: new AbortController().signal, ...(answers && { ask }) },
  });
  return { code, ...written };
}

const planned = async (goal: string) => {
  const { stdout } = await cli(["plan", goal, "--json"]);
  const value = JSON.parse(stdout);
  return (value.plan_id ?? value.task_id) as string;
};
const shown = async (id: string) => JSON.parse((await cli(["show", id, "--json"])).stdout);
const kept = () => readdir(join(home.env.PLANLOOM_HOME ?? "", "edits")).catch(() => []);

test("an edit is checked against the tools, shown and saved; it is no proposal any more, and its origin is shown", async () => {
  const id = await planned("Grind 30 kilograms of the grain rye");
  const { code, stdout } = await cli(["edit", id], [["kilograms: 30", "kilograms: 45"]]);
  expect([code, await kept()]).toEqual([0, []]);
  expect(stdout).toMatch(/Changed\n~ grind_batch\n\s+arguments\.kilograms: 30 → 45/);
  const { planned_tasks, metadata } = await shown(id);
  expect(planned_tasks[0].arguments).toMatchObject({ kilograms: 45 });
  expect(metadata.provenance.grind_batch.kilograms).toEqual({ source: "edit" });
  expect(metadata).not.toHaveProperty("confidence");
  expect(metadata).not.toHaveProperty("proposal");
});

test("an edit with errors is not saved and not lost: the editor opens again with it", async () => {
  const id = await planned("Grind 30 kilograms of the grain rye");
  const before = await shown(id);
  const wrong = await cli(["edit", id], [["kilograms: 30", "kilograms: plenty"]]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(/expected number, got "plenty"/);
  expect(await shown(id)).toEqual(before);
  const [file = ""] = await kept();
  expect(await readFile(join(home.env.PLANLOOM_HOME ?? "", "edits", file), "utf8")).toContain("kilograms: plenty");

  const right = await cli(["edit", id], [["kilograms: plenty", "kilograms: 60"]]);
  expect(right.stdout).toContain("An edit of this plan was not saved; it is opened again.");
  expect([right.code, (await shown(id)).planned_tasks[0].arguments.kilograms]).toEqual([0, 60]);
});

test("on a terminal a wrong edit goes back to the editor at once", async () => {
  const id = await planned("Grind 30 kilograms of the grain rye");
  const edits = [
    ["tool_id: mill/grind_batch", "tool_id: mill/grind"],
    ["tool_id: mill/grind\n", "tool_id: mill/grind_batch\n"],
    ["grain: ", "grain: golden "],
  ] as const;
  const { code, stdout } = await cli(["edit", id], [edits[0], edits[1]], ["y"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("Not saved")]);
  expect(stdout).toContain("Nothing was changed.");
  const draft = await cli(["edit", id], [["      kilograms: 30\n", ""]]);
  expect(draft.stdout).toContain("grind_batch.kilograms  number, of mill/grind_batch");
});

test("without an editor a changed copy does, and a field that nothing reads is reported", async () => {
  const id = await planned("Grind 30 kilograms of the grain rye");
  const copy = join(home.path, "copy.yaml");
  const task = "task_id: grind_batch, execution_type: tool, tool_id: mill/grind_batch, argumens: {}";
  await writeFile(copy, `planned_tasks:\n  - {${task}, arguments: {grain: spelt, kilograms: 5}}\n`);
  const { code, stdout } = await cli(["edit", id, "--from", copy]);
  expect(code).toBe(0);
  expect(stdout).toContain('"argumens"');
  expect((await shown(id)).planned_tasks[0].arguments).toEqual({ grain: "spelt", kilograms: 5 });
});

test("another tool is put in a task's place by --tool: its arguments are bound anew, what is open is asked for", async () => {
  const id = await planned("Grind 30 kilograms of the grain rye");
  const other = await cli(["run", id, "--tool", "grind_batch=list_batches", "--json"]);
  expect(other.code).toBe(0);
  const { planned_tasks, metadata } = await shown(id);
  expect(planned_tasks[0]).toMatchObject({ tool_id: "mill/list_batches", arguments: { grain: expect.any(String) } });
  expect(planned_tasks[0].arguments).not.toHaveProperty("kilograms");
  expect(metadata.choices.grind_batch).toMatchObject({
    chosen_by: "person",
    alternatives: [{ tool: "mill/grind_batch" }],
  });
  const open = await cli(["run", id, "--tool", "grind_batch=weigh_batch", "--json"]);
  expect([open.code, JSON.parse(open.stdout).questions[0].name]).toEqual([3, "grind_batch.batch_id"]);
  const wrong = await cli(["run", id, "--tool", "grind_batch=weigh_batches"]);
  expect([wrong.code, wrong.stderr]).toEqual([
    expect.any(Number),
    expect.stringMatching(/Did you mean "mill\/weigh_batch"/),
  ]);
});

test("a plan shows its tasks' words, whole arguments and next best tools; a proposal says how it is changed", async () => {
  const name = `rye of the ${"very ".repeat(30)}old field`;
  const { stdout } = await cli(["plan", `Grind 30 kilograms of the grain "${name}"`]);
  expect(stdout.replace(/\s+/g, "")).toContain(`grain:"${name.replace(/\s+/g, "")}"`);
  expect(stdout).toMatch(
    /planned by embedded \(functions\) in .* · (?:likely right|probably right|uncertain|a guess), 0\.\d+/,
  );
  expect(stdout.replace(/\s+/g, " ")).toMatch(/next best: mill\/\w+/);
  const vague = await cli(["plan", "Weigh what came in yesterday, the batch b-7 I think, on the big scale"]);
  expect(vague.stdout).toContain("This is a proposal");
  expect(vague.stdout).toMatch(/\$ planloom edit \S+/);
});

test("run --edit opens the plan first; errors go back to the editor, and what comes back runs", async () => {
  const id = await planned("Grind 30 kilograms of the grain rye");
  const edits = [
    ["kilograms: 30", "kilograms: plenty"],
    ["kilograms: plenty", "kilograms: 45"],
  ] as const;
  const { code, stdout } = await cli(["run", id, "--edit"], edits, ["y", "y"]);
  expect([code, await kept()]).toEqual([0, []]);
  expect(stdout).toMatch(/Not saved[\s\S]*expected number, got "plenty"/);
  expect((await shown(id)).planned_tasks[0].arguments).toMatchObject({ kilograms: 45 });

  const wrong = await cli(["run", id, "--edit", "--yes"], [["kilograms: 45", "kilograms: some"]]);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/nothing was run[\s\S]*--edit continues with it/),
  ]);
  const again = await cli(["run", id, "--edit", "--yes"], [["kilograms: some", "kilograms: 50"]]);
  expect(again.stdout).toContain("it is opened again");
  expect([again.code, (await shown(id)).planned_tasks[0].arguments.kilograms]).toEqual([0, 50]);
});

test("run --edit of a goal runs the plan as it was edited", async () => {
  const edits = [["kilograms: 30", "kilograms: 12"]] as const;
  const { code, stdout } = await cli(
    ["run", "Grind 30 kilograms of the grain rye", "--edit", "--yes", "--json"],
    edits,
  );
  const { results } = JSON.parse(stdout);
  expect([code, results[0].input.kilograms]).toEqual([0, 12]);
});
