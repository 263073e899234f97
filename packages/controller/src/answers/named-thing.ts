const quoted = /"([^"]{2,80})"|“([^”]{2,80})”|(?<![\p{L}\p{N}])'([^']{2,80})'(?![\p{L}\p{N}])/gu;
const capital = String.raw`\p{Lu}[\p{L}\p{N}'’-]*`;
/** "The Dark Knight", "Lord of the Rings", "Friends". */
const names = new RegExp(`${capital}(?:[ \\t]+(?:(?:of|the|and|in|de|la|von|van)[ \\t]+){0,2}${capital})*`, "gu");
/** Words with a capital that name nothing by themselves. */
const common: ReadonlySet<string> = new Set(
  "I A An The It My Our Your His Her Their He She We You They This That These Those What Who Which Where When How Why Is Are Was Were Do Does Did Can Could Would Will Please Show Find Get Give Tell List Search Look Retrieve Fetch Check Also Then And Or But After Finally Next First Last Mr Mrs Ms Dr TV ID URL API".split(
    " ",
  ),
);

/** The one thing that a text names: what is quoted, else what is written with capitals. Undefined where it names none, or several. */
export function namedThing(text: string): string | undefined {
  const inQuotes = new Set(
    [...text.matchAll(quoted)].map(([, ...found]) => (found.find((each) => each !== undefined) ?? "").trim()),
  );
  if (inQuotes.size > 0) return inQuotes.size === 1 ? withoutEnd([...inQuotes][0] ?? "") : undefined;
  const found = new Set<string>();
  for (const { 0: name, index } of text.matchAll(names)) {
    const own = isBeginning(text, index) ? withoutFirst(name) : name;
    if (own !== "" && !common.has(own)) found.add(own.replace(/['’]s$/u, ""));
  }
  return found.size === 1 ? [...found][0] : undefined;
}

const withoutEnd = (name: string) => name.replace(/[.,;:!?]+$/, "");

/** A word at the beginning of a sentence has a capital in any case. */
const isBeginning = (text: string, index: number) => /(?:^|[.!?:\n#]\s*)["'“]?$/.test(text.slice(0, index));

function withoutFirst(name: string): string {
  const [first = "", ...rest] = name.split(/\s+/);
  // "Images of Star Wars": what is before the preposition is asked for, not named.
  const isPrepositional = /^\p{Ll}/u.test(rest[0] ?? "");
  if (!common.has(first) && !isPrepositional) return rest.length === 0 ? "" : name;
  return rest.slice(rest.findIndex((word) => /^\p{Lu}/u.test(word))).join(" ");
}
