/** How many tokens an answer may have, as an endpoint says that refused more. */
export interface TokenLimit {
  /** Of the answer to this request. */
  readonly answer: number;
  /** Present where the limit is that of request and answer together: the limit, and the tokens of the request. For another request the answer's limit is another. */
  readonly context?: { readonly tokens: number; readonly input: number };
}

const limitNames = /max_(?:completion_|output_|new_)?tokens|maxOutputTokens|completion|in the output/i;
const number = String.raw`(\d{1,3}(?:[,_]\d{3})+|\d+)`;
/** Numbers by themselves: not those in names of models and dates. */
const loose = new RegExp(String.raw`(?<![\w.,-])${number}(?![\w-]|[.,]\d)`, "g");
const contexts = [
  new RegExp(String.raw`context\s*(?:length|window|size|limit)\D{0,40}?${number}`, "i"),
  new RegExp(`with ${number} maximum context`, "i"),
  new RegExp(`must be <= ${number}`, "i"),
];
const inputs = [
  new RegExp(
    String.raw`${number}\s*(?:tokens\s*)?(?:in the messages|of text input|in (?:your|the) prompt|input tokens|.inputs. tokens|(?:tokens )?from the input|prompt tokens)`,
    "i",
  ),
  new RegExp(`(?:prompt|request|input) (?:contains|has) ${number}`, "i"),
];
const sum = new RegExp(String.raw`${number} \+ ${number} > ${number}`);
/** Endpoints count a few tokens that are not in the messages. */
const margin = 16;
/** An answer of less is none. */
const leastAnswer = 64;

/**
 * Reads from the text of an error which limit of tokens an answer may have; `undefined` where it speaks of none, or of none below `sent`.
 * Where nothing says which number is the limit, it is the largest below what was sent.
 */
export function readTokenLimit(text: string, sent: number): TokenLimit | undefined {
  if (!limitNames.test(text)) return undefined;
  const both = readContext(text);
  if (both !== undefined) {
    const answer = both.tokens - both.input - margin;
    return answer >= leastAnswer && answer < sent ? { answer, context: both } : undefined;
  }
  const exclusive = /(\d+) \(exclusive\)/i.exec(text)?.[1];
  if (exclusive !== undefined && numberOf(exclusive) <= sent) return { answer: numberOf(exclusive) - 1 };
  if (!/too (?:large|high|big|many)|exceed|maximum|range|at most|less than|<=|>|limit|up to/i.test(text))
    return undefined;
  const below = [...text.matchAll(loose)]
    .map(([, digits = ""]) => numberOf(digits))
    .filter((value) => value >= leastAnswer && value < sent);
  return below.length === 0 ? undefined : { answer: Math.max(...below) };
}

function readContext(text: string): TokenLimit["context"] {
  const added = sum.exec(text);
  if (added !== null) return { input: numberOf(added[1]!), tokens: numberOf(added[3]!) };
  const tokens = firstOf(contexts, text);
  const input = firstOf(inputs, text);
  return tokens === undefined || input === undefined ? undefined : { tokens, input };
}

function firstOf(patterns: readonly RegExp[], text: string): number | undefined {
  for (const pattern of patterns) {
    const digits = pattern.exec(text)?.[1];
    if (digits !== undefined) return numberOf(digits);
  }
  return undefined;
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(/[,_]/g, ""));
}
