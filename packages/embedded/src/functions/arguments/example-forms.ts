import { unitOf } from "../../language/text/units.ts";
import type { Excerpt } from "./excerpts.ts";
import type { ParameterReading } from "./parameter-reading.ts";

/**
 * How a written code is made up, each run of letters or digits as one sign: "ABC-123" and "WEB-88" are both "A-9". Undefined for words
 * and numbers, which are made up like many other things.
 */
function formOf(text: string): string | undefined {
  // "qu/acme/north" is made up like "qu/company/project".
  if (/^[\p{L}\d_.-]{1,100}(?:\/[\p{L}\d_.-]{1,100}){2,8}$/u.test(text)) return text.replace(/[^/]+/g, "s");
  if (!/\d/.test(text) || !/\p{L}/u.test(text) || /\s/.test(text) || text.length > 60) return undefined;
  return text
    .replace(/\p{Lu}+/gu, "A")
    .replace(/\p{Ll}+/gu, "a")
    .replace(/\d+/g, "9");
}

const forms = new WeakMap<ParameterReading, ReadonlySet<string>>();

function formsOf(reading: ParameterReading): ReadonlySet<string> {
  let own = forms.get(reading);
  if (own === undefined) {
    own = new Set(reading.exampleList.flatMap((each) => formOf(each) ?? []));
    forms.set(reading, own);
  }
  return own;
}

/** An amount that is written with its unit: "50 mg". */
const isQuantity = (text: string) =>
  /^\d+(?:[.,]\d+)? ?[\p{L}µ%]{1,8}$/u.test(text) && unitOf(text.replace(/^[\d., ]+/, "")) !== undefined;
const areQuantities = ({ exampleList }: ParameterReading) => exampleList.length > 0 && exampleList.every(isQuantity);

/** The examples of a parameter are all places, people or titles: words that begin with capitals. */
const areNames = ({ exampleList }: ParameterReading) =>
  exampleList.length > 0 && exampleList.every((each) => /^\p{Lu}\p{Ll}+(?:[\s,]+\p{Lu}[\p{L}.]*)*$/u.test(each));
const areWords = ({ exampleList }: ParameterReading) =>
  exampleList.length > 0 && exampleList.every((each) => /^\p{Ll}+$/u.test(each));

/**
 * Whether a value is written like the examples of a parameter (1), or like those of another parameter of its call and not like its own
 * (-1): "WEB-88" where one description says "e.g. ABC-123", "0.5 ml" where one says "e.g. 50 mg", "Lyon" where one gives "Paris, France" and another "home". Else 0.
 */
export function formAgreement(
  { text, kind }: Excerpt,
  reading: ParameterReading,
  readings: readonly ParameterReading[],
): number {
  const form = kind === "literal" ? formOf(text) : undefined;
  if (form !== undefined) {
    if (formsOf(reading).has(form)) return 1;
    return readings.some((other) => formsOf(other).has(form)) ? -1 : 0;
  }
  if (readings.some(areQuantities) && isQuantity(text)) return areQuantities(reading) ? 1 : -1;
  if (kind !== "name" || areNames(reading)) return 0;
  return areWords(reading) && readings.some(areNames) ? -1 : 0;
}
