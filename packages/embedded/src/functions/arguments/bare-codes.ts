import { isForeignId } from "../../catalogue/id-forms.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, key } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { contentWords, nameWords } from "../../language/text/lexicon.ts";
import { sameStem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { openingOf } from "../segmenting/opening.ts";
import { isNumeric, isTextual } from "./parameter-reading.ts";
import { withoutUsed } from "./without-used.ts";

/** It is a guess, right more often than not. */
const likelihood = 0.7;

/**
 * "unfreeze 9912", "terminate the lease of 4B": the only code that a call says, behind its verb or a preposition, is what its only open argument is called for, though
 * the argument's name does not say that it takes ids (`account`, `unit`). So is the only number of what its only open number is called for: "reorder 500 of S-12".
 * Nothing is looked up for it then. Linear in the tokens.
 */
export function fillBareCode(draft: Draft, tokens: readonly Token[], isNoun: (noun: string) => boolean): void {
  const open = missingArguments(draft);
  const left = withoutUsed(tokens, draft);
  const fill = (parameter: Parameter | undefined, token: Token | undefined, value: unknown) => {
    if (parameter === undefined || token === undefined) return;
    const { text, start } = token;
    fillValue(draft, parameter, value, { source: "goal", text, start, likelihood });
  };
  const number = onlyOne(left.filter(isPlainNumber));
  const amount = onlyOne(
    open.filter((each) => isNumeric(each) && !each.isIdentifier && !each.takesList && each.choices.length === 0),
  );
  if (amount !== undefined && number !== undefined && open.length === 1) fill(amount, number, number.value);
  const parameter = onlyOne(open.filter(holdsThing));
  const code = onlyOne(left.filter(isCode));
  const isForeign = parameter !== undefined && isForeignId(parameter, code?.text, draft.profile.effect);
  if (parameter !== undefined && !isForeign && code !== undefined && isCalledBy(code, parameter, tokens, isNoun))
    fill(parameter, code, code.text);
}

/** Whether a call has the code for an argument that is called after a thing, so that no other thing need be looked up by it. */
export function tookBareCode(
  draft: Draft,
  parameter: Parameter,
  tokens: readonly Token[],
  isNoun: (noun: string) => boolean,
): boolean {
  const filling = draft.filled.get(key(parameter))?.filling;
  if (filling?.kind !== "value" || !holdsThing(parameter)) return false;
  const code = onlyOne(tokens.filter(isCode));
  return code !== undefined && code.text === filling.value && isCalledBy(code, parameter, tokens, isNoun);
}

const onlyOne = <Each>([first, second]: readonly Each[]): Each | undefined =>
  second === undefined ? first : undefined;

/** Right behind the argument's noun, or behind the verb or a preposition and no noun of another thing. */
function isCalledBy(
  code: Token,
  { stems }: Parameter,
  tokens: readonly Token[],
  isNoun: (noun: string) => boolean,
): boolean {
  const before = tokens[tokens.indexOf(code) - 1];
  if (before?.kind !== "word") return false;
  if (stems.some((each) => sameStem(each, before.stem))) return true;
  const { at, imperative } = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  if (imperative && before === tokens[at]) return true;
  return /^(?:of|for|on|in)$/.test(before.lower) && !isNoun(before.noun);
}

/** It is called after a thing, and takes no text, name, address or day. */
const holdsThing = (parameter: Parameter): boolean =>
  isTextual(parameter) &&
  !parameter.isIdentifier &&
  parameter.required &&
  parameter.takesOne &&
  parameter.choices.length === 0 &&
  parameter.format === "" &&
  !parameter.holdsDay &&
  !parameter.isCredential &&
  !parameter.isPlace &&
  parameter.stems.length === 1 &&
  !parameter.words.some((word) => contentWords.has(word) || nameWords.has(word) || otherKinds.test(word));
const otherKinds =
  /^(?:to|from|e?mail|phone|url|link|path|file|language|currency|reason|comment|description|problem|message|subject|code|number)$/;

/** "4B", "web-1", "9912": a number of three digits or more, or one with a letter. */
const isCode = ({ kind, text }: Token): boolean =>
  (kind === "literal" && /^(?=.*\d)[\p{L}\d][\p{L}\d_-]*$/u.test(text)) ||
  (kind === "number" && /^(?:\d{3,}|\d+[A-Z])$/.test(text));

/** A longer number names something. */
const isPlainNumber = ({ kind, text }: Token): boolean => kind === "number" && /^\d{1,12}(?:[.,]\d+)?$/.test(text);
