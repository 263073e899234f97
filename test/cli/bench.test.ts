import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { gzipSync } from "node:zlib";
import type { BenchReport, BenchRow } from "@planloom/bench";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { trials } from "../support/cases.ts";
import { sourcesEnv } from "../support/child-env.ts";
import { ended, repository, runCliHere, startCli, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const file = (name: string) => join(home.path, name);
const cli = (...args: string[]) => runCliHere(args, home.env);
const few = ["--strategy", "per-task,chain-fusion,portfolio", "--family", "layered,chain", "--sizes", "12"];
const one = ["--env", "executors=2,overhead=1x"];

beforeAll(async () => {
  home = await temporaryHome();
});
afterAll(() => home.remove());

const journalled = async (folder: string) =>
  (existsSync(join(folder, "rows.jsonl")) ? await readFile(join(folder, "rows.jsonl"), "utf8") : "").split("\n")
    .length - 1;
const reportOf = async (folder: string) =>
  JSON.parse(await readFile(join(folder, "report.json"), "utf8")) as BenchReport;
/** What a row says whatever the machine and its load. */
const pure = (rows: readonly BenchRow[]) => rows.map(({ optimizeMs, ...row }) => row);

test("works with no data at hand: rows with bound and witness, three reports, nothing on standard error but progress", async () => {
  const out = file("first");
  const result = await cli("bench", ...few, "--out", out, ...one, "--env", "executors=unlimited,overhead=0");
  expect(result.code).toBe(0);
  expect(result.stderr).toMatch(/^0 of 12 rows[\s\S]*12 of 12 rows\n$/);
  expect(stripVTControlCharacters(result.stdout)).toBe(result.stdout);
  expect(result.stdout).toMatch(/3 strategies on 2 plans, 12 rows[\s\S]*At a glance[\s\S]*Strategies, 2 executors/);
  expect(result.stdout).toMatch(/report\.html/);
  const { rows } = await reportOf(out);
  expect(rows).toHaveLength(12);
  for (const row of rows) {
    expect(row.ratio).toBeGreaterThanOrEqual(1 - 1e-9);
    expect(row.boundBy).not.toBe("");
    expect(row.witness).not.toBe("");
  }
  expect(await readFile(join(out, "report.html"), "utf8")).not.toMatch(/<script|src=|https?:\/\/(?!www\.w3\.org)/);
  expect(await readFile(join(out, "report.md"), "utf8")).toMatch(/^# Optimizer bench\n/);
});

test("--json prints the report alone", async () => {
  const result = await cli("bench", ...few, ...one, "--out", file("json"), "--json");
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect((JSON.parse(result.stdout) as BenchReport).rows).toHaveLength(6);
});

test("killed and started again it goes on where it was, with the rows of a run that was not", async () => {
  const args = ["bench", "--strategy", "per-task,anytime,edge-zeroing", "--family", "layered", "--sizes", "60,70"];
  const out = file("killed");
  const started = (folder: string) => [...args, "--evaluations", trials("60000", "30000"), "--out", folder];
  const child = startCli(started(out), home.env);
  const end = ended(child);
  await vi.waitUntil(async () => (await journalled(out)) >= 4, 60_000);
  child.kill("SIGKILL");
  expect((await end).code).toBeNull();
  const before = await readFile(join(out, "rows.jsonl"), "utf8");
  const kept = before.split("\n").length - 1;
  expect(existsSync(join(out, "report.json"))).toBe(false);

  // In a process of the same code: what other code measured is not kept.
  const again = await ended(startCli(started(out), home.env));
  expect(again.code).toBe(0);
  expect(again.stderr).toMatch(new RegExp(`of 18 rows, ${kept} from an earlier run`));
  const keys = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => line.match(/"key":"([^"]+)"/)?.[1]);
  expect(keys(await readFile(join(out, "rows.jsonl"), "utf8")).slice(0, kept)).toEqual(keys(before).slice(0, kept));
  await ended(startCli(started(file("whole")), home.env));
  const [resumed, whole] = await Promise.all([reportOf(out), reportOf(file("whole"))]);
  // Searches by evaluations find the same again, on a busy machine too.
  expect(pure(resumed.rows)).toEqual(pure(whole.rows));
  expect(resumed.rows.map(({ key }) => key).sort()).toEqual(whole.rows.map(({ key }) => key).sort());
});

test.for([
  { name: "rows", more: ["--strategy", "anytime", "--family", "layered", "--sizes", "80,90"], keeps: "rows.jsonl" },
  { name: "the adversarial search", more: ["--adversarial-only", "--steps", "300"], keeps: "pairs.jsonl" },
])("Ctrl-C ends $name with 130 and says where it goes on", async ({ more, keeps }) => {
  const out = file(`interrupted-${keeps}`);
  const child = startCli(["bench", ...more, "--out", out], home.env);
  const end = ended(child);
  await vi.waitUntil(() => existsSync(join(out, keeps)), 60_000);
  child.kill("SIGINT");
  const result = await end;
  expect(result).toMatchObject({ code: 130, stdout: "" });
  expect(result.stderr).toMatch(/Interrupted\. What was measured is kept in .*the same command continues from there/);
  expect(existsSync(join(out, "report.json"))).toBe(false);
});

test("reads plan-workload/1, WfFormat and Planloom plans, from files, folders and what is saved", async () => {
  const folder = file("plans");
  await mkdir(folder);
  const set = {
    format: "plan-workload/1",
    name: "set",
    family: "agents",
    instances: Array.from({ length: 9 }, (_, at) => ({
      name: `agent-${at}`,
      tasks: [
        { id: "a", runtime: 1, deps: [] },
        { id: "b", runtime: at === 4 ? 2 : 1, deps: at === 8 ? ["nobody"] : ["a"] },
      ],
    })),
  };
  const workflow = {
    name: "trace",
    workflow: {
      specification: {
        tasks: [
          { id: "x_1", parents: [] },
          { id: "y_2", parents: ["x_1"] },
        ],
        files: [],
      },
    },
  };
  await writeFile(join(folder, "set.json.gz"), gzipSync(JSON.stringify(set)));
  await writeFile(join(folder, "trace.json"), JSON.stringify(workflow));
  await writeFile(join(folder, "package.json"), '{"name":"no plan"}');
  await writeFile(file("own.yaml"), "planned_tasks:\n  - task_id: a\n  - task_id: b\n    dependencies: [a]\n");
  const steps = {
    steps: [{ index: "1", title: "One", tool: "t", args: {}, depends_on: [] }],
    id: "other",
    title: "Other",
  };
  await writeFile(file("other.json"), JSON.stringify(steps));
  const plans = [folder, file("own.yaml"), file("other.json")];
  const result = await cli("bench", ...plans, "--strategy", "portfolio", ...one, "--limit", "3", "--out", file("read"));
  expect(result.code).toBe(0);
  expect(result.stderr).toMatch(/note {2}plans: 2 plans left out; the first, package\.json/);
  expect(result.stderr).toMatch(/note {2}plans: 3 of 8 plans of agents, evenly spaced/);
  const names = (await reportOf(file("read"))).rows.map((row) => row.workload);
  expect(names.sort()).toEqual(["agent-0", "agent-2", "agent-5", "other", "own", "trace"]);
  const { leftOut } = (await reportOf(file("read"))).provenance!;
  expect(leftOut!.map(({ name }) => name)).toEqual(["package.json", "agent-8"]);
  expect(leftOut![1]!.reason).toContain('"nobody"');
});

test("a strategy of one's own is measured beside the others", async () => {
  const optimizer = pathToFileURL(join(repository, "packages/optimizer/src/index.ts")).href;
  await writeFile(
    file("halves.ts"),
    `import { fromLabels, type RuleStrategy } from ${JSON.stringify(optimizer)};
    export const halves: RuleStrategy = {
      name: "halves", version: "1", description: "the first half of the plan, then the second", deterministic: true,
      propose(view) {
        const label = new Int32Array(view.n);
        view.topo.forEach((v, at) => { label[v] = at < view.n / 2 ? 0 : 1; });
        return fromLabels(label);
      },
    };`,
  );
  const chosen = ["--strategy", `portfolio,${file("halves.ts")}`];
  const result = await cli("bench", ...chosen, "--family", "chain", "--sizes", "6", ...one, "--out", file("own"));
  expect(result.code).toBe(0);
  const { rows } = await reportOf(file("own"));
  expect(rows.map((row) => [row.strategy, row.dispatches])).toEqual([
    ["portfolio", 1],
    ["halves", 2],
  ]);
});

test("the adversarial matrix comes with the plans it was found on", async () => {
  const some = ["--strategy", "single,per-task,exact", "--restarts", "1", "--steps", "10"];
  const result = await cli("bench", "--adversarial-only", ...some, "--out", file("pisa"));
  expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(/6 of 6 pairs\n$/) });
  expect(result.stdout).toMatch(/Adversarial search[\s\S]*strategy +worst +against +to exact/);
  const { adversarial, rows } = await reportOf(file("pisa"));
  expect(rows).toEqual([]);
  expect(adversarial?.worst[2]).toEqual([expect.any(Number), expect.any(Number), 0]);
  expect(Math.max(...adversarial!.worst[2]!)).toBeLessThanOrEqual(1 + 1e-9);
  expect(adversarial?.instances[0]?.[1]).toMatchObject({ work: expect.any(Array), edges: expect.any(Array) });
});

test("the strategy of the documentation runs from a folder that knows nothing of Planloom, in the adversarial search too", async () => {
  const page = await readFile(join(repository, "docs/optimizer/strategies.md"), "utf8");
  const module = file("halves.ts");
  await writeFile(module, page.match(/```ts\n([\s\S]*?)```/)![1]!);
  const args = ["--strategy", `single,${module}`, "--family", "chain", "--sizes", "12", "--adversarial"];
  const result = await cli("bench", ...args, ...one, "--restarts", "1", "--steps", "5", "--out", file("halves"));
  expect(result).toMatchObject({ code: 0, stderr: expect.not.stringContaining("note") });
  const { rows, adversarial } = await reportOf(file("halves"));
  expect(rows.map(({ strategy }) => strategy).sort()).toEqual(["halves", "single"]);
  expect(adversarial!.strategies).toEqual(["single", "halves"]);
  expect(adversarial!.worst[1]![0]).toBeGreaterThan(0);
});

test("a strategy of one's own that throws loses its rows, and the others are measured", async () => {
  const module = file("throwing.mjs");
  const fields = 'name: "throwing", version: "1", description: "throws", deterministic: true';
  await writeFile(module, `export const own = { ${fields}, propose() { throw new Error("not today"); } };`);
  const some = ["--strategy", `single,${module}`, "--family", "chain", "--sizes", "12"];
  const result = await cli("bench", ...some, ...one, "--out", file("throwing"));
  expect(result.code).toBe(0);
  expect(result.stderr).toMatch(/lost {2}throwing on chain.*not today/);
  const { rows, provenance } = await reportOf(file("throwing"));
  expect(rows.map(({ strategy }) => strategy)).toEqual(["single"]);
  expect(provenance!.lost).toMatchObject([{ strategy: "throwing", message: expect.stringContaining("not today") }]);
  expect(provenance).not.toHaveProperty("leftOut");
});

test.for<{ name: string; args: string[]; says: RegExp }>([
  { name: "a plan that is not there", args: ["nowhere.json"], says: /nowhere\.json/ },
  { name: "an unknown family", args: ["--family", "tree"], says: /"tree"\..*\n.*in-tree/ },
  {
    name: "an unknown strategy",
    args: ["--strategy", "magic"],
    says: /"magic"\..*\n.*chain-fusion[\s\S]*--strategy \.\/mine\.ts/,
  },
  { name: "a module that is not there", args: ["--strategy", "./gone.ts"], says: /gone\.ts/ },
  { name: "a strategy twice", args: ["--strategy", "single,single"], says: /Two strategies are called "single"/ },
  { name: "a name that no environment has", args: ["--env", "speed=9"], says: /"speed".*executors.*contextTokens/s },
  { name: "a pair that is none", args: ["--env", "executors=2,x"], says: /name=value, got "x"/ },
  { name: "a pair given twice", args: ["--env", "slots=2,slots=3"], says: /slots is given twice/ },
  {
    name: "a number that is none",
    args: ["--env", "executors=many"],
    says: /executors: expected a number or unlimited, got "many"/,
  },
  {
    name: "a time that is none",
    args: ["--env", "overhead=2 weeks"],
    says: /overhead: expected milliseconds, a time such as 2s/,
  },
  { name: "executors out of range", args: ["--env", "executors=0"], says: /environment\.executors.*at least 1.*got 0/ },
  { name: "an environment file that is not there", args: ["--env", "env.yaml"], says: /env\.yaml/ },
  { name: "a size that is none", args: ["--sizes", "10,x"], says: /whole number of at least 1, got "x"/ },
  { name: "a search of one strategy", args: ["--adversarial-only", "--strategy", "single"], says: /at least two/ },
])("$name is refused with 2, a code and the way out", async ({ args, says }) => {
  const result = await cli("bench", "--out", file("refused"), ...args);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toMatch(says);
  expect(result.stderr).not.toMatch(/^\s+at /m);
});

test("an environment file says the same as pairs", async () => {
  await writeFile(file("env.yaml"), "executors: 2\noverhead: 1x\n");
  await cli("bench", ...few, "--env", file("env.yaml"), "--out", file("by-file"));
  await cli("bench", ...few, ...one, "--out", file("by-pairs"));
  const [left, right] = await Promise.all([reportOf(file("by-file")), reportOf(file("by-pairs"))]);
  expect(pure(left.rows)).toEqual(pure(right.rows));
});

test("where the laboratory is not installed, one line says what to install", () => {
  const entry = pathToFileURL(join(repository, "packages/cli/src/index.ts")).href;
  // Node.js looks from a folder in which no package is installed, so the error is its own.
  const script = `
    import { registerHooks } from "node:module";
    registerHooks({ resolve(specifier, context, next) {
      return next(specifier, specifier === "@planloom/bench" ? { ...context, parentURL: "file:///nowhere/main.js" } : context);
    } });
    const { runCli } = await import(${JSON.stringify(entry)});
    process.exitCode = await runCli(["bench", "--out", ${JSON.stringify(file("absent"))}], {
      stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), signal: new AbortController().signal,
    });`;
  const env = { ...process.env, ...home.env };
  const result = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", env });
  expect(result).toMatchObject({
    status: 2,
    stdout: "",
    stderr:
      "error `planloom bench` needs the package @planloom/bench, which is not installed: npm install @planloom/bench  [CLI_CONFIG]\n",
  });
  expect(existsSync(file("absent"))).toBe(false);
});

test("nothing of it is loaded by other commands", () => {
  const entry = pathToFileURL(join(repository, "packages/cli/src/index.ts")).href;
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { runCli } = await import(${JSON.stringify(entry)});
    const sink = { write() {} };
    const io = { stdout: sink, stderr: sink, env: process.env, cwd: process.cwd(), signal: new AbortController().signal };
    for (const args of [["--help"], ["bench", "--help"], ["list"], ["graph", "none"]]) await runCli(args, io);
    process.stdout.write(JSON.stringify(loaded));`;
  const env = { ...sourcesEnv(), ...home.env };
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", env });
  const loaded = JSON.parse(output) as string[];
  expect(loaded).toContain(entry);
  expect(loaded.filter((url) => /packages\/bench\/|observablehq|linkedom/.test(url))).toEqual([]);
});
