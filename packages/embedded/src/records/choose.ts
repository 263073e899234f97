import { doesAnotherAct } from "../catalogue/acts-of.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { isEntity } from "../catalogue/output-shape.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { valueOfVerb } from "../catalogue/value-of-verb.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { goalKinds } from "../language/goal-kinds.ts";
import { type Action, actionsOfVerb } from "../language/text/actions.ts";
import { isContent } from "../language/text/content-words.ts";
import { emptyNouns, measureNouns } from "../language/text/lexicon.ts";
import { isPlural } from "../language/text/singular.ts";
import { stem } from "../language/text/stem.ts";
import type { Mention } from "./mention.ts";

/** A resource for a clause, or why none fits. */
export type ResourceChoice =
  | { readonly profile: Profile; readonly score: number }
  | { readonly profile: undefined; readonly refused: readonly Profile[] };

/** What speaks for a resource that a noun names. */
const resourceScores = {
  /** The noun is all that the resource is about. */
  coverage: 2,
  /** The noun is the resource's own name. */
  exactName: 5,
  /** Per word of the clause that is a field or a parameter, and per word that the resource mentions; up to `maxShared`. */
  sharedAttribute: 0.25,
  sharedWord: 0.1,
  maxShared: 1,
  /** It requires an id, and the clause names none. */
  unnamedId: -0.6,
  /** A change is asked for, and a value that it may be given is said: "mark it as won". */
  saidChoice: 0.8,
  /** It gets one row by its id: where several are asked for, and where a value follows the noun. */
  oneForMany: -0.8,
  oneForValue: 0.5,
} as const;

/** What the verb says for a resource: the same verb ("get" and "list" are one to people), a value that does it, the same action, none known. */
const actionScores = { sameVerb: 1.6, byValue: 1.3, sameReadingVerb: 1.1, sameAction: 1, none: 0.2 } as const;
/** How much of it counts beside the words of a clause in which no noun names a resource. */
const actionShare = 0.3;
/** How much of such a clause a resource must cover: with a noun of its name, without one, or where the verb is its own too. */
const minCoverage = { named: 0.15, unnamed: 0.34, withVerb: 0.05 } as const;

/** What a clause asks for. A question, or no verb at all, asks to read. */
export function wantedActions(clause: Clause, mention?: Mention): ReadonlySet<Action> {
  const asked = clause.verb === "" ? reading : actionsOfVerb(clause.verb);
  const phrase = mention === undefined ? undefined : clause.phrases[mention.phrase];
  // "create a list of orders", "send me the orders" ask to read orders.
  const indirect =
    phrase !== undefined &&
    mention !== undefined &&
    mention.phrase > 0 &&
    aboutPrepositions.has(phrase.preposition) &&
    isVague(clause, mention.phrase);
  const toMe = asked.has("send") && clause.tokens.some((token) => token.lower === "me" || token.lower === "us");
  // "write to the crew" sends, "write a report" makes.
  const verb = clause.tokens.findIndex(({ lower }) => lower === clause.verb);
  const isLetter = clause.verb === "write" && clause.tokens[verb + 1]?.lower === "to";
  // "report a fault", but not "report the sales"
  const isNotice = clause.verb === "report" && /^(?:an?|another)$/.test(clause.tokens[verb + 1]?.lower ?? "");
  return indirect || toMe ? reading : isLetter ? sending : isNotice ? creating : asked;
}

const sending: ReadonlySet<Action> = new Set<Action>(["send"]);
const creating: ReadonlySet<Action> = new Set<Action>(["create"]);

const reading: ReadonlySet<Action> = new Set<Action>(["read"]);
const aboutPrepositions: ReadonlySet<string> = new Set(["of", "on", "about", "for", "from", "with", "regarding"]);
const documents: ReadonlySet<string> = new Set([
  "report",
  "summary",
  "overview",
  "list",
  "table",
  "chart",
  "analysis",
  "breakdown",
  "digest",
]);

/** The phrases before this one name no thing of their own. */
function isVague(clause: Clause, before: number): boolean {
  return clause.phrases.slice(0, before).every((phrase) => {
    const last = phrase.words.at(-1);
    return (
      last !== undefined && (emptyNouns.has(last.lower) || measureNouns.has(last.lower) || documents.has(last.lower))
    );
  });
}

/** The best of the resources that a noun may mean, by what is asked, what else is said, and what they require. */
export function chooseFor(
  mention: Mention,
  clause: Clause,
  asked: ReadonlySet<Action>,
  support: boolean,
): ResourceChoice {
  const wanted = support ? reading : asked;
  const stems = clauseStems(clause);
  const identified = clause.tokens.some(
    ({ kind, text }) => kind === "number" || kind === "quoted" || (kind === "literal" && !/@|:\/\//.test(text)),
  );
  const words = clause.phrases[mention.phrase]?.words ?? [];
  const valued = words.slice(mention.to).some((word) => word.kind === "literal" || word.kind === "number");
  const plural = !valued && isPlural(words[mention.to - 1]?.lower ?? "");
  let best: { profile: Profile; score: number } | undefined;
  const refused: Profile[] = [];
  for (const { profile, coverage } of mention.candidates) {
    if (support && profile.effect === "changes") continue;
    const action = actionScore(profile, clause, wanted);
    if (action === undefined && coverage < 2) {
      refused.push(profile);
      continue;
    }
    let score =
      resourceScores.coverage * Math.min(coverage, 1) + (coverage > 1 ? resourceScores.exactName : 0) + (action ?? 0);
    let shared = 0;
    for (const each of stems) if (profile.attributes.has(each)) shared += resourceScores.sharedAttribute;
    for (const each of stems) if (profile.about.has(each)) shared += resourceScores.sharedWord;
    score += Math.min(resourceScores.maxShared, shared);
    if (!wanted.has("read") && takesSaidChoice(profile, stems)) score += resourceScores.saidChoice;
    const { known, many } = profile.output;
    const isOfOne = profile.parameters.some((parameter) => parameter.required && isOwnId(parameter, profile));
    if (plural && profile.effect === "reads" && known && !many && !isOfOne) score += resourceScores.oneForMany;
    for (const parameter of profile.parameters) {
      if (!parameter.required) continue;
      if (parameter.isIdentifier && !identified) score += resourceScores.unnamedId;
      if (isOwnId(parameter, profile))
        score += plural ? resourceScores.oneForMany : valued ? resourceScores.oneForValue : 0;
    }
    if (best === undefined || score > best.score) best = { profile, score };
  }
  return best ?? { profile: undefined, refused };
}

const takesSaidChoice = ({ parameters }: Profile, said: ReadonlySet<string>): boolean =>
  parameters.some(({ choices }) =>
    choices.some(({ stems }) => stems.length > 0 && stems.every((each) => said.has(each))),
  );

/** It works on one row that must be named: "get order" rather than "list orders". */
export function isOwnId(parameter: Parameter, profile: Profile): boolean {
  const own = parameter.entity.length === 0 || isEntity(parameter.entity, profile.entity);
  return parameter.isIdentifier && own && !parameter.takesList;
}

/** Undefined: it does something else than what is asked, and must not be used. */
function actionScore(profile: Profile, clause: Clause, wanted: ReadonlySet<Action>): number | undefined {
  const same =
    clause.verb !== "" && profile.verbs.some((verb) => verb === clause.verb || stem(verb) === clause.verbStem);
  // "get" and "list" are one to people.
  if (same)
    return profile.actions.has("read") && wanted.has("read") ? actionScores.sameReadingVerb : actionScores.sameVerb;
  if (!wanted.has("read") && valueOfVerb(profile, clause.verb) !== undefined) return actionScores.byValue;
  // What changes something by a verb of a trade neither reads nor sends.
  const isOther = profile.effect === "changes" && [...wanted].every((each) => each === "read" || each === "send");
  if (profile.actions.size === 0) return isOther && wanted.size > 0 ? undefined : actionScores.none;
  if (doesAnotherAct(profile, clause.verb)) return undefined;
  for (const action of wanted) if (profile.actions.has(action)) return actionScores.sameAction;
  if (
    wanted.size === 0 ||
    wanted.has("other") ||
    wanted.has("run") ||
    profile.actions.has("other") ||
    profile.actions.has("run")
  )
    return 0;
  return undefined;
}

/** Distinct stems of the content words of a clause. */
function clauseStems(clause: Clause): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const token of clause.tokens) if (token.kind === "word" && isContent(token.lower)) stems.add(token.stem);
  return stems;
}

/**
 * The resource that the words of a clause describe best, when no noun names one: BM25, weighed by how much of the
 * clause it covers and by the verb. Undefined when too little is covered.
 */
export function searchFor(clause: Clause, catalogue: Catalogue): ResourceChoice {
  const isNameByStem = new Map<string, boolean>();
  for (const token of clause.tokens) {
    if (token.kind !== "word" || !isContent(token.lower) || emptyNouns.has(token.lower)) continue;
    const isName = token.capital && token !== clause.tokens[0];
    isNameByStem.set(token.stem, (isNameByStem.get(token.stem) ?? true) && isName);
  }
  const stems = [...isNameByStem.keys()].filter((each) => catalogue.knows(each));
  const hits = catalogue.search(stems);
  const top = hits[0]?.score ?? 0;
  if (top === 0) return { profile: undefined, refused: [] };
  let whole = 0;
  for (const [each, isName] of isNameByStem) whole += isName && !catalogue.knows(each) ? 0 : catalogue.weight(each);
  const wanted = wantedActions(clause);
  let best: { profile: Profile; score: number } | undefined;
  const refused: Profile[] = [];
  for (const { profile, score, matched } of hits) {
    const action = actionScore(profile, clause, wanted);
    const named = profile.nameWords.some((word) => matched.has(stem(word)) && stem(word) !== clause.verbStem);
    let covered = 0;
    for (const each of matched) covered += catalogue.weight(each);
    const coverage = whole === 0 ? 0 : covered / whole;
    const telltale = named || profile.entity.length === 0 ? minCoverage.named : minCoverage.unnamed;
    const verbMatches = action !== undefined && action > actionScores.sameAction;
    const speaks =
      !goalKinds[profile.resource.kind].callsAreExact &&
      clause.verbStem !== "" &&
      profile.about.has(clause.verbStem) &&
      !wanted.has("run");
    if (coverage < ((verbMatches && named) || speaks ? minCoverage.withVerb : telltale)) continue;
    if (action === undefined) {
      refused.push(profile);
      continue;
    }
    const value = score / top + coverage + actionShare * action;
    if (best === undefined || value > best.score) best = { profile, score: value };
  }
  return best ?? { profile: undefined, refused };
}

/**
 * The resource for a verb of its own ("encrypt the order number"): what it does counts for more than what it is done
 * to. Undefined for general verbs, and when a noun's resource does it as well.
 */
export function doerFor(clause: Clause, named: readonly Profile[], catalogue: Catalogue): Profile | undefined {
  const asked = actionsOfVerb(clause.verb);
  const doers = catalogue.byVerb.get(clause.verbStem) ?? [];
  const setter =
    (doers.length === 0 ? setterFor(clause, named, catalogue) : undefined) ?? statedBy(clause, named, catalogue);
  if (setter !== undefined) return setter;
  if (clause.verb === "" || doers.length === 0 || named.some((profile) => doers.includes(profile))) return undefined;
  const doneById = doers.filter((profile) => isDoneById(profile, clause, named));
  if (doneById.length === 1 && doers.every(({ effect }) => effect !== "reads")) return doneById[0];
  const own = asked.size === 0 || (asked.has("other") && asked.size === 1);
  if (
    !own &&
    (named.length === 0 ||
      named.some(
        (profile) => !doesAnotherAct(profile, clause.verb) && [...asked].some((action) => profile.actions.has(action)),
      ))
  ) {
    return undefined;
  }
  const stems = clauseStems(clause);
  let best: { profile: Profile; score: number } | undefined;
  for (const profile of doers) {
    let score = 0;
    for (const each of stems)
      if (profile.about.has(each) || profile.attributes.has(each)) score += catalogue.weight(each);
    if (best === undefined || score > best.score) best = { profile, score };
  }
  return best?.profile;
}

/** "return loan L-88" by `return_book`, which requires the id of a loan: the verb may ask to read as well, but says what is done to just this one. */
function isDoneById({ effect, parameters }: Profile, { tokens }: Clause, named: readonly Profile[]): boolean {
  if (effect === "reads" || !tokens.some(({ kind }) => kind === "literal")) return false;
  return parameters.some(
    ({ required, isIdentifier, entity }) =>
      required && isIdentifier && entity.length > 0 && named.some((other) => isEntity(entity, other.entity)),
  );
}

/** Tools that do by a value what the verb asks for. */
function setters({ verb, verbStem }: Clause, { byChoice }: Catalogue): readonly Profile[] {
  const again = /^re(\p{L}{3,})$/u.exec(verb)?.[1];
  const holders = [
    ...(byChoice.get(verbStem) ?? []),
    ...(again === undefined ? [] : (byChoice.get(stem(again)) ?? [])),
  ];
  return [...new Set(holders)].filter((profile) => valueOfVerb(profile, verb) !== undefined);
}

/** "close ticket 7" by `set_ticket_status`: the only such tool that is about what the clause names, where no other is called by the verb. */
function setterFor(clause: Clause, named: readonly Profile[], catalogue: Catalogue): Profile | undefined {
  const nouns = new Set(named.flatMap(({ entity }) => entity));
  const found = setters(clause, catalogue).filter(({ entity }) => entity.some((noun) => nouns.has(noun)));
  return found.length === 1 ? found[0] : undefined;
}

/** "mark lead 7 as won" by `update_stage`: the only tool about what the clause names that changes it to the value which follows. */
function statedBy(clause: Clause, named: readonly Profile[], { byChoice }: Catalogue): Profile | undefined {
  if (named.length === 0 || !wantedActions(clause).has("update")) return undefined;
  const words = clause.phrases.flatMap((phrase) => (/^(?:as|to|into)$/.test(phrase.preposition) ? phrase.words : []));
  const nouns = new Set(named.flatMap(({ entity }) => entity));
  const holders = new Set(words.flatMap((word) => byChoice.get(word.stem) ?? []));
  const [only, other] = [...holders].filter(
    ({ effect, entity }) => effect !== "reads" && entity.some((noun) => nouns.has(noun)),
  );
  return other === undefined ? only : undefined;
}

/** "close it", "mark A-7 as solved": the only tool that changes something by a value that the verb, or a word after it, names. */
export function valueSetter(clause: Clause, catalogue: Catalogue): Profile | undefined {
  const asked = wantedActions(clause);
  if (clause.verb === "" || asked.has("read")) return undefined;
  const byVerb = setters(clause, catalogue);
  if (byVerb.length > 0 || !asked.has("update")) return byVerb.length === 1 ? byVerb[0] : undefined;
  const said = clause.phrases.flatMap(({ words }) => words.map((word) => word.stem));
  const holders = new Set(said.flatMap((each) => catalogue.byChoice.get(each) ?? []));
  const changing = [...holders].filter(({ effect, actions }) => effect !== "reads" && actions.has("update"));
  return changing.length === 1 ? changing[0] : undefined;
}

/** "list paperbacks" where `paperback` is an allowed value of a resource that reads. */
export function choiceOwner(clause: Clause, catalogue: Catalogue): Profile | undefined {
  const asked = wantedActions(clause);
  if (asked.size > 0 && !asked.has("read")) return undefined;
  for (const phrase of clause.phrases) {
    if (phrase.preposition !== "") continue;
    for (const word of [...phrase.words].reverse()) {
      const reading = (catalogue.byChoice.get(word.stem) ?? []).filter((profile) => profile.actions.has("read"));
      const free = reading.find((profile) => profile.parameters.every((parameter) => !parameter.required));
      if (word.kind === "word" && free !== undefined) return free;
    }
  }
  return undefined;
}

/** A resource that has what the clause's subject names as a parameter or output field: "which authors …" of books. */
export function attributeOwner(clause: Clause, catalogue: Catalogue): Profile | undefined {
  const stems = clauseStems(clause);
  for (const phrase of clause.phrases) {
    const head = phrase.words.findLast(
      (word) => word.kind === "word" && !emptyNouns.has(word.lower) && !measureNouns.has(word.lower),
    );
    if (head === undefined) continue;
    const owners = (catalogue.byAttribute.get(head.stem) ?? []).filter(
      (profile) => profile.actions.has("read") || profile.actions.size === 0,
    );
    let best: { profile: Profile; score: number } | undefined;
    for (const profile of owners) {
      let score = 0;
      for (const each of stems) if (profile.attributes.has(each)) score += catalogue.weight(each);
      for (const parameter of profile.parameters) if (parameter.required) score -= 1;
      if (best === undefined || score > best.score) best = { profile, score };
    }
    if (best !== undefined) return best.profile;
  }
  return undefined;
}
