import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { EnvironmentInput, RuleStrategy } from "planloom/optimizer";
import { benchWorkloads, type WorkloadOptions } from "../bench-workloads.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import {
  type AdversarialMatrix,
  type BenchReport,
  type Laboratory,
  loadLaboratory,
  type Workload,
} from "../laboratory.ts";
import { readEnvironment } from "../options/environment.ts";
import { readStrategies } from "../options/strategies.ts";
import { makeOwnFolder } from "../own-folder.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { type StepProgress, stepProgress } from "../views/bench-progress.ts";
import { benchView } from "../views/bench-view.ts";

export interface BenchCommandOptions extends WorkloadOptions {
  readonly strategy?: string;
  readonly env?: readonly string[];
  readonly seeds: readonly number[];
  readonly deadline?: number;
  readonly evaluations?: number;
  readonly adversarial?: boolean;
  readonly adversarialOnly?: boolean;
  readonly restarts?: number;
  readonly steps?: number;
  readonly out: string;
  /** The figures as PDF too. */
  readonly pdf?: boolean;
  readonly json?: boolean;
}

/** `planloom bench`: strategies x plans x environments x seeds, each row with its bound and what proves it. */
export async function bench(names: readonly string[], options: BenchCommandOptions, io: CliIo): Promise<number> {
  const { json = false } = options;
  const laboratory = await loadLaboratory();
  if (options.pdf === true && laboratory.installedChromium() === undefined) {
    throw new CliError(CliErrorCode.USAGE, "--pdf makes PDF files with a Chromium, and none is installed here.", {
      hint: "Install chromium, or set CHROMIUM to its path; figures/ has every plot as SVG in any case.",
      details: { option: "--pdf" },
    });
  }
  const folder = resolve(io.cwd, options.out);
  const environments = await Promise.all((options.env ?? []).map((text) => readEnvironment(text, io)));
  const strategies =
    options.strategy === undefined
      ? undefined
      : await readStrategies(options.strategy, io, laboratory.machineStrategies);
  const { workloads, notes, leftOut } = options.adversarialOnly
    ? { workloads: [], notes: [], leftOut: [] }
    : await benchWorkloads(names, options, laboratory, io);
  await makeOwnFolder(folder, "Give another folder with --out.");
  const style = styleFor(io.stderr, io.env);
  if (!json) for (const note of notes) io.stderr.write(`${style.paint("yellow", "note")}  ${note}\n`);
  const progress = await stepProgress(io.stderr, style, json);
  const lost: LostRow[] = [];
  const setting: Setting = {
    laboratory,
    folder,
    workloads,
    strategies,
    environments,
    progress,
    options,
    leftOut,
    lost,
    words: io.words ?? [],
  };
  let report: BenchReport;
  try {
    report = await measured(setting, io.signal);
  } catch (error) {
    progress.stop();
    if (io.signal.aborted && !json) {
      io.stderr.write(
        `Interrupted. What was measured is kept in ${nearby(folder, io.cwd)}; the same command continues from there.\n`,
      );
      return ExitCode.INTERRUPTED;
    }
    throw error;
  }
  progress.stop();
  for (const { strategy, workload, environment, message } of lost)
    io.stderr.write(
      `${style.paint("yellow", "lost")}  ${plainLine(`${strategy} on ${workload}, ${environment}: ${message}`)}\n`,
    );
  const files = await writeReport(laboratory, folder, report, options.pdf === true ? { signal: io.signal } : undefined);
  if (json) io.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    const glance = report.rows.length === 0 ? undefined : laboratory.glanceTable(report.rows);
    const shown = files.map((file) => nearby(file, io.cwd));
    io.stdout.write(benchView(report, glance, shown, styleFor(io.stdout, io.env)));
  }
  return ExitCode.DONE;
}

/** As short as it can be said from `cwd`. */
function nearby(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short === "" ? "." : short.startsWith("..") ? file : short;
}

type LostRow = NonNullable<Parameters<Laboratory["reportProvenance"]>[0]["lost"]>[number];

interface Setting {
  readonly laboratory: Laboratory;
  readonly folder: string;
  readonly workloads: readonly Workload[];
  readonly strategies: readonly RuleStrategy[] | undefined;
  readonly environments: readonly EnvironmentInput[];
  readonly progress: StepProgress;
  readonly options: BenchCommandOptions;
  /** Of the command, for the report. */
  readonly words: readonly string[];
  /** Plans that cannot be measured, for the report. */
  readonly leftOut: NonNullable<Parameters<Laboratory["reportProvenance"]>[0]["leftOut"]>;
  /** Rows whose strategy failed, for the user and the report. */
  readonly lost: LostRow[];
}

async function measured(setting: Setting, signal: AbortSignal): Promise<BenchReport> {
  const { benchEnvironments, exampleFigures, makeReport, runBench } = setting.laboratory;
  const { folder, workloads, strategies, progress, options, lost } = setting;
  if (options.adversarialOnly) return makeReport({ rows: [], adversarial: await adversarial(setting, signal) });
  const environments = setting.environments.length > 0 ? setting.environments : benchEnvironments();
  const rows = await runBench({
    workloads,
    environments,
    seeds: options.seeds,
    ...(options.deadline === undefined ? {} : { deadlineMs: options.deadline }),
    ...searchBudget(options),
    journal: join(folder, "rows.jsonl"),
    signal,
    ...(strategies === undefined ? {} : { strategies }),
    onLost: (row) => lost.push(row),
    onProgress: ({ next, ...counts }) =>
      progress.show({
        ...counts,
        unit: "rows",
        ...(next && { at: `${next.strategy} on ${next.workload}, ${next.environment}` }),
      }),
  });
  const figures = await exampleFigures(workloads, environments, rows, { signal });
  const matrix = options.adversarial ? { adversarial: await adversarial(setting, signal) } : {};
  const provenance = setting.laboratory.reportProvenance({
    workloads,
    strategies,
    environments,
    seeds: options.seeds,
    deadlineMs: options.deadline,
    ...searchBudget(options),
    command: ["planloom", ...setting.words],
    leftOut: setting.leftOut,
    lost,
  });
  return makeReport({ rows, ...figures, ...matrix, provenance });
}

function searchBudget({ evaluations, deadline, quick }: BenchCommandOptions): { evaluations?: number } {
  if (evaluations !== undefined) return { evaluations };
  return quick && deadline === undefined ? { evaluations: 4_000_000 } : {};
}

async function adversarial(setting: Setting, signal: AbortSignal): Promise<AdversarialMatrix> {
  const { folder, strategies: chosen, progress, options } = setting;
  if (chosen !== undefined && chosen.length < 2) {
    throw new CliError(CliErrorCode.USAGE, "The adversarial search needs at least two strategies.", {
      hint: "Leave --strategy out for fifteen of them.",
      details: { option: "--strategy" },
    });
  }
  return setting.laboratory.adversarialSearch({
    restarts: options.restarts ?? (options.quick ? 1 : 10),
    steps: options.steps ?? (options.quick ? 100 : 500),
    journal: join(folder, "pairs.jsonl"),
    signal,
    ...(chosen === undefined ? {} : { strategies: chosen }),
    onProgress: ({ pair, ...counts }) =>
      progress.show({
        ...counts,
        unit: "pairs",
        ...(pair && { at: `${pair.judged} against ${pair.against}: ${pair.ratio.toFixed(2)}` }),
      }),
  });
}

/** Where PDF files are wanted. */
type PdfWish = { readonly signal: AbortSignal } | undefined;

async function writeReport(
  laboratory: Laboratory,
  folder: string,
  report: BenchReport,
  pdf: PdfWish,
): Promise<string[]> {
  const { htmlReport, markdownReport } = laboratory;
  const texts = [
    ["report.html", await htmlReport(report)],
    ["report.md", markdownReport(report)],
    ["report.json", JSON.stringify(report)],
    ...(report.rows.length === 0
      ? []
      : ([
          ["rows.csv", laboratory.rowsCsv(report.rows)],
          ["rows.parquet", await laboratory.rowsParquet(report.rows)],
        ] as const)),
  ] as const;
  const written = texts.map(async ([name, text]) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  });
  return [...(await Promise.all(written)), ...(await writeFigures(laboratory, folder, report, pdf))];
}

/** The plots as files for papers, in a folder of their own. @returns that folder, where there are any */
async function writeFigures(
  { paperFigures, figurePdfs }: Laboratory,
  folder: string,
  report: BenchReport,
  pdf: PdfWish,
): Promise<string[]> {
  const files = await paperFigures(report);
  if (files.length === 0) return [];
  const figures = join(folder, "figures");
  await makeOwnFolder(figures, "Give another folder with --out.");
  await Promise.all(files.map(({ name, text }) => writeFile(join(figures, name), text)));
  if (pdf !== undefined)
    for (const { name, bytes } of await figurePdfs(files, pdf.signal)) await writeFile(join(figures, name), bytes);
  return [figures];
}
