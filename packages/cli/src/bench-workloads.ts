import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";
import type { Laboratory, ReadWorkloads, Workload } from "./laboratory.ts";
import { findPlan } from "./target.ts";
import { count } from "./terminal/style.ts";

export interface WorkloadOptions {
  readonly family?: readonly string[];
  readonly sizes?: readonly number[];
  readonly instances?: number;
  readonly limit: number;
  readonly quick?: boolean;
}

/** Tasks of generated plans. */
const SIZES = { usual: [12, 40, 150], quick: [12, 40] };

/**
 * The plans to measure on: files and folders in the formats of workloads, Planloom plans, saved plans; generated ones where
 * families are named, or where nothing else is given.
 * @throws CliError USAGE, NOT_FOUND; OptimizerError INPUT for a file that is not a plan
 */
export async function benchWorkloads(
  names: readonly string[],
  options: WorkloadOptions,
  laboratory: Laboratory,
  io: CliIo,
): Promise<{ workloads: Workload[]; notes: string[]; leftOut: ReadWorkloads["defective"][number][] }> {
  const { distinctNames, evenlySpaced, generateWorkload, generatorNames } = laboratory;
  const unknown = options.family?.find((name) => !generatorNames.includes(name));
  if (unknown !== undefined) {
    throw new CliError(
      CliErrorCode.USAGE,
      `Unknown family of plans ${JSON.stringify(unknown)}.\nThe families are ${generatorNames.join(", ")}.`,
      { details: { option: "--family", known: generatorNames } },
    );
  }
  const notes: string[] = [];
  const all: Workload[] = [];
  const leftOut: ReadWorkloads["defective"][number][] = [];
  for (const name of names) {
    const { workloads, defective } = await read(name, laboratory, io);
    const shown = basename(name);
    leftOut.push(...defective);
    if (defective.length > 0) {
      const [{ name: first, reason }] = defective as [ReadWorkloads["defective"][number]];
      notes.push(`${shown}: ${count(defective.length, "plan")} left out; the first, ${first}: ${reason}`);
    }
    for (const [family, group] of Map.groupBy(workloads, (workload) => workload.family)) {
      const sample = evenlySpaced(group, options.limit);
      if (sample.length < group.length) {
        notes.push(
          `${shown}: ${sample.length} of ${count(group.length, "plan")} of ${family}, evenly spaced (--limit)`,
        );
      }
      all.push(...sample);
    }
  }
  if (names.length === 0 || options.family !== undefined) {
    const sizes = options.sizes ?? (options.quick ? SIZES.quick : SIZES.usual);
    for (const family of options.family ?? generatorNames) {
      for (const size of sizes) {
        for (let seed = 1; seed <= (options.instances ?? 1); seed++) all.push(generateWorkload(family, size, seed));
      }
    }
  }
  if (all.length === 0) {
    throw new CliError(CliErrorCode.USAGE, "None of the plans can be measured.", {
      hint: notes[0] ?? "Leave the plans out to use generated ones.",
    });
  }
  return { workloads: distinctNames(all), notes, leftOut };
}

async function read(name: string, laboratory: Laboratory, io: CliIo): Promise<ReadWorkloads> {
  const { isWorkloadFile, loadWorkloads, readWorkloads } = laboratory;
  const path = resolve(io.cwd, name);
  const entry = await stat(path).catch(() => undefined);
  const isData = entry?.isDirectory() || (entry?.isFile() && isWorkloadFile(name));
  if (isData !== true) return fromPlan();
  try {
    return await loadWorkloads(path, { signal: io.signal });
  } catch (error) {
    if (entry?.isDirectory() || /\.gz$/.test(name)) throw error;
    // In the form of another planner that Planloom reads.
    return fromPlan().catch(() => {
      throw error;
    });
  }

  async function fromPlan(): Promise<ReadWorkloads> {
    const { plan } = await findPlan(name, io);
    return readWorkloads(plan, basename(name).replace(/\.(ya?ml|json)$/, ""));
  }
}
