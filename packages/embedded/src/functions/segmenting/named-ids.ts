import { describedOwners, isOfAnything } from "../../catalogue/kinds-of-ids.ts";
import { kindsOfThings } from "../../catalogue/kinds-of-things.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { identifierWords, limitWords, prepositions, superlatives } from "../../language/text/lexicon.ts";
import { singular } from "../../language/text/singular.ts";
import { splitName } from "../../language/text/split-name.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { objectOfTool } from "./object-of-act.ts";
import { isAsking, isThingByNumber } from "./opening.ts";

/** Between a noun and its id: "the page with the id 90210". */
const between: ReadonlySet<string> = new Set(["with", "the", "#", ":", ...identifierWords]);
const maxBetween = 4;

/** Words between a verb that moves something and where it goes. */
const maxBeforeEnd = 12;
const moves = /^(?:move|add|copy|transfer|send|assign|attach|append|put|bring)$/;
const isFrom = ({ lower }: Token) => lower === "from";

/**
 * The stem of the noun that says what the id at a place is of: "berth" of "berth 4411", "pilot" of "pilot PX7GF",
 * "crate" of "app://depot/Crate/7". Undefined for other
 * values, and for numbers that count ("the top 5"). O(1).
 */
export function nounOfId(tokens: readonly Token[], at: number): string | undefined {
  const { kind, text, unit } = tokens[at]!;
  const [, named] = (kind === "literal" && linkedId.exec(text)) || [];
  if (named !== undefined) return stem(singular(splitName(named).at(-1)!));
  const isId = kind === "number" ? unit === undefined && /^\d+$/.test(text) : kind === "literal" && isCode.test(text);
  if (!isId) return undefined;
  const start = rowStart(tokens, at);
  let place = start - 1;
  while (place >= 0 && start - place <= maxBetween && between.has(tokens[place]!.lower)) place -= 1;
  const noun = tokens[place];
  if (noun?.kind !== "word" || noun.possessive || !isContent(noun.lower) || limitWords.has(noun.lower))
    return undefined;
  if (ranking.has(noun.lower) || superlatives.has(noun.lower) || isSuperlative(noun.lower)) return undefined;
  // "what does order 5 hold" asks about an order.
  const isSubject = /^(?:does|did|is|was|has)$/.test(tokens[place - 1]?.lower ?? "");
  // "from list 1 to list 2", "move the card to list 2"
  const leading = tokens.slice(Math.max(0, place - maxBeforeEnd), Math.max(0, place - 1));
  const isEnd = tokens[place - 1]?.lower === "to" && leading.some((token) => isFrom(token) || moves.test(token.lower));
  const isRequest =
    !isEnd && isVerb(noun.lower) && isAsking(tokens, place) && !isThingByNumber(tokens, place, tokens.length);
  if (isRequest && !isSubject) return undefined;
  // "the last 20 tides", but "patient 5521 weighs"
  const after = tokens[at + 1];
  if (
    kind === "number" &&
    text.length < 4 &&
    after?.kind === "word" &&
    after.noun !== after.lower &&
    isContent(after.lower)
  )
    return undefined;
  const isOne = noun.noun === noun.lower || (kind === "number" && (start < at || goesOn(tokens, at)));
  return isOne || kind === "literal" ? stem(noun.noun) : undefined;
}

/** The first of "5, 6 and 7"; the place itself where it is in no row. */
function rowStart(tokens: readonly Token[], at: number): number {
  let start = at;
  for (let place = at - 1; place > 0 && at - place <= maxRow; place -= 1) {
    if (tokens[place]!.kind === "number") start = place;
    else if (!joins(tokens[place]!)) return start < at && tokens[place]!.lower !== "between" ? start : at;
  }
  return at;
}
/** Tokens of a row of numbers. */
const maxRow = 60;

const joins = ({ text, lower }: Token): boolean => text === "," || lower === "and" || lower === "or";

const goesOn = (tokens: readonly Token[], at: number): boolean => {
  const next = tokens[at + 1];
  return next !== undefined && joins(next) && tokens.slice(at + 2, at + 4).some(({ kind }) => kind === "number");
};

/**
 * The stem of the noun for what the thing with an id has, and which that id is not of: "pilot" of "the pilot of F-7" and of "F-7's pilot". Undefined for values other than codes of letters and
 * digits. O(1).
 */
export function nounOfOwned(tokens: readonly Token[], at: number): string | undefined {
  const { kind, text } = tokens[at]!;
  if (kind !== "literal" || !ownerCode.test(text)) return undefined;
  const isOf = tokens[at - 1]?.lower === "of";
  const isPossessive = /^['’]$/.test(tokens[at + 1]?.text ?? "") && tokens[at + 2]?.lower === "s";
  // "with the batch of AS-12" tells the batch.
  const isThing = isOf && prepositions.has(tokens[at - 3]?.lower ?? "");
  const noun = isOf && !isThing ? tokens[at - 2] : isPossessive ? tokens[at + 3] : undefined;
  return noun?.kind === "word" && isContent(noun.lower) ? stem(noun.noun) : undefined;
}
const ownerCode = /^\p{Lu}{1,6}[-_]?\d+(?:[-_]\d+)*$/u;

/** "newest", and no noun that ends alike. */
const isSuperlative = (lower: string): boolean =>
  lower.endsWith("est") &&
  !/^(?:quest|conquest|test|contest|protest|guest|harvest|forest|nest|interest|digest|manifest|chest|vest|priest|arrest|request)$/.test(
    lower,
  );

const ranking: ReadonlySet<string> = new Set(
  "first last top past next previous other another exactly recent newest latest new old about around roughly".split(
    " ",
  ),
);
/** An id that is written as a link says of what it is: "app://depot/Crate/7". */
const linkedId = /^[a-z][a-z0-9+.-]*:\/\/\S*\/(\p{L}+)\/\d+$/iu;
/** With a digit, or small words with hyphens between, which were read as a name ("west-end"). */
const isCode = /^#?(?=[\w-]*\d)[\w-]+$|^[a-z]+(?:-[a-z]+)+$/;

const known = new WeakMap<Profile, Map<string, boolean>>();

/** Some parameter takes the id of such a thing: `berth_id`, or `id` of a tool about berths. */
export function takesIdOf(profile: Profile, noun: string): boolean {
  const own = known.get(profile) ?? new Map<string, boolean>();
  known.set(profile, own);
  let takes = own.get(noun);
  if (takes === undefined) {
    takes = profile.parameters.some((parameter) => isIdOf(parameter, noun, profile));
    own.set(noun, takes);
  }
  return takes;
}

function isIdOf(parameter: Parameter, noun: string, profile: Profile): boolean {
  const { words, isIdentifier, entity, choices, isLimit } = parameter;
  if (choices.length > 0 || isLimit) return false;
  const last = words.at(-1) ?? "";
  if (!isIdentifier) {
    // `issue_number` says which issue is meant.
    const named = words.length > 1 && /^(?:number|num|no|nr)$/.test(last) ? words.at(-2)! : last;
    return !limitWords.has(named) && sameStem(stem(named), noun);
  }
  if (isOfAnything(parameter)) return true;
  if (entity.length > 0)
    return entity.some((word) => sameStem(stem(word), noun)) || describedOwners(parameter).has(noun);
  return (
    kindsOfThings(profile).has(noun) ||
    sameStem(objectOfTool(profile), noun) ||
    profile.entity.some((word) => sameStem(stem(word), noun))
  );
}
