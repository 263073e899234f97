import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { checkOptions } from "../check-options.ts";
import { type ReadWorkloads, readWorkloadPlans, readWorkloads, type WorkloadPlan } from "./read-workloads.ts";
import { type DefectiveWorkload, distinctNames, type Workload } from "./workload.ts";

/** No workload file is larger, unpacked. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Reads every `.json` and `.json.gz` file of a folder, or one file, in order of their names. Files of names in capitals
 * (`INDEX.json`) are about the others and left out; a file of a folder that is not a workload counts as defective. Plans of one name
 * are distinguished by a number.
 * @throws OptimizerError `OPTIMIZER_INPUT` for a path that cannot be read, for one file that is not a workload or is larger than 256 MiB
 * unpacked, and for a folder in which nothing is a workload.
 */
export async function loadWorkloads(path: string, options: { signal?: AbortSignal } = {}): Promise<ReadWorkloads> {
  checkOptions("`loadWorkloads`", options, { signal: "signal" });
  const files = await filesOf(path);
  const workloads: Workload[] = [];
  const defective: DefectiveWorkload[] = [];
  const unreadable: OptimizerError[] = [];
  for (const file of files) {
    try {
      const read = readWorkloads(await readJson(file, options.signal), basename(file).replace(/\.json(\.gz)?$/, ""));
      workloads.push(...read.workloads);
      defective.push(...read.defective);
    } catch (error) {
      if (!(error instanceof OptimizerError) || files.length === 1) throw error;
      unreadable.push(error);
      defective.push({ name: basename(file), reason: error.message });
    }
  }
  if (unreadable.length > 0 && unreadable.length === files.length) throw unreadable[0]!;
  if (files.length === 0) {
    throw new OptimizerError(OptimizerErrorCode.INPUT, `Expected ${path} to hold .json or .json.gz files, got none.`);
  }
  return { workloads: distinctNames(workloads), defective };
}

/**
 * The plans of one `.json` or `.json.gz` file in one of the two formats of workloads; see `readWorkloadPlans`.
 * @returns `undefined` for a file of another format
 * @throws OptimizerError `OPTIMIZER_INPUT` as `loadWorkloads`; PlanError for tasks that are not a plan
 */
export async function loadWorkloadPlans(
  file: string,
  options: { signal?: AbortSignal } = {},
): Promise<WorkloadPlan[] | undefined> {
  checkOptions("`loadWorkloadPlans`", options, { signal: "signal" });
  return readWorkloadPlans(await readJson(file, options.signal), basename(file).replace(/\.json(\.gz)?$/, ""));
}

async function filesOf(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path);
    return names
      .filter((file) => /\.json(\.gz)?$/.test(file) && !/^[A-Z_]+\./.test(file))
      .sort()
      .map((file) => join(path, file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OptimizerError(OptimizerErrorCode.INPUT, `Expected ${path} to be a file or folder, got ${why}.`, {
      cause,
    });
  }
}

async function readJson(file: string, signal: AbortSignal | undefined): Promise<unknown> {
  const bytes = await readFile(file, signal === undefined ? {} : { signal });
  try {
    const plain = file.endsWith(".gz") ? await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES }) : bytes;
    if (plain.length > MOST_BYTES) throw new RangeError(`${plain.length} bytes`);
    return JSON.parse(plain.toString("utf8"));
  } catch (cause) {
    throw new OptimizerError(
      OptimizerErrorCode.INPUT,
      `Expected ${file} to be JSON of at most 256 MiB, got ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    );
  }
}
