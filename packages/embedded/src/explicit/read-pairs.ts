import type { ArgumentKeys, ArgumentPath } from "./argument-keys.ts";
import type { ExactCall, WrittenArgument } from "./exact-call.ts";
import { bracketEnd, quotationAt } from "./quotations.ts";
import type { WrittenValue } from "./to-value.ts";

/** Arguments that come one after the other, each after its name. */
export interface Pairs {
  readonly arguments: readonly WrittenArgument[];
  readonly unknown: ExactCall["unknown"];
  readonly end: number;
}

/** Where arguments are read. */
export interface PairScope {
  readonly text: string;
  readonly keys: ArgumentKeys;
  /** Nothing is read from here on. */
  readonly limit: number;
  /** The arguments are between parentheses, so that a comma separates them and a new line does not end them. */
  readonly inParentheses: boolean;
  /** Whether another call begins after the separator at an offset. */
  readonly endsCall: (at: number) => boolean;
}

/** What was read of a value up to a place, and how its name was given. */
interface ValueSoFar {
  readonly text: string;
  readonly style: Key["style"];
}

interface Key {
  readonly path: ArgumentPath;
  readonly end: number;
  readonly style: "sign" | "sentence" | "flag";
}

/**
 * Reads `owner=facebook repo=react`, `repo_path: /x, max_count: 5`, `--state open`, "repo_path /x and max_count 5".
 * Linear in the text, times the number of names.
 * @returns undefined where no argument is
 */
export function readPairs(from: number, scope: PairScope): Pairs | undefined {
  const found: WrittenArgument[] = [];
  const unknown: { key: string; text: string }[] = [];
  let at = from;
  let key = keyAt(at, scope, "first");
  while (key !== undefined) {
    const written = valueAt(key, scope);
    if (written === undefined) return undefined;
    found.push({ path: key.path, written: written.value });
    at = written.end;
    for (let extra = unknownPairAt(at, scope); extra !== undefined; extra = unknownPairAt(at, scope)) {
      unknown.push({ key: extra.key, text: extra.value.text });
      at = extra.end;
    }
    key = keyAt(at, scope, "next");
  }
  if (found.length === 0) {
    const extra = unknownPairAt(from, scope);
    if (extra === undefined) return undefined;
    const rest = readPairs(extra.end, scope);
    return {
      arguments: rest?.arguments ?? [],
      unknown: [{ key: extra.key, text: extra.value.text }, ...(rest?.unknown ?? [])],
      end: rest?.end ?? extra.end,
    };
  }
  return { arguments: found, unknown, end: at };
}

/** What separates an argument from the one before it: nothing much where a sign follows the name, more in a sentence. */
const leads = {
  sign: String.raw`[\s,]*(?:(?:and|with)\s+)?`,
  sentence: { first: String.raw`\s*`, next: String.raw`\s*,\s*(?:(?:and|with)\s+)?|\s+(?:and|with)\s+(?:with\s+)?` },
  flag: String.raw`[\s,]*--`,
} as const;

/** The name of an argument at an offset, with what introduces its value. */
function keyAt(at: number, scope: PairScope, place: "first" | "next", after?: ValueSoFar): Key | undefined {
  const { text, keys } = scope;
  const find = (style: Key["style"], source: string): Key | undefined => {
    const match = patternOf(source).exec(text.slice(at, Math.min(scope.limit, at + maxKey)));
    const path = match === null ? undefined : keys.resolve(match[1] ?? "");
    return match === null || path === undefined ? undefined : { path, end: at + match[0].length, style };
  };
  const gap = place === "first" ? String.raw`[\s,]*` : `(?:[\\s,]${leads.sign}|(?=--))`;
  const sign = find(
    "sign",
    String.raw`^${gap}(?:--)?["'\x60]?(${keys.pattern})["'\x60]?\s*(?:=(?!=)|:(?!//)(?=\s|["'[{]|[^\s:]+))\s*`,
  );
  if (sign !== undefined) return sign;
  const flag = find("flag", String.raw`^${leads.flag}(${keys.pattern})(?=\s|$)`);
  if (flag !== undefined) return flag;
  if (scope.inParentheses) return undefined;
  const isOpen = after === undefined || after.style === "sentence" || !/\s/.test(after.text);
  if (!isOpen) return undefined;
  const linked = String.raw`(?:\s+(?:is|as|to|of|equals|set to|equal to|being))?\s+(?=\S)`;
  const sentence = find(
    "sentence",
    String.raw`^(?:${leads.sentence[place]})["'\x60]?(${keys.pattern})["'\x60]?${linked}`,
  );
  // After `labels=bug` a comma continues the list; only "and" leads to another argument.
  if (
    sentence !== undefined &&
    !(after !== undefined && after.style !== "sentence" && /^\s*,/.test(text.slice(at, at + 9)))
  )
    return sentence;
  if (place === "first") return undefined;
  // A name such as `max_count` is not a word of a sentence, so it needs no "and".
  const bare = find("sentence", String.raw`^\s+(${keys.pattern})${linked}`);
  return bare !== undefined && /^\s+\p{L}+[_.]\p{L}/u.test(text.slice(at, at + maxKey)) ? bare : undefined;
}

/** Names of arguments, with what leads to them, are no longer. */
const maxKey = 400;

const patterns = new Map<string, RegExp>();

/** Compiled once; forgotten when there are too many, since each resource has its own. */
function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    if (patterns.size > 5_000) patterns.clear();
    pattern = new RegExp(source, "iu");
    patterns.set(source, pattern);
  }
  return pattern;
}

function valueAt(key: Key, scope: PairScope): { value: WrittenValue; end: number } | undefined {
  const { text } = scope;
  const start = skipSpace(key.end, scope);
  const inSentence = key.style === "sentence";
  const schema = scope.keys.schemaAt(key.path);
  if (key.style === "flag" && (schema.type === "boolean" || start >= scope.limit)) {
    const given = /^\s+(true|false)(?=[\s,;.]|$)/i.exec(text.slice(key.end, key.end + 8));
    const value = { text: given?.[1] ?? "true", isQuoted: false, start: key.end, inSentence };
    return { value, end: key.end + (given?.[0].length ?? 0) };
  }
  const isNext = String.raw`^(?:--)?(?:${scope.keys.pattern})\s*(?:=(?!=)|:\s)`;
  // `text= other=5`: nothing is given.
  if (
    key.style === "sign" &&
    /\s/.test(text[start - 1] ?? "") &&
    patternOf(isNext).test(text.slice(start, start + maxKey))
  )
    return { value: { text: "", isQuoted: true, start, inSentence }, end: start - 1 };
  const quotation = quotationAt(text, start, scope.limit, scope.inParentheses);
  if (quotation !== undefined && isBoundary(quotation.end, { text: quotation.text, style: key.style }, scope))
    return { value: { text: quotation.text, isQuoted: true, start: start + 1, inSentence }, end: quotation.end };
  const bracket = /[[{]/.test(text[start] ?? "") ? bracketEnd(text, start, scope.limit) : undefined;
  if (bracket !== undefined && isBoundary(bracket, { text: "", style: key.style }, scope))
    return { value: { text: text.slice(start, bracket), isQuoted: false, start, inSentence }, end: bracket };
  let end = start;
  let depth = 0;
  while (end < scope.limit) {
    const character = text[end]!;
    if (scope.inParentheses && /[[{(]/.test(character)) depth += 1;
    else if (scope.inParentheses && /[\]})]/.test(character)) depth -= 1;
    if (
      depth <= 0 &&
      /[\s,;.!?-]/.test(character) &&
      isBoundary(end, { text: text.slice(start, end), style: key.style }, scope)
    )
      break;
    end += 1;
  }
  const said = text.slice(start, end).trimEnd();
  if (said === "") return undefined;
  return { value: { text: said, isQuoted: false, start, inSentence }, end: start + said.length };
}

function skipSpace(from: number, { text, limit }: PairScope): number {
  let at = from;
  while (at < limit && /\s/.test(text[at]!)) at += 1;
  return at;
}

/**
 * Whether a value ends here: at the end, before the next argument, before another call. What could be the next step ("; …",
 * "then …"), or an argument that the resource does not take ("stat=open"), ends a value of one word; in a longer text it belongs
 * to the text.
 */
function isBoundary(at: number, before: ValueSoFar, scope: PairScope): boolean {
  const { text: value } = before;
  const rest = scope.text.slice(at, Math.min(scope.limit, at + maxKey));
  if (/^[\s,;]*$/.test(rest) && at + rest.length >= scope.limit) return true;
  // The end of a sentence, and of the text.
  if (/^[.!?]\s*$/.test(rest)) return /[\p{L}\p{N})\]"']$/u.test(value) || value === "";
  if (/^\s*[.!?]/.test(rest) && !/^[.!?]\s/.test(rest)) return false;
  if (/^[\s,-]/.test(rest) && keyAt(at, scope, "next", before) !== undefined) return true;
  if (scope.endsCall(at)) return true;
  if (/^[ \t]*\r?\n/.test(rest) && !scope.inParentheses) return true;
  const isOneWord = !/\s/.test(value);
  if (isOneWord && /^(?:\s*;\s|\s*,?\s+(?:and\s+)?then\s)/i.test(rest)) return true;
  return isOneWord && /^[\s,]/.test(rest) && unknownPairAt(at, scope) !== undefined;
}

/** `stat=open`: given by a sign under a name that the resource does not take. */
function unknownPairAt(at: number, scope: PairScope): { key: string; value: WrittenValue; end: number } | undefined {
  const rest = scope.text.slice(at, Math.min(scope.limit, at + maxKey));
  const [lead, key] = /^[\s,]*(?:and\s+)?(?:--)?([\p{L}_][\p{L}\p{N}_.$-]{0,80})=(?!=)/u.exec(rest) ?? [];
  if (
    lead === undefined ||
    key === undefined ||
    (at > 0 && !/^[\s,]/.test(rest) && !/[\s(]/.test(scope.text[at - 1] ?? " "))
  )
    return undefined;
  if (scope.keys.resolve(key) !== undefined) return undefined;
  const start = at + lead.length;
  const quotation = quotationAt(scope.text, start, scope.limit);
  const [word = ""] = /^[^\s,;]*/.exec(scope.text.slice(start, scope.limit)) ?? [];
  const value = { text: quotation?.text ?? word, isQuoted: quotation !== undefined, start, inSentence: false };
  return { key, value, end: quotation?.end ?? start + word.length };
}
