// Runs all tests, or those that are named, several times in a row and says which ever failed: `pnpm repeat 20 [FILE…]`. On one core:
// `taskset -c 0 pnpm repeat 20`. Exit code 1 where one did.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { failuresOf, type Report } from "./failures.ts";

const [given = "", ...filters] = process.argv.slice(2);
const times = Number(given);
if (!Number.isInteger(times) || times < 1) {
  process.stderr.write(`Expected how often to run the tests, got "${given}": pnpm repeat TIMES [FILE…]\n`);
  process.exit(2);
}
const repository = fileURLToPath(new URL("../..", import.meta.url));
const vitest = join(repository, "node_modules/vitest/vitest.mjs");
const folder = mkdtempSync(join(tmpdir(), "planloom-repeat-"));
const failed = new Map<string, number>();

try {
  for (let turn = 1; turn <= times; turn++) {
    const file = join(folder, `${turn}.json`);
    const began = performance.now();
    const args = [vitest, "run", "--reporter=json", `--outputFile=${file}`, ...filters];
    const { status } = spawnSync(process.execPath, args, { cwd: repository, stdio: ["ignore", "ignore", "inherit"] });
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const failures = existsSync(file) ? failuresOf(JSON.parse(readFileSync(file, "utf8")) as Report, repository) : [];
    if (status !== 0 && failures.length === 0)
      failures.push({ test: "(the run itself)", message: `exit code ${status}` });
    process.stdout.write(`${turn} of ${times}: ${seconds} s, ${failures.length} failed\n`);
    for (const { test, message } of failures) {
      failed.set(test, (failed.get(test) ?? 0) + 1);
      process.stdout.write(`  ${test}\n    ${message}\n`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failed.size > 0) {
  process.stdout.write("Failed at least once:\n");
  for (const [test, count] of [...failed].sort((a, b) => b[1] - a[1])) {
    process.stdout.write(`${count} of ${times}  ${test}\n`);
  }
  process.exitCode = 1;
}
