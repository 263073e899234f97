import type { Parameter } from "../../catalogue/parameter.ts";
import type { Token } from "../../language/text/token.ts";
import type { Excerpt } from "./excerpts.ts";
import { seeksBefore } from "./topics.ts";

/** "search the folder X for Y": Y, for an argument that says where is searched. @param topic how much it is what a search is about */
export const isSoughtElsewhere = (
  { from, preposition }: Excerpt,
  tokens: readonly Token[],
  topic: number,
  { description }: Parameter,
): boolean =>
  ((topic > 0 && preposition === "for") || (tokens[from - 1]?.lower === "for" && seeksBefore(tokens, from - 1))) &&
  saysWhere.test(description);

/** "Name of the folder to search" */
const saysWhere = /^(?:the )?(?:names?|ids?|paths?)\b.*\bto (?:search|look)(?: (?:in|through))?[.)]?$/i;

/** "a crate C-2", "a new crate C-2": what is made is called so. */
export const isNewName = (tokens: readonly Token[], from: number): boolean =>
  /^an?$/.test(tokens[from - 2]?.lower ?? "") ||
  (tokens[from - 2]?.lower === "new" && /^an?$/.test(tokens[from - 3]?.lower ?? ""));
