import { sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import { type Medium, mediumOfFile } from "../../catalogue/medium.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { type Draft, type Filling, fillLink, fillValue, key, type Link, makeDraft } from "../../draft/draft.ts";
import { fieldPath, linkOptions } from "../../draft/link.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { findSpans } from "../../language/clauses/spans.ts";
import { contentWords } from "../../language/text/lexicon.ts";
import { saysAll } from "../../language/text/says-all.ts";
import { blank, type Token } from "../../language/text/token.ts";
import { weakNames } from "../../language/text/weak-names.ts";
import { tookBareCode } from "../arguments/bare-codes.ts";
import { fillCall } from "../arguments/fill-call.ts";
import { fillState } from "../arguments/fill-state.ts";
import type { FunctionPlanning } from "../arguments/function-planning.ts";
import { fillPlaceOfRows } from "../arguments/left-over-places.ts";
import { isSwitch } from "../arguments/parameter-reading.ts";
import { withoutUsed } from "../arguments/without-used.ts";
import { feedingOf, sureFit } from "../segmenting/feeding.ts";
import { openingOf } from "../segmenting/opening.ts";
import { findByName } from "./find-by-name.ts";

/** Calls that may be between what the goal says and the call that it asks for. */
const maxChainDepth = 3;
/** Resources that are tried for one argument, the likeliest first. */
const maxSourcesPerArgument = 4;
/** Resources that are tried for all arguments of one call. */
const maxTriesPerCall = 12;
/** An id of the resource's own rows (see `linkOptions`). */
const sureLinkScore = 2.5;
/** How well such an id fits, 0 to 1, beside the fit of other fields. */
const sureLinkFit = 0.9;
/** Words that were taken with no more likelihood than this are released for a further call to which they clearly fit better. */
const maxLikelihoodGivenUp = 0.6;
/** A further call fits clearly better where its value is likelier by more than this. */
const minLikelihoodGain = 0.3;

/** What a further call costs, and what is taken off where the goal says all of its resource's name. The chain of least cost is taken. */
const chainCosts = { perCall: 2, perShareSaid: 0.5 } as const;
/** Costs that differ by less are the same but for rounding. */
const sameCost = 1e-9;

interface ChainSource {
  readonly profile: Profile;
  readonly path: string;
  /** 0 to 1. */
  readonly score: number;
}

interface Search {
  readonly planning: FunctionPlanning;
  readonly earlier: readonly Draft[];
  /** Resources that the goal asks for in words; none of them is called for its output alone. */
  readonly planned: ReadonlySet<Profile>;
  /** Stems of the goal's words that no argument took yet. */
  readonly words: ReadonlySet<string>;
  /** What is asked for only reads. */
  readonly onlyReads: boolean;
  /** Of the files that no argument took. */
  readonly media: ReadonlySet<Medium>;
  tries: number;
}

interface Solution {
  /** In an order in which every source is before what uses it; the last one yields the value. */
  readonly drafts: readonly Draft[];
  readonly link: Link;
  readonly cost: number;
}

/**
 * Backward chaining over types: a required argument that nothing says is taken from a further call, if some resource
 * surely yields it and all that this one requires is said or can be yielded in turn. Of several, the one with the fewest
 * calls and most of the goal's words. Depth, width and tries are bounded, so the cost does not grow with the catalogue.
 * @returns the calls that were added, which come before the draft
 */
export function chainBack(
  draft: Draft,
  tokens: readonly Token[],
  earlier: readonly Draft[],
  planned: ReadonlySet<Profile>,
  planning: FunctionPlanning,
): Draft[] {
  const added: Draft[] = [];
  let left = withoutVerb(withoutUsed(tokens, draft), draft);
  const words = new Set(left.flatMap((token) => (token.kind === "word" ? [token.stem] : [])));
  const media = new Set(left.flatMap((token) => mediumOf(token) ?? []));
  const onlyReads = draft.profile.effect === "reads";
  const search: Search = { planning, earlier, planned, words, media, onlyReads, tries: 0 };
  for (const parameter of missingArguments(draft)) {
    const known = added.flatMap((source) => sourceOf(source.profile, parameter, draft.profile, search) ?? [])[0];
    const giver = known === undefined ? undefined : added.find((source) => source.profile === known.profile);
    if (known !== undefined && giver !== undefined && !gives(giver, known.path, draft)) {
      fillLink(draft, parameter, { source: giver, path: known.path });
      continue;
    }
    const before = givenBefore(parameter, draft, search);
    if (before !== undefined) {
      fillLink(draft, parameter, before);
      continue;
    }
    const found = solve(parameter, draft, inTurn(left), maxChainDepth, new Set([draft.profile]), search);
    if (found === undefined) continue;
    fillLink(draft, parameter, found.link);
    added.push(...found.drafts);
    left = found.drafts.reduce(withoutUsed, left);
  }
  return added.length > 0 ? added : insteadOfDoubtful(draft, tokens, search);
}

/** "archive all pages" does not list those that are archived: the verb of a request chooses nothing in what leads to it. */
function withoutVerb(tokens: readonly Token[], { profile }: Draft): readonly Token[] {
  const { at, imperative, stem: verb } = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  const isOwn = imperative && profile.effect === "changes" && verbStems(profile).has(verb);
  return isOwn ? tokens.map((token, place) => (place === at ? blank(token) : token)) : tokens;
}

/** "Open the vault north and list its crates": an id that a call before yields, alone and by the same name, is looked up nowhere else. */
function givenBefore(parameter: Parameter, { profile: target }: Draft, search: Search): Link | undefined {
  if (!parameter.isIdentifier || !parameter.takesOne) return undefined;
  for (const source of search.earlier.toReversed()) {
    const { many, fields } = source.profile.output;
    if (many || source.profile === target) continue;
    const field = fields.find(({ name }) => name.toLowerCase() === parameter.name.toLowerCase());
    if (field !== undefined) return { source, path: fieldPath(field, parameter, source.profile) };
  }
  return undefined;
}

const gives = (source: Draft, path: string, { filled }: Draft) =>
  [...filled.values()].some(
    ({ filling }) => filling.kind === "link" && filling.link.source === source && filling.link.path === path,
  );

/** An argument that some resource surely yields, and that took words which fit better to what that resource requires. */
function insteadOfDoubtful(draft: Draft, tokens: readonly Token[], search: Search): Draft[] {
  for (const parameter of feedingOf(search.planning.catalogue).derived(draft.profile)) {
    const filled = draft.filled.get(key(parameter));
    const likelihood = likelihoodOf(filled?.filling);
    if (filled === undefined || likelihood === undefined || likelihood > maxLikelihoodGivenUp) continue;
    if (tookBareCode(draft, parameter, tokens, (noun) => search.planning.catalogue.nouns.has(noun))) continue;
    if (isWrittenText(parameter, filled.filling, tokens)) continue;
    draft.filled.delete(key(parameter));
    const found = solve(parameter, draft, withoutUsed(tokens, draft), maxChainDepth, new Set([draft.profile]), search);
    const fits = found?.drafts.some((each) =>
      [...each.filled.values()].some(({ filling }) => (likelihoodOf(filling) ?? 0) > likelihood + minLikelihoodGain),
    );
    if (found !== undefined && fits === true) {
      fillLink(draft, parameter, found.link);
      return [...found.drafts];
    }
    draft.filled.set(key(parameter), filled);
  }
  return [];
}

/** What is to be said or written was quoted in the goal. */
function isWrittenText({ words }: Parameter, filling: Filling, tokens: readonly Token[]): boolean {
  const start = filling.kind === "value" && filling.origin?.source === "goal" ? filling.origin.start : undefined;
  return (
    contentWords.has(words.at(-1) ?? "") && tokens.some((token) => token.kind === "quoted" && token.start === start)
  );
}

function likelihoodOf(filling: Filling | undefined): number | undefined {
  return filling?.kind === "value" && filling.origin?.source === "goal" ? filling.origin.likelihood : undefined;
}

function solve(
  parameter: Parameter,
  draft: Draft,
  tokens: readonly Token[],
  depth: number,
  above: ReadonlySet<Profile>,
  search: Search,
): Solution | undefined {
  if (depth === 0) return undefined;
  let best: Solution | undefined;
  for (const { profile, path, score } of sourcesFor(parameter, draft.profile, search)) {
    if (above.has(profile) || search.tries >= maxTriesPerCall) continue;
    // "Show the page …" makes no page first.
    if (search.onlyReads && profile.effect === "changes") continue;
    if (makesWhatIsThere(profile, tokens)) continue;
    search.tries += 1;
    const own = makeDraft(profile, draft.clause, -1, { support: true });
    const spans = findSpans(search.planning.text, tokens, search.planning.catalogue);
    fillCall(own, spans, tokens, search.earlier, search.planning);
    fillAdjective(own, draft.clause.tokens);
    fillState(own, draft.clause.tokens, search.planning.text);
    if (profile.output.many) fillPlaceOfRows(own, tokens, search.planning.catalogue.knows);
    // "Cancel the open orders of Ada Moss": the rows are those of somebody.
    const drafts = findByName(own, tokens, search.planning);
    const isAny = profile.output.many && parameter.takesOne && !isNarrowed(own);
    // Nobody is found by nothing.
    if (isSearch(profile) && !isNarrowed(own)) continue;
    if (isAny && (!profile.output.known || (draft.profile.effect === "changes" && !saysAllOf(profile, tokens))))
      continue;
    const left = drafts.reduce(withoutUsed, withoutUsed(tokens, own));
    let cost = chainCosts.perCall - score - chainCosts.perShareSaid * share(profile, search.words);
    let isOpen = false;
    for (const needed of missingArguments(own)) {
      const found = solve(needed, own, left, depth - 1, new Set([...above, profile]), search);
      if (found === undefined) {
        isOpen = true;
        break;
      }
      fillLink(own, needed, found.link);
      drafts.push(...found.drafts);
      cost += found.cost;
    }
    if (!isOpen && (best === undefined || cost < best.cost - sameCost))
      best = { drafts: [...drafts, own], link: { source: own, path }, cost };
  }
  return best;
}

/** "Add an invoice for project Apollo": a thing that is called by its noun and a name is there already, and none is made for it. */
function makesWhatIsThere({ actions, entity }: Profile, tokens: readonly Token[]): boolean {
  if (!actions.has("create")) return false;
  return tokens.some(({ kind, noun }, at) => {
    if (kind !== "word" || noun !== entity.at(-1)) return false;
    const [before, after] = [tokens[at - 1]?.lower ?? "", tokens[at + 1]];
    const isNamed = after !== undefined && (/^(?:quoted|literal|number)$/.test(after.kind) || after.capital);
    return isNamed && /^(?:for|of|to|in|on|from|the|into)$/.test(before);
  });
}

/** "a claim for every lost parcel": an adjective of the rows narrows them, though the call that is made for each takes the word as well. */
function fillAdjective(rows: Draft, tokens: readonly Token[]): void {
  const { entity, output, parameters } = rows.profile;
  const head = entity.at(-1);
  const noun = head === undefined || !output.many ? -1 : tokens.findIndex(({ noun: own }) => own === head);
  const adjective = tokens[noun - 1];
  if (adjective?.kind !== "word") return;
  for (const parameter of parameters) {
    const choice = parameter.choices.find(({ stems }) => stems.length === 1 && stems[0] === adjective.stem);
    if (choice === undefined || rows.filled.has(key(parameter))) continue;
    const { text, start } = adjective;
    fillValue(rows, parameter, choice.value, { source: "goal", text, start, likelihood: likelihoodOfAdjective });
    return;
  }
}

const likelihoodOfAdjective = 0.8;

/** "close all gates" says nothing of all harbours, whose ids the call takes too. */
const saysAllOf = ({ entity }: Profile, tokens: readonly Token[]): boolean =>
  saysAll(tokens) && tokens.some(({ kind, noun }) => kind === "word" && entity.includes(noun));

/** It finds one thing by what is said of it, all of which may be left out. */
const isSearch = (profile: Profile): boolean =>
  sortsOf(profile).has("search") &&
  !profile.output.many &&
  profile.parameters.length > 0 &&
  profile.parameters.every(({ required }) => !required);

/** The goal says something of what is to be looked up; else any one of many would be taken for what is meant. */
const isNarrowed = ({ filled }: Draft) =>
  [...filled.values()].some(
    ({ parameter, filling }) =>
      !parameter.isLimit &&
      !isSwitch(parameter) &&
      !parameter.words.some((word) => paging.has(word)) &&
      (filling.kind !== "value" || filling.origin?.source === "goal"),
  );

const paging: ReadonlySet<string> = new Set(["cursor", "page", "offset", "token"]);

/** Resources that surely yield the value, those of which the goal says most first. */
function sourcesFor(parameter: Parameter, target: Profile, search: Search): ChainSource[] {
  const { planning, earlier, planned, words, media } = search;
  const { catalogue } = planning;
  const called = new Set([...planned, ...earlier.map(({ profile }) => profile)]);
  const names = parameter.stems.filter((name) => !weakNames.has(name));
  const near = new Set([
    ...names.flatMap((name) => catalogue.byAttribute.get(name) ?? []).slice(0, 200),
    ...catalogue.producers(parameter.entity),
    // Looked for only where a file waits to be converted.
    ...(media.size === 0 ? [] : catalogue.profiles.filter((profile) => converts(profile, parameter, media))),
  ]);
  const found = [...near]
    .filter((profile) => profile !== target && !called.has(profile))
    .filter(
      (profile) =>
        !makesToUndo(profile, target) &&
        !profile.actions.has("delete") &&
        !needsTheSame(profile, parameter) &&
        (names.some((name) => words.has(name)) || !givesWhatIs(profile, parameter, target)),
    )
    .flatMap((profile) => sourceOf(profile, parameter, target, search) ?? []);
  // Nothing is altered for a value that can be read.
  const isRead = found.some(({ profile }) => profile.effect === "reads");
  return found
    .filter(({ profile }) => !(isRead && altersWhatIs(profile)))
    .sort(
      (left, right) =>
        share(right.profile, words) + right.score - share(left.profile, words) - left.score ||
        left.profile.position - right.profile.position,
    )
    .slice(0, maxSourcesPerArgument);
}

/** Nothing is made only to be closed, changed or deleted. */
const makesToUndo = (source: Profile, { actions }: Profile): boolean =>
  source.actions.has("create") && (actions.has("delete") || actions.has("update")) && !actions.has("create");

/** It alters or sends something that exists already, and makes nothing. */
const altersWhatIs = ({ effect, actions }: Profile): boolean =>
  effect === "changes" && !actions.has("create") && (actions.has("update") || actions.has("send"));

/** To call it takes the value itself: `get_job` takes the id that it gives. */
const needsTheSame = ({ parameters }: Profile, { stems, isIdentifier }: Parameter): boolean =>
  isIdentifier && parameters.some((own) => own.required && own.isIdentifier && own.stems.join(" ") === stems.join(" "));

/** What a thing has is not what it is altered to: "assign K-7 to Lena" does not read the mechanic of K-7. "Assign K-7 to the mechanic of K-8" does. */
function givesWhatIs(source: Profile, { isIdentifier }: Parameter, { actions, parameters }: Profile): boolean {
  if (isIdentifier || !actions.has("update") || source.effect !== "reads") return false;
  const ids = parameters.filter(({ required, isIdentifier: isId }) => required && isId);
  return ids.some((id) => needsTheSame(source, id));
}

function converts({ parameters, output }: Profile, { medium }: Parameter, media: ReadonlySet<Medium>): boolean {
  return (
    medium !== undefined &&
    output.fields.some((field) => field.medium === medium) &&
    parameters.some((own) => own.medium !== undefined && own.medium !== medium && media.has(own.medium))
  );
}

function sourceOf(source: Profile, parameter: Parameter, target: Profile, search: Search): ChainSource | undefined {
  const { planning, media } = search;
  const { catalogue } = planning;
  const { field, score } = feedingOf(catalogue).fit(source, parameter);
  if (field !== undefined && score >= sureFit)
    return { profile: source, path: fieldPath(field, parameter, source), score };
  const made = converts(source, parameter, media)
    ? source.output.fields.find(({ medium }) => medium === parameter.medium)
    : undefined;
  if (made !== undefined) return { profile: source, path: fieldPath(made, parameter, source), score: sureFit };
  const [link] = linkOptions(source, target, (each) => each === parameter);
  return link !== undefined && link.score >= sureLinkScore
    ? { profile: source, path: link.path, score: sureLinkFit }
    : undefined;
}

/** How much of a resource's name the goal says. */
function share({ about, entity }: Profile, words: ReadonlySet<string>): number {
  if (entity.length === 0) return 0;
  return [...about].filter((each) => words.has(each)).length / Math.max(4, about.size);
}

const mediumOf = ({ kind, value, text }: Token) =>
  kind === "quoted" || kind === "literal" ? mediumOfFile(String(value ?? text)) : undefined;

/** Of several files of one medium the first; the others wait for the next argument. */
function inTurn(tokens: readonly Token[]): readonly Token[] {
  const seen = new Set<Medium>();
  return tokens.map((token) => {
    const medium = mediumOf(token);
    if (medium === undefined) return token;
    const again = seen.has(medium);
    seen.add(medium);
    return again ? blank(token) : token;
  });
}
