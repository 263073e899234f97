import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { encodeGoal, wordnet } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { type Forecast, reliabilityTable } from "./calibration.ts";
import { type DataSet, foldOf, type Item, isHeldOut, readSets, type Step } from "./plans-data.ts";
import { loadEncoder } from "./plans-encoder.ts";
import { type LossReport, losses, reportLosses } from "./plans-errors.ts";
import { circumstances, predict, toResources } from "./plans-predict.ts";
import { type Measure, measures, type Scores, scorePlans, shares } from "./plans-score.ts";
import { targets } from "./plans-targets.ts";

/**
 * How good the plans of the embedded planner are:
 * `pnpm bench:plans --data FOLDER|FILE [--out PREDICTIONS.jsonl] [--json] [--half work|held] [--every N]`.
 *
 * Per set the scores of all items, of the half that is worked on and of the half that is only looked at, with the
 * targets; where plans are lost; and the time a plan takes once the tools are indexed. Last, whether the planner's
 * confidence is borne out. `--every N` takes each N-th item,
 * `--fold 0|1` a part of the half that is worked on; `WEIGHTS=FILE.ts node --import ./test/bench/other-weights.ts …` plans
 * with weights that `plans-train.ts --fold` learned from the other part. `--words` names the folder of WordNet's files,
 * `--encoder` a folder where the packages `@energetic-ai/core`, `embeddings` and `model-embeddings-en` are installed; its time
 * then counts into a plan's, but for the tools.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string", multiple: true },
    out: { type: "string" },
    json: { type: "boolean", default: false },
    half: { type: "string" },
    words: { type: "string" },
    encoder: { type: "string" },
    every: { type: "string", default: "1" },
    fold: { type: "string" },
  },
});
if (options.data === undefined) {
  process.stderr.write("usage: pnpm bench:plans --data FOLDER|FILE.json[.gz] [--out PREDICTIONS.jsonl] [--json]\n");
  process.exit(2);
}

const words = options.words === undefined ? {} : { words: wordnet(options.words) };
const encode =
  options.encoder === undefined
    ? undefined
    : await loadEncoder(options.encoder).catch((error: Error) => {
        process.stderr.write(`${error.message}\n`);
        process.exit(2);
      });

interface Row {
  readonly set: string;
  readonly items: number;
  readonly all: Scores;
  readonly work: Scores;
  readonly held: Scores;
  readonly losses: LossReport;
  readonly medianMs: number;
  readonly p95Ms: number;
}

const lines: string[] = [];
const forecasts: Forecast[] = [];
const rows: Row[] = [];
for (const set of options.data.flatMap(readSets)) rows.push(await measureSet(set));
if (options.out !== undefined) writeFileSync(options.out, lines.join(""));
if (options.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else {
  for (const row of rows) process.stdout.write(`${tableOf(row)}\n`);
  process.stdout.write(
    `confidence, and how many plans are right as a whole (of sets that say what arguments are right):\n${reliabilityTable(forecasts)}\n`,
  );
}

async function measureSet({ name, items: all }: DataSet): Promise<Row> {
  const every = Number(options.every);
  const items = all.filter((item, at) => at % every === 0 && inHalf(item));
  const predictions = new Map<string, readonly Step[]>();
  const times: number[] = [];
  const known = new Map<string, Resource[]>();
  for (const item of items) {
    const key = JSON.stringify(item.tools);
    const resources = known.get(key) ?? toResources(item.tools);
    // The first plan indexes the tools and warms the code.
    predict(item, resources, words);
    if (encode !== undefined && !known.has(key)) await encodeGoal(item.query, resources, encode);
    known.set(key, resources);
    const before = performance.now();
    const meaning = encode && (await encodeGoal(item.query, resources, encode, circumstances(item)));
    const { prediction, plan } = predict(item, resources, { ...words, ...(meaning !== undefined && { meaning }) });
    times.push(performance.now() - before);
    predictions.set(item.id, prediction.steps);
    // The number is about the whole plan, which can be judged only where a set says what the arguments are.
    if (prediction.steps.length > 0 && (item.scope ?? ["args"]).includes("args")) {
      const { exactPlan } = scorePlans([item], new Map([[item.id, prediction.steps]]));
      forecasts.push({ chance: Number(plan.plan.metadata?.confidence), right: exactPlan === 1 });
    }
    lines.push(`${JSON.stringify({ ...prediction, metadata: plan.plan.metadata })}\n`);
  }
  times.sort((left, right) => left - right);
  return {
    set: name,
    items: items.length,
    all: scorePlans(items, predictions),
    work: scorePlans(
      items.filter((item) => !isHeldOut(item.id)),
      predictions,
    ),
    held: scorePlans(
      items.filter((item) => isHeldOut(item.id)),
      predictions,
    ),
    losses: reportLosses(items, predictions),
    medianMs: times[times.length >> 1] ?? 0,
    p95Ms: times[Math.floor(times.length * 0.95)] ?? 0,
  };
}

function inHalf(item: Item): boolean {
  if (options.fold !== undefined) return !isHeldOut(item.id) && foldOf(item.id) === Number(options.fold);
  return options.half === undefined || (options.half === "held") === isHeldOut(item.id);
}

function tableOf(row: Row): string {
  const columns: readonly Measure[] = [...measures, ...shares];
  const heads = ["node", "call", "edge", "argName", "argVal", "argValL", "ref", "refPath", "xTools", "xGraph", "xPlan"];
  const percent = (value: number | null | undefined) =>
    value === null || value === undefined ? "-" : (100 * value).toFixed(1);
  const cells = (scores: Scores) => columns.map((measure) => percent(scores[measure]));
  const wanted = targets.get(row.set) ?? {};
  const body = [
    ["", ...heads],
    ["all", ...cells(row.all)],
    ["worked on", ...cells(row.work)],
    ["held out", ...cells(row.held)],
    ["target", ...columns.map((measure) => (wanted[measure] === undefined ? "-" : wanted[measure].toFixed(1)))],
  ].map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(8))).join(""));
  const reported = losses.map((loss) => `${loss} ${row.losses.plans[loss]} (${row.losses.faults[loss]})`).join(", ");
  const time = `median ${row.medianMs.toFixed(2)} ms, p95 ${row.p95Ms.toFixed(2)} ms a plan`;
  return `${row.set}: ${row.items} plans, ${time}\n${body.join("\n")}\nlost plans by first fault (all faults): ${reported}\n`;
}
