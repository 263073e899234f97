import type { Catalogue } from "../../catalogue/catalogue.ts";
import { finderFor, isOpenPart } from "../../catalogue/finder.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { type Draft, fillLink, fillValue, isGiven, key, makeDraft } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { auxiliaries, calledLikePeople, conjunctions, determiners, prepositions } from "../../language/text/lexicon.ts";
import { singular } from "../../language/text/singular.ts";
import { stem } from "../../language/text/stem.ts";
import { synonymsOf } from "../../language/text/synonyms.ts";
import { sliceOf, type Token } from "../../language/text/token.ts";
import type { FunctionPlanning } from "../arguments/function-planning.ts";
import { withoutUsed } from "../arguments/without-used.ts";
import { idPath } from "./link-earlier.ts";

/** How likely a look-up by name finds what is meant. */
const lookUpLikelihood = 0.6;

/**
 * "Open a fault on the engine Nordlys": where an id is wanted and a name is said, the thing is looked up by its name, and the id of the
 * first that is found is taken; the plan says so.
 * @returns the look-ups, which come before the draft
 */
export function findByName(draft: Draft, tokens: readonly Token[], planning: FunctionPlanning): Draft[] {
  const { catalogue, text } = planning;
  const found: Draft[] = [];
  let left: readonly Token[] = withoutUsed(tokens, draft);
  const missing = new Set(missingArguments(draft));
  const isUnasked = (parameter: Parameter) =>
    !parameter.required && !isGiven(draft, parameter) && finderFor(parameter, draft.profile, catalogue) !== undefined;
  for (const parameter of draft.profile.parameters) {
    const misread = nameGiven(draft, parameter);
    if (misread === undefined && (isGiven(draft, parameter) || (parameter.required && !missing.has(parameter))))
      continue;
    const finder = finderFor(parameter, draft.profile, catalogue);
    // A place has a latitude and a longitude: one look-up yields both.
    const same = isOpenPart(parameter) ? found.find(({ profile }) => profile === finder?.profile) : undefined;
    if (same !== undefined) {
      fillLink(draft, parameter, { source: same, path: partPath(same.profile, parameter) }, lookUpLikelihood);
      continue;
    }
    if (finder === undefined) continue;
    if (misread !== undefined) {
      const { text: name, start } = misread;
      const look = makeDraft(finder.profile, draft.clause, -1, { support: true });
      fillValue(look, finder.parameter, name, { source: "goal", text: name, start, likelihood: lookUpLikelihood });
      if (missingArguments(look).length > 0) continue;
      fillLink(
        draft,
        parameter,
        { source: look, path: idPath(finder.profile, parameter), named: true },
        lookUpLikelihood,
      );
      found.push(look);
      continue;
    }
    // Of an author and an assignee nothing tells which is meant.
    if (!parameter.required && draft.profile.parameters.filter(isUnasked).length > 1) continue;
    const freed =
      nameSaid(left, parameter, catalogue) === undefined ? withNameFreed(draft, parameter, tokens, found) : left;
    const said = nameSaid(freed, parameter, catalogue);
    if (said === undefined) continue;
    left = freed;
    const look = makeDraft(finder.profile, draft.clause, -1, { support: true });
    const [first, last] = [left[said.from]!, left[said.to - 1]!];
    const value = first.kind === "quoted" ? String(first.value) : sliceOf(text, first, last).replace(/^#/, "");
    const origin = {
      source: "goal",
      text: sliceOf(text, first, last),
      start: first.start,
      likelihood: lookUpLikelihood,
    } as const;
    fillValue(look, finder.parameter, value, origin);
    for (const needed of missingArguments(look)) {
      const own = [...draft.filled.values()].find((each) => each.parameter.name === needed.name)?.filling;
      if (own?.kind === "value") fillValue(look, needed, own.value, own.origin);
    }
    if (missingArguments(look).length > 0) continue;
    const path = (isOpenPart(parameter) ? partPath : idPath)(finder.profile, parameter);
    fillLink(draft, parameter, { source: look, path, named: true }, lookUpLikelihood);
    found.push(look);
    left = withoutUsed(left, look);
  }
  return found;
}

/**
 * "the grades of Lena Vogt": the name of a person whose id must be given is not for a text that need not be (a `term`), unless that is a name as
 * well. The words that are left, with it.
 */
function withNameFreed(
  draft: Draft,
  wanted: Parameter,
  tokens: readonly Token[],
  found: readonly Draft[],
): readonly Token[] {
  const left = () => found.reduce(withoutUsed, withoutUsed(tokens, draft));
  if (!wanted.required || !calledLikePeople.has(wanted.entity.at(-1) ?? "")) return left();
  for (const [slot, { parameter, filling }] of draft.filled) {
    const isName =
      filling.kind === "value" && filling.origin?.source === "goal" && isNameOfPerson.test(String(filling.value));
    if (
      !isName ||
      parameter.required ||
      parameter.choices.length > 0 ||
      /^(?:name|title|query|q)$/.test(parameter.words.at(-1) ?? "")
    )
      continue;
    draft.filled.delete(slot);
    break;
  }
  return left();
}

const isNameOfPerson = /^\p{Lu}\p{L}+(?:[ -]\p{Lu}\p{L}+)+$/u;

/** The field of the same name, which is supposed, of the first that is found. */
const partPath = ({ output }: Profile, { name }: Parameter): string => (output.many ? `[0].${name}` : `.${name}`);

/** Where the name of a thing is said: beside its noun, or the only name that is left; of a person any name. */
function nameSaid(tokens: readonly Token[], { entity, required }: Parameter, catalogue: Catalogue) {
  const head = stem(singular(entity.at(-1) ?? ""));
  const nouns = new Set([head, ...synonymsOf(head)]);
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "word" || !nouns.has(stem(token.noun))) continue;
    let next = at + 1;
    while (/^(?:called|named|with|the|name|:)$/.test(tokens[next]?.lower ?? "")) next += 1;
    const after = nameAt(tokens, next) ?? plainAt(tokens, next, catalogue);
    if (after !== undefined) return after;
    const before = nameEnding(tokens, at);
    if (before !== undefined) return before;
  }
  // What need not be given is looked up where its noun is said, or where it is said whose things are meant.
  if (!required) return ownerIn(tokens);
  const isPerson = calledLikePeople.has(entity.at(-1) ?? "");
  // "Add a note to all customers in Kyoto": the rows that are meant are found by what is said of them.
  const isAll = (_: Token, at: number) =>
    /^(?:all|every|each)$/.test(tokens[at]!.lower) && nouns.has(stem(tokens[at + 1]?.noun ?? ""));
  if (tokens.some(isAll)) return undefined;
  const isPlaced = (at: number) => isPerson && /^(?:in|at|near)$/.test(tokens[at - 1]?.lower ?? "");
  const names = tokens.flatMap((_, at) =>
    at > 0 && mayBegin(tokens, at) && !isPlaced(at) ? (nameAt(tokens, at) ?? []) : [],
  );
  return isPerson ? names[0] : names.length === 1 && isPlaceOf(tokens, names[0]!.from) ? names[0] : undefined;
}

/** "Ada's orders", "orders of Ada Moss", "which orders does Ada Moss have": the only name, said as somebody whose things are meant. */
function ownerIn(tokens: readonly Token[]): { from: number; to: number } | undefined {
  const names = tokens.flatMap((token, at) =>
    token.kind !== "word" || !mayBegin(tokens, at) || (at === 0 && (!token.possessive || isVerb(token.lower)))
      ? []
      : (nameAt(tokens, at) ?? []),
  );
  const [only, more] = names;
  if (only === undefined || more !== undefined) return undefined;
  const before = tokens[only.from - 1]?.lower ?? "";
  // "From Kilkenny" is rather a place.
  const isFrom = before === "from" && only.to - only.from > 1;
  const isOwner = tokens[only.to - 1]!.possessive || /^(?:of|for|by)$/.test(before) || auxiliaries.has(before);
  return isOwner || isFrom ? only : undefined;
}

const isNamePart = (token: Token | undefined): boolean => token?.kind === "word" && token.capital;

/** "Purchases from Nordic Ltd": names of several words that were read as an id. */
function nameGiven(
  { filled }: Draft,
  parameter: Parameter,
): { readonly text: string; readonly start: number } | undefined {
  const filling = filled.get(key(parameter))?.filling;
  const origin = filling?.kind === "value" && filling.origin?.source === "goal" ? filling.origin : undefined;
  if (filling?.kind !== "value" || typeof filling.value !== "string" || origin?.start === undefined) return undefined;
  const isName = parameter.isIdentifier && isNameOfSeveralWords.test(filling.value) && origin.text === filling.value;
  return isName ? { text: filling.value, start: origin.start } : undefined;
}

const isNameOfSeveralWords = /^\p{Lu}[\p{L}'’&.-]*(?: \p{Lu}[\p{L}'’&.-]*)+$/u;

/** A name may begin here: the word before is none of its own, be it that of a request ("Show Ada's orders"). */
const mayBegin = (tokens: readonly Token[], at: number): boolean =>
  !isNamePart(tokens[at - 1]) || (at === 1 && isVerb(tokens[0]!.lower));

/** "to Nordlys", "in Nordlys", "for Nordlys". */
const isPlaceOf = (tokens: readonly Token[], from: number): boolean => {
  const before = tokens[from - 1]?.lower ?? "";
  return before === "to" || prepositions.has(before) || determiners.has(before);
};

/** A quotation, a tag, or a run of words in capitals. */
function nameAt(tokens: readonly Token[], from: number): { from: number; to: number } | undefined {
  const first = tokens[from];
  if (first === undefined) return undefined;
  if (first.kind === "quoted" || (first.kind === "literal" && /^#\p{L}/u.test(first.text)))
    return { from, to: from + 1 };
  let to = from;
  while (isNamePart(tokens[to]) && to - from < 4) to += 1;
  return to > from ? { from, to } : undefined;
}

function nameEnding(tokens: readonly Token[], to: number): { from: number; to: number } | undefined {
  let from = to;
  while (from > 1 && isNamePart(tokens[from - 1]) && to - from < 4) from -= 1;
  return from < to ? { from, to } : undefined;
}

/** "the engine nordlys": a plain word that no tool knows, at the end of its phrase. */
function plainAt(tokens: readonly Token[], at: number, { knows }: Catalogue): { from: number; to: number } | undefined {
  const [token, next] = [tokens[at], tokens[at + 1]];
  if (token?.kind !== "word" || !isContent(token.lower) || knows(token.stem) || /(?:ed|ing)$/.test(token.lower))
    return undefined;
  const ends =
    next === undefined || next.kind !== "word" || prepositions.has(next.lower) || conjunctions.has(next.lower);
  return ends ? { from: at, to: at + 1 } : undefined;
}
