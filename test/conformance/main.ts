import { existsSync } from "node:fs";
import { join } from "node:path";
import { CaseFileError, readCases } from "./case-file.ts";
import { jsonReport, textReport } from "./report.ts";
import { runCases } from "./run-cases.ts";

const usage = `Usage: pnpm conformance [--json] [--verbose] FILES OR FOLDERS…
Without any, the folder in PLANLOOM_DATA (or its subfolder conformance) is read.
Exit code 0: nothing failed; 1: some case failed; 2: no such file, or no case file.`;

/** Runs the case files named in `argv`. @returns the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const flags = new Set(argv.filter((argument) => argument.startsWith("-") && argument !== "--"));
  const json = flags.delete("--json");
  const verbose = flags.delete("--verbose");
  if (flags.delete("--help") || flags.delete("-h")) {
    console.log(usage);
    return 0;
  }
  if (flags.size > 0) throw new CaseFileError(`Unknown option ${[...flags].join(", ")}.\n${usage}`);
  let paths = argv.filter((argument) => !argument.startsWith("-"));
  const data = process.env.PLANLOOM_DATA;
  if (paths.length === 0 && data !== undefined && data !== "") {
    paths = [existsSync(join(data, "conformance")) ? join(data, "conformance") : data];
  }
  if (paths.length === 0) throw new CaseFileError(`Expected case files or folders, got none.\n${usage}`);

  const outcomes = await runCases(await readCases(paths));
  console.log(json ? jsonReport(outcomes) : textReport(outcomes, { verbose }));
  return outcomes.some(({ status }) => status === "failed") ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CaseFileError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
