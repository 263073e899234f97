import { isRecord } from "../json.ts";

/** The checks of options, by the name of the option. */
export interface AnyChecks {
  readonly [name: string]: OptionCheck;
}

/** What the value of an option must be. */
export type OptionCheck =
  | "number"
  /** A number above 0, `Infinity` for no limit. */
  | "positive"
  /** A number of at least 0. */
  | "nonNegative"
  /** An integer of at least 1, or `Infinity`. */
  | "count"
  /** An integer of at least 0, or `Infinity`. */
  | "wholeNumber"
  | "boolean"
  | "text"
  /** A text that is not empty. */
  | "name"
  /** A text or a `URL`. */
  | "place"
  /** A list of texts. */
  | "texts"
  /** An object whose names are the caller's own. */
  | "object"
  | "function"
  /** A point in time: a `Date`, a text or milliseconds since the epoch. */
  | "time"
  | "signal"
  | "list"
  /** One of these texts. */
  | readonly string[]
  /** An object with this method: a model, a journal, a controller. `expected` goes after "to be". */
  | { readonly method: string; readonly expected: string }
  /** An object with options of its own. */
  | { readonly options: AnyChecks }
  /** An object whose names are the caller's own, with the same options under each. */
  | { readonly each: AnyChecks }
  /** A list of objects with the same options. */
  | { readonly eachOf: AnyChecks }
  /** Any of several checks. Of an object the names of the options are checked. */
  | { readonly either: readonly OptionCheck[] }
  /** An option that must be given, with the check of its value. */
  | { readonly required: OptionCheck }
  /** Any value, or one that is checked where it is read. */
  | "own";

type SimpleCheck = Extract<OptionCheck, string>;

interface Kind {
  /** What goes after "to be". */
  readonly expected: string;
  /** A text that comes instead is shown. */
  readonly showsText?: true;
  readonly fits: (value: unknown) => boolean;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && !Number.isNaN(value);
const isWhole = (value: unknown): value is number =>
  isNumber(value) && (value === Number.POSITIVE_INFINITY || Number.isInteger(value));

const kinds: Readonly<Record<Exclude<SimpleCheck, "own">, Kind>> = {
  number: { expected: "a number", showsText: true, fits: isNumber },
  positive: { expected: "a number above 0", showsText: true, fits: (value) => isNumber(value) && value > 0 },
  nonNegative: { expected: "a number of at least 0", showsText: true, fits: (value) => isNumber(value) && value >= 0 },
  count: { expected: "an integer of at least 1", showsText: true, fits: (value) => isWhole(value) && value >= 1 },
  wholeNumber: { expected: "an integer of at least 0", showsText: true, fits: (value) => isWhole(value) && value >= 0 },
  boolean: { expected: "true or false", showsText: true, fits: (value) => typeof value === "boolean" },
  text: { expected: "a text", fits: (value) => typeof value === "string" },
  name: { expected: "a text that is not empty", fits: (value) => typeof value === "string" && value.trim() !== "" },
  place: { expected: "a text or a URL", fits: (value) => typeof value === "string" || value instanceof URL },
  texts: {
    expected: "a list of texts",
    fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  },
  object: { expected: "an object", fits: isRecord },
  function: { expected: "a function", fits: (value) => typeof value === "function" },
  time: {
    expected: "a date, a text or a number of milliseconds",
    showsText: true,
    fits: (value) => value instanceof Date || typeof value === "string" || typeof value === "number",
  },
  signal: {
    expected: "an AbortSignal",
    fits: (value) => typeof (value as Partial<AbortSignal> | null)?.addEventListener === "function",
  },
  list: { expected: "a list", fits: Array.isArray },
};

/**
 * What was expected and what `value` is instead, as the second half of a sentence: "a number above 0, got -1 (number)". `undefined` where
 * the value is right. Texts that may be credentials are not shown. Options within an object are checked by `wrongOption`.
 */
export function expectedInstead(check: OptionCheck, value: unknown): string | undefined {
  if (check === "own") return undefined;
  if (typeof check === "string") {
    const { expected, fits, showsText = false } = kinds[check];
    return fits(value) ? undefined : `${expected}, got ${shortText(value, showsText)}`;
  }
  if ("required" in check) return expectedInstead(check.required, value);
  if ("either" in check) return expectedOfEither(check.either, value);
  if ("method" in check) {
    const { method, expected } = check;
    const has = typeof (value as Readonly<Record<string, unknown>> | null)?.[method] === "function";
    return has ? undefined : `${expected}, got ${shortText(value, false)}`;
  }
  if ("eachOf" in check) return Array.isArray(value) ? undefined : `a list, got ${shortText(value, false)}`;
  if ("options" in check || "each" in check)
    return isRecord(value) ? undefined : `an object, got ${shortText(value, false)}`;
  return check.includes(value as string) ? undefined : `${choiceOf(check)}, got ${shortText(value, true)}`;
}

function expectedOfEither(checks: readonly OptionCheck[], value: unknown): string | undefined {
  const expected = checks.map((check) => expectedInstead(check, value));
  if (expected.includes(undefined)) return undefined;
  const [first, ...others] = expected.map((each) => each!.slice(0, each!.lastIndexOf(", got ")));
  return `${[first, ...others].join(" or ")}, got ${shortText(value, checks.some(showsTexts))}`;
}

/** Whether a text that comes instead of what `check` expects is shown: it cannot be a credential that was given under a wrong name. */
function showsTexts(check: OptionCheck): boolean {
  if (typeof check === "string") return check !== "own" && kinds[check].showsText === true;
  return Array.isArray(check);
}

function choiceOf(values: readonly string[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  return quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

/** A value in a few words. It never throws, and shows the characters of a text only where the check allows it. */
function shortText(value: unknown, showsText: boolean): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  switch (typeof value) {
    case "number":
      return `${value} (number)`;
    case "boolean":
      return `${value} (boolean)`;
    case "bigint":
      return `${value}n (bigint)`;
    case "string":
      return showsText
        ? `${JSON.stringify(value.slice(0, 60))} (string)`
        : `a text of ${value.length} character${value.length === 1 ? "" : "s"}`;
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}
