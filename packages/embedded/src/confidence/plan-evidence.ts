import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Chosen } from "../draft/chosen.ts";
import { type Draft, sourcesOf } from "../draft/draft.ts";
import { missingArguments } from "../draft/tasks.ts";
import type { Unresolved } from "../draft/unresolved.ts";
import { contradictsVerb, nameUnsaid } from "./call-wording.ts";
import { unsaidIn } from "./unsaid.ts";

/** A finished plan with how it came about. */
export interface PlanReading {
  readonly drafts: readonly Draft[];
  readonly unresolved: readonly Unresolved[];
  readonly chosen: ReadonlyMap<Draft, Chosen>;
  readonly catalogue: Catalogue;
  /** What was read as sentences; blanks replace calls that are written out. */
  readonly text: string;
  /** Where the goal begins in the text. */
  readonly start: number;
  /** False where each call was planned for what no tool does (see `unofferedBy`). */
  readonly offered: boolean;
  /** Related words or an encoder helped to choose the tools. */
  readonly byMeaning: boolean;
  /** Judged as if somebody had given all arguments that are missing. @default false */
  readonly answered?: boolean;
  /** How likely the plan is right, where its requests were read one by one by both planners. @default by what is learned of the plan as a whole */
  readonly chance?: number;
}

/** A value with less likelihood than this counts as unlikely. */
const unlikelyValue = 0.3;
/** What a plan counts as that takes no value from the goal. */
const likelihoodWithoutValues = 0.5;
/** A tool whose score is behind by no more than this is as good as the one that was chosen. */
const alikeMargin = 0.5;
/** What one value that is surely wrong adds to the doubt, and the most that all together add: -ln(0.018). */
const maxDoubt = 4;

/**
 * What is known of a finished plan that tells right ones from wrong ones, by name. All numbers, none about a word, a tool or a set
 * of tools. Linear in the plan and the goal.
 */
export function evidenceOf({ drafts, unresolved, chosen, catalogue, text, start, answered = false }: PlanReading) {
  const count = Math.max(1, drafts.length);
  const likelihoods = drafts.flatMap(likelihoodsOf);
  const parts = Math.max(1, likelihoods.length);
  const choices = drafts.flatMap((draft) => chosen.get(draft) ?? []);
  const rivals = choices.map(({ score, alternatives }) => alternatives.map((each) => score - each.score));
  const asked = drafts.filter((draft) => !draft.support);
  const feeding = new Set(drafts.flatMap((draft) => sourcesOf(draft)));
  const required = drafts.flatMap(({ profile }) => profile.parameters.filter((each) => each.required)).length;
  const missing = answered ? 0 : drafts.reduce((sum, draft) => sum + missingArguments(draft).length, 0);
  const notes = unresolved.filter(({ reason }) => reason !== "missing_argument");
  const unsaid = unsaidIn(text, start, drafts, catalogue);
  const words = Math.max(1, unsaid.all);
  return {
    calls: Math.log(count),
    tools: Math.log(Math.max(1, catalogue.profiles.length)) / 2,
    weakestCall: Math.max(-1, Math.min(3, ...choices.map(({ score }) => score))),
    narrowestChoice: Math.max(-0.5, Math.min(1, ...rivals.flat())),
    alike: Math.min(3, Math.max(0, ...rivals.map((each) => each.filter((margin) => margin < alikeMargin).length))),
    missing: missing / Math.max(1, required),
    notes: Number(unresolved.length > 0),
    noParameter: Math.min(3, notes.filter(({ reason }) => reason === "no_parameter").length),
    otherNotes: Math.min(3, notes.filter(({ reason }) => reason !== "no_parameter").length),
    likelihood:
      likelihoods.length === 0 ? likelihoodWithoutValues : likelihoods.reduce((sum, each) => sum + each, 0) / parts,
    doubt: Math.min(
      maxDoubt,
      likelihoods.reduce((sum, each) => sum - Math.log(Math.max(Math.exp(-maxDoubt), each)), 0),
    ),
    unlikely: likelihoods.filter((each) => each < unlikelyValue).length / parts,
    wordsElsewhere: unsaid.elsewhere / words,
    wordsNowhere: unsaid.nowhere / words,
    bestSentence: unsaid.best.share,
    bestVerbs: Math.min(2, unsaid.best.verbs),
    verbsNowhere: Math.min(2, unsaid.verbs),
    valuesNowhere: Math.min(2, unsaid.values),
    added: Math.min(2, drafts.length - asked.length),
    repeated: Math.min(2, asked.length - new Set(asked.map(({ profile }) => profile)).size),
    linked: drafts.filter((draft) => sourcesOf(draft).length > 0 || feeding.has(draft)).length / count,
    changes: Number(drafts.some(({ profile }) => profile.effect !== "reads")),
    nameUnsaid: Math.max(0, ...asked.map(nameUnsaid)),
    verbContradicts: Number(asked.some(contradictsVerb)),
  };
}

export type PlanEvidence = ReturnType<typeof evidenceOf>;

/** Of the values that were read or taken from another call, where that was estimated. */
function likelihoodsOf(draft: Draft): number[] {
  return [...draft.filled.values()].flatMap(({ filling }) => {
    if (filling.kind === "composed") return [];
    const own = filling.kind === "link" ? filling.likelihood : filling.origin?.likelihood;
    return own === undefined ? [] : [own];
  });
}
