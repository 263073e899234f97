import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

/** Colours, the title of the window, a cleared screen, text that runs backwards, a second line, a shell's command. */
const odd = "\u001b[31mX\u001b]0;title\u0007\u009b2J\u202eevil\u061c\u200f\r\nnext\u0008\u007f\u2028;touch x'";
const steers = /[^\P{Cc}\n]|\p{Bidi_Control}|\u2028/u;

let home: Awaited<ReturnType<typeof temporaryHome>>;
let file: (name: string) => string;

beforeAll(async () => {
  home = await temporaryHome();
  file = (name) => join(home.path, name);
  const library = JSON.stringify(join(repository, "packages/planloom/src/index.ts"));
  const config = `
import { defineTool } from ${library};
const odd = ${JSON.stringify(odd)};
const outputs = {
  fail: () => { throw Object.assign(new Error("failed " + odd), { code: "CODE" + odd }); },
  rows: () => [{ ["key" + odd]: "value" + odd, n: 1 }, { other: [odd] }],
  wide: () => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => ["key" + i, i])),
  record: () => ({ ["key" + odd]: "value" + odd, list: [odd], rows: [{ ["x" + odd]: odd }] }),
  text: () => odd,
};
export default { tools: Object.entries(outputs).map(([id, execute]) =>
  defineTool({ id, description: "Gives " + id + odd, execute })) };
`;
  await writeFile(file("planloom.config.mjs"), config);
  const task = (id: string, tool: string, more = {}) => ({
    task_id: id,
    title: `title ${odd}`,
    description: odd,
    execution_type: "tool",
    tool_id: tool,
    arguments: { text: odd },
    ...more,
  });
  const issues = [{ code: `code ${odd}`, severity: "warning", message: odd }, 5, { code: "x" }, null];
  const tasks = ["fail", "rows", "wide", "record", "text"].map((tool) => task(`${tool} ${odd}`, tool));
  const waits = task(`waits ${odd}`, "text", { approval: "required", dependencies: [`rows ${odd}`] });
  const plan = { task_id: "odd", title: odd, metadata: { issues }, planned_tasks: [...tasks, waits] };
  const wrong = { ...plan, planned_tasks: [task("a", `none ${odd}`, { dependencies: [`b ${odd}`], thought: 5 })] };
  await writeFile(file("plan.json"), JSON.stringify(plan));
  await writeFile(file("other.json"), JSON.stringify({ ...plan, planned_tasks: [task(`new ${odd}`, "text")] }));
  await writeFile(file("wrong.json"), JSON.stringify(wrong));
  await writeFile(file("broken.json"), `{"planned_tasks": ["${odd}`);
});
afterAll(() => home.remove());

async function printed(...args: string[]) {
  const run = await runCliHere(args, home.env);
  expect(`${run.stdout}${run.stderr}`).not.toMatch(steers);
  expect(run.stderr).not.toContain("defect of ours");
  return run;
}

test.for([
  ["show", "plan.json"],
  ["graph", "plan.json"],
  ["graph", "plan.json", "--format", "mermaid"],
  ["graph", "plan.json", "--format", "dot"],
  ["validate", "wrong.json"],
  ["validate", "wrong.json", "--json"],
  ["validate", "broken.json"],
  ["optimize", "plan.json"],
  ["convert", "plan.json"],
  ["convert", "plan.json", "--format", "yaml"],
  ["diff", "plan.json", "other.json"],
  ["diff", "plan.json", "other.json", "--json"],
  ["show", `none ${odd}`],
  [`none${odd}`],
  ["run", `--none${odd}`],
])("what %j prints steers no terminal", async ([command = "", name = "", ...rest]) => {
  await printed(
    command,
    ...(name.endsWith(".json") ? [file(name)] : [name]).filter(Boolean),
    ...rest.map((word) => (word.endsWith(".json") ? file(word) : word)),
  );
});

test("a plan that is written and read again is the same, odd texts and all", async () => {
  for (const format of ["json", "yaml"]) {
    const out = file(`again.${format}`);
    expect((await printed("convert", file("plan.json"), "--out", out)).code).toBe(0);
    const [before, after] = await Promise.all(
      [file("plan.json"), out].map(async (each) => JSON.parse((await printed("show", each, "--json")).stdout)),
    );
    expect(after.planned_tasks.map((task: { title: string }) => task.title)).toEqual(
      before.planned_tasks.map((task: { title: string }) => task.title),
    );
  }
});

test("nor does what a run prints, live, shown and as JSON; commands to copy are quoted", async () => {
  const config = ["--config", file("planloom.config.mjs")];
  const dry = await printed("run", file("plan.json"), "--dry-run", ...config);
  expect(dry.code).toBe(0);
  const run = await printed("run", file("plan.json"), ...config);
  expect(run.stdout).toContain("19,940 more keys");
  const { runs } = JSON.parse((await printed("list", "--json")).stdout);
  const id: string = runs[0].run_id;
  expect(run.stdout).toContain(`approve ${id} 'waits X`);
  expect(run.stdout).toMatch(/approve \S+ '[^'\n]*touch x'\\'''\n/);
  await printed("list");
  await printed("show", id);
  const shown = JSON.parse((await printed("show", id, "--json")).stdout);
  expect(shown.plan.title).toBe(odd);
  await printed("replay", id);
  await printed("approve", id, `waits ${odd}`);
  await printed("resume", id, ...config);
  await printed("fork", id, `rows ${odd}`, ...config);
});

test.skipIf(process.platform === "win32")("what is kept is nobody else's to read", async () => {
  expect((await stat(join(home.path, "home"))).mode & 0o077).toBe(0);
  const made = await runCliHere(["plan", "Give the text", "--config", file("planloom.config.mjs")], {
    PLANLOOM_HOME: file("second"),
  });
  expect(made.code).toBe(0);
  expect((await stat(file("second"))).mode & 0o077).toBe(0);
  await mkdir(file("third"), { mode: 0o755 });
  await runCliHere(["plan", "Give the text", "--config", file("planloom.config.mjs")], {
    PLANLOOM_HOME: file("third"),
  });
  expect((await stat(file("third"))).mode & 0o777).toBe(0o755);
});
