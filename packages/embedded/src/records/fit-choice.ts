import { hasStem } from "../catalogue/affinity.ts";
import type { EnumValue, Parameter } from "../catalogue/parameter.ts";
import { flagStems } from "../catalogue/parameter.ts";
import { emptyNouns, sparing } from "../language/text/lexicon.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import { isToCome } from "../language/text/to-come.ts";
import type { Token } from "../language/text/token.ts";
import type { Evidence } from "./evidence.ts";
import type { Fit, FitContext } from "./fit-context.ts";

/** One of the values a parameter allows, named in the text in any inflection; words of the parameter's name help. */
export function fitChoice(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const phrase = context.phrases[evidence.phrase];
  const words = evidence.tokens;
  const stems =
    evidence.kind === "words" || evidence.kind === "name" ? words.map((word) => word.stem) : textStems(evidence);
  let best: { choice: EnumValue; at: number } | undefined;
  for (const choice of parameter.choices) {
    const at = findRun(stems, choice.stems);
    if (at < 0) continue;
    if (choice.stems.length > (best?.choice.stems.length ?? 0)) best = { choice, at };
  }
  if (best === undefined) return undefined;
  const { choice, at } = best;
  // "with a total" does not ask to sort by total.
  if (parameter.words.some((word) => ordering.has(word)) && evidence.preposition !== "by" && !phraseOrders(evidence))
    return undefined;
  const word = words[at];
  if (word !== undefined && isToCome(context.tokens, context.tokens.indexOf(word))) return undefined;
  const used = choice.stems.map((_, offset) => at + offset);
  const around = new Set([...(phrase?.words ?? []).map((word) => word.stem), ...evidence.near]);
  const named = parameter.stems.filter((each) => !choice.stems.includes(each) && hasStem(around, each));
  for (const each of named) {
    const also = stems.findIndex((word) => sameStem(word, each));
    if (also >= 0 && !used.includes(also)) used.push(also);
  }
  const value = evidence.negated ? opposite(parameter, choice) : choice.value;
  if (value === undefined) return undefined;
  const wrapped = parameter.takesList && !parameter.takesOne ? [value] : value;
  return {
    score: choiceScores.named + named.length + choiceScores.perFurtherWord * (choice.stems.length - 1),
    value: wrapped,
    used,
  };
}

const ordering: ReadonlySet<string> = new Set(["sort", "order", "orderby", "sortby", "group", "groupby", "ordering"]);

function phraseOrders(evidence: Evidence): boolean {
  const nearStems = new Set([...evidence.near, ...evidence.tokens.map((token) => token.stem)]);
  return ["sort", "order", "rank", "group", "arrange"].some((word) => nearStems.has(stem(word)));
}

/** "not open" can only be said of two values. */
function opposite(parameter: Parameter, choice: EnumValue): unknown {
  const others = parameter.choices.filter((other) => other !== choice);
  return others.length === 1 ? others[0]?.value : undefined;
}

function textStems(evidence: Evidence): string[] {
  return evidence.text
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map(stem);
}

function findRun(stems: readonly string[], wanted: readonly string[]): number {
  if (wanted.length === 0) return -1;
  return stems.findIndex((_, at) => wanted.every((each, offset) => stems[at + offset] === each));
}

/** From this share of its name on, half of a switch's name is said. */
const halfOfName = 0.5;

/** What speaks for a value that its own words name, and for a switch of whose name half or less is said. */
const choiceScores = { named: 4, perFurtherWord: 0.5, halfNamed: 2, mentioned: 1 } as const;

function switchScore(share: number, words: number): number {
  if (share === 1) return choiceScores.named + choiceScores.perFurtherWord * (words - 1);
  return share >= halfOfName ? choiceScores.halfNamed : choiceScores.mentioned;
}

/** They say little, unless a switch is called so. */
const states: ReadonlySet<string> = new Set(["available", "current", "existing"]);

/** A switch is on when the words it is named for are in the text, in any inflection, and off when they are negated. */
export function fitFlag(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const wanted = flagStems(parameter);
  // A list of booleans is a column of data, no switch.
  if (wanted.length === 0 || evidence.kind === "number" || !parameter.takesOne) return undefined;
  const phrase = context.phrases[evidence.phrase];
  const used: number[] = [];
  let negated = evidence.negated || phrase?.negated === true;
  for (const each of wanted) {
    const at = evidence.tokens.findIndex((word) => matches(word, each));
    if (at < 0) continue;
    used.push(at);
    if (isDenied(evidence.tokens, at, each)) negated = !negated;
  }
  if (used.length === 0) return undefined;
  // "without tolls" for `avoid_tolls`
  if (parameter.words.some((word) => sparing.test(word)) && !evidence.tokens.some(({ lower }) => sparing.test(lower)))
    negated = !negated;
  const empty = used.every(
    (at) => emptyNouns.has(evidence.tokens[at]?.lower ?? "") && !states.has(evidence.tokens[at]?.lower ?? ""),
  );
  if (empty && evidence.preposition !== "with" && evidence.preposition !== "including") return undefined;
  const share = used.length / wanted.length;
  return { score: switchScore(share, wanted.length), value: !negated, used };
}

function matches(word: Token, wanted: string): boolean {
  if (word.kind !== "word") return false;
  return sameStem(word.stem, wanted) || bare(word) === wanted;
}

/** The stem without a denying prefix: "unpaid" is about "paid". */
function bare(word: Token): string {
  const [, rest] = /^(?:un|non|in|dis)(\p{L}{3,})$/u.exec(word.lower) ?? [];
  return rest === undefined ? word.stem : stem(rest);
}

function isDenied(words: readonly Token[], at: number, wanted: string): boolean {
  const word = words[at];
  const before = words[at - 1];
  return (
    (word !== undefined && !sameStem(word.stem, wanted) && bare(word) === wanted) ||
    (word?.hyphenated === true && before?.lower === "non")
  );
}
