import { isRecord } from "@planloom/plan";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue } from "../../draft/draft.ts";
import { blank, type Token } from "../../language/text/token.ts";

/** Pairs of name and value are most likely the fields of the only object that takes fields of any name. */
const likelihoodOfFields = 0.9;

const pair = /(?<![\p{L}\p{N}_.$-])([\p{L}_][\p{L}\p{N}_-]*)\s*=\s*("[^"]*"|'[^']*'|[^\s,;"']+)/gu;

/**
 * "with Name = Anna and City = Bonn", for a resource that takes an object with fields of any name: the pairs are its fields. So are the conditions of "whose
 * status is open" those of an object that filters.
 * @returns the tokens that are left for other arguments
 */
export function fillFreeFields(draft: Draft, tokens: readonly Token[], text: string): readonly Token[] {
  const open = draft.profile.parameters.filter(takesAnyField);
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (open.length === 0 || first === undefined || last === undefined) return tokens;
  const said = text.slice(first.start, last.end);
  const written = [...said.matchAll(pair)].filter(
    ([, name]) => !draft.profile.parameters.some((each) => each.name === name),
  );
  const conditions = written.length > 0 ? [] : conditionsIn(said);
  const pairs = written.length > 0 ? written : conditions;
  const only = takerOf(pairs, open, conditions.length > 0);
  const [opening] = pairs;
  if (opening === undefined || only === undefined) return tokens;
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

/** "whose status is "shipped" and city is Bonn", "where size = 4": each field with its value. */
function conditionsIn(said: string): readonly RegExpExecArray[] {
  return [
    ...conditionsBehind(said, /\b(?:whose|where|in which)\s+/gu, condition),
    ...conditionsBehind(said, /\b(?:with|having)\s+/gu, attribute),
  ];
}

function conditionsBehind(said: string, opener: RegExp, form: RegExp): readonly RegExpExecArray[] {
  const [opening] = said.matchAll(opener);
  if (opening === undefined) return [];
  const found: RegExpExecArray[] = [];
  const next = new RegExp(form, "uy");
  next.lastIndex = opening.index + opening[0].length;
  for (let match = next.exec(said); match !== null; match = next.exec(said)) found.push(match);
  return found;
}

const condition =
  /(?:(?:and|,)\s+)?(?:the\s+|their\s+|whose\s+)?([\p{L}_][\p{L}\p{N}_.]*)\s+(?:is|equals|is equal to|==?)\s+("[^"]*"|'[^']*'|[\p{L}\p{N}_-]+)(?=[\s,.;?!]|$)\s*/u;

/** "with status "open"", "having a size of 4": a value that is written as no word is. */
const attribute =
  /(?:(?:and|,)\s+)?(?:an?\s+|the\s+)?([\p{L}_][\p{L}\p{N}_.]*)\s+(?:of\s+|=\s*)?("[^"]*"|'[^']*'|-?\d+(?:\.\d+)?)(?=[\s,.;?!]|$)\s*/u;

/** The only object for fields; of several that for settings of the surroundings, if all names are written as theirs are, and for conditions that for a filter. */
function takerOf(
  pairs: readonly RegExpExecArray[],
  open: readonly Parameter[],
  areConditions: boolean,
): Parameter | undefined {
  const filters = open.filter(({ words }) => filtering.test(words.at(-1) ?? ""));
  if (areConditions) return filters.length === 1 ? filters[0] : undefined;
  if (open.length === 1) return open[0];
  const settings = open.filter(({ words }) => /^(?:env|environment|envs|variables|vars)$/.test(words.at(-1) ?? ""));
  const areSettings = pairs.every(([, name = ""]) => /^[A-Z][A-Z0-9_]*$/.test(name));
  return areSettings && settings.length === 1 ? settings[0] : undefined;
}

const filtering = /^(?:filters?|query|where|criteria|conditions?|match|selector)$/;

function takesAnyField({ schema, types, path }: Parameter): boolean {
  return (
    path.length === 1 &&
    types.has("object") &&
    [...types].every((type) => type === "object" || type === "null") &&
    Object.keys(isRecord(schema.properties) ? schema.properties : {}).length === 0 &&
    schema.additionalProperties !== false
  );
}

function fieldValue(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  const bare = text.replace(/[.!?]$/, "");
  if (/^-?\d+(?:\.\d+)?$/.test(bare)) return Number(bare);
  return bare === "true" ? true : bare === "false" ? false : bare;
}
