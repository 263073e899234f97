/** How a code begins before its digits, in small letters: "s-" of "S-100"; "" where it has no such beginning. */
export const leadOf = (code: string): string => /^(\p{L}{1,6}[-_.:#/]?)\d+$/u.exec(code)?.[1]?.toLowerCase() ?? "";

const shown =
  /(?:\b(?:as|like|e\.?g\.?,?|i\.e\.,?|example:?|examples:|format:?|such as|or|and)\s+|[:("'`“,]\s*)((?=\p{Lu}|\p{L}+[-_])\p{L}{1,6}[-_.:#/]?\d+)(?![\w-])/gu;
/** "e.g. b10442": a code in small letters is one only where it is said to be an example. */
const exemplified = /\b(?:e\.?g\.?,?|such as|example:?)\s+["'`]?(\p{Ll}{1,4}\d{3,})(?![\w-])/gu;
const begun = /^\^?\(?(\p{L}{1,6}(?:\\?[-_.:#/])?)(?:\\d|\[0-9\])/u;

/** Beginnings of the codes that a schema or its description gives as examples: "Sample id, as S-100", `"pattern": "^S-\\d+$"`. */
export function leadsIn(schema: Record<string, unknown>, description: string): readonly string[] {
  const examples = [schema.examples, schema.example, schema.default].flat().filter((each) => typeof each === "string");
  const pattern =
    typeof schema.pattern === "string" ? begun.exec(schema.pattern)?.[1]?.replaceAll("\\", "") : undefined;
  const told = description.slice(0, 2_000);
  const written = [...told.matchAll(shown), ...told.matchAll(exemplified)].map(([, code]) => code!);
  const leads = [...written, ...examples].map(leadOf);
  return [...new Set(pattern === undefined ? leads : [...leads, pattern.toLowerCase()])].filter((lead) => lead !== "");
}
