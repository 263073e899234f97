const introduced =
  /(?:\be\.?g\.?,?|\bsuch as|\bfor example,?|\bfor instance,?|\bexamples?(?: (?:are|include))?:|\boptions?(?: (?:are|include))?:?|\b(?:possible|allowed|valid|supported) values(?: (?:are|include))?:?|\bone of:?|\b(?:can|could|must|may) be(?: either)?|\beither|\bincluding|\blike|\bi\.e\.,?)\s+/giu;
/** "Filters by state: open, held, sunk", "(daily, weekly, monthly)": single words in a row. */
const listed =
  /(?::\s*|\()([\p{L}][\p{L}\d_-]{1,24}(?:(?:,\s+(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*)[\p{L}][\p{L}\d_-]{1,24}){2,11})\s*(?:\)|[.;]|$)/gu;
const quoted = /'([^'\n]{1,60})'|"([^"\n]{1,60})"|`([^`\n]{1,60})`|“([^”\n]{1,60})”/gu;

/**
 * Values that a description names: in quotation marks, or listed after "e.g.", "such as", "one of" and the like; as
 * they are written, at most 24. Linear in the description.
 */
export function readExamples(description: string): string[] {
  const text = description.slice(0, 2_000);
  const found = new Set<string>();
  for (const [, ...marks] of text.matchAll(quoted)) {
    const inner = marks.find((mark) => mark !== undefined)?.trim() ?? "";
    if (/[\p{L}\p{N}]/u.test(inner)) found.add(inner);
  }
  for (const match of text.matchAll(introduced)) {
    const list = text.slice(match.index + match[0].length, match.index + match[0].length + 200);
    const end = /[).;](?:\s|$)|\)|\n/.exec(list)?.index ?? list.length;
    for (const part of list
      .slice(0, end)
      .split(/,(?!\s\p{Lu}{2,3}\b)|\bor\b|\band\b/u)
      .flatMap(alternatives)) {
      const value = part.replace(/^[\s'"`“”:]+|[\s'"`“”]+$|\betc\.?$/gu, "").trim();
      if (value !== "" && value.length <= 40 && value.split(/\s+/).length <= 4 && /[\p{L}\p{N}]/u.test(value))
        found.add(value);
    }
  }
  for (const [, list = ""] of text.matchAll(listed))
    for (const value of list.split(/,\s+(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*/)) found.add(value);
  return [...found].slice(0, 24);
}

/** "kg/lb" are two values; a link, a path and what is in quotation marks are one value. */
const alternatives = (part: string): readonly string[] =>
  isAddress.test(part) || isQuoted.test(part) ? [part] : part.split("/");
const isQuoted = /^\s*(['"`“])[^'"`“”]*['"`”]\s*$/u;
const isAddress = /:\/\/|^\s*[`'"]?(?:[/~]|\.{1,2}\/)|\.[a-z]\w{1,4}\W*$/i;
