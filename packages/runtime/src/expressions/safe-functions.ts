import { isRecord } from "@planloom/plan";

const maxPadWidth = 100_000;
const maxDateText = 40;
const maxDateParts = 8;
const longWidth = /[,-]\s*\d{4}/;

/** JSONata calls its functions with the evaluation as `this`. */
type JsonataFunction = (this: unknown, ...args: unknown[]) => unknown;

export interface SafeFunction {
  readonly name: string;
  readonly signature: string;
  make(original: JsonataFunction): JsonataFunction;
}

/**
 * JSONata's functions that could take memory or time out of all proportion, each with a limit. The rest of the
 * language is bounded by time, depth and length of sequences.
 */
export const safeFunctions: readonly SafeFunction[] = [
  {
    // Makes an array of the width: 2^32 aborts the process.
    name: "pad",
    signature: "<s-ns?:s>",
    make: (original) =>
      function (text, width, char) {
        if (Math.abs(Number(width)) > maxPadWidth) throw limit("$pad", `a width of at most ${maxPadWidth}`, width);
        return original.call(this, text, width, char);
      },
  },
  {
    // Compares every pair; two lists of 100,000 would block for minutes.
    name: "distinct",
    signature: "<x:x>",
    make: () => distinct,
  },
  {
    // A width in the picture pads to it.
    name: "fromMillis",
    signature: "<n-s?s?:s>",
    make: (original) =>
      function (millis, picture, zone) {
        checkPicture("$fromMillis", picture);
        return original.call(this, millis, picture, zone);
      },
  },
  {
    // The picture becomes a backtracking RegExp: without these bounds, exponential in its parts.
    name: "toMillis",
    signature: "<s-s?:n>",
    make: (original) =>
      function (text, picture) {
        checkPicture("$toMillis", picture);
        const parts = typeof picture === "string" ? picture.split("[").length - 1 : 0;
        if (parts > maxDateParts) throw limit("$toMillis", `at most ${maxDateParts} parts in the picture`, picture);
        if (typeof text === "string" && text.length > maxDateText) {
          throw limit("$toMillis", `a text of at most ${maxDateText} characters`, text);
        }
        return original.call(this, text, picture);
      },
  },
  {
    // Source made at run time would escape the limits on length and nesting.
    name: "eval",
    signature: "<sx?:x>",
    make: () => () => {
      throw new Error("$eval is not available in convertor_code: write the expression out.");
    },
  },
];

function checkPicture(name: string, picture: unknown): void {
  if (typeof picture === "string" && longWidth.test(picture)) {
    throw limit(name, "widths below 1000 in the picture", picture);
  }
}

function distinct(values: unknown): unknown {
  if (!Array.isArray(values) || values.length < 2) return values;
  const seen = new Set<unknown>();
  const kept: unknown[] = [];
  for (const value of values as unknown[]) {
    const key = typeof value === "object" && value !== null ? `\u0000${stableText(value)}` : value;
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(value);
  }
  return kept;
}

/** A key that is equal for values that are equal as JSON, also if their properties are in another order. */
function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${stableText(value[key])}`).join(",")}}`;
}

function limit(name: string, expected: string, got: unknown): Error {
  return new Error(`Expected ${expected} for ${name}, got ${JSON.stringify(got)?.slice(0, 60)}.`);
}
