import type { Catalogue } from "../catalogue/catalogue.ts";
import { type Draft, sourcesOf } from "../draft/draft.ts";
import { missingArguments } from "../draft/tasks.ts";
import { isContent } from "../language/text/content-words.ts";
import { emptyNouns } from "../language/text/lexicon.ts";
import { confidenceFeatures } from "./learned/confidence-features.ts";
import { confidenceWeights } from "./learned/confidence-weights.ts";
import { chance } from "./learned/weigh.ts";
import type { CallChoice } from "./segmenting/call-choice.ts";

/** A value with less likelihood than this counts as unlikely. */
const unlikelyValue = 0.3;

export function featuresOf(
  drafts: readonly Draft[],
  leftOut: number,
  { segments, catalogue }: CallChoice,
): Float64Array {
  const likelihoods = drafts.flatMap((draft) =>
    [...draft.filled.values()].flatMap(({ filling }) => {
      const own =
        filling.kind === "link"
          ? filling.likelihood
          : filling.kind === "value"
            ? filling.origin?.likelihood
            : undefined;
      return own === undefined ? [] : [own];
    }),
  );
  const required = drafts.reduce(
    (sum, { profile }) => sum + profile.parameters.filter((each) => each.required).length,
    0,
  );
  const missing = drafts.reduce((sum, draft) => sum + missingArguments(draft).length, 0);
  const feeding = new Set(drafts.flatMap((draft) => sourcesOf(draft)));
  const fed = drafts.filter((draft) => sourcesOf(draft).length > 0 || feeding.has(draft)).length;
  // A plan without any argument is judged by what it could not use, like an argument that is surely wrong; where no resource takes
  // arguments, what is left out says nothing.
  const takesSome = catalogue.profiles.some(({ parameters }) => parameters.length > 0);
  if (likelihoods.length === 0 && leftOut > 0 && takesSome) likelihoods.push(0);
  const mean = likelihoods.reduce((sum, each) => sum + each, 0) / Math.max(1, likelihoods.length);
  const { elsewhere, nowhere, all } = unsaid(drafts, catalogue);
  const asked = drafts.filter((draft) => !draft.support).length;
  return Float64Array.of(
    1,
    Math.log(drafts.length),
    Math.log(catalogue.profiles.length) / 2,
    Math.max(-1, Math.min(3, ...segments.map(({ score }) => score))),
    Math.max(0, Math.min(1, ...segments.map(({ score, second }) => score - second))),
    missing / Math.max(1, required),
    Math.min(2, leftOut / drafts.length),
    likelihoods.length === 0 ? 0.5 : mean,
    likelihoods.length === 0 ? 0 : likelihoods.filter((each) => each < unlikelyValue).length / likelihoods.length,
    Math.min(1, (4 * elsewhere) / Math.max(1, all)),
    nowhere / Math.max(1, all),
    Math.min(2, drafts.length - asked),
    Math.min(2, asked - new Set(drafts.map(({ profile }) => profile)).size),
    fed / drafts.length,
    Number(drafts.length > 1 && fed === 0 && drafts.some(({ profile }) => profile.output.known)),
  );
}

/** Telling words that neither a called resource has nor an argument took: those of other resources, and the rest. */
function unsaid(drafts: readonly Draft[], catalogue: Catalogue): { elsewhere: number; nowhere: number; all: number } {
  const about = new Set(drafts.flatMap(({ profile }) => [...profile.about, ...profile.attributes]));
  const taken = drafts.flatMap((draft) =>
    [...draft.filled.values()].flatMap(({ filling }) => {
      const origin = filling.kind === "value" ? filling.origin : undefined;
      return origin?.start === undefined ? [] : [[origin.start, origin.start + (origin.text?.length ?? 0)] as const];
    }),
  );
  const counts = { elsewhere: 0, nowhere: 0, all: 0 };
  for (const token of new Set(drafts.flatMap((draft) => draft.clause.tokens))) {
    if (token.kind !== "word" || !isContent(token.lower) || emptyNouns.has(token.lower)) continue;
    counts.all += 1;
    if (about.has(token.stem) || taken.some(([from, to]) => token.start >= from && token.start < to)) continue;
    counts[catalogue.knows(token.stem) ? "elsewhere" : "nowhere"] += 1;
  }
  return counts;
}

/**
 * How likely the plan calls the right resources, each as often as needed, and no other: 0 to 1 with two decimals.
 * Logistic regression over `confidenceFeatures`, learned and checked by `test/bench/plans-train-confidence.ts`.
 */
export function likelihoodOf(drafts: readonly Draft[], leftOut: number, choice: CallChoice): number {
  const features = featuresOf(drafts, leftOut, choice);
  const odds = confidenceFeatures.reduce((sum, name, at) => sum + confidenceWeights[name] * features[at]!, 0);
  return Math.round(100 * chance(odds)) / 100;
}
