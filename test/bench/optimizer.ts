import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  benchEnvironments,
  htmlReport,
  type LabOptions,
  loadWorkloads,
  markdownReport,
  measureScale,
  optimizerLab,
  type ScaleFigures,
  scaleSources,
} from "@planloom/bench";
import { fillPage } from "./docs-tables.ts";

/**
 * The optimizer bench: `pnpm bench:optimizer [--workloads DIR] [--k 4,8] [--overhead 0,1,10] [--quick] [--json] [--out DIR] [--docs FILE]`.
 *
 * Without `--workloads` the seeded generators are the workloads. With `--out` it writes `report.json`, `report.md` and
 * `report.html`, and keeps rows in `rows.jsonl`, so that a run that was cut off goes on when it is started again. Figures
 * of large plans are taken in fresh processes (`--scale N,edges|shuffled|tasks|lines|parsed`). `--docs` renews the tables of a page, see `fillTables`.
 */
const { values } = parseArgs({
  options: {
    workloads: { type: "string" },
    k: { type: "string" },
    overhead: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    out: { type: "string" },
    docs: { type: "string" },
    scale: { type: "string" },
  },
});

let shown = "";

if (values.scale !== undefined) {
  const [tasks, from] = values.scale.split(",");
  const source = scaleSources.find((each) => each === from) ?? "edges";
  process.stdout.write(JSON.stringify(await measureScale(Number(tasks), source)));
} else {
  await main();
}

async function main(): Promise<void> {
  const { quick, out, workloads: folder } = values;
  const read = folder === undefined ? undefined : await loadWorkloads(folder);
  if (read !== undefined && read.defective.length > 0) {
    process.stderr.write(`${read.defective.length} plans left out: ${read.defective[0]!.reason}\n`);
  }
  const referenceFile = folder === undefined ? undefined : join(folder, "REFERENCE.json");
  const reference =
    referenceFile !== undefined && existsSync(referenceFile)
      ? (JSON.parse(await readFile(referenceFile, "utf8")) as LabOptions["reference"])
      : undefined;
  const sizes: [number, ScaleFigures["from"]][] = quick
    ? [[100_000, "edges"]]
    : [
        [100_000, "edges"],
        [100_000, "tasks"],
        [1_000_000, "edges"],
        [1_000_000, "shuffled"],
        [1_000_000, "tasks"],
        [1_000_000, "lines"],
        [1_000_000, "parsed"],
      ];
  const report = await optimizerLab({
    quick,
    scale: sizes.map(([tasks, from]) => scaleInFreshProcess(tasks, from)),
    environments: benchEnvironments(numbers(values.k, [8]), numbers(values.overhead, [0, 1, 10])),
    ...(read === undefined ? {} : { workloads: read.workloads }),
    ...(reference === undefined ? {} : { reference }),
    ...(out === undefined ? {} : { journal: join(out, "rows.jsonl") }),
    onProgress: progress,
  });
  progress("");
  if (out !== undefined) {
    await mkdir(out, { recursive: true });
    await writeFile(join(out, "report.json"), JSON.stringify(report));
    await writeFile(join(out, "report.md"), markdownReport(report));
    await writeFile(join(out, "report.html"), await htmlReport(report));
    process.stderr.write(`Wrote report.json, report.md and report.html to ${out}.\n`);
  }
  if (values.docs !== undefined) {
    const filled = await fillPage(values.docs, report.tables);
    process.stderr.write(`Renewed ${filled} tables of ${values.docs}.\n`);
  }
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : markdownReport(report));
}

/** One line that is written over; nothing where nobody watches. */
function progress(what: string): void {
  if (!process.stderr.isTTY || what === shown) return;
  shown = what;
  process.stderr.write(`\r\u001b[2K${what}`);
}

function scaleInFreshProcess(tasks: number, from: ScaleFigures["from"]): ScaleFigures {
  const script = fileURLToPath(import.meta.url);
  const text = execFileSync(process.execPath, [script, "--scale", `${tasks},${from}`], { encoding: "utf8" });
  return JSON.parse(text) as ScaleFigures;
}

/** Comma-separated numbers; `inf` for unlimited. */
function numbers(text: string | undefined, otherwise: readonly number[]): readonly number[] {
  if (text === undefined) return otherwise;
  return text.split(",").map((each) => (each === "inf" ? Number.POSITIVE_INFINITY : Number(each)));
}
