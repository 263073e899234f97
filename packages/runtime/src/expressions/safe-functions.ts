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
    // Copies what is left of a list at each comparison: 30,000 elements fill a heap of 4 GB.
    name: "sort",
    signature: "<af?:a>",
    make: (original) =>
      function (list, comesAfter) {
        if (!Array.isArray(list) || list.length < 2) return list;
        if (typeof comesAfter === "function") return sorted(list, comesAfter as ComesAfter);
        const isAlike = isEach(list, "number") || isEach(list, "string");
        // Says what it takes.
        if (!isAlike) return original.call(this, list);
        return [...list].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0));
      },
  },
  {
    // Copies the result for each item: 100,000 block for a minute.
    name: "spread",
    signature: "<x-:a<o>>",
    make: (original) =>
      function (value) {
        return Array.isArray(value)
          ? spreadList(value, (item) => original.call(this, item))
          : original.call(this, value);
      },
  },
  // Hand each number over as an argument, of which there can be some 100,000.
  { name: "max", signature: "<a<n>:n>", make: () => (list) => extreme(list, Math.max) },
  { name: "min", signature: "<a<n>:n>", make: () => (list) => extreme(list, Math.min) },
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

type ComesAfter = (left: unknown, right: unknown) => unknown;

/** A stable merge sort in place of a copy for each comparison. @param comesAfter gives something true where its first argument belongs behind its second */
async function sorted(list: readonly unknown[], comesAfter: ComesAfter): Promise<unknown[]> {
  let from = [...list];
  let to = new Array<unknown>(list.length);
  for (let width = 1; width < list.length; width *= 2) {
    for (let start = 0; start < list.length; start += 2 * width) {
      const middle = Math.min(start + width, list.length);
      const end = Math.min(start + 2 * width, list.length);
      let left = start;
      let right = middle;
      for (let place = start; place < end; place++) {
        const takesRight = left === middle || (right < end && (await comesAfter(from[left], from[right])));
        to[place] = takesRight ? from[right++] : from[left++];
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

function isEach(list: readonly unknown[], type: "number" | "string"): list is string[] {
  return list.every((each) => typeof each === type);
}

function spreadList(list: readonly unknown[], spread: (item: unknown) => unknown): unknown[] {
  const found: unknown[] = [];
  for (const item of list) {
    const parts = Array.isArray(item) ? spreadList(item, spread) : spread(item);
    if (Array.isArray(parts)) for (const part of parts) found.push(part);
    else if (parts !== undefined) found.push(parts);
  }
  return found;
}

function extreme(list: unknown, of: (left: number, right: number) => number): number | undefined {
  return Array.isArray(list) && list.length > 0
    ? (list as number[]).reduce((left, right) => of(left, right))
    : undefined;
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
