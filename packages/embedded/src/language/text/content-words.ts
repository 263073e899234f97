import { auxiliaries, determiners, fillers, prepositions, pronouns, relatives } from "./lexicon.ts";

/** Words that tell resources apart. */
export function isContent(lower: string): boolean {
  return lower.length > 1 && !small.has(lower);
}

const small: ReadonlySet<string> = new Set([
  ...determiners,
  ...prepositions,
  ...pronouns,
  ...auxiliaries,
  ...relatives,
  ...fillers,
  "and",
  "or",
  "then",
  "much",
]);
