import { shapeOf, type ValueShape } from "../../catalogue/value-shape.ts";
import { isOfQuestion } from "../../language/clauses/clauses.ts";
import { doneAlike } from "../../language/text/act-sorts.ts";
import { isParticiple } from "../../language/text/participle.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { isAsking } from "./opening.ts";

/**
 * What everyday English says without naming it: verbs with the same meaning, the measure that "how high" asks for, the thing
 * that "who" asks for, what a written value is. Nothing here belongs to a trade.
 */

/** What a verb may be called where it is not called so; the general acts (`actions.ts`) need no entry. */
const verbs: readonly (readonly [string, string])[] = [
  ["complete finish end conclude resolve", "close complete finish end resolve"],
  ["close", "complete finish end resolve"],
  ["tell inform notify announce", "tell inform notify message post send announce"],
  ["message", "post send notify"],
  ["save store", "write save store"],
  ["remember memorize", "save store record memory note"],
  ["forget wipe", "delete remove erase"],
  ["copy duplicate clone", "copy duplicate clone"],
  ["compare contrast", "compare diff difference comparison"],
  ["switch", "change checkout use set"],
  ["launch begin", "start launch run"],
  ["halt kill terminate", "stop end cancel terminate"],
  ["reboot relaunch", "restart"],
  ["approve accept", "approve accept review"],
  ["reject decline deny refuse", "reject decline review"],
  ["combine unite join", "merge combine join"],
  ["divide separate", "split separate"],
  ["purchase", "buy order"],
  ["send wire", "transfer"],
  ["answer respond", "reply answer respond"],
  ["leave", "add create post"],
  ["travel drive walk", "route directions travel"],
];

/** After "how": the noun that the adjective measures. */
const measures: readonly (readonly [string, string])[] = [
  ["high tall", "height elevation altitude"],
  ["far", "distance route"],
  ["long", "duration length time minutes"],
  ["old", "age"],
  ["big large small", "size"],
  ["fast quick slow", "speed"],
  ["heavy", "weight"],
  ["deep", "depth"],
  ["wide broad", "width"],
  ["hot cold warm", "temperature"],
  ["much", "amount"],
  ["expensive", "cost price"],
  ["many", "count number query"],
  ["often", "frequency"],
  ["busy full", "status usage"],
];

/** What a word of asking asks for. */
const asked: readonly (readonly [string, string])[] = [
  ["who whose whom", "user person people profile member participant"],
  ["where", "location place address"],
  ["when", "time date"],
];

/** What a written value is. */
const kinds: Readonly<Partial<Record<ValueShape, string>>> = {
  link: "url link page website",
  mail: "email mail",
  cells: "cell range",
};

/** How much a word that is only implied says, beside one that is said. */
const weights = { verb: 0.7, measure: 1, asked: 0.6, kind: 0.5, done: 0.6, listing: 1 } as const;

/** A word that is implied, by its stem. */
export interface ImpliedWord {
  readonly stem: string;
  /** 0 to 1. */
  readonly weight: number;
}

const none: readonly ImpliedWord[] = [];
const list = (text: string, weight: number): readonly ImpliedWord[] =>
  [...new Set(text.split(" ").map(stem))].map((each) => ({ stem: each, weight }));
const table = (rows: readonly (readonly [string, string])[], weight: number) =>
  new Map(rows.flatMap(([words, nouns]) => words.split(" ").map((word) => [word, list(nouns, weight)] as const)));

const byMeasure = table(measures, weights.measure);
const byQuestion = table(asked, weights.asked);
const byVerb = new Map([...table(verbs, weights.verb)].map(([verb, words]) => [stem(verb), words]));

/** What a verb that opens a request may mean. */
export const impliedByVerb = (verb: string): readonly ImpliedWord[] => byVerb.get(verb) ?? none;

/** What the word at a place asks for: "how high", "who is". */
export function impliedAt(tokens: readonly Token[], at: number): readonly ImpliedWord[] {
  const { kind, lower } = tokens[at]!;
  if (kind !== "word") return none;
  if (lower === "know" && tokens[at - 1]?.lower === "you") return searched;
  if (isOnline(tokens, at)) return online;
  if (liesInFolder(tokens, at)) return listing;
  if (/^happen(?:s|ed|ing)?$/.test(lower)) return events;
  if (saysLatest(tokens, at)) return latest;
  if (/^(?:near|nearby|closest|nearest)$/.test(lower)) return nearby;
  if (isWay(tokens, at)) return ways;
  if (/^(?:rain|raining|rainy|snow|snowing|sunny|windy|umbrella)$/.test(lower)) return weather;
  if (leadsTo(tokens, at)) return visits;
  if (tokens[at - 1]?.lower === "how") return byMeasure.get(lower) ?? none;
  return (isAsking(tokens, at) ? byQuestion.get(lower) : undefined) ?? none;
}

/** What was done to the things that are asked about, in other words: "tasks that were finished", "which tasks did I finish". */
export function impliedByDone(tokens: readonly Token[], at: number): readonly ImpliedWord[] {
  const token = tokens[at]!;
  if (token.kind !== "word" || !(isOfQuestion(tokens, at) || isPassive(tokens, at))) return none;
  return doneAlike(token.stem).map((each) => ({ stem: each, weight: weights.done }));
}

/** "were edited", "that were recently edited": a participle after a form of "be". */
const isPassive = (tokens: readonly Token[], at: number) =>
  isParticiple(tokens[at]!) &&
  !tokens[at]!.lower.endsWith("ing") &&
  tokens.slice(Math.max(0, at - 2), at).some(({ lower }) => /^(?:is|are|was|were|been|got)$/.test(lower));

/** What a written value is: `notes.txt` is a file. */
export function impliedByValue(token: Token): readonly ImpliedWord[] {
  if (token.kind !== "literal") return none;
  const shape = shapeOf({ kind: "literal", text: token.text });
  if (shape === "path") return /\.[\p{L}\d]{1,5}$/u.test(token.text) ? file : folder;
  return byKind.get(shape) ?? none;
}

const byKind = new Map<ValueShape | undefined, readonly ImpliedWord[]>(
  Object.entries(kinds).map(([shape, words]) => [shape as ValueShape, list(words, weights.kind)]),
);
/** "on Google", "on the internet": what is to be found is sought by an engine. */
const isOnline = (tokens: readonly Token[], at: number) =>
  /^(?:google|bing|internet|web)$/.test(tokens[at]!.lower) && /^(?:on|over|the)$/.test(tokens[at - 1]?.lower ?? "");
/** "the files in /srv": what lies in a folder is listed by a tool for folders. */
function liesInFolder(tokens: readonly Token[], at: number): boolean {
  if (!/^(?:files|documents|everything)$/.test(tokens[at]!.lower)) return false;
  const place = at + 1 + tokens.slice(at + 1, at + 1 + maxBetween).findIndex(isFolder);
  return place > at && /^(?:in|inside|within|under|of)$/.test(tokens[place - 1]!.lower);
}

/** The stem of "directory", where a chunk asks for the files in a folder and nothing is to be changed. */
export const listedFolder = (
  tokens: readonly Token[],
  { from, to }: { from: number; to: number },
): string | undefined =>
  tokens.slice(from, to).some((_, at) => liesInFolder(tokens, from + at)) &&
  !tokens
    .slice(from, to)
    .some(({ kind, text, lower }) => (kind === "literal" && text.includes("*")) || /^(?:each|every|all)$/.test(lower))
    ? directory
    : undefined;
const directory = stem("directory");
const isFolder = (token: Token) => impliedByValue(token) === folder;
/** Words between "files" and where they are. */
const maxBetween = 4;
const listing = list("directory folder", weights.listing);
const online = list("search engine web internet", weights.asked);
/** "shops near the station" are places. */
const nearby = list("nearby place location", weights.asked);
/** "open https://…", "go to https://…", "visit https://…": what a link leads to is gone to or got. */
const leadsTo = (tokens: readonly Token[], at: number): boolean =>
  /^(?:open|go|visit|browse|load)$/.test(tokens[at]!.lower) &&
  tokens.slice(at + 1, at + 4).some(({ kind, text }) => kind === "literal" && text.includes("://"));
const visits = list("navigate url visit fetch browse", weights.measure);
/** "How do I get from A to B", "how to get to B" */
const isWay = (tokens: readonly Token[], at: number) =>
  tokens[at]!.lower === "get" &&
  /^(?:from|to)$/.test(tokens[at + 1]?.lower ?? "") &&
  tokens.slice(Math.max(0, at - 4), at).some(({ lower }) => lower === "how");
const ways = list("direction route", weights.measure);
/** "Will it rain in …", "do I need an umbrella in …" */
const weather = list("weather forecast", weights.measure);
/** "What happened to …" */
const events = list("history activity event log", weights.asked);
/** "the last reading", "the latest note": what is the last of its kind is found in a list of them. */
const saysLatest = (tokens: readonly Token[], at: number) =>
  /^(?:last|latest|newest)$/.test(tokens[at]!.lower) &&
  /^(?:the|my|our|its|whose)$/.test(tokens[at - 1]?.lower ?? "") &&
  tokens[at + 1]?.kind === "word";
const latest = list("log history list recent", weights.asked);
const searched = list("search find query", weights.asked);
const file = list("file", weights.kind);
const folder = list("folder directory", weights.kind);
