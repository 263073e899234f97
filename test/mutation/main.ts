// Tests the tests: Stryker changes one thing at a time in an area's sources, and some test must notice. `pnpm mutate AREA [FILE]`;
// without an area it says which there are. It works in a copy of the repository, where it installs Stryker, which is no dependency
// of ours. Each change that nobody noticed is printed; exit code 1 where fewer than 85 % were noticed.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { areas } from "./areas.ts";

const [name = "", file] = process.argv.slice(2);
const area = areas[name];
if (area === undefined) {
  process.stderr.write(`Expected an area: pnpm mutate ${Object.keys(areas).join("|")} [FILE]\n`);
  process.exit(2);
}
const repository = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "planloom-mutation-"));
const copy = join(folder, "copy");
const left = new Set([".git", "dist", ".stryker-tmp"].map((each) => join(repository, each)));

/** Runs a program to its end. @throws where it fails */
function call(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  const { status, error } = spawnSync(program, args, { cwd: copy, env, stdio: "inherit" });
  if (error !== undefined) throw error;
  return status ?? 1;
}

try {
  // Links between packages lead to the copy, whose sources are changed; libraries are those of the repository.
  const modules = join(repository, "node_modules");
  const isCopied = (path: string) => path !== modules && !left.has(path) && !path.endsWith("/dist");
  cpSync(repository, copy, { recursive: true, verbatimSymlinks: true, filter: isCopied });
  symlinkSync(modules, join(copy, "node_modules"));
  const tools = join(folder, "tools");
  const packages = ["@stryker-mutator/core@10", "@stryker-mutator/vitest-runner@10"];
  const install = ["install", "--silent", "--no-audit", "--no-fund", "--legacy-peer-deps", "--prefix", tools];
  if (call("npm", [...install, ...packages]) !== 0) throw new Error("Stryker could not be installed.");
  // Stryker and the tests must have the same Vitest.
  symlinkSync(realpathSync(join(modules, "vitest")), join(tools, "node_modules/vitest"));
  const settings = {
    packageManager: "npm",
    plugins: ["@stryker-mutator/vitest-runner"],
    testRunner: "vitest",
    vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
    inPlace: true,
    coverageAnalysis: "perTest",
    // What runs when a module is loaded would need a new process a change.
    ignoreStatic: true,
    mutate: file === undefined ? area.mutate : area.mutate.map((pattern) => join(dirname(pattern), file)),
    concurrency: 1,
    timeoutMS: 20_000,
    reporters: ["clear-text", "progress-append-only", "json"],
    clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
    thresholds: { high: 95, low: 85, break: 85 },
  };
  writeFileSync(join(copy, "stryker.config.json"), JSON.stringify(settings));
  const env = {
    ...process.env,
    MUTATION_TESTS: area.tests.join(","),
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  };
  const stryker = join(tools, "node_modules/@stryker-mutator/core/bin/stryker.js");
  process.exitCode = call(process.execPath, [stryker, "run", "stryker.config.json"], env);
  printCounts(join(copy, "reports/mutation/mutation.json"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** How many changes of each file were noticed. */
function printCounts(report: string): void {
  const { files } = JSON.parse(readFileSync(report, "utf8")) as {
    files: Record<string, { mutants: { status: string }[] }>;
  };
  for (const [path, { mutants }] of Object.entries(files)) {
    const counted = mutants.filter(({ status }) => !["Ignored", "CompileError", "RuntimeError"].includes(status));
    const noticed = counted.filter(({ status }) => status === "Killed" || status === "Timeout").length;
    process.stdout.write(`${relative(".", path)}: ${noticed} of ${counted.length} noticed\n`);
  }
}
