import { verbStems } from "../../catalogue/acts-of.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import type { Span } from "../../language/clauses/spans.ts";
import { isContent } from "../../language/text/content-words.ts";
import { emptyNouns, prepositions, unitOfMeasure } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { openingOf } from "../segmenting/opening.ts";

/** What is called by a word that no resource knows: "the pumps web and api". */
export const isBareName = ({ kind, words }: Span, { knows }: Catalogue): boolean =>
  kind === "phrase" && words.length === 1 && words[0]!.kind === "word" && !knows(words[0]!.stem);

/** "compare the price of corn and soy" reads both. */
export const takesBareName = (
  { isIdentifier, required, choices }: Parameter,
  { value }: { readonly value: unknown },
  { profile, clause }: Draft,
): boolean => {
  const isCompared =
    profile.effect === "reads" && clause.tokens.some(({ lower }) => /^(?:compare|contrast)$/.test(lower));
  const mayRepeat = isIdentifier || (isCompared && required && choices.length === 0);
  return mayRepeat && typeof value === "string" && /^\p{L}[\p{L}\d_-]*$/u.test(value);
};

/** How likely a bare name is what a call lacks. */
const likelihoodOfBareName = 0.6;
/** "roll back order entry in production": a thing that is called by plain words has no more of them. */
const maxWordsOfBareName = 2;

/**
 * "stop web and api", "restart billing on staging": where a call lacks one id or text alone, and names that no resource knows are all that is said, or
 * the verb of the tool is followed by words that the tool does not have, they are what it lacks.
 */
export function fillBareNames(
  draft: Draft,
  spans: readonly Span[],
  used: Map<Span, Parameter>,
  catalogue: Catalogue,
): void {
  const [open, more] = missingArguments(draft);
  if (open === undefined || more !== undefined || open.takesList) return;
  const [first, second] = spans;
  const isRow = second?.joined === true && used.size === 0 && spans.every((each) => isBareName(each, catalogue));
  if (isRow && open.isIdentifier && spans.every((each, at) => each.preposition === "" && each.joined === at > 0)) {
    fillBareName(draft, open, first!.text, first!.words[0]?.start);
    used.set(first!, open);
    return;
  }
  const words = bareObject(draft, open);
  if (words === undefined) return;
  fillBareName(draft, open, words.map(({ text }) => text).join(" "), words[0]?.start);
  for (const span of spans) if (span.words.some((word) => words.includes(word))) used.set(span, open);
}

function fillBareName(draft: Draft, open: Parameter, text: string, start: number | undefined): void {
  const origin = { source: "goal", text, likelihood: likelihoodOfBareName } as const;
  fillValue(draft, open, text, start === undefined ? origin : { ...origin, start });
}

const isUnit = (token: Token | undefined): boolean => token?.kind === "word" && unitOfMeasure.test(token.lower);

/** "everything", "now", "quickly" */
const saysNoName = /(?:thing|one|body|ly)$|^(?:all|both|again|now|later|soon|once|today|tonight|tomorrow|here|there)$/;

/** The words right behind the verb that the tool is called by, up to a preposition or the end. */
function bareObject({ profile, clause: { tokens } }: Draft, open: Parameter): readonly Token[] | undefined {
  if (!open.types.has("string") || open.choices.length > 0 || open.holdsDay || open.format !== "") return undefined;
  const opening = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  const isDone = verbStems(profile).has(opening.stem) || stem(profile.nameWords[0] ?? "") === opening.stem;
  const isThing = open.isIdentifier || open.stems.every((each) => profile.about.has(each));
  if (!opening.imperative || !isDone || !isThing) return undefined;
  const isParticle = opening.joined === `${tokens[opening.at]?.lower}${tokens[opening.at + 1]?.lower}`;
  let from = opening.at + 1 + Number(isParticle);
  // "feed 400 mg amber": how much of it.
  const isAmount = tokens[from]?.kind === "number";
  if (isAmount) from += 1 + Number(isUnit(tokens[from + 1]));
  // "refund 30 euros", "reserve 4 seats": words behind a number are counted, and name nothing.
  if (isAmount && open.isIdentifier && !isUnit(tokens[from - 1])) return undefined;
  const rest = tokens.slice(from);
  const end = rest.findIndex(({ kind, lower }) => kind !== "word" || prepositions.has(lower));
  const words = end < 0 ? rest : rest.slice(0, end);
  const isPlain = ({ lower, stem: own }: Token) =>
    isContent(lower) &&
    !emptyNouns.has(lower) &&
    !saysNoName.test(lower) &&
    !profile.nameWords.some((word) => sameStem(stem(word), own)) &&
    !open.stems.some((each) => sameStem(each, own)) &&
    // "deploy version 2 of checkout": what another argument is called says which value it gets.
    !profile.parameters.some(({ stems }) => stems.some((each) => sameStem(each, own)));
  return words.length > 0 && words.length <= maxWordsOfBareName && words.every(isPlain) ? words : undefined;
}
