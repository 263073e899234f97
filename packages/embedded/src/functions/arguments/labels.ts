import type { Profile } from "../../catalogue/profile.ts";
import { isContent } from "../../language/text/content-words.ts";
import { prepositions } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { type ParameterReading, weak } from "./parameter-reading.ts";
import type { Stretch } from "./stretches.ts";

/** What the words beside a value call it: "channel C012", "the table orders", "the staging namespace". */
export interface Labels {
  /** Stem of the noun right before it. */
  readonly before?: string;
  /** The noun is written in capitals: it may be the initials of what it stands for ("PR 15"). */
  readonly initials?: string;
  /** Stem of the noun right after it, with an article before the value. */
  readonly after?: string;
  /** How much the value looks like one rather than like a word of a sentence: 0 to 1. */
  readonly written: number;
  /** A single word that ends its run of words, with the noun right before it: "namespace staging". */
  readonly apposed: boolean;
  /** Stem of the first of two words of the value: "namespace staging" is no name. */
  readonly first?: string;
}

const between: ReadonlySet<string> = new Set(["#", ":", "=", "id", "ids", "number", "no", "named", "called", "name"]);

/** O(1). */
export function labelsOf(stretch: Stretch, tokens: readonly Token[]): Labels {
  const { from, to, words } = stretch;
  let at = from - 1;
  for (let steps = 0; steps < 2 && at >= 0 && between.has(tokens[at]!.lower); steps += 1) at -= 1;
  const before = tokens[at];
  const after = tokens[to];
  const noun = (token: Token | undefined) =>
    token?.kind === "word" && isContent(token.lower) && !token.possessive ? token : undefined;
  const label = noun(before);
  const initials = label !== undefined && /^\p{Lu}{2,4}s?$/u.test(label.text) ? label.lower : undefined;
  const article = tokens[from - 1];
  const framed = article === undefined || article.lower === "the" || prepositions.has(article.lower);
  const follower = framed ? noun(after) : undefined;
  return {
    ...(label !== undefined && { before: label.stem }),
    ...(initials !== undefined && { initials }),
    ...(follower !== undefined && { after: follower.stem }),
    written: writtenness(words, stretch),
    apposed: label !== undefined && at === from - 1 && stretch.closes && !/\s/.test(stretch.text),
    ...(words.length === 2 && words[0]!.kind === "word" && /\s/.test(stretch.text) && { first: words[0]!.stem }),
  };
}

/** Values that are no words weigh fully; of words, names and quotations others things may be meant. */
const weightOfWords = 0.25;
/** A word beside the very name of a parameter, or beside a kind of thing that another parameter chooses, is hardly anything else. */
const weightOfApposition = 0.8;

function writtenness(words: readonly Token[], { kind, size, text }: Stretch): number {
  if (kind === "literal") return 1;
  const [first] = words;
  if (first === undefined) return 0;
  if (words.length === 1 && first.kind === "word" && /\p{Ll}\p{Lu}|[\d_]/u.test(first.text)) return 1;
  if (kind === "quoted" || kind === "number" || kind === "name") return weightOfWords;
  return first.kind === "word" && (size === 1 || !/\s/.test(text)) ? weightOfWords : 0;
}

/** Words of a parameter that say which thing it names: `channel` of `channel_id`. */
const tellingOf = ({ parameter }: ParameterReading) => parameter.stems.filter((each) => !weak.has(each));

/** The label is what the parameter is called after, the last of its telling words weighing most: 0 to 1. */
function named(reading: ParameterReading, label: string | undefined): number {
  if (label === undefined) return 0;
  const telling = tellingOf(reading);
  const at = telling.findIndex((each) => sameStem(each, label));
  if (at < 0) return 0;
  return at === telling.length - 1 ? 1 : 0.6;
}

/** "PR" for `pull_request`. */
function abbreviates(initials: string | undefined, words: readonly string[]): boolean {
  if (initials === undefined) return false;
  const short = initials.replace(/s$/, "");
  return words.some(
    (_, at) =>
      words
        .slice(at, at + short.length)
        .map((word) => word[0])
        .join("") === short,
  );
}

/** What the label stands for is what the tool is about: its nouns, and values that another argument may have ("deployment"). */
export function isAbout(profile: Profile, label: string | undefined, readings: readonly ParameterReading[]): boolean {
  if (label === undefined) return false;
  const matches = (each: string) => sameStem(each, label);
  if (profile.nameWords.some((word) => matches(stem(word)))) return true;
  return readings.some(({ parameter }) =>
    parameter.choices.some(({ stems }) => stems.length === 1 && matches(stems[0]!)),
  );
}

/** A parameter for the name or id of the thing that the tool is about. */
const namesTheThing = (reading: ParameterReading) => {
  const last = reading.parameter.words.at(-1);
  return tellingOf(reading).length === 0 && (last === "name" || reading.parameter.isIdentifier);
};

/**
 * How much the words beside a value speak for a parameter: 1 where they name it, -1 where they name another one, half of it for a
 * plain word; 0 where they say nothing. O(parameters).
 */
export function labelAgreement(
  reading: ParameterReading,
  labels: Labels,
  readings: readonly ParameterReading[],
  profile: Profile,
): number {
  const isExact = (other: ParameterReading, label: string) => {
    const telling = tellingOf(other);
    return telling.length === 1 && other.parameter.stems.length <= 2 && sameStem(telling[0]!, label);
  };
  const chosen = (label: string) =>
    readings.some(({ parameter }) =>
      parameter.choices.some(({ stems }) => stems.length === 1 && sameStem(stems[0]!, label)),
    );
  const { first, before } = labels;
  // "the deployment web": the noun tells what is named.
  if (
    first !== undefined &&
    (readings.some((other) => isExact(other, first)) || (chosen(first) && readings.some(namesTheThing)))
  )
    return -weightOfApposition;
  if (labels.written === 0) return 0;
  if (labels.apposed && before !== undefined) {
    if (isExact(reading, before)) return weightOfApposition;
    if (readings.some((other) => isExact(other, before))) return -weightOfApposition;
    if (chosen(before) && readings.some(namesTheThing))
      return namesTheThing(reading) ? weightOfApposition : -weightOfWords;
  }
  const score = (other: ParameterReading) => {
    const own = Math.max(named(other, labels.before), 0.7 * named(other, labels.after));
    if (own > 0) return own;
    const initials = abbreviates(labels.initials, [...other.parameter.words, ...profile.nameWords]);
    if (initials && other.parameter.words.some((word) => labels.initials?.startsWith(word[0]!))) return 0.8;
    return namesTheThing(other) && isAbout(profile, labels.before, readings) ? 0.8 : 0;
  };
  const own = score(reading);
  const rival = Math.max(0, ...readings.filter((other) => other !== reading).map(score));
  return labels.written * (own >= rival ? own : own - rival);
}
