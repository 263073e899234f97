import type { Parameter } from "../../catalogue/parameter.ts";
import type { Span } from "../../language/clauses/spans.ts";
import { actionsOfVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { determiners, emptyNouns } from "../../language/text/lexicon.ts";
import { isNamed } from "../../language/text/locale-names.ts";
import { splitName } from "../../language/text/split-name.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { unitOf } from "../../language/text/units.ts";
import type { Features } from "../learned/weigh.ts";
import type { Known } from "./call.ts";
import type { Excerpt } from "./excerpts.ts";
import { type ParameterReading, plain, weak } from "./parameter-reading.ts";

/** Words of the parameter's name around a span: how much of the name is before it, after it, within it. */
export interface NameProximity {
  readonly left: number;
  readonly right: number;
  readonly inside: number;
}

/**
 * What a word of the parameter's name counts by how many stems lie between it and the span. Fixed by hand; the learned weights of the
 * features that are made of them rest on these numbers.
 */
const nearnessBefore = [1, 0.8, 0.5] as const;
const farBefore = 0.3;
const nearnessAfter = [1, 0.6] as const;
const farAfter = 0.35;
/** What a word like "name" or "id", which many parameters have, counts beside a telling one. */
const weakWordShare = 0.35;
/** From this share on a name counts as whole, since sums of shares are not exact. */
const wholeName = 0.99;
/** What a name after a span counts beside one before it. */
const nameAfterShare = 0.9;

export function proximityOf(parameter: Parameter, span: Span, inner: readonly string[]): NameProximity {
  let left = 0;
  let right = 0;
  let inside = 0;
  let whole = 0;
  for (const each of parameter.stems) {
    const weight = weak.has(each) ? weakWordShare : 1;
    whole += weight;
    const at = span.before.findIndex((other) => sameStem(other, each));
    const follows = span.after.findIndex((other) => sameStem(other, each));
    if (at >= 0) left += weight * (nearnessBefore[at] ?? farBefore);
    if (follows >= 0) right += weight * (nearnessAfter[follows] ?? farAfter);
    if (inner.some((other) => sameStem(other, each))) inside += weight;
  }
  return whole === 0 ? { left, right, inside } : { left: left / whole, right: right / whole, inside: inside / whole };
}

export const strength = (near: NameProximity) => Math.max(near.left, nameAfterShare * near.right);

/** What can be said of an excerpt alone, whatever it is for. */
export function excerptFeatures(excerpt: Excerpt, known: Known, inner: readonly string[]): Features {
  const { words, size } = excerpt;
  const features: Features = [
    [`kind ${excerpt.kind}`, 1],
    [`shape ${excerpt.shape}`, 1],
    [`left ${excerpt.left}`, 1],
    [`right ${excerpt.right}`, 1],
    [`size ${size > 5 ? "long" : size}`, 1],
  ];
  const put = (name: string, value: number | boolean) => {
    const amount = Number(value);
    if (amount !== 0) features.push([name, amount]);
  };
  const capitals = words.filter((token) => token.capital).length;
  const telling = Math.max(1, inner.length);
  features.push([`${excerpt.kind} left ${excerpt.left}`, 1], [`${excerpt.kind} right ${excerpt.right}`, 1]);
  put(`${excerpt.kind} closes`, excerpt.closes);
  put(`${excerpt.kind} size ${size > 4 ? "long" : size}`, 1);
  put("opens", excerpt.opens);
  put("closes", excerpt.closes);
  put("whole run", excerpt.opens && excerpt.closes);
  put("capital first", words[0]!.capital);
  put("capital share", capitals / words.length);
  put("capital article", /^(?:The|An?)$/.test(words[0]!.text) && words.length > 1);
  put("mixed case", capitals > 0 && capitals < words.filter((token) => token.kind === "word").length);
  put(
    "small words inside",
    words.filter((token) => token.kind === "word" && !isContent(token.lower)).length / words.length,
  );
  put(
    "has number",
    words.some((token) => token.kind === "number"),
  );
  put("date inside", words.length > 1 && words.some((token) => token.kind === "date"));
  put("all empty", inner.length === 0 && excerpt.kind === "phrase");
  put("names the call", inner.filter((each) => known.names.has(each)).length / telling);
  put("labels", inner.filter((each) => known.labels.has(each)).length / telling);
  put("results", inner.filter((each) => known.results.has(each)).length / telling);
  put("known", inner.filter((each) => known.knows(each)).length / telling);
  put("own known", inner.filter((each) => known.own.has(each)).length / telling);
  put("points back", excerpt.pointsBack);
  const first = words[0]!;
  put("verb first", first.kind === "word" && !first.capital && actionsOfVerb(first.lower).size > 0);
  put("ing first", first.kind === "word" && !first.capital && first.lower.endsWith("ing"));
  put("ed last", /ed$/.test(words.at(-1)!.lower) && words.at(-1)!.kind === "word");
  put("ing last", /ing$/.test(words.at(-1)!.lower) && words.at(-1)!.kind === "word");
  put("joined", excerpt.base.joined);
  put(
    "ly",
    words.some((token) => token.lower.endsWith("ly")),
  );
  return features;
}

/** What an excerpt and a parameter have to do with each other. */
export function textFeatures(
  reading: ParameterReading,
  excerpt: Excerpt,
  near: NameProximity,
  elsewhere: number,
  inner: readonly string[],
): Features {
  const { parameter, examples, exampleStems, exampleList } = reading;
  const features: Features = [["bias", 1]];
  const put = (name: string, value: number | boolean) => {
    const amount = Number(value);
    if (amount !== 0) features.push([name, amount]);
  };
  put("required", parameter.required);
  put("list", parameter.takesList && !parameter.takesOne);
  put("near left", near.left);
  put("near right", near.right);
  put("near left first", near.left >= wholeName);
  put("inside", near.inside);
  put("inside whole", near.inside > wholeName && inner.length <= parameter.stems.length);
  put("elsewhere", elsewhere);
  put("elsewhere only", elsewhere > strength(near) ? elsewhere - strength(near) : 0);
  const around = [...excerpt.before.slice(0, 3), ...excerpt.after.slice(0, 2)];
  put("about near", Math.min(2, around.filter((each) => parameter.about.has(each)).length));
  const own = inner.filter((each) => !parameter.stems.includes(each));
  put(
    "about inside",
    own.filter((each) => parameter.about.has(each) && !exampleStems.has(each)).length / Math.max(1, own.length),
  );
  if (exampleList.length > 0) {
    const said = plain(excerpt.text);
    const exact = examples.has(said) || examples.has(said.replace(/s$/, "")) || examples.has(`${said}s`);
    put("example", exact);
    put(
      "example inside",
      !exact && inner.length > 0 ? inner.filter((each) => exampleStems.has(each)).length / inner.length : 0,
    );
    put("no example", !exact && exampleList.length > 2);
    const capital = exampleList.filter((each) => /^\p{Lu}/u.test(each)).length / exampleList.length;
    put("case of examples", excerpt.words[0]!.capital ? capital - 0.5 : 0.5 - capital);
    const count = exampleList.reduce((sum, each) => sum + each.split(/\s+/).length, 0) / exampleList.length;
    put("length of examples", -Math.min(3, Math.abs(excerpt.size - count)));
    const digits = exampleList.filter((each) => /\d/.test(each)).length / exampleList.length;
    put("digits of examples", /\d/.test(excerpt.text) ? digits - 0.5 : 0.5 - digits);
  }
  if (excerpt.preposition !== "") {
    put("guided", reading.guides.has(excerpt.preposition));
    put("misguided", reading.guides.size > 0 && !reading.guides.has(excerpt.preposition));
    put(`after ${prepositionSort(excerpt.preposition)}`, 1);
  } else {
    put("object", reading.isObject && (excerpt.left === "verb" || excerpt.left === "determiner"));
    put("unguided", reading.guides.size > 0 && !reading.isObject);
  }
  put("from origin", direction(parameter, excerpt.preposition));
  put("far in order", reading.rivals === 0 ? 0 : Math.abs(reading.place - excerpt.place));
  put("no rival", reading.rivals === 0);
  if (reading.named !== undefined) {
    const named = (excerpt.words[0]!.capital || reading.named === "currency") && isNamed(excerpt.text, reading.named);
    put(`named ${reading.named}`, named);
    put("not named", !named && reading.named !== "city");
  }
  put("form", formOf(parameter, excerpt));
  if (parameter.words.some((word) => word === "unit" || word === "units"))
    put(unitOf(excerpt.text) === undefined ? "no unit" : "unit", true);
  put("format", parameter.format !== "" && parameter.format !== "date" && excerpt.kind === "literal");
  return features;
}

function prepositionSort(preposition: string): string {
  return /^(?:in|at|near|around|within|on)$/.test(preposition)
    ? "place"
    : /^(?:from|to|of|for|by|with|about|as|using|into|between|via)$/.test(preposition)
      ? preposition
      : "other";
}

/** "from A" for an origin: 1; for a target: -1. */
function direction(parameter: Parameter, preposition: string): number {
  if (parameter.direction === undefined || !/^(?:from|between|to|into|towards)$/.test(preposition)) return 0;
  return (parameter.direction === "origin") === /^(?:from|between)$/.test(preposition) ? 1 : -1;
}

/** Addresses, telephone numbers, files and links go where they are called that. */
function formOf(parameter: Parameter, { text, kind }: Span): number {
  if (kind !== "literal" && kind !== "quoted" && kind !== "number") return 0;
  const words = `${parameter.words.join("_")} ${parameter.format}`;
  const fits = (form: RegExp, name: RegExp) => (form.test(text) ? (name.test(words) ? 1 : -1) : 0);
  return (
    fits(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, /mail|recipient|address|user|contact|sender|receiver/) ||
    fits(/^[a-z0-9]+:\/\/|^www\./i, /ur[il]|link|site|page|source|website/) ||
    fits(/^\d{1,3}(?:\.\d{1,3}){3}$/, /ip|address|host|server/) ||
    fits(/^\+?\d[\d() .-]{6,}\d$/, /phone|mobile|tel|number|contact|fax|recipient/) ||
    fits(/\.[a-z]{2,5}\d?$/i, /file|path|image|photo|audio|video|document|source|text|name|attachment|picture/)
  );
}

const isTelling = ({ kind, lower }: Token) => kind === "word" && isContent(lower) && !emptyNouns.has(lower);

/** An identifier in the text: `unit_price`, `unitPrice`. */
const isName = ({ kind, text }: Token) =>
  (kind === "literal" && /^\p{L}+(?:_\p{L}+)+$/u.test(text)) || (kind === "word" && /\p{Ll}\p{Lu}\p{Ll}/u.test(text));

/** Words of a span that say something, as stems. */
export function innerOf(span: Span): string[] {
  if (span.kind === "quoted")
    return splitName(String(span.value))
      .filter((word) => isContent(word) && !determiners.has(word))
      .map(stem);
  return span.words.flatMap((word) =>
    isName(word) ? splitName(word.text).map(stem) : isTelling(word) ? [word.stem] : [],
  );
}
