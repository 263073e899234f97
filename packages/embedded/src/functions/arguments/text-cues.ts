import type { Parameter } from "../../catalogue/parameter.ts";
import { sameStem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import type { Excerpt } from "./excerpts.ts";
import { saidOf } from "./explicit-cues.ts";
import type { ParameterReading } from "./parameter-reading.ts";

const noNames: ReadonlySet<string> = new Set();

/** "5 crates": it says how many, and names none. */
export const isCount = (excerpt: Excerpt, tokens: readonly Token[]): boolean =>
  excerpt.kind === "number" && saidOf(excerpt, tokens, noNames).numbers === "many";

const markups = /^(?:html|markdown|md|xml|rtf|adf|base64|richtext)$/;

/** It takes a text in a written form that the goal does not speak of. */
export const isMarkedUp = ({ words }: Parameter, tokens: readonly Token[]) => {
  const form = words.length > 1 ? words.find((word) => markups.test(word)) : undefined;
  return form !== undefined && !tokens.some(({ lower }) => lower === form);
};

/** "develop with the title" of "to develop with the title "X"": the last word says what the value behind it is. */
export function isBeforeLabelled(
  { from, to, words }: Excerpt,
  tokens: readonly Token[],
  readings: readonly ParameterReading[],
) {
  const last = words.at(-1);
  const next = tokens[to]?.kind;
  if (to - from < 2 || last?.kind !== "word" || (next !== "quoted" && next !== "literal" && next !== "number"))
    return false;
  return readings.some(({ parameter }) => parameter.stems.some((each) => sameStem(each, last.stem)));
}
