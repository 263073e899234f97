import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue } from "../../draft/draft.ts";
import { blank, type Token } from "../../language/text/token.ts";

/** Pairs of name and value are most likely the fields of the only object that takes fields of any name. */
const likelihoodOfFields = 0.9;

const pair = /(?<![\p{L}\p{N}_.$-])([\p{L}_][\p{L}\p{N}_-]*)\s*=\s*("[^"]*"|'[^']*'|[^\s,;"']+)/gu;

/**
 * "with Name = Anna and City = Bonn", for a resource that takes an object with fields of any name: the pairs are its fields.
 * @returns the tokens that are left for other arguments
 */
export function fillFreeFields(draft: Draft, tokens: readonly Token[], text: string): readonly Token[] {
  const open = draft.profile.parameters.filter(takesAnyField);
  const [only] = open;
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (only === undefined || open.length > 1 || first === undefined || last === undefined) return tokens;
  const said = text.slice(first.start, last.end);
  const pairs = [...said.matchAll(pair)].filter(
    ([, name]) => !draft.profile.parameters.some((each) => each.name === name),
  );
  const [opening] = pairs;
  if (opening === undefined) return tokens;
  const fields = pairs.map(([, name = "", value = ""]) => [name, fieldValue(value)] as const);
  const end = (pairs.at(-1)?.index ?? 0) + (pairs.at(-1)?.[0].length ?? 0);
  const start = first.start + opening.index;
  fillValue(draft, only, Object.fromEntries(fields), {
    source: "goal",
    text: said.slice(opening.index, end),
    start,
    likelihood: likelihoodOfFields,
  });
  const ranges = pairs.map(({ 0: whole, index }) => [first.start + index, first.start + index + whole.length] as const);
  return tokens.map((token) =>
    ranges.some(([from, to]) => token.start >= from && token.start < to) ? blank(token) : token,
  );
}

function takesAnyField({ schema, types, path }: Parameter): boolean {
  return (
    path.length === 1 &&
    types.has("object") &&
    types.size === 1 &&
    schema.properties === undefined &&
    schema.additionalProperties !== false
  );
}

function fieldValue(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  const bare = text.replace(/[.!?]$/, "");
  if (/^-?\d+(?:\.\d+)?$/.test(bare)) return Number(bare);
  return bare === "true" ? true : bare === "false" ? false : bare;
}
