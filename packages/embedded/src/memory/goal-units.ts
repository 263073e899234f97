import type { Clock } from "../language/temporal/calendar.ts";
import { type DateSpan, findDates } from "../language/temporal/find-dates.ts";
import {
  auxiliaries,
  conjunctions,
  nameLinks,
  negations,
  prepositions,
  pronouns,
  relatives,
  subordinators,
} from "../language/text/lexicon.ts";
import { numberWords } from "../language/text/number-words.ts";
import { stem } from "../language/text/stem.ts";
import { type Token, tokenise } from "../language/text/token.ts";

/** A word or a value of a goal, as goals are compared. */
export interface GoalUnit {
  readonly kind: "word" | "number" | "quoted" | "literal" | "date";
  /** As it is written; of a quotation what is inside. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Two units with the same key say the same. */
  readonly key: string;
  readonly capital: boolean;
  /** Punctuation or a line's end is between the unit before and this one. */
  readonly afterBreak: boolean;
  /** The text between the previous unit and this one if it contains no space: `/`, `-`, or the empty string. */
  readonly joint: string | undefined;
  /** Numbers: the value and, where it is written with the number, the unit. */
  readonly value?: number;
  readonly measure?: string;
  readonly date?: DateSpan;
  /** Dates: the small word before them, where it says what part the day has: "by", "until", "after". */
  readonly lead?: string;
  /** A pronoun that says whose things are meant. */
  readonly isOwner?: boolean;
}

/** Goals of more words are not compared: what repeats itself is short. */
export const maxGoalUnits = 250;

/** The goal's words and values in order; undefined where there are more than `maxGoalUnits`. Linear in the text. */
export function readUnits(goal: string, clock: Clock): GoalUnit[] | undefined {
  const dates = findDates(goal, clock);
  const tokens = tokenise(goal, dates);
  const units: GoalUnit[] = [];
  let afterBreak = false;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.kind === "break" || (token.kind === "punctuation" && !isSign(tokens, at))) {
      afterBreak ||= !isJoining(tokens, at);
      continue;
    }
    const spelled = numberWords(tokens, at);
    const last = spelled === undefined ? token : tokens[spelled.to - 1]!;
    const before = units.at(-1);
    const between = before === undefined ? " " : goal.slice(before.end, token.start);
    units.push({
      ...(spelled === undefined
        ? read(token, dates, goal)
        : spelledOut(spelled.value, goal.slice(token.start, last.end))),
      start: token.start,
      end: last.end,
      capital: token.capital,
      afterBreak,
      joint: /\s/.test(between) ? undefined : between,
    });
    if (spelled !== undefined) at = spelled.to - 1;
    afterBreak = false;
    if (units.length > maxGoalUnits) return undefined;
  }
  return units.map((unit, at) => (isHandingOver(units, at) ? { ...unit, key: stem(unit.text.toLowerCase()) } : unit));
}

/** "Give Ann access" and "tell Ann" do something, "give me" and "tell me" ask for something. */
function isHandingOver(units: readonly GoalUnit[], at: number): boolean {
  return /^(?:give|tell)$/i.test(units[at]!.text) && !/^(?:me|us)$/.test(units[at + 1]?.text ?? "");
}

/** A sign that means something by itself: "> 50", "~50", "50 €". No bullet, and none within a word. */
function isSign(tokens: readonly Token[], at: number): boolean {
  const [before, { text, start }] = [tokens[at - 1], tokens[at]!];
  if (!/^[^`´\P{S}]$|^[%*&]$/u.test(text) || isJoining(tokens, at)) return false;
  return text !== "*" || (before !== undefined && before.kind !== "break") || tokens[at + 1]?.start === start + 1;
}

/** Between two words without a space, as in `facebook/react`: it keeps them together. */
function isJoining(tokens: readonly Token[], at: number): boolean {
  const [before, token, after] = [tokens[at - 1], tokens[at]!, tokens[at + 1]];
  return /^[/\-_.:&'’@#]$/.test(token.text) && before?.end === token.start && after?.start === token.end;
}

type Said = Pick<GoalUnit, "kind" | "text" | "key" | "value" | "measure" | "date" | "lead">;

function read(token: Token, dates: readonly DateSpan[], goal: string): Said {
  const { text, value, unit } = token;
  switch (token.kind) {
    case "number":
      return {
        kind: "number",
        text,
        key: `number ${value}${unit ?? ""}`,
        value: Number(value),
        ...(unit !== undefined && { measure: unit }),
      };
    case "quoted":
      return { kind: "quoted", text: String(value), key: `quoted ${String(value).toLowerCase()}` };
    case "date": {
      const date = dates[Number(value)];
      const said = date?.text ?? text;
      const lead = date === undefined ? "" : leadOfDate(date, goal);
      const key = `date ${said.toLowerCase()} ${lead}`.trim();
      return { kind: "date", text: said, key, ...(date !== undefined && { date }), ...(lead !== "" && { lead }) };
    }
    case "literal":
      return { kind: "literal", text, key: `literal ${token.lower}` };
    default:
      return { kind: "word", text, key: isShortened(text) && linking.has(token.lower) ? text : wordKey(token.lower) };
  }
}

/** "US", "IT": a name, where "us" and "it" are none. */
const isShortened = (text: string): boolean => /^\p{Lu}{2,}$/u.test(text);

/** Words before a day that only say that it is one. */
const dayLeads = new Set(["", "in", "on", "at", "of", "for", "during", "within", "dated", "over"]);

function leadOfDate({ start, end, text }: DateSpan, goal: string): string {
  const whole = goal.slice(start, end);
  const words =
    whole
      .slice(0, Math.max(0, whole.indexOf(text)))
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const lead = words.filter((word) => word !== "the").join(" ");
  return dayLeads.has(lead) ? "" : lead;
}

const spelledOut = (value: number, text: string): Said => ({ kind: "number", text, key: `number ${value}`, value });

/** Verbs that mean the same in a request. The list has general verbs only, since the verbs of a trade differ in meaning. */
const sameVerbs: readonly string[] = [
  "show list get fetch display give tell retrieve view",
  "find search look",
  "create make",
  "delete remove erase",
  "update change edit modify",
  "calculate compute",
  "start launch begin",
  "buy purchase",
];
const verbKeys = new Map(
  sameVerbs.flatMap((verbs) => {
    const all = verbs.split(" ");
    return all.map((verb): [string, string] => [stem(verb), stem(all[0]!)]);
  }),
);

/** Nouns in any number are the same, and verbs of one meaning. "Closed issues" are not to be closed, so that participles are words of their own. */
function wordKey(lower: string): string {
  const key = stem(lower);
  const bare = lower.replace(/s$/, "");
  const ending = stem(bare) === bare ? undefined : /(?:ed|ing)$/.exec(bare)?.[0];
  return (verbKeys.get(key) ?? key) + (ending === undefined ? "" : ` ${ending}`);
}

/** Key of the verbs that only ask for something to be shown: a question says the same without any. */
export const showing = wordKey("show");

const opening = new Set(
  "please kindly hi hello hey thanks thank could can would will i i'd i'm we we'd want like need love help let's lets just you me us to go ahead and".split(
    " ",
  ),
);
/** Words that open a request only after, or before, some others: "I need …" does, "Help Ann" and "Like the photo" ask for something. */
const openingAfter: Readonly<Record<string, RegExp>> = {
  want: /^(?:i|we|would)$/,
  need: /^(?:i|we|would)$/,
  like: /^(?:would|i'd|we'd)$/,
  love: /^(?:would|i'd|we'd)$/,
  you: /./,
  me: /./,
  us: /./,
  to: /./,
  and: /^ahead$/,
  ahead: /^go$/,
};
const openingBefore: Readonly<Record<string, RegExp>> = {
  help: /^(?:me|us)$/,
  thank: /^you$/,
  go: /^ahead$/,
  could: /^(?:you|we|i|please)$/,
  can: /^(?:you|we|i|please)$/,
  would: /^(?:you|we|i|please|like|love|want|need)$/,
  will: /^(?:you|we|i|please)$/,
};
const closing = new Set("please thanks thank you me us for now".split(" "));
/** Likewise at the end: "for me" says who asks, "from me" whose it is. */
const closingAfter: Readonly<Record<string, RegExp>> = { you: /^thank$/, me: /^for$/, us: /^for$/ };
const closingBefore: Readonly<Record<string, RegExp>> = { thank: /^you$/, for: /^(?:me|us|now)$/ };
const anywhere = new Set(["please", "kindly", "just"]);
const askers = new Set(["me", "us"]);
/** Behind these they say whose things are meant: "the drafts from me". */
const owners = new Set("me us you him her them myself yourself ourselves themselves mine yours ours theirs".split(" "));
const ownerLeads = /^(?:from|by|of|to|with|without|about|on)$/;
/** After these "me" says only who asks. */
const showingMe = new Set(["show", "give", "tell", "get", "find", "fetch"]);
const articles = new Set(["a", "an", "the"]);

/**
 * The units without what a request may have or lack and yet ask for the same: "could you please", "show me", "the". An article with a capital within a
 * sentence begins a name and stays.
 */
export function essential(units: readonly GoalUnit[]): GoalUnit[] {
  const textOf = (at: number) => {
    const { kind, text } = units[at] ?? { kind: "number", text: "" };
    return kind !== "word" || isShortened(text) ? "" : text.toLowerCase().replaceAll("’", "'");
  };
  const is = (at: number, set: ReadonlySet<string>) => set.has(textOf(at));
  const fits = (at: number, after: Readonly<Record<string, RegExp>>, before: Readonly<Record<string, RegExp>>) =>
    (after[textOf(at)]?.test(textOf(at - 1)) ?? true) && (before[textOf(at)]?.test(textOf(at + 1)) ?? true);
  let from = 0;
  while (from < units.length - 1 && is(from, opening) && fits(from, openingAfter, openingBefore)) from += 1;
  let to = units.length;
  while (to > from + 1 && is(to - 1, closing) && fits(to - 1, closingAfter, closingBefore)) to -= 1;
  const kept: GoalUnit[] = [];
  let isBroken = false;
  for (let at = from; at < to; at += 1) {
    const unit = units[at]!;
    isBroken ||= unit.afterBreak;
    const isArticle = is(at, articles) && (at === from || /^[at]/.test(unit.text));
    const isForm = is(at, anywhere) || (is(at, askers) && is(at - 1, showingMe));
    if ((isArticle || isForm) && at < to - 1) continue;
    const isOwner = is(at, owners) && ownerLeads.test(textOf(at - 1));
    kept.push({ ...unit, afterBreak: isBroken, ...(isOwner && { isOwner }) });
    isBroken = false;
  }
  return kept;
}

/** Words that turn what is asked for into something else, however alike the rest is. */
const turning = new Set([
  ...negations,
  ...subordinators,
  ..."or nor but except excluding instead otherwise before after until then who who's whose where when why how must should shall may might like".split(
    " ",
  ),
  // What was, and what will be, is something else.
  ..."was were did had will i'll we'll you'll he'll she'll it'll they'll who'll".split(" "),
]);
/** "scale the api down": behind a name they say which way. */
const particles = new Set("up down out off back away again".split(" "));

const linking = new Set([...prepositions, ...auxiliaries, ...relatives, ...pronouns, "and", "what's"]);

/** Says how words belong together, and nothing by itself. */
export function isLinking(unit: GoalUnit): boolean {
  const lower = unit.text.toLowerCase();
  const isName = unit.isOwner === true || isShortened(unit.text);
  return unit.kind === "word" && !isName && linking.has(lower) && !turning.has(lower) && !ownership.has(lower);
}

/** Prepositions that are interchangeable, because they only say to what something belongs. */
const belonging = new Set(["in", "of", "on", "at", "inside", "within"]);

/** What leads to a value, as leads are compared: "in" and "of" may lead to the same one, "by" and "to" do not. */
export function leadOf(unit: GoalUnit | undefined): string {
  return unit === undefined || belonging.has(unit.text.toLowerCase()) ? "" : unit.key;
}

/** A preposition that says what part a value has: "from", "to", "by". */
export function isDirecting(unit: GoalUnit | undefined): boolean {
  return unit !== undefined && prepositions.has(unit.text.toLowerCase()) && !belonging.has(unit.text.toLowerCase());
}

/** "my issues" are others than "the issues". */
const ownership = new Set(["my", "our", "your", "their", "his", "her"]);

/** Whether the word ends a value that is written without quotation marks. Names may contain such words. */
export function endsValue(unit: GoalUnit): boolean {
  const lower = unit.text.toLowerCase();
  if (unit.kind !== "word" || (unit.capital && !conjunctions.has(lower))) return false;
  return [turning, linking, conjunctions, ownership, particles].some((set) => set.has(lower));
}

export const linksNames = (unit: GoalUnit): boolean => nameLinks.has(unit.text.toLowerCase());
