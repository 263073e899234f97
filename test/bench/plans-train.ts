import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Resource } from "@planloom/plan";
import type { Call } from "../../packages/embedded/src/functions/arguments/call.ts";
import type { Candidate } from "../../packages/embedded/src/functions/arguments/candidate.ts";
import { sorts } from "../../packages/embedded/src/functions/arguments/parameter-reading.ts";
import { groups } from "../../packages/embedded/src/functions/learned/weigh.ts";
import { type ChoiceSet, learnChoices, type Option } from "./choices.ts";
import { learnLogistic } from "./logistic.ts";
import { foldOf, type Item, isHeldOut, readSets } from "./plans-data.ts";
import { toResources } from "./plans-predict.ts";
import { readItem } from "./plans-read.ts";
import { canonical, isAccepted, type NormalStep, normalise, referenceOf } from "./plans-values.ts";
import { wildItems } from "./wild-items.ts";

/**
 * Learns what speaks for a value of an argument, from the half of the benchmarks that is worked on and from goals over real servers:
 * `pnpm train:values --data ../shared [--write FILE.ts] [--fold 0|1]`. FOLDER holds `planbench/data` and `wild`.
 *
 * The planner reads each goal and lists what every argument could take; a candidate is right where the plan of the
 * benchmark has its value. The weights are the mean of two models that err in different ways: one in which the candidates of an
 * argument compete with each other and with none (multinomial logistic regression), and one that judges each alone. The features are about form,
 * position and agreement with the schema, none about a word of a benchmark. `--fold` leaves out a part of the half, to
 * see how well weights carry over.
 */
const { values: options } = parseArgs({
  options: { data: { type: "string" }, write: { type: "string" }, fold: { type: "string" } },
});
if (options.data === undefined) {
  process.stderr.write("usage: pnpm train:values --data FOLDER [--write FILE.ts] [--fold 0|1]\n");
  process.exit(2);
}

const sets: ChoiceSet[] = [];
const goldOf = new WeakMap<NormalStep, readonly NormalStep[]>();
const reached = { wanted: 0, offered: 0 };
const benchmarks = readSets(join(options.data, "planbench/data")).map(({ items }) =>
  items.filter((item) => !isHeldOut(item.id) && (item.scope ?? ["args"]).includes("args")),
);
const wildFolder = join(options.data, "wild");
const { COMBO } = (await import(pathToFileURL(join(wildFolder, "score.mjs")).href)) as {
  readonly COMBO: Readonly<Record<string, readonly string[]>>;
};
for (const items of [...benchmarks, wildItems(wildFolder, COMBO)]) {
  const own = items.filter(inFold);
  const weight = 8 / Math.sqrt(Math.max(20, own.length));
  const known = new Map<string, Resource[]>();
  for (const item of own) {
    const key = JSON.stringify(item.tools);
    const resources = known.get(key) ?? toResources(item.tools);
    known.set(key, resources);
    for (const [, candidates, step] of observed(item, resources)) collect(candidates, step, weight);
  }
}
const { weights: competing, loss } = learnChoices(sets, sorts.length + 1);
process.stdout.write(`${sets.length} arguments, log loss ${loss.toFixed(4)}\n`);
const table: Record<string, Record<string, number[]>> = {};
for (const group of groups) {
  const rows = sets.flatMap(({ options, weight }) =>
    options.filter((each) => each.group === group).map((each) => ({ ...each, weight })),
  );
  const alone = learnLogistic(rows, sorts.length + 1);
  process.stdout.write(
    `${group}: ${rows.length} candidates, ${alone.positives} right, log loss ${alone.loss.toFixed(4)}\n`,
  );
  table[group] = meanOf(competing[group] ?? {}, alone.weights);
}
process.stdout.write(`values among the candidates: ${reached.offered} of ${reached.wanted}\n`);
if (options.write !== undefined) writeFileSync(options.write, sourceOf(table));

function meanOf(left: Record<string, number[]>, right: Record<string, number[]>): Record<string, number[]> {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  const mean = (one: readonly number[] = [], other: readonly number[] = []) =>
    Array.from({ length: Math.max(one.length, other.length) }, (_, at) =>
      Number((((one[at] ?? 0) + (other[at] ?? 0)) / 2).toFixed(2)),
    );
  return Object.fromEntries([...names].map((name) => [name, mean(left[name], right[name])]));
}

function sourceOf(learned: Record<string, Record<string, number[]>>): string {
  const tells = ([, weights]: [string, number[]]) => weights.some((weight) => Math.abs(weight) >= 0.05);
  const line = ([name, weights]: [string, number[]]) => `${name}|${weights.join(" ")}`;
  const lines = groups.flatMap((group) => [
    `[${group}]`,
    ...Object.entries(learned[group] ?? {})
      .filter(tells)
      .map(line),
  ]);
  return `import { readWeights } from "./weigh.ts";

/**
 * What speaks for a value, learned by \`test/bench/plans-train.ts\` from half of public benchmarks; the features are those
 * of \`features.ts\`, \`number-features.ts\`, \`candidates.ts\` and \`dataflow.ts\`. Not edited by hand.
 */
export const weights = readWeights(\`
${lines.join("\n")}
\`);
`;
}

function inFold(item: Item): boolean {
  return options.fold === undefined || foldOf(item.id) !== Number(options.fold);
}

/** The calls of a plan with the steps that they stand for. */
function observed(item: Item, resources: readonly Resource[]): [Call, readonly Candidate[], NormalStep][] {
  const seen: [Call, readonly Candidate[]][] = [];
  const planning = readItem(item, resources, (call, candidates) => seen.push([call, candidates]));
  if (planning === undefined) return [];
  const gold = normalise(item.gold.steps);
  const open = new Set(gold);
  return seen.flatMap(([call, candidates]): [Call, readonly Candidate[], NormalStep][] => {
    if (!planning.drafts.includes(call.draft)) return [];
    const name = call.draft.profile.resource.id;
    const options = [...open].filter((step) => step.tool === name);
    const hits = (step: NormalStep) =>
      [...step.args.keys()].filter((key) =>
        candidates.some((each) => each.reading.parameter.path[0] === key && isRight(each, step, gold)),
      ).length;
    const [best] = options.sort((left, right) => hits(right) - hits(left));
    if (best === undefined) return [];
    open.delete(best);
    goldOf.set(best, gold);
    return [[call, candidates, best]];
  });
}

function collect(candidates: readonly Candidate[], step: NormalStep, weight: number): void {
  const gold = goldOf.get(step) ?? [];
  const others = gold.filter((other) => other !== step && other.tool === step.tool);
  const right = candidates.map((each) => isRight(each, step, gold));
  for (const name of step.args.keys()) {
    reached.wanted += 1;
    if (candidates.some((each, at) => right[at] && each.reading.parameter.path[0] === name)) reached.offered += 1;
  }
  const byArgument = new Map<Candidate["reading"], Option[]>();
  candidates.forEach((candidate, at) => {
    // What another call of the same tool takes is no counter-example: "A, B and C" makes three.
    if (!right[at] && others.some((other) => isRight(candidate, other, gold))) return;
    const { reading, group, features, shared } = candidate;
    const own = byArgument.get(reading) ?? [];
    byArgument.set(reading, own);
    own.push({
      group,
      features: [...(shared?.features ?? []), ...features],
      sort: reading.sort,
      right: right[at] === true,
    });
  });
  for (const options of byArgument.values()) sets.push({ options, weight });
}

function isRight(candidate: Candidate, step: NormalStep, gold: readonly NormalStep[]): boolean {
  const [name = "", inner, ...deeper] = candidate.reading.parameter.path;
  let wanted: unknown = step.args.get(String(name));
  for (const each of inner === undefined ? [] : [inner, ...deeper])
    if (typeof wanted === "object" && wanted !== null) wanted = (wanted as Record<string, unknown>)[each];
  if (wanted === undefined) return false;
  if (candidate.link !== undefined) {
    const reference = referenceOf(wanted);
    if (reference === undefined) return false;
    const path = candidate.link.path.replace(/^\./, "").replace(/\["([^"]*)"\]/g, ".$1");
    return (
      gold[reference.step]?.tool === candidate.link.source.profile.resource.id &&
      (reference.path === "" || reference.path === path)
    );
  }
  const accept = inner === undefined ? step.accept.get(String(name)) : undefined;
  if (accept !== undefined && isAccepted(candidate.value, accept, [])) return true;
  return canonical(candidate.value, [], true) === canonical(wanted, [], true);
}
