import { allows } from "../../catalogue/allows.ts";
import { isForeignId } from "../../catalogue/id-forms.ts";
import { type Draft, fillValue, isGiven } from "../../draft/draft.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { determiners, emptyNouns, unitOfMeasure } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import { holdsPlace } from "./left-over-places.ts";
import { withoutUsed } from "./without-used.ts";

/** It is a guess, right more often than not; it makes a proposal of most plans. */
const likelihood = 0.5;
/** Words of such a noun with those that tell of it. */
const maxWords = 3;

/**
 * "recipes with lentils", "18 kg of basil in bay 1": a noun that no resource knows, behind one of these prepositions, is left over, and so is one argument of its call that takes
 * any text. Linear in the goal.
 */
export function fillLeftOverObjects(
  drafts: readonly Draft[],
  goal: readonly Token[],
  knows: (stem: string) => boolean,
): void {
  const [draft, other] = drafts.filter(({ support }) => !support);
  if (draft === undefined || other !== undefined) return;
  const [parameter, more] = draft.profile.parameters.filter((each) => holdsPlace(each) && !isGiven(draft, each));
  if (parameter === undefined || more !== undefined) return;
  const left = drafts.reduce<readonly Token[]>((tokens, each) => withoutUsed(tokens, each), goal);
  const [noun, another] = left.flatMap((_, at) => nounBehind(left, at, knows) ?? []);
  if (noun === undefined || another !== undefined) return;
  if (!allows(parameter, noun.lower) || isForeignId(parameter, noun.lower, draft.profile.effect)) return;
  fillValue(draft, parameter, noun.text, { source: "goal", text: noun.text, start: noun.start, likelihood });
}

/** The last word of a phrase in small letters, where nothing knows it. */
function nounBehind(tokens: readonly Token[], at: number, knows: (stem: string) => boolean): Token | undefined {
  // "18 kg of basil", and no "list of names"
  const isAmount = tokens[at]!.lower === "of" && unitOfMeasure.test(tokens[at - 1]?.lower ?? "");
  if (tokens[at]!.lower !== "with" && !isAmount) return undefined;
  let from = at + 1;
  while (determiners.has(tokens[from]?.lower ?? "")) from += 1;
  let to = from;
  while (to - from <= maxWords && isPlain(tokens[to])) to += 1;
  const noun = tokens[to - 1];
  if (to === from || to - from > maxWords || noun === undefined) return undefined;
  return knows(noun.stem) || emptyNouns.has(noun.lower) || isVerb(noun.lower) ? undefined : noun;
}

const isPlain = (token: Token | undefined): boolean =>
  token?.kind === "word" && !token.capital && isContent(token.lower) && !unitOfMeasure.test(token.lower);
