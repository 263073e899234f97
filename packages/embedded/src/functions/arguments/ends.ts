import type { Parameter } from "../../catalogue/parameter.ts";
import { changeBefore } from "../../language/clauses/changes.ts";
import { closesPhrase, isEndOfMove } from "../../language/clauses/from-to.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { determiners, prepositions, pronouns } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import type { Excerpt } from "./excerpts.ts";

/** Which end of a change or a move something is: what it starts from, or what comes of it. */
export type End = "origin" | "target";

/**
 * The end that a parameter holds: by the preposition that its description ends in ("the tree to graft into"), by a word for what
 * replaces something, else by its name (`source`, `new_name`).
 */
export function endHeld({ description, words, direction }: Parameter): End | undefined {
  const last = /([a-z]+)[\s.)]*$/i.exec(description)?.[1]?.toLowerCase() ?? "";
  if (/^(?:into|to|onto)$/.test(last)) return "target";
  if (last === "from") return "origin";
  if (words.some((word) => /^replace(?:ment|d|s)?$/.test(word)))
    return words.at(-1) === "replaced" ? "origin" : "target";
  // "Source branch or commit" of a `ref`
  if (direction === undefined && /^(?:the )?(?:source|origin) \p{L}+/iu.test(description)) return "origin";
  return direction;
}

/**
 * The end that the words before an excerpt make of it: "from A", "from my home in A", "into B", and of "replace A by B" both. O(tokens
 * before it in its clause).
 */
export function endSaid({ from, preposition, kind, words }: Excerpt, tokens: readonly Token[]): End | undefined {
  // "to receive a letter" is not a place, and "to 2 cups" tells a quantity.
  if (kind === "number" && words[0]!.text.length < 5) return undefined;
  if (preposition === "to" && !isEndOfMove(tokens, from) && isDoing(words[0]!, tokens, from)) return undefined;
  const joint = kind === "number" ? undefined : endBetween(tokens, from);
  if (joint !== undefined) return joint;
  const direct =
    endOf(preposition) ?? (/^(?:in|at|of)$/.test(preposition) ? endOf(outerPreposition(tokens, from)) : undefined);
  if (direct !== undefined) return direct;
  const verb = changeBefore(tokens, from);
  if (verb === undefined) return undefined;
  if (/^(?:by|with)$/.test(preposition)) return from - verb > 2 ? "target" : undefined;
  const between = tokens.slice(verb + 1, from);
  const isObject = between.every(({ kind, lower }) => kind === "word" && (determiners.has(lower) || isContent(lower)));
  return preposition === "" && kind !== "phrase" && isObject && between.length <= 3 ? "origin" : undefined;
}

/** A word that is one of the two ends of "from draft-2 to main", where the resource takes both ends of one kind of thing; or the only end that it takes. */
export function isPairedEnd(
  { from, to }: Pick<Excerpt, "from" | "to">,
  tokens: readonly Token[],
  parameters: readonly Parameter[],
): boolean {
  if (to - from !== 1 || tokens[from]?.kind !== "word") return false;
  const isFrom = tokens[from - 1]?.lower === "from";
  if (!isFrom && !isEndOfMove(tokens, from)) return false;
  const kinds = (end: End) => parameters.filter((each) => endHeld(each) === end).map(({ words }) => words.at(-1));
  const targets = kinds("target");
  // "a branch from develop": nothing else can be where it comes from.
  if (isFrom && targets.length === 0) return kinds("origin").length === 1 && closesPhrase(tokens[to]);
  if (isFrom && !/^(?:to|into|onto)$/.test(tokens[to]?.lower ?? "")) return false;
  return kinds("origin").some((kind) => targets.includes(kind));
}

/** "between A and B" names two ends: A the one and B the other. */
function endBetween(tokens: readonly Token[], from: number): End | undefined {
  let at = from - 1;
  if (tokens[at]?.lower === "between") return "origin";
  if (tokens[at]?.lower !== "and") return undefined;
  while (at > 0 && from - at <= maxBetween && tokens[at]!.lower !== "between" && tokens[at]!.kind !== "break") at -= 1;
  return tokens[at]?.lower === "between" ? "target" : undefined;
}

/** Words from "between" to what follows "and". */
const maxBetween = 8;

/** A verb after "to": one that is known, or a bare word with an object. */
function isDoing({ kind, lower, capital }: Token, tokens: readonly Token[], from: number): boolean {
  if (kind !== "word" || capital || tokens[from - 1]?.lower !== "to") return false;
  const next = tokens[from + 1]?.lower ?? "";
  return isVerb(lower) || determiners.has(next) || pronouns.has(next);
}

/** What a preposition alone says. */
export const endOf = (preposition: string): End | undefined =>
  preposition === "from" ? "origin" : /^(?:to|into|onto|towards?)$/.test(preposition) ? "target" : undefined;

/** "from" of "from my home in A": the preposition before the one before an excerpt, with words of one noun between. */
function outerPreposition(tokens: readonly Token[], from: number): string {
  let inner = from - 1;
  while (inner >= 0 && !prepositions.has(tokens[inner]!.lower)) inner -= 1;
  for (let at = inner - 1; at >= 0 && inner - at <= 4; at -= 1) {
    const { kind, lower, capital } = tokens[at]!;
    if (prepositions.has(lower)) return lower;
    if (kind !== "word" || capital || !(determiners.has(lower) || isContent(lower))) return "";
  }
  return "";
}

/** For names, paths, numbers and quotations. The three weights were set by hand. */
const agreementOfValue = 0.75;
/** For plain words after the verb of a change, which can be nothing else. */
const agreementOfChange = 1.6;
/** For other plain words, which may say something else. */
const agreementOfPhrase = 0.35;

/**
 * How well the end that is said and the one that a parameter holds agree: up to 1, down to -1; less for plain words, which may say
 * something else, and where another parameter holds that end.
 * @param isCertain it is said of a change: "rename it to X"
 */
export function endAgreement(
  said: End | undefined,
  held: End | undefined,
  heldElsewhere: boolean,
  { kind }: Excerpt,
  isCertain = false,
): number {
  if (said === undefined) return 0;
  const weight = kind !== "phrase" ? agreementOfValue : isCertain ? agreementOfChange : agreementOfPhrase;
  const against = -Math.min(agreementOfValue, weight);
  if (held !== undefined) return said === held ? weight : against;
  return heldElsewhere ? against / 2 : 0;
}
