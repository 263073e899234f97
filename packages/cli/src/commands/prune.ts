import type { PruneResult } from "planloom/runtime";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { readAge } from "../options/age.ts";
import { type RunFilterOptions, readRunFilter } from "../options/run-filter.ts";
import { count, plainLine, styleFor } from "../terminal/style.ts";
import { withJournal } from "./recorded-runs.ts";

export interface PruneCommandOptions extends RunFilterOptions {
  readonly olderThan?: string;
  readonly keep?: number;
  readonly cacheOlderThan?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Runs named of what was deleted. */
const SHOWN = 20;

/** `planloom prune`: deletes old runs and cached outputs by age and by count. */
export async function prune(options: PruneCommandOptions, io: CliIo): Promise<number> {
  const { olderThan, keep, cacheOlderThan, dryRun = false } = options;
  if (olderThan === undefined && keep === undefined && cacheOlderThan === undefined) {
    throw new CliError(CliErrorCode.USAGE, "No limit says which runs are to be deleted.", {
      hint: "For example: --older-than 30d --keep 1000 --dry-run",
      details: { option: "--older-than" },
    });
  }
  const limits = {
    ...(olderThan !== undefined && { olderThanMs: readAge("--older-than", olderThan) }),
    ...(keep !== undefined && { keep }),
    ...(cacheOlderThan !== undefined && { cacheOlderThanMs: readAge("--cache-older-than", cacheOlderThan) }),
    filter: readRunFilter(options),
    dryRun,
    signal: io.signal,
  };
  const { pruneRuns } = await import("planloom/runtime");
  const pruned = (await withJournal(io, (journal) => pruneRuns({ journal, ...limits }))) ?? nothing;
  if (options.json === true) {
    writeJson(io, { dry_run: dryRun, ...pruned });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  const word = dryRun ? "would be deleted" : "deleted";
  for (const { run_id, title, updated_at } of pruned.deleted.slice(0, SHOWN)) {
    const day = updated_at.slice(0, 10);
    io.stdout.write(`${style.paint("bold", plainLine(run_id))}  ${day}  ${plainLine(title)}  ${word}\n`);
  }
  for (const { run_id, message } of pruned.kept)
    io.stdout.write(`${style.paint("bold", plainLine(run_id))}  kept: ${plainLine(message)}\n`);
  io.stdout.write(`${count(pruned.deleted.length, "run")} and ${count(pruned.cached, "cached output")} ${word}.\n`);
  return ExitCode.DONE;
}

const nothing: PruneResult = { deleted: [], kept: [], cached: 0 };
