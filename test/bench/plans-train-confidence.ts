import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { PlanEvidence } from "../../packages/embedded/src/confidence/plan-evidence.ts";
import { type Forecast, reliabilityTable } from "./calibration.ts";
import { benchmarkPlans, hashOf, type JudgedPlan, wildPlans } from "./confidence-data.ts";
import { chanceOf, type Fit, fitLogistic, logLoss, type Observation, selectEvidence } from "./logistic-fit.ts";

/**
 * Learns how far plans can be trusted, from goals over real servers and from the half of the benchmarks that is worked on:
 * `pnpm train:confidence --data ../shared [--more FOLDER] [--keep] [--write]`.
 *
 * Two logistic regressions over `evidenceOf`. *right*: the whole plan is right, of all plans. *served*: some tool does what the goal
 * asks for; plans with the right tools against plans of impossible goals and of goals whose tools were taken away. Each uses the
 * few pieces of evidence that lower the loss when catalogues are forecast by weights of the others (forward selection);
 * `--keep` uses those in use now, `--only right` leaves the other regression as it is. What is printed is cross-validated: each catalogue by weights that were learned without it. `--more`
 * names further folders of goals over real servers, `--score` folders that are forecast and never learned from.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    more: { type: "string", multiple: true, default: [] },
    score: { type: "string", multiple: true, default: [] },
    keep: { type: "boolean", default: false },
    only: { type: "string" },
    write: { type: "boolean", default: false },
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
  },
});
if (options.data === undefined) {
  process.stderr.write(
    "usage: pnpm train:confidence --data FOLDER [--more FOLDER] [--score FOLDER] [--keep] [--write]\n",
  );
  process.exit(2);
}

type Name = keyof PlanEvidence;
const wildFolders = [join(options.data, "wild"), ...options.more];
const benchmarks = join(options.data, "planbench/data");
/** How strongly weights are held to 0, in plans. */
const ridge = 4;
/** What a further piece of evidence must lower the log loss by. */
const minGain = 0.003;

const wild: JudgedPlan[] = [];
for (const folder of wildFolders) wild.push(...(await wildPlans(folder)));
const bench = benchmarkPlans(benchmarks);
const names = Object.keys(wild[0]!.evidence) as Name[];

/** What a regression learns from and is judged by. */
interface Head {
  readonly name: "right" | "served";
  readonly learnsFrom: (plan: JudgedPlan) => boolean;
  readonly truth: (plan: JudgedPlan) => boolean;
  /** How much all plans of one benchmark weigh together, in plans over real servers. */
  readonly benchmarkWeight: number;
}

const heads: readonly Head[] = [
  {
    name: "right",
    learnsFrom: ({ kind, right }) => kind !== "without" && right !== undefined,
    truth: ({ right }) => right === true,
    benchmarkWeight: 15,
  },
  {
    name: "served",
    learnsFrom: ({ kind, tools }) => tools || kind === "impossible" || kind === "without",
    truth: ({ tools }) => tools,
    // Goals of benchmarks say less of their tools than people do who know what they have.
    benchmarkWeight: 4,
  },
];

/** The plans that a head learns from, with their weight. */
function weighed({
  learnsFrom,
  benchmarkWeight,
}: Head): readonly { readonly plan: JudgedPlan; readonly weight: number }[] {
  const own = [...wild, ...bench].filter(learnsFrom);
  const sizes = Map.groupBy(own, ({ group, kind }) => `${group} ${kind === "without"}`);
  return own.map((plan) => {
    const alike = sizes.get(`${plan.group} ${plan.kind === "without"}`)?.length ?? 1;
    return { plan, weight: plan.isBenchmark ? benchmarkWeight / alike : 1 };
  });
}

type Weighed = ReturnType<typeof weighed>;

const observed = ({ truth }: Head, plans: Weighed): Observation<Name>[] =>
  plans.map(({ plan, weight }) => ({ evidence: plan.evidence, right: truth(plan), weight }));

/** Each group forecast by weights that were learned from the others. */
function crossValidated(head: Head, plans: Weighed, chosen: readonly Name[]) {
  return [...Map.groupBy(plans, ({ plan }) => plan.group)].flatMap(([group, own]) => {
    const rest = plans.filter(({ plan }) => plan.group !== group);
    const fit = fitLogistic(observed(head, rest), chosen, ridge);
    return own.map(({ plan, weight }) => ({
      ...{ plan, weight },
      chance: chanceOf(fit, plan.evidence),
      right: head.truth(plan),
    }));
  });
}

const fits = new Map<Head["name"], Fit<Name>>();
for (const head of heads) {
  const plans = weighed(head);
  const chosen = options.keep
    ? await namesInUse(head.name)
    : selectEvidence(names, (tried) => logLoss(crossValidated(head, plans, tried)), minGain);
  const fit = fitLogistic(observed(head, plans), chosen, ridge);
  fits.set(head.name, options.only === undefined || options.only === head.name ? fit : await weightsInUse(head.name));
  const forecasts = crossValidated(head, plans, chosen);
  print(`\n${head.name}: ${plans.length} plans, ${chosen.join(", ")}`);
  print(`each catalogue by the weights of the others, goals over real servers:`);
  const real = forecasts.filter(({ plan }) => !plan.isBenchmark);
  print(reliabilityTable(real));
  print(head.name === "right" ? thresholds(real) : refusals(real));
  print("each benchmark by the weights of the others:");
  const others = forecasts.filter(({ plan }) => plan.isBenchmark);
  print(reliabilityTable(others));
  if (head.name === "served") print(refusals(others));
  for (const folder of options.score) {
    const own = (await wildPlans(folder)).filter(head.learnsFrom);
    const scored = own.map((plan) => ({ plan, chance: chanceOf(fit, plan.evidence), right: head.truth(plan) }));
    print(`goals that were never learned from (${folder.split("/").slice(-2).join("/")}):`);
    print(reliabilityTable(scored));
    print(head.name === "right" ? thresholds(scored) : refusals(scored));
  }
}
if (options.write) {
  const file = join(import.meta.dirname, "../../packages/embedded/src/confidence/confidence-weights.ts");
  writeFileSync(file, sourceOf());
}

type Scored = Forecast & { readonly plan: JudgedPlan };

/** Plans that nothing else marks, by the number below which a plan is a proposal. */
function thresholds(forecasts: readonly Scored[]): string {
  const plain = forecasts.filter(({ plan }) => !plan.noted);
  const rows = [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75].map((threshold) => {
    const unmarked = plain.filter(({ chance }) => chance >= threshold);
    const wrong = unmarked.filter(({ right }) => !right).length;
    const marked = plain.filter(({ chance }) => chance < threshold);
    return [
      threshold.toFixed(2),
      `${unmarked.length - wrong} of ${plain.filter(({ right }) => right).length}`,
      String(wrong),
      `${marked.filter(({ right }) => !right).length} of ${marked.length}`,
    ];
  });
  return table(["proposal below", "right, unmarked", "wrong, unmarked", "marked that are wrong"], rows);
}

/** What is refused, by the number below which a goal is. */
function refusals(forecasts: readonly Scored[]): string {
  const of = (test: (each: Scored) => boolean) => forecasts.filter(test);
  const share = (part: readonly Scored[], threshold: number) =>
    `${part.filter(({ chance }) => chance < threshold).length} of ${part.length}`;
  const rows = [0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3].map((threshold) => [
    threshold.toFixed(2),
    share(
      of(({ plan }) => plan.kind === "impossible"),
      threshold,
    ),
    share(
      of(({ plan }) => plan.kind === "without"),
      threshold,
    ),
    share(
      of(({ plan }) => plan.tools),
      threshold,
    ),
    share(
      of(({ plan }) => plan.right === true),
      threshold,
    ),
  ]);
  return table(["refused below", "impossible", "tools taken away", "right tools", "whole plan right"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, ...rows].map((line) => line.map((cell) => cell.padStart(22)).join("")).join("\n");
}

async function weightsInUse(head: Head["name"]): Promise<Fit<Name>> {
  const weights = await import("../../packages/embedded/src/confidence/confidence-weights.ts");
  return head === "right" ? weights.rightWeights : weights.servedWeights;
}

async function namesInUse(head: Head["name"]): Promise<Name[]> {
  return Object.keys(await weightsInUse(head)).filter((name): name is Name => name !== "bias");
}

function sourceOf(): string {
  const weights = (head: Head["name"]) =>
    Object.entries<number>(fits.get(head)!)
      .map(([name, weight]) => `  ${name}: ${Number(weight.toFixed(3))},`)
      .join("\n");
  return `/*
 * Learned on ${options.date} by \`pnpm train:confidence --data ../shared${" --more FOLDER".repeat(options.more.length)}${options.only === undefined ? "" : ` --only ${options.only}`} --write\` from ${wild.filter(heads[0]!.learnsFrom).length} plans over real servers and
 * ${bench.filter(heads[0]!.learnsFrom).length} of public benchmarks (the half that is worked on). Data: sha256 ${hashOf([...wildFolders, benchmarks])}. Not edited by hand.
 */

/** What a unit of evidence adds to the log-odds that the whole plan is right. */
export const rightWeights = {
${weights("right")}
} as const;

/** Likewise, that some tool does what the goal asks for. */
export const servedWeights = {
${weights("served")}
} as const;
`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
