import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { shapeOf, shapesOf } from "../../catalogue/value-shape.ts";
import { sortsMeant } from "../../language/text/act-sorts.ts";
import { isContent } from "../../language/text/content-words.ts";
import { contentWords } from "../../language/text/lexicon.ts";
import { blank, type Token } from "../../language/text/token.ts";

/** "Save the current time in Kiel to now.txt": what is to be written must be read first. */
export interface WrittenObject {
  /** The words of what is read, with a verb of reading before them. */
  readonly object: readonly Token[];
  /** The words of the call that writes; a break replaces each word of the object. */
  readonly rest: readonly Token[];
  /** What takes the text that is read. */
  readonly parameter: Parameter;
}

const prepositions = /^(?:to|into|onto|in|as)$/;

/**
 * The object of a verb of saving or copying, where a place to write to follows it and no quotation says the text itself; undefined
 * where the resource takes no text beside that place. Linear in the tokens.
 */
export function writtenObject(profile: Profile, tokens: readonly Token[]): WrittenObject | undefined {
  if (profile.effect === "reads") return undefined;
  const parameter = profile.parameters.find(
    (each) =>
      each.required &&
      each.types.has("string") &&
      shapesOf(each).size === 0 &&
      contentWords.has(each.name.toLowerCase()),
  );
  const verb = tokens.findIndex(({ kind, lower }) => kind === "word" && isContent(lower));
  if (parameter === undefined || verb < 0) return undefined;
  const sorts = sortsMeant(tokens[verb]!.stem);
  if (!sorts.has("save") && !sorts.has("copy")) return undefined;
  const place = tokens.findLastIndex(({ kind, text }) => kind === "literal" && shapeOf({ kind, text }) === "path");
  const end = tokens.findLastIndex(({ lower }, at) => at < place && prepositions.test(lower));
  const words = tokens.slice(verb + 1, end);
  // "Read a.txt and write its content to b.txt": what was read before is written.
  if (words.some(({ lower }) => /^(?:its|their|it|them|that|this)$/.test(lower))) return undefined;
  const isNamed = words.some(({ kind, lower }) => kind === "literal" || (kind === "word" && isContent(lower)));
  if (end <= verb || !isNamed || words.some(({ kind }) => kind === "quoted" || kind === "break")) return undefined;
  const opening = { ...tokens[verb]!, text: "read", lower: "read", stem: "read", noun: "read", capital: false };
  const rest = tokens.map((token, at) => (at > verb && at < end ? blank(token) : token));
  return { object: [{ ...opening, end: opening.start }, ...words], rest, parameter };
}
