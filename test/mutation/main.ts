// Tests the tests: one thing at a time is changed in an area's sources, and some test must notice. `pnpm mutate AREA [FILE] [TESTS…]`;
// without an area it says which there are, and with patterns of test files only those are run. Stryker's instrumenter, which is no
// dependency of ours and is installed beside the repository, puts all changes into the sources at once, each behind a switch; the tests
// run in one process that turns one switch after the other (runner.ts), and in a new one where a change has ended the process. Nothing
// in the repository is written. Each change that nobody noticed is printed; exit code 1 where fewer than 85 % were noticed.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { areas } from "./areas.ts";
import { readFindings } from "./findings.ts";
import { instrument, type Mutant } from "./instrument.ts";
import { report } from "./report.ts";

const [name = "", file, ...tests] = process.argv.slice(2);
const area = areas[name];
if (area === undefined) {
  process.stderr.write(`Expected an area: pnpm mutate ${Object.keys(areas).join("|")} [FILE] [TESTS…]\n`);
  process.exit(2);
}
const repository = fileURLToPath(new URL("../..", import.meta.url));
const patterns = file === undefined ? area.mutate : area.mutate.map((pattern) => join(dirname(pattern), file));
const paths = globSync([...new Set(patterns)], { cwd: repository }).sort();
if (paths.length === 0) {
  process.stderr.write(`The area ${name} has no file ${file}.\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "planloom-mutation-"));
try {
  const { mutants, sources } = await instrument(repository, paths);
  const work = join(folder, "work.json");
  const findings = join(folder, "findings.jsonl");
  writeFileSync(work, JSON.stringify({ tests: tests.length > 0 ? tests : area.tests, sources }));
  tryAll(work, findings, mutants);
  process.exitCode = report(repository, mutants, findings) < 85 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts processes until one comes to its end. */
function tryAll(work: string, findings: string, mutants: readonly Mutant[]): void {
  const current = `${findings}.current`;
  for (let suspect: string | undefined, starts = 0; starts <= mutants.length; starts++) {
    writeFileSync(current, "");
    const before = readFindings(findings).length;
    const env = {
      ...process.env,
      MUTATION_WORK: work,
      MUTATION_FINDINGS: findings,
      ...(suspect !== undefined && { MUTATION_SUSPECT: suspect }),
    };
    const vitest = join(repository, "node_modules/vitest/vitest.mjs");
    const args = [vitest, "run", "--config", join(repository, "test/mutation/vitest.config.ts")];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: repository,
      env,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    if (status === 0) return;
    const found = readFindings(findings).slice(before);
    const last = found.at(-1);
    const ended = readFileSync(current, "utf8");
    if (last !== undefined && "suspect" in last) suspect = last.suspect;
    else if (last !== undefined && "killed" in last && last.killed === suspect) suspect = undefined;
    else if (ended === "") throw new Error(`The tests fail without any change.\n${stdout}${stderr}`);
    else {
      // It ran for too long, or used up the memory.
      const finding = { killed: ended, test: "", error: "The process was ended." };
      writeFileSync(findings, `${JSON.stringify(finding)}\n`, { flag: "a" });
      suspect = undefined;
    }
    process.stderr.write(`${relative(".", current)}: a new process after change ${ended}\n`);
  }
  if (!existsSync(findings)) throw new Error("No test comes by any change.");
}
