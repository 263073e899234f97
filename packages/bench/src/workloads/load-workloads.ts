import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream";
import { promisify } from "node:util";
import { createGunzip, gunzip } from "node:zlib";
import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { PlanError } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { formatTitles, textFormatOf } from "./formats/index.ts";
import { readTaskLines } from "./lines/read-task-lines.ts";
import {
  type NamedTasks,
  plansOf,
  type ReadWorkloads,
  reasonOf,
  type WorkloadPlan,
  workloadsOf,
} from "./named-tasks.ts";
import { readWorkloadPlans, readWorkloads } from "./read-workloads.ts";
import { type DefectiveWorkload, distinctNames, type Workload } from "./workload.ts";

/** No workload file is larger, unpacked. */
const MOST_BYTES = 256 * 1024 * 1024;

/** What files of workloads are called; what is in them decides how they are read. */
const FILE_NAME = /\.(json|ndjson|jsonl|dot|gv|stg|daggen|dax|gexf|graphml|xml|hdag|txt)(\.gz)?$/i;

/** A task a line, which is read as a stream: such a file may be of any size. */
const LINES_NAME = /\.(ndjson|jsonl)(\.gz)?$/i;

/** Whether a file is called as one of the formats of workloads is. Plans in YAML are those of Planloom alone. */
export function isWorkloadFile(name: string): boolean {
  return FILE_NAME.test(name);
}

/**
 * Reads every file of a folder that is called as a format of workloads is (`.json`, `.ndjson`, `.jsonl`, `.dot`, `.gv`, `.stg`, `.daggen`, `.dax`, `.gexf`, `.graphml`, `.xml`, `.hdag`, `.txt`, each also with `.gz`), or one file, in order of
 * their names. What is in a file decides in which format it is read. Files of names in capitals (`INDEX.json`) are about the others and left out; a
 * file of a folder that is not a workload counts as defective. Plans of one name are distinguished by a number. A file of lines (`.ndjson`, `.jsonl`) is one plan with a task of `plan-workload/1` a line, of any size.
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
      const read = await readOne(file, options.signal);
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
    throw new OptimizerError(
      OptimizerErrorCode.INPUT,
      `Expected ${path} to hold files of workloads (.json, .dot, .stg, .dax and others), got none.`,
    );
  }
  return { workloads: distinctNames(workloads), defective };
}

async function readOne(file: string, signal: AbortSignal | undefined): Promise<ReadWorkloads> {
  if (LINES_NAME.test(file)) return readLines(file, signal);
  const content = await readContent(file, signal);
  return "value" in content ? readWorkloads(content.value, titleOf(file)) : workloadsOf([content.tasks]);
}

async function readLines(file: string, signal: AbortSignal | undefined): Promise<ReadWorkloads> {
  const name = titleOf(file);
  const bytes = createReadStream(file, { highWaterMark: 1 << 20 });
  // An error of one of the two ends both, and so what is read.
  const chunks = /\.gz$/i.test(file) ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  try {
    const view = await readTaskLines(chunks, signal === undefined ? {} : { signal });
    if (view.n > 0) return { workloads: [{ name, family: "lines", view }], defective: [] };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof PlanError) return { workloads: [], defective: [{ name, reason: reasonOf(cause) }] };
    if (cause instanceof OptimizerError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OptimizerError(OptimizerErrorCode.INPUT, `Expected ${file} to be a file of lines, got ${why}.`, {
      cause,
    });
  }
  throw new OptimizerError(OptimizerErrorCode.INPUT, `Expected ${file} to hold tasks, got none.`);
}

/**
 * The plans of one file in one of the formats of workloads: `plan-workload/1` (also a task a line), WfFormat, DOT, DAX, GEXF, GraphML, daggen, HyperDAG and STG.
 * @returns `undefined` for JSON of another format
 * @throws OptimizerError `OPTIMIZER_INPUT` as `loadWorkloads`; PlanError for tasks that are not a plan
 */
export async function loadWorkloadPlans(
  file: string,
  options: { signal?: AbortSignal } = {},
): Promise<WorkloadPlan[] | undefined> {
  checkOptions("`loadWorkloadPlans`", options, { signal: "signal" });
  const content = await readContent(file, options.signal);
  return "value" in content ? readWorkloadPlans(content.value, titleOf(file)) : plansOf([content.tasks]);
}

async function filesOf(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path);
    return names
      .filter((file) => isWorkloadFile(file) && !/^[A-Z_]+\./.test(file))
      .sort()
      .map((file) => join(path, file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OptimizerError(OptimizerErrorCode.INPUT, `Expected ${path} to be a file or folder, got ${why}.`, {
      cause,
    });
  }
}

function titleOf(file: string): string {
  return basename(file).replace(FILE_NAME, "");
}

/** JSON, or the tasks of a text in one of the other formats. */
async function readContent(
  file: string,
  signal: AbortSignal | undefined,
): Promise<{ value: unknown } | { tasks: NamedTasks }> {
  const text = await readText(file, signal);
  if (LINES_NAME.test(file)) return { value: valueOfLines(text, file) };
  const format = textFormatOf(text);
  if (format !== undefined) {
    const title = titleOf(file);
    const { name = title, tasks } = await format.read(text, basename(file));
    if (tasks.length > 0) return { tasks: { name, family: format.family, tasks } };
    throw new OptimizerError(OptimizerErrorCode.INPUT, `Expected ${file} (${format.title}) to hold tasks, got none.`);
  }
  try {
    return { value: JSON.parse(text) };
  } catch (cause) {
    const isJson = /\.json(\.gz)?$/i.test(file);
    const expected = isJson ? "JSON" : `a workload in ${formatTitles.join(", ")}`;
    const why = isJson ? (cause as Error).message : JSON.stringify(text.trim().slice(0, 40));
    throw new OptimizerError(OptimizerErrorCode.INPUT, `Expected ${file} to be ${expected}, got ${why}.`, {
      details: { formats: formatTitles },
      cause,
    });
  }
}

/** The lines as one plan of `plan-workload/1`. */
function valueOfLines(text: string, file: string): unknown {
  const tasks: unknown[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      tasks.push(JSON.parse(line));
    } catch (cause) {
      const message = `Expected line ${at + 1} of ${file} to be a task of plan-workload/1 ({"id", "runtime", "deps"}). ${(cause as Error).message}`;
      throw new OptimizerError(OptimizerErrorCode.INPUT, message, { details: { line: at + 1 }, cause });
    }
  }
  if (tasks.length > 0) return { format: "plan-workload/1", name: titleOf(file), family: "lines", tasks };
  throw new OptimizerError(OptimizerErrorCode.INPUT, `Expected ${file} to hold tasks, got none.`);
}

async function readText(file: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    const bytes = await readFile(file, signal === undefined ? {} : { signal });
    const plain = /\.gz$/i.test(file) ? await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES }) : bytes;
    if (plain.length > MOST_BYTES) throw new RangeError(`${plain.length} bytes`);
    return plain.toString("utf8");
  } catch (cause) {
    signal?.throwIfAborted();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OptimizerError(
      OptimizerErrorCode.INPUT,
      `Expected ${file} to be a file of at most 256 MiB, got ${why}.`,
      {
        cause,
      },
    );
  }
}
