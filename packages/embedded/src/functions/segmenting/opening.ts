import { describedActs, verbStems } from "../../catalogue/acts-of.ts";
import type { Effect } from "../../catalogue/effect.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import { isAskedAbout, isGiven } from "../../language/clauses/clauses.ts";
import { type ActSort, phrasalVerb, sortsMeant, sortsOfVerb } from "../../language/text/act-sorts.ts";
import { type Action, actionsOfVerb, isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import {
  auxiliaries,
  conjunctions,
  determiners,
  fillers,
  orderWords,
  possessives,
  prepositions,
  pronouns,
} from "../../language/text/lexicon.ts";
import { isParticiple } from "../../language/text/participle.ts";
import { stem } from "../../language/text/stem.ts";
import { synonymsOf } from "../../language/text/synonyms.ts";
import type { Token } from "../../language/text/token.ts";
import type { Relevance } from "./relevance.ts";

/** What a segment of the goal opens with: often the verb of a call. */
export interface Opening {
  /** Position of the first word that says something; -1 for none. */
  readonly at: number;
  readonly stem: string;
  readonly actions: ReadonlySet<Action>;
  /** It is in a place where only the verb of a request can be: nothing before it makes it part of a phrase, and it is not a participle. */
  readonly imperative: boolean;
  /** A verb and its particle as one word; undefined for a verb alone. */
  readonly joined?: string;
  /** Of the verb, with its particle ("take X off"), or of the question. */
  readonly sorts: ReadonlySet<ActSort>;
}

export function openingOf(tokens: readonly Token[], chunk: Chunk): Opening {
  if (opensSentence(tokens, chunk.from)) {
    if (isThingByNumber(tokens, chunk.from, chunk.to)) return { ...toShow, sorts: shown };
    if (namesThings(tokens, chunk.from, chunk.to)) return toShow;
  }
  for (let at = chunk.from; at < chunk.to; at += 1) {
    const token = tokens[at]!;
    if (token.kind !== "word") continue;
    // "Back up the folder": a word that says little alone may be a verb with its particle.
    if (!isContent(token.lower) && !(at === chunk.from && phrasalVerb(tokens, at, at + 2) !== undefined)) continue;
    if (isStateAsked(tokens, at)) continue;
    const imperative = isAsking(tokens, at) && !isDone(tokens, at) && tokens[at + 1]?.lower !== "of";
    const meant = imperative ? phrasalVerb(tokens, at, chunk.to) : undefined;
    if (meant !== undefined) {
      const { meaning, joined } = meant;
      if (movesIt(tokens, at, meant.particle))
        return {
          ...{ at, stem: stem(joined), imperative, joined },
          actions: new Set<Action>(["update"]),
          sorts: new Set<ActSort>(["add", "move"]),
        };
      const sorts = sortsMeant(stem(meaning));
      return { at, stem: stem(joined), actions: actionsOfVerb(meaning), imperative, sorts, joined };
    }
    const actions = actionsAt(tokens, at);
    const sorts = countsAt(tokens, at) ? counted : imperative ? sortsAt(tokens, at, actions) : noSorts;
    return { at, stem: token.stem, actions, imperative, sorts };
  }
  return { at: -1, stem: "", actions: new Set(), imperative: false, sorts: noSorts };
}

const opensSentence = (tokens: readonly Token[], at: number) => {
  const before = tokens[at - 1];
  return before === undefined || before.kind === "break" || /^[.!?]$/.test(before.text);
};

/** Things are named and nothing is said of what is to be done with them. */
const toShow: Opening = {
  at: -1,
  stem: "",
  actions: new Set<Action>(["read"]),
  imperative: false,
  sorts: new Set<ActSort>(["list"]),
};

/** A participle; "put", "set" and "run" are one only after a form of "be" or "have". */
const isDone = (tokens: readonly Token[], at: number) =>
  isParticiple(tokens[at]!) &&
  !(/^(?:put|set|run)$/.test(tokens[at]!.lower) && !auxiliaries.has(tokens[at - 1]?.lower ?? ""));

/** "put it in the other drawer": what is there already is moved or added, not made. */
const movesIt = (tokens: readonly Token[], at: number, particle: string) =>
  /^(?:in|into|onto)$/.test(particle) && /^(?:it|this|that|them|these|those)$/.test(tokens[at + 1]?.lower ?? "");

const noSorts: ReadonlySet<ActSort> = new Set();
const counted: ReadonlySet<ActSort> = new Set<ActSort>(["count"]);

/** "How many orders …" counts. */
const countsAt = (tokens: readonly Token[], at: number) =>
  tokens[at - 1]?.lower === "how"
    ? tokens[at]!.lower === "many"
    : tokens[at - 2]?.lower === "how" && tokens[at - 1]?.lower === "many";

const created: ReadonlySet<Action> = new Set<Action>(["create"]);
const sent: ReadonlySet<Action> = new Set<Action>(["send"]);

/** What is new is made ("open an issue"), and what is said or given to another person is sent ("tell Anna", not "tell me"). */
function actionsAt(tokens: readonly Token[], at: number): ReadonlySet<Action> {
  const { lower } = tokens[at]!;
  const next = tokens[at + 1];
  if (lower === "open" && /^(?:an?|new|another)$/.test(next?.lower ?? "")) return created;
  // "report a fault", but not "report the sales"
  if (lower === "report" && /^(?:an?|another)$/.test(next?.lower ?? "")) return created;
  // "open the note": what is there already is read, or changed where a tool opens it.
  if (lower === "open" && next !== undefined && isThere(next)) return opened;
  // "write to the crew", but not "write a poem".
  if (lower === "write" && next?.lower === "to") return sent;
  // "tell the crew that …", but not "tell me" and "tell the time".
  if (lower === "tell" && determiners.has(next?.lower ?? "") && isReporting(tokens, at)) return sent;
  if (lower === "give" && (setsAt(tokens, at) || handsOver(tokens, at))) return setting;
  const isOther = next !== undefined && (next.kind === "literal" || next.capital || isPerson.test(next.lower));
  if ((lower === "tell" || lower === "give") && isOther) return sent;
  return actionsOfVerb(lower);
}

/** What is open already is shown, and what another person is to hear is sent. */
function sortsAt(tokens: readonly Token[], at: number, actions: ReadonlySet<Action>): ReadonlySet<ActSort> {
  const { lower, stem: verb } = tokens[at]!;
  if (actions === setting) return set;
  if (actions === opened || givesMe(tokens, at)) return shown;
  return actions === sent && (lower === "tell" || lower === "write") ? sending : sortsMeant(verb);
}
/** "give me the berths", "see the berths" */
const givesMe = (tokens: readonly Token[], at: number) =>
  tokens[at]!.lower === "see" || (tokens[at]!.lower === "give" && /^(?:me|us)$/.test(tokens[at + 1]?.lower ?? ""));
const shown = sortsMeant(stem("show"));
const sending: ReadonlySet<ActSort> = new Set<ActSort>(["send"]);
/** "give gate 5 the name …", "give it the labels …": what a thing gets is set or added, and nobody is shown or sent anything. */
const setsAt = (tokens: readonly Token[], at: number): boolean => {
  const next = tokens[at + 1];
  if (next === undefined || /^(?:me|us|him|her|them|everyone|everybody)$/.test(next.lower) || next.capital)
    return false;
  // "give the list of gates" has one object.
  const isIt = /^(?:it|this|that)$/.test(next.lower);
  const from = isIt
    ? at + 2
    : tokens.findIndex(({ kind }, place) => place > at && /^(?:literal|number|quoted)$/.test(kind)) + 1;
  return from > at && from - at <= 5 && (determiners.has(tokens[from]?.lower ?? "") || tokens[from]?.lower === "new");
};
/** "give gate 5 to crew C-2": another one gets it; "give the times to me" shows them, and "give Ann access to the gate" hands over no gate. */
function handsOver(tokens: readonly Token[], at: number): boolean {
  const rest = tokens.slice(at + 1, at + 2 + maxObjectOfGiving);
  const to = rest.findIndex(({ lower }) => lower === "to");
  const getter = rest[to + 1];
  return (
    to > 0 &&
    getter !== undefined &&
    rest[0]?.capital === false &&
    (!pronouns.has(rest[0].lower) || /^(?:it|them)$/.test(rest[0].lower)) &&
    !/^(?:me|us)$/.test(getter.lower) &&
    rest.slice(0, to).every(({ kind, lower }) => kind !== "punctuation" && kind !== "break" && lower !== "from")
  );
}
const maxObjectOfGiving = 7;
const setting: ReadonlySet<Action> = new Set<Action>(["create", "update"]);
const set: ReadonlySet<ActSort> = new Set<ActSort>(["set", "update", "add", "create", "rename"]);
const opened: ReadonlySet<Action> = new Set<Action>(["read", "update"]);
const isThere = ({ kind, lower }: Token) =>
  kind === "literal" || kind === "quoted" || /^(?:the|this|that|these|those|my|our|its?|them)$/.test(lower);

/** What a person is to hear follows: "tell the crew that …", "tell the crew to …". */
const isReporting = (tokens: readonly Token[], at: number) =>
  tokens
    .slice(at + 2, at + 2 + maxWordsOfPerson)
    .some(({ kind, lower }) => kind === "quoted" || /^(?:that|to|about)$/.test(lower));
const maxWordsOfPerson = 5;
const isPerson = /^(?:him|her|them|everyone|everybody|people)$/;

/** This word is a verb, not a noun that looks like one: nothing before it makes it part of a phrase. */
export function isAsking(tokens: readonly Token[], position: number): boolean {
  const before = tokens[position - 1];
  if (before === undefined || before.kind !== "word")
    return before === undefined || before.kind === "punctuation" || before.kind === "break";
  const { lower } = before;
  if (isGiven(tokens, position) || isAskedAbout(tokens, position)) return false;
  return (
    lower === "to" ||
    pronouns.has(lower) ||
    auxiliaries.has(lower) ||
    conjunctions.has(lower) ||
    orderWords.has(lower) ||
    fillers.has(lower)
  );
}

const questionWords: ReadonlySet<string> = new Set(
  "what which who whose whom when where why how is are was were does did has have".split(" "),
);

/** It opens with a word that asks: "what", "did". */
export const opensQuestion = (tokens: readonly Token[], { from, to }: Chunk): boolean =>
  questionWords.has(firstWord(tokens, from, to)?.lower ?? "");

const firstWord = (tokens: readonly Token[], from: number, to: number) =>
  tokens.slice(from, to).find(({ kind, lower }) => kind === "word" && !conjunctions.has(lower));

/** What a request asks for by how it opens: a question reads, "delete …" changes; unknown where a verb may do either. */
export function effectAsked(tokens: readonly Token[], chunk: Chunk, { actions }: Opening): Effect {
  if (opensQuestion(tokens, chunk)) return "reads";
  if (actions.size === 0 || actions.has("other") || actions.has("run")) return "unknown";
  const reads = actions.has("read");
  return reads && actions.size > 1 ? "unknown" : reads ? "reads" : "changes";
}

/** Words before a noun that is asked for without a verb. */
const maxWordsBeforeThings = 4;

/**
 * "open requests in A", "the latest berths", "products between 5 and 10": many things named with no verb are to be shown. "New …" is
 * to be made, and what a verb is followed by tells what is to be done.
 */
function namesThings(tokens: readonly Token[], from: number, to: number): boolean {
  let at = from;
  while (at < to && /^(?:please|hi|hello|hey|ok|okay|,)$/.test(tokens[at]!.lower)) at += 1;
  if (tellsPartOf(tokens, at)) return true;
  for (let place = at; place < Math.min(to, at + maxWordsBeforeThings); place += 1) {
    const { kind, lower, noun } = tokens[place]!;
    if (kind === "number" && place > at) continue;
    if (kind !== "word" || lower === "new" || auxiliaries.has(lower)) return false;
    const isPlural = noun !== lower && !lower.endsWith("ss") && isContent(lower);
    if (isPlural && !(isVerb(lower) && place === at)) return true;
    if (place === at ? !tellsOfThings(lower) : determiners.has(lower) || prepositions.has(lower)) return false;
  }
  return false;
}

/** "order details of 5", "contact info for Ann": a thing that is also a verb, and what is wanted of it. */
function tellsPartOf(tokens: readonly Token[], at: number): boolean {
  const [thing, part, link] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (thing === undefined || !/^(?:details?|info|information|status|history|summary)$/.test(part?.lower ?? ""))
    return false;
  if (link !== undefined && link.kind === "word" && !/^(?:of|for|on|about)$/.test(link.lower)) return false;
  return isThingToo(thing);
}

/** "issue 42", "order no. 5" and nothing else: a thing that is also a verb, by its number. */
export function isThingByNumber(tokens: readonly Token[], from: number, to: number): boolean {
  const [thing, ...rest] = tokens.slice(from, to);
  const [number, end] = rest.filter(
    ({ text, lower }) => text !== "." && text !== "#" && !/^(?:no|nr|number)$/.test(lower),
  );
  const isNumber = number !== undefined && /^#?\d+$/.test(number.text) && number.unit === undefined;
  return thing?.kind === "word" && isNumber && end === undefined && isThingToo(thing);
}

/** A thing whose word is also the verb that makes it. */
function isThingToo({ lower, stem: own }: Token): boolean {
  const actions = actionsOfVerb(lower);
  return synonymsOf(own).length > 0 && !actions.has("read") && !actions.has("update");
}

/** Begins a noun phrase rather than a request: "open requests", "my latest runs", "overdue goals". */
const tellsOfThings = (lower: string): boolean =>
  determiners.has(lower) ||
  possessives.has(lower) ||
  states.has(lower) ||
  /(?:..est|..ed|..ly|..al|..ive|due)$|^un../.test(lower);
const states: ReadonlySet<string> = new Set(
  "open draft public private own top first last latest recent past next".split(" "),
);

/** "How many open tasks are there?": what is open is asked about, and nothing is opened. */
const isStateAsked = (tokens: readonly Token[], at: number): boolean => {
  const next = tokens[at + 1];
  return (
    states.has(tokens[at]!.lower) &&
    /^(?:which|what|many)$/.test(tokens[at - 1]?.lower ?? "") &&
    next?.kind === "word" &&
    next.noun !== next.lower
  );
};

/** Some resource is called by this verb. */
export function verbHolders(relevance: Relevance, verb: string): boolean {
  return relevance.of(verb).some(({ profile, field }) => field === 0 && verbStems(profile).has(verb));
}

/**
 * Resources that make or send what the opening verb names as a noun, where none is called by the verb itself: "comment … on issue 5"
 * for `add_comment`, "react with …" for `add_reaction`. Only for verbs that ask for nothing else.
 */
export function makersOf({ imperative, stem: verb, actions }: Opening, relevance: Relevance): ReadonlySet<Profile> {
  if (!imperative || actions.has("read") || actions.has("run") || actions.has("update") || actions.has("delete"))
    return noMakers;
  const holders = [verb, ...nounsOf(verb)].flatMap((noun) => relevance.of(noun));
  if (holders.some(({ profile }) => verbStems(profile).has(verb) || describedActs(profile).has(verb))) return noMakers;
  const made = holders.filter(({ profile, field }) => field === 0 && makes(profile));
  // "comment on it" where tools speak of notes
  const makers = made.length > 0 ? made : othersMaking(verb, relevance);
  return new Set(makers.map(({ profile }) => profile));
}

const othersMaking = (verb: string, relevance: Relevance) =>
  relevance.of(verb).length > 0
    ? []
    : synonymsOf(verb)
        .flatMap((noun) => relevance.of(noun))
        .filter(({ profile, field }) => field === 0 && makes(profile));

/** Stems of the nouns that are made of a verb: "enrolment" and "reaction" of "enrol" and "react". */
const nounsOf = (verb: string): readonly string[] =>
  verb.length < 4
    ? []
    : nounEndings.map((ending) => stem(verb.replace(/[ei]$/, "") + ending)).filter((noun) => noun !== verb);
const nounEndings = ["ment", "ion", "ation"] as const;

const makes = (profile: Profile) =>
  [...verbStems(profile)].some((verb) => [...sortsOfVerb(verb)].some((each) => making.has(each)));
const making: ReadonlySet<ActSort> = new Set<ActSort>(["create", "add", "send"]);
const noMakers: ReadonlySet<Profile> = new Set();
