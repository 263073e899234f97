import { holdsCode } from "../../catalogue/holds-code.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, key } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { conjunctions, determiners, prepositions, pronouns } from "../../language/text/lexicon.ts";
import { blank, type Token } from "../../language/text/token.ts";
import { openingOf } from "../segmenting/opening.ts";
import { isTextual } from "./parameter-reading.ts";

/** What follows "run this JQL:" is surely the statement. */
const likelihoodOfStatement = 0.9;
/** A question that nothing else took is most likely the one that is to be answered. */
const likelihoodOfQuestion = 0.7;

/**
 * "run this query: a = b ORDER BY c": what is written after a colon is the statement that the only parameter for a formal language
 * takes, whole, where the colon follows a word for it.
 * @returns the tokens that are left for other arguments
 */
export function fillStatement(draft: Draft, tokens: readonly Token[], text: string): readonly Token[] {
  const takers = draft.profile.parameters.filter(
    (each) => each.path.length === 1 && holdsCode(each) && isTextual(each),
  );
  const [only] = takers.filter(({ required }) => required || takers.length === 1);
  const colon = tokens.findIndex(({ text: sign }) => sign === ":");
  const [label, first, last] = [tokens[colon - 1], tokens[colon + 1], tokens.at(-1)];
  if (only === undefined || colon < 1 || first === undefined || last === undefined) return tokens;
  if (
    first.kind === "quoted" ||
    label === undefined ||
    !(isWordForCode.test(label.lower) || only.words.includes(label.lower))
  )
    return tokens;
  const value = text.slice(first.start, last.end).trim();
  fillValue(draft, only, value, { source: "goal", text: value, start: first.start, likelihood: likelihoodOfStatement });
  return tokens.map((token, at) => (at > colon ? blank(token) : token));
}

const isWordForCode =
  /^(?:query|statement|expression|filter|sql|jql|cql|soql|graphql|cypher|sparql|xpath|promql|logql|kql|regex)$/;

/** A guess at a text gives way to what is written after a colon. */
const minTextLikelihood = 0.5;
/** Fewer words after a colon are rather a value of something else. */
const minWords = 2;

/**
 * "open a ticket for Ada: printer on fire": what follows the only colon is the only text that a call which changes something requires, where nothing else is surely
 * that text. O(tokens + arguments)
 */
export function fillAfterColon(draft: Draft, tokens: readonly Token[], text: string): void {
  if (draft.profile.effect === "reads") return;
  const texts = draft.profile.parameters.filter(
    (each) => each.required && each.path.length === 1 && isTextual(each) && !each.isIdentifier && each.format === "",
  );
  const [only, more] = texts.filter(({ choices }) => choices.length === 0);
  const colon = tokens.findIndex(({ text: sign }) => sign === ":");
  const [first, last] = [tokens[colon + 1], tokens.at(-1)];
  if (only === undefined || more !== undefined || colon < 1 || first === undefined || last === undefined) return;
  const words = tokens.slice(colon + 1);
  if (words.length < minWords || words.some(({ kind, text: sign }) => kind === "quoted" || /^[:?\n]/.test(sign)))
    return;
  const own = draft.filled.get(key(only))?.filling;
  const origin = own?.kind === "value" ? own.origin : undefined;
  // In "for Ben: late parcel" the name before the colon is not the text.
  const isFor = origin?.start !== undefined && origin.start + (origin.text?.length ?? 0) === tokens[colon - 1]!.end;
  if (own !== undefined && (own.kind !== "value" || ((origin?.likelihood ?? 1) >= minTextLikelihood && !isFor))) return;
  const value = text.slice(first.start, last.end).replace(/[\s,;]+$/, "");
  fillValue(draft, only, value, { source: "goal", text: value, start: first.start, likelihood: likelihoodOfQuestion });
}

/** What is made is called so. */
const isTitle = ({ words }: Parameter): boolean => /^(?:title|summary)$/.test(words.join(" "));
const withMore = new Set(["with"]);

/**
 * "schedule lunch with Ada tomorrow at noon": what is to be made is its own title, where the title must be given and nothing else is surely it. Not "create an event tomorrow", which says only what every call of the
 * tool makes. O(tokens)
 */
export function fillObject(draft: Draft, tokens: readonly Token[], text: string): void {
  const { profile } = draft;
  const [title, more] = profile.parameters.filter((each) => each.required && each.path.length === 1 && isTitle(each));
  if (profile.effect === "reads" || title === undefined || more !== undefined || !isTextual(title)) return;
  const own = draft.filled.get(key(title))?.filling;
  if (own !== undefined && (own.kind !== "value" || (own.origin?.likelihood ?? 1) >= minTextLikelihood)) return;
  const { at, imperative, actions, joined } = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  if (!imperative || !(actions.has("create") || profile.verbs.includes(tokens[at]?.lower ?? ""))) return;
  let from = at + (joined === undefined ? 1 : 2);
  // "The ingredients" are some that were found.
  if (/^(?:the|this|that|these|those)$/.test(tokens[from]?.lower ?? "")) return;
  while (determiners.has(tokens[from]?.lower ?? "") || tokens[from]?.lower === "new") from += 1;
  let to = from;
  while (isOfObject(tokens[to])) to += 1;
  const words = tokens.slice(from, to);
  const head = words.find(({ lower }) => !withMore.has(lower));
  if (head === undefined || withMore.has(tokens[to - 1]!.lower)) return;
  if (words.some(({ lower }) => pronouns.has(lower))) return;
  if (words.every(({ stem, lower }) => withMore.has(lower) || profile.about.has(stem))) return;
  const [first, last] = [words[0]!, words.at(-1)!];
  const value = text.slice(first.start, last.end);
  fillValue(draft, title, value, { source: "goal", text: value, start: first.start, likelihood: likelihoodOfQuestion });
}

const isOfObject = (token: Token | undefined): boolean =>
  token?.kind === "word" &&
  (withMore.has(token.lower) || !(prepositions.has(token.lower) || conjunctions.has(token.lower)));

/** "how do I sign a request?" for a required `question` that is still open: the question is its own value, whole. */
export function fillQuestion(draft: Draft, tokens: readonly Token[], text: string): void {
  const open = missingArguments(draft).filter(
    ({ words, path, choices }) => path.length === 1 && choices.length === 0 && words.at(-1) === "question",
  );
  const [only] = open;
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (only === undefined || open.length > 1 || first === undefined || last === undefined || !isTextual(only)) return;
  if (!asks.test(first.lower) && last.text !== "?") return;
  const value = text.slice(first.start, last.end).trim();
  fillValue(draft, only, value, { source: "goal", text: value, start: first.start, likelihood: likelihoodOfQuestion });
}

const asks = /^(?:how|what|why|when|where|which|who|can|could|does|do|is|are|should)$/;
