import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { benchWorkloads } from "../bench-workloads.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { type BenchReport, type Laboratory, loadLaboratory } from "../laboratory.ts";
import { readStrategies } from "../options/strategies.ts";
import { count, plainLine, styleFor } from "../terminal/style.ts";
import { stepProgress } from "../views/bench-progress.ts";

export interface VerifyCommandOptions {
  readonly sample: number;
  readonly all?: boolean;
  readonly strategy?: string;
  readonly json?: boolean;
}

/** Differences and rows that were not measured which are shown; `--json` has all. */
const MOST_SHOWN = 10;

/**
 * `planloom bench verify`: rows of a report once more, compared to nine digits.
 * @throws CliError NOT_FOUND for a file that is not there, CONFIG for one that is not a report
 */
export async function verify(
  file: string,
  plans: readonly string[],
  { sample, all = false, strategy, json = false }: VerifyCommandOptions,
  io: CliIo,
): Promise<number> {
  const laboratory = await loadLaboratory();
  const report = await readReport(file, laboratory, io);
  const own = strategy === undefined ? [] : await readStrategies(strategy, io);
  const { workloads } =
    plans.length === 0
      ? { workloads: [] }
      : await benchWorkloads(plans, { limit: Number.POSITIVE_INFINITY }, laboratory, io);
  const style = styleFor(io.stdout, io.env);
  const progress = await stepProgress(io.stderr, styleFor(io.stderr, io.env), json);
  let found: Awaited<ReturnType<Laboratory["verifyReport"]>>;
  try {
    found = await laboratory.verifyReport(report, {
      workloads,
      strategies: own,
      sample: all ? Number.POSITIVE_INFINITY : sample,
      signal: io.signal,
      onProgress: ({ done, total }) => progress.show({ done, kept: 0, total, unit: "rows" }),
    });
  } finally {
    progress.stop();
  }
  const { checked, different, skipped, code } = found;
  const isSame = different.length === 0 && checked > 0;
  if (json) {
    writeJson(io, found);
    return isSame ? ExitCode.DONE : ExitCode.FAILED;
  }
  const lines = [
    checked === 0
      ? "No row was measured again."
      : `${count(checked, "row")} measured again: ${different.length === 0 ? "all the same" : `${count(different.length, "figure")} ${different.length === 1 ? "differs" : "differ"}`}`,
    ...different.slice(0, MOST_SHOWN).map(({ row, field, reported, measured }) => {
      return `  ${plainLine(row)}: ${field} ${reported} in the report, ${measured} here`;
    }),
    ...(skipped.length === 0 ? [] : [`${count(skipped.length, "row")} could not be measured again:`]),
    ...skipped.slice(0, MOST_SHOWN).map(({ row, reason }) => `  ${plainLine(row)}: ${plainLine(reason)}`),
    ...(code.reported === code.here
      ? []
      : [style.paint("dim", `made by ${plainLine(code.reported)}, measured again by ${code.here}`)]),
  ];
  io.stdout.write(`${lines.join("\n")}\n`);
  return isSame ? ExitCode.DONE : ExitCode.FAILED;
}

/** `planloom bench leaderboard`: several reports as one page. */
export async function leaderboard(files: readonly string[], io: CliIo): Promise<number> {
  const laboratory = await loadLaboratory();
  const submissions = [];
  for (const file of files) {
    const name = basename(dirname(resolve(io.cwd, file)));
    submissions.push({ name, report: await readReport(file, laboratory, io) });
  }
  let page: string;
  try {
    page = laboratory.leaderboard(submissions);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CliError(CliErrorCode.CONFIG, cause.message, {
      hint: "planloom bench verify REPORT measures rows of a report again.",
      cause,
    });
  }
  io.stdout.write(page);
  return ExitCode.DONE;
}

async function readReport(name: string, laboratory: Laboratory, io: CliIo): Promise<BenchReport> {
  const file = resolve(io.cwd, name);
  let text: string;
  try {
    text = await readFile(file, { encoding: "utf8", signal: io.signal });
  } catch (cause) {
    io.signal.throwIfAborted();
    throw new CliError(CliErrorCode.NOT_FOUND, `No report ${file}: ${(cause as Error).message}`, { cause });
  }
  try {
    return laboratory.readReport(JSON.parse(text));
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, `${file}: ${(cause as Error).message}`, {
      hint: "report.json in the folder of --out of planloom bench is one.",
      cause,
    });
  }
}
