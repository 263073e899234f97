import { existsSync } from "node:fs";
import { join } from "node:path";
import { CaseFileError, readCases } from "./case-file.ts";
import { jsonReport, textReport } from "./report.ts";
import { runCases } from "./run-cases.ts";

const usage = `Usage: pnpm conformance [--json] [--verbose] FILES OR FOLDERS…
Without any, the folder in PLANLOOM_DATA (or its subfolder conformance) is read.
Exit code 0: nothing failed; 1: some case failed; 2: no such file, or no case file.`;

/** What the command touches beside the case files. */
export interface ConformanceIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes what it answers. */
  print(text: string): void;
  /** Takes what is wrong with its arguments or the files. */
  complain(text: string): void;
}

/** Runs the case files named in `argv`. @returns the exit code */
export async function conformance(argv: readonly string[], io: ConformanceIo): Promise<number> {
  try {
    return await carryOut(argv, io);
  } catch (error) {
    if (!(error instanceof CaseFileError)) throw error;
    io.complain(error.message);
    return 2;
  }
}

async function carryOut(argv: readonly string[], { env, print }: ConformanceIo): Promise<number> {
  const flags = new Set(argv.filter((argument) => argument.startsWith("-") && argument !== "--"));
  const json = flags.delete("--json");
  const verbose = flags.delete("--verbose");
  if (flags.delete("--help") || flags.delete("-h")) {
    print(usage);
    return 0;
  }
  if (flags.size > 0) throw new CaseFileError(`Unknown option ${[...flags].join(", ")}.\n${usage}`);
  let paths = argv.filter((argument) => !argument.startsWith("-"));
  const data = env.PLANLOOM_DATA;
  if (paths.length === 0 && data !== undefined && data !== "") {
    paths = [existsSync(join(data, "conformance")) ? join(data, "conformance") : data];
  }
  if (paths.length === 0) throw new CaseFileError(`Expected case files or folders, got none.\n${usage}`);

  const outcomes = await runCases(await readCases(paths));
  print(json ? jsonReport(outcomes) : textReport(outcomes, { verbose }));
  return outcomes.some(({ status }) => status === "failed") ? 1 : 0;
}
