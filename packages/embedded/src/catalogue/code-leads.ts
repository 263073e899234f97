/** How a code begins before its digits, in small letters: "s-" of "S-100" and of "S-2026-100", "app://depot/crate/" of "app://depot/Crate/7"; "" where it has no such beginning. */
export const leadOf = (code: string): string =>
  /^(\p{L}{1,6}[-_.:#/]?|[a-z][a-z0-9+.-]{0,20}:\/\/\S{0,200}[/:=])\d+(?:[-_/]\d+)*$/iu
    .exec(code)?.[1]
    ?.toLowerCase() ?? "";

const shown =
  /(?:\b(?:as|like|e\.?g\.?,?|i\.e\.,?|example:?|examples:|format:?|such as|or|and)\s+|[:("'`“,]\s*)((?=\p{Lu}|\p{L}+[-_])\p{L}{1,6}[-_.:#/]?\d+(?:[-_/]\d+)*)(?![\w-])/gu;
/** "e.g. b10442": a code in small letters is one only where it is said to be an example. */
const exemplified = /\b(?:e\.?g\.?,?|such as|example:?)\s+["'`]?(\p{Ll}{1,4}\d{3,})(?![\w-])/gu;
/** An id that is written as a link is an example wherever it is. */
const linked = /(?<![\w/])([a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'`<>,;()]{1,200}[/:=]\d+)(?![\w/-])/giu;
const begun = /^\^?\(?(\p{L}{1,6}(?:\\?[-_.:#/])?)(?:\\d|\[0-9\])/u;
/** "UUID (not an identifier like 'S-100')" */
const excluded = /\b(?:not|never|without|instead of|rather than)\b[^.;)\n]*$/i;
const maxExclusion = 60;

/** Beginnings of the codes that a schema or its description gives as examples: "Sample id, as S-100", `"pattern": "^S-\\d+$"`. */
export function leadsIn(schema: Record<string, unknown>, description: string): readonly string[] {
  const examples = [schema.examples, schema.example, schema.default].flat().filter((each) => typeof each === "string");
  const pattern =
    typeof schema.pattern === "string" ? begun.exec(schema.pattern)?.[1]?.replaceAll("\\", "") : undefined;
  const text = description.slice(0, 2_000);
  const written = [shown, exemplified, linked]
    .flatMap((form) => [...text.matchAll(form)])
    .filter(({ index }) => !excluded.test(text.slice(Math.max(0, index - maxExclusion), index + 1)))
    .map(([, code]) => code!);
  const leads = [...written, ...examples].map(leadOf);
  return [...new Set(pattern === undefined ? leads : [...leads, pattern.toLowerCase()])].filter((lead) => lead !== "");
}
