import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, isGiven } from "../../draft/draft.ts";
import { opensReason } from "../../language/clauses/content-clauses.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { conjunctions, fillers, orderWords, prepositions, subordinators } from "../../language/text/lexicon.ts";
import { sameStem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { isTextual } from "./parameter-reading.ts";

/** What is said after a comma or a colon and used nowhere is likely what the call is to note. */
const likelihoodOfRemark = 0.6;
/** Words of a remark. */
const [minWords, maxWords] = [2, 30] as const;

/**
 * "close report 7, new tyre fitted", "cancel it, the guest is ill": what follows the last comma or "because", asks for nothing and went into no argument is the value of the
 * only argument for a remark that is still open. Linear in the tokens.
 * @param isUsed whether a token went into an argument
 */
export function fillRemark(
  draft: Draft,
  tokens: readonly Token[],
  text: string,
  isUsed: (token: Token) => boolean,
): void {
  if (draft.profile.effect !== "changes") return;
  const [taker, more] = draft.profile.parameters.filter((each) => holdsRemark(each) && !isGiven(draft, each));
  if (taker === undefined || more !== undefined) return;
  const comma = tokens.findLastIndex(
    ({ text: sign }, at) => /^[,;–—]$/.test(sign) || announces(tokens, at, draft) || opensReason(tokens, at + 1),
  );
  const remark = tokens.slice(comma + 1).filter(({ text: sign, kind }) => kind !== "break" && !/^[.!]$/.test(sign));
  if (comma < 1 || remark.length < minWords || remark.length > maxWords || asksOrNarrows(remark)) return;
  if (remark.some((token) => isUsed(token) || token.kind === "quoted" || token.text === "?")) return;
  const [first, last] = [remark[0]!, remark.at(-1)!];
  // "update bug 5: title Slow start" says another argument.
  if (draft.profile.parameters.some((each) => each !== taker && each.stems.join() === first.stem)) return;
  const value = text.slice(first.start, last.end).trim();
  fillValue(draft, taker, value, { source: "goal", text: value, start: first.start, likelihood: likelihoodOfRemark });
}

/** A colon behind what is asked for; behind the name of an argument its value follows. */
const announces = (tokens: readonly Token[], at: number, { profile }: Draft): boolean =>
  tokens[at]!.text === ":" &&
  at > 2 &&
  (tokens[at - 2]!.kind === "number" ||
    !profile.parameters.some(({ stems }) => stems.some((each) => sameStem(each, tokens[at - 1]!.stem))));

const holdsRemark = (parameter: Parameter): boolean =>
  /^(?:notes?|comments?|remarks?|reason)$/.test(parameter.words.at(-1) ?? "") &&
  isTextual(parameter) &&
  !parameter.takesList &&
  parameter.path.length === 1 &&
  parameter.choices.length === 0;

/** "…, with two beds", "…, then tell Ann", "…, please": not a remark. */
function asksOrNarrows(remark: readonly Token[]): boolean {
  const [first] = remark;
  const opens = [prepositions, conjunctions, fillers, orderWords, subordinators].some((set) => set.has(first!.lower));
  const isRequest = isVerb(first!.lower) && first!.lower !== "new";
  const tells = remark.filter(({ kind, lower }) => kind === "word" && isContent(lower)).length;
  return opens || isRequest || tells === 0;
}
