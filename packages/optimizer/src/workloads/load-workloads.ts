import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { OptimizerError, OptimizerErrorCode } from "../errors.ts";
import { type ReadWorkloads, readWorkloads } from "./read-workloads.ts";

/** No workload file is larger, unpacked. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Reads every `.json` and `.json.gz` file of a folder, or one file, in order of their names. Files of names in capitals
 * (`INDEX.json`) are about the others and left out.
 * @throws OptimizerError `OPTIMIZER_INPUT` for a file that is no workload, or larger than 256 MiB unpacked.
 */
export async function loadWorkloads(path: string, options: { signal?: AbortSignal } = {}): Promise<ReadWorkloads> {
  const files = (await stat(path)).isDirectory()
    ? (await readdir(path))
        .filter((file) => /\.json(\.gz)?$/.test(file) && !/^[A-Z_]+\./.test(file))
        .sort()
        .map((file) => join(path, file))
    : [path];
  const workloads: ReadWorkloads["workloads"][number][] = [];
  const defective: ReadWorkloads["defective"][number][] = [];
  for (const file of files) {
    const read = readWorkloads(await readJson(file, options.signal), basename(file).replace(/\.json(\.gz)?$/, ""));
    workloads.push(...read.workloads);
    defective.push(...read.defective);
  }
  return { workloads, defective };
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
