import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conformance } from "./command.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conformance-"));
  await write("good.json", [
    {
      id: "a",
      seed: "003",
      feature: "optimizer.manual",
      input: { tasks: [] },
      expected: { properties: "<all>" },
      stance: "improve",
    },
    {
      id: "b",
      seed: "003",
      feature: "optimizer.manual",
      input: { tasks: [{ task_id: "one", dependencies: ["two"] }] },
      expected: { error: "unknown dependency two" },
      stance: "improve",
    },
    {
      id: "c",
      seed: "003",
      feature: "task.defaults",
      input: {},
      expected: { status: "pending", output: {} },
      stance: "match",
    },
    { id: "d", seed: "009", feature: "no.such.thing", input: {}, expected: {}, stance: "match" },
    { id: "e", seed: "001", feature: "message.classify", input: {}, expected: {}, stance: "match" },
  ]);
  await write("bad.json", [
    { id: "f", seed: "003", feature: "task.defaults", input: {}, expected: { status: "done" }, stance: "match" },
  ]);
  await write("torn.json", undefined);
});
afterAll(() => rm(folder, { recursive: true }));

function write(name: string, cases: unknown): Promise<void> {
  return writeFile(join(folder, name), cases === undefined ? "[{" : JSON.stringify(cases));
}

const pathsOf = (names: readonly string[]) => names.map((name) => (name.endsWith(".json") ? join(folder, name) : name));

async function runHere(names: readonly string[], env: Record<string, string> = {}) {
  const [answered, complained]: [string[], string[]] = [[], []];
  const io = { env, print: (text: string) => answered.push(text), complain: (text: string) => complained.push(text) };
  const status = await conformance(pathsOf(names), io);
  return { status, stdout: answered.join("\n"), stderr: complained.join("\n") };
}

test("counts what passed and what was skipped, and ends with the counts alone", async () => {
  const { stdout, status } = await runHere(["good.json"]);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("3 passed, 0 failed, 2 skipped");
  expect(stdout).toMatch(/^003 optimizer\.manual +2 passed$/m);
  expect(status).toBe(0);
});

test("shows where an answer differs, and exits with 1", () => {
  const { stdout, status } = spawnSync(process.execPath, [main, ...pathsOf(["good.json", "bad.json"])], {
    encoding: "utf8",
  });
  expect(stdout).toContain('at status\n        expected "done"\n        answered "pending"');
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("3 passed, 1 failed, 2 skipped");
  expect(status).toBe(1);
});

test("--json holds the counts, the features and every case", async () => {
  const { stdout } = await runHere(["--json", "bad.json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    passed: 0,
    failed: 1,
    skipped: 0,
    features: [{ feature: "003 task.defaults", failed: 1 }],
    cases: [{ id: "f", status: "failed", expected: { status: "done" }, answer: { status: "pending" } }],
  });
});

test("--verbose gives the reason for what is skipped", async () => {
  expect((await runHere(["--verbose", "good.json"])).stdout).toContain("skipped d: no adapter for this feature");
});

test("PLANLOOM_DATA is the folder when none is named", async () => {
  const { stderr, status } = await runHere([], { PLANLOOM_DATA: folder });
  expect(stderr).toContain("torn.json to hold a JSON array");
  expect(status).toBe(2);
});

test.for([
  { name: "no path", names: [], says: "Expected case files or folders" },
  { name: "an unknown option", names: ["--fast"], says: "Unknown option --fast" },
  { name: "a file that is not there", names: ["gone.json"], says: "cannot be read" },
  { name: "a torn file", names: ["torn.json"], says: "to hold a JSON array" },
])("$name: a message, no stack, exit 2", async ({ names, says }) => {
  const { stderr, status } = await runHere(names);
  expect(stderr).toContain(says);
  expect(stderr).not.toContain("    at ");
  expect(status).toBe(2);
});
