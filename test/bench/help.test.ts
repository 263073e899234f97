import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const benches = Object.entries(scripts).filter(([, line]) => line.includes("test/bench/"));

/** A script of package.json as pnpm starts it, with words after it. */
function start(line: string, ...words: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const [, ...rest] = line.split(" ");
  return new Promise((resolve) => {
    execFile(process.execPath, [...rest, ...words], { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

test.for(benches)("%s --help says what is measured, and measures nothing", async ([, line]) => {
  const { code, stdout, stderr } = await start(line, "--help");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.length).toBeGreaterThan(80);
  expect(stdout).not.toMatch(/^\s*(?:\*|\/\/|import )/m);
});

test.for([
  ["bench:dagp", "--dagp"],
  ["bench:onestop", "--osp"],
] as const)("%s says what it needs where it is not there", async ([name, flag]) => {
  const without = await start(scripts[name]!);
  expect(without).toMatchObject({ code: 0, stdout: "" });
  expect(without.stderr).toMatch(new RegExp(`^Nothing is measured without .*${flag} EXE\\.\\n$`));
  const wrong = await start(scripts[name]!, flag, "/no/such/program");
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toMatch(/^.* cannot be started \(ENOENT\)\.\n$/);
});

test("an option that a bench does not know is said without a stack trace", async () => {
  const { code, stdout, stderr } = await start(scripts["bench:runtime"]!, "--quik");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("--quik");
  expect(stderr).not.toMatch(/^\s+at /m);
});
