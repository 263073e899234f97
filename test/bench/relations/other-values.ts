import { isRecord } from "@planloom/plan";
import type { PlannedCall, RelatedCase, SaidValue, Variant } from "./relation.ts";

const consonants = "bcdfghklmnprstvw";
const vowels = "aeiou";

/** A value by how it is written: only those can be replaced without saying something else. */
function shapeOf(text: string, isQuoted: boolean): string | undefined {
  if (/^https?:\/\/\S+$/.test(text)) return "URL";
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return "date";
  if (/^\d+$/.test(text)) return "number";
  if (/^[~.]?\/\S+$|^\S+\/\S+\.\w{1,5}$/.test(text)) return "path";
  if (/^[\w.-]+\.[A-Za-z]{2,5}$/.test(text) && !/@/.test(text)) return "file";
  if (/^(?=\S*\d)(?=\S*\p{L})[\p{L}\d_.#:-]{3,}$/u.test(text)) return "id";
  if (isQuoted) return "quoted text";
  return undefined;
}

/** Another value that is written alike: letters for letters, digits for digits. */
function alike(text: string, shape: string, random: () => number): string {
  const pick = (from: string) => from.charAt(Math.floor(random() * from.length));
  if (shape === "date") return `${text.slice(0, 8)}${String(1 + Math.floor(random() * 27)).padStart(2, "0")}`;
  // What follows the last dot says what a file is; the first letters of an id say whose it is; what comes before "://" is a protocol.
  const kept =
    shape === "URL"
      ? /^https?:\/\/(?:www\.)?/.exec(text)![0].length
      : shape === "id"
        ? (/^\p{L}+[_-]?|^#/u.exec(text)?.[0].length ?? 0)
        : 0;
  const end = ["path", "file", "URL"].includes(shape) && /\.\w{1,5}$/.test(text) ? text.lastIndexOf(".") : text.length;
  const inner = text.slice(kept, end).replace(/\p{L}+|\d+/gu, (run) => {
    if (/\d/.test(run))
      return [...run]
        .map((_, at) =>
          at === 0 && run.length > 1
            ? pick("123456789")
            : shape === "number" && run.length === 1
              ? pick("23456789")
              : pick("0123456789"),
        )
        .join("");
    const isUpper = run === run.toUpperCase() && run.length > 1;
    const made = [...run]
      .map((letter, at) => (at % 2 === (letter.length > 2 ? 1 : 0) ? pick(consonants) : pick(vowels)))
      .join("");
    if (isUpper) return made.toUpperCase();
    return /^\p{Lu}/u.test(run) ? `${made.charAt(0).toUpperCase()}${made.slice(1)}` : made;
  });
  return `${text.slice(0, kept)}${inner}${text.slice(end)}`;
}

/** Each value in turn replaced by another one of the same shape: the same call must take the new one in the same argument. */
export function otherValuesOf({ query, tools, calls, values }: RelatedCase, random: () => number): Variant[] {
  return values.flatMap((value) => {
    const { text, start } = value;
    const isQuoted = /["“'‘`]/.test(query.charAt(start - 1));
    const shape = shapeOf(text, isQuoted);
    const taken = shape === undefined ? undefined : valueAt(calls, value);
    // A value that is said twice, or that is taken otherwise than it is written, may mean something else once it is replaced.
    if (shape === undefined || taken === undefined || query.split(text).length !== 2 || !isAsSaid(taken, text))
      return [];
    const other = alike(text, shape, random);
    if (other === text) return [];
    return [
      {
        form: `values: another ${shape}`,
        query: `${query.slice(0, start)}${other}${query.slice(start + text.length)}`,
        tools,
        calls: withOther(calls, taken, typeof taken === "number" ? Number(other) : other),
      },
    ];
  });
}

const isAsSaid = (taken: unknown, text: string) =>
  taken === text || (typeof taken === "number" && String(taken) === text);

function valueAt(calls: RelatedCase["calls"], { call, argument }: SaidValue): unknown {
  return calls[call]?.args[argument];
}

/** The calls with the other value wherever the old one is: what is said once may be for several arguments. */
function withOther(calls: RelatedCase["calls"], old: unknown, other: unknown): RelatedCase["calls"] {
  const replaced = (value: unknown): unknown => {
    if (value === old) return other;
    if (Array.isArray(value)) return value.map(replaced);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each)]));
  };
  return calls.map(({ tool, args }) => ({ tool, args: replaced(args) as PlannedCall["args"] }));
}
