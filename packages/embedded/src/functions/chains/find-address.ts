import {
  type AddressFinder,
  type AddressKind,
  addressFinders,
  addressWanted,
  isAddress,
  supposedFields,
} from "../../catalogue/address-finder.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, type Filling, fillLink, fillValue, key, type Link, makeDraft } from "../../draft/draft.ts";
import { fieldPath } from "../../draft/link.ts";
import { maxTasks } from "../../draft/planning-state.ts";
import { findSpans } from "../../language/clauses/spans.ts";
import { determiners } from "../../language/text/lexicon.ts";
import { blank, type Token } from "../../language/text/token.ts";
import { fillCall } from "../arguments/fill-call.ts";
import type { FunctionPlanning } from "../arguments/function-planning.ts";

/** How likely a look-up gives the address that is meant. */
const lookUpLikelihood = 0.6;

/**
 * Finds the addresses of the people who get a message, as in "email Ada Moss that …" and "email every customer in Oslo". The people are looked up by a tool that finds them, and the field
 * `email` or `phone` is supposed where that tool does not say what it gives. A receiver whom no tool finds is left open. O(drafts · tokens · tools)
 * @returns the drafts with the look-ups before those that take what they find
 */
export function withAddresses(drafts: readonly Draft[], planning: FunctionPlanning): Draft[] {
  const result: Draft[] = [];
  for (const draft of drafts) result.push(...findAddresses(draft, draft.clause.tokens, result, planning), draft);
  return result.slice(0, Math.max(drafts.length, maxTasks));
}

/** @param earlier drafts before, one of which may have found the same person. @returns the look-ups */
function findAddresses(
  draft: Draft,
  tokens: readonly Token[],
  earlier: readonly Draft[],
  planning: FunctionPlanning,
): Draft[] {
  if (draft.profile.effect === "reads") return [];
  const found: Draft[] = [];
  for (const parameter of draft.profile.parameters) {
    const kind = addressWanted(parameter, draft.profile);
    if (kind === undefined) continue;
    const filling = draft.filled.get(key(parameter))?.filling;
    const text = textIn(filling);
    if ((text === undefined && filling !== undefined) || (text !== undefined && isAddress(kind, text))) continue;
    const finders = addressFinders(planning.catalogue, draft.profile, kind);
    const pronoun = tokens.find(({ lower }) => pointing.test(lower))?.lower;
    const meant = earlier.findLast(({ profile }) => finders.some((finder) => finder.profile === profile));
    const isTakenOver = filling?.kind === "value" && filling.origin?.source !== "goal";
    // "Email him" after a look-up of Ben: what found him knows his address.
    if (pronoun !== undefined && meant !== undefined && (text === undefined || isTakenOver || isSaidIn(meant, text))) {
      const finder = finders.find(({ profile }) => profile === meant.profile)!;
      const which = pronoun === "them" ? { each: true } : { named: true };
      fillLink(draft, parameter, { ...linkTo(meant, finder, parameter, kind), ...which }, lookUpLikelihood);
      continue;
    }
    const rows = text !== undefined || parameter.required ? rowsMeant(tokens, finders) : undefined;
    if (rows !== undefined) {
      const look = lookUpRows(draft, rows.finder, tokens, earlier, planning);
      dropWordsOf(draft, look, rows.noun);
      fillLink(draft, parameter, { ...linkTo(look, rows.finder, parameter, kind), each: true }, lookUpLikelihood);
      found.push(look);
      continue;
    }
    if (text === undefined) continue;
    // "Email the customer of O-12": the noun alone reaches nobody, and neither does the code.
    if (planning.catalogue.nouns.has(text) || isCode.test(text)) draft.filled.delete(key(parameter));
    const [finder, more] = finders;
    if (finder === undefined || more !== undefined || !isName.test(text)) continue;
    const known = earlier.find((each) => each.profile === finder.profile && isSaidIn(each, text));
    const look = known ?? makeDraft(finder.profile, draft.clause, -1, { support: true });
    if (known === undefined) {
      const { start } = (filling?.kind === "value" && filling.origin) || {};
      const origin = {
        source: "goal",
        text,
        ...(start !== undefined && { start }),
        likelihood: lookUpLikelihood,
      } as const;
      fillValue(look, finder.parameter, text, origin);
      found.push(look);
    }
    fillLink(draft, parameter, { ...linkTo(look, finder, parameter, kind), named: true }, lookUpLikelihood);
  }
  return found;
}

const isCode = /^\p{L}{1,5}[-_]?\d+$/u;
const pointing = /^(?:him|her|them)$/;

/** "Ada", "Ada Moss". */
const isName = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,3}$/u;

/** The words that an argument took, where it took nothing else. */
function textIn(filling: Filling | undefined): string | undefined {
  const [only, more] = filling?.kind === "value" ? [filling.value].flat() : [];
  return typeof only === "string" && more === undefined ? only : undefined;
}

const isSaidIn = ({ filled }: Draft, text: string): boolean =>
  [...filled.values()].some(({ filling }) => filling.kind === "value" && filling.value === text);

function linkTo(source: Draft, { profile, field }: AddressFinder, parameter: Parameter, kind: AddressKind): Link {
  if (field !== undefined) return { source, path: fieldPath(field, parameter, profile) };
  const step = !profile.output.many ? "" : parameter.takesList ? ".*" : "[0]";
  return { source, path: `${step}.${supposedFields[kind]}` };
}

/** "Every customer", "all open customers", "email customers in Oslo". */
function rowsMeant(tokens: readonly Token[], finders: readonly AddressFinder[]) {
  for (const finder of finders) {
    const at = tokens.findIndex(({ kind, noun }) => kind === "word" && noun === finder.profile.entity.at(-1));
    const before = tokens.slice(Math.max(0, at - maxBefore), Math.max(0, at));
    const isAll = before.some(({ lower }) => /^(?:every|each|all)$/.test(lower));
    const isPlural = at > 0 && tokens[at]!.lower !== tokens[at]!.noun && isReceiverAt(tokens, at);
    if (at > 0 && (isAll || isPlural)) return { finder, noun: tokens[at]! };
  }
  return undefined;
}

/** Behind the verb, "to" or "the". */
const isReceiverAt = (tokens: readonly Token[], at: number): boolean =>
  at === 1 || /^(?:to|the)$/.test(tokens[at - 1]?.lower ?? "");

/** Words between "every" and the noun. */
const maxBefore = 3;

/** A look-up by what is said of the people; the words of a message say nothing of them. */
function lookUpRows(
  draft: Draft,
  { profile }: AddressFinder,
  tokens: readonly Token[],
  earlier: readonly Draft[],
  planning: FunctionPlanning,
): Draft {
  const look = makeDraft(profile, draft.clause, -1, { support: true });
  const message = tokens.findIndex(
    ({ lower, text }, at) => at > 1 && (/^(?:that|about|saying)$/.test(lower) || text === ":"),
  );
  const words = tokens.map((token, at) => (message >= 0 && at >= message ? blank(token) : token));
  fillCall(look, findSpans(planning.text, words, planning.catalogue), words, earlier, planning);
  return look;
}

/** What the look-up took, and the noun, are for no argument of the message. */
function dropWordsOf(draft: Draft, look: Draft, noun: Token): void {
  const taken = [...look.filled.values()].flatMap(({ filling }) => {
    const origin = filling.kind === "value" ? filling.origin : undefined;
    return origin?.start === undefined ? [] : [[origin.start, origin.start + (origin.text?.length ?? 0)] as const];
  });
  for (const [slot, { filling }] of draft.filled) {
    const origin = filling.kind === "value" ? filling.origin : undefined;
    if (origin?.start === undefined) continue;
    const [start, end] = [origin.start, origin.start + (origin.text?.length ?? 0)];
    const isShared = [...taken, [noun.start, noun.end] as const].some(([from, to]) => start >= from && end <= to);
    if (isShared && !determiners.has(origin.text ?? "")) draft.filled.delete(slot);
  }
}
