import { isRecord } from "@planloom/plan";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Profile } from "../catalogue/profile.ts";
import { keysOf } from "./argument-keys.ts";
import { nameAt } from "./call-names.ts";
import type { ExactCall, WrittenArgument } from "./exact-call.ts";
import { bracketEnd, quotationAt } from "./quotations.ts";
import { readLiteral } from "./read-literal.ts";
import { type PairScope, readPairs } from "./read-pairs.ts";
import type { WrittenValue } from "./to-value.ts";

/** A part of a goal: a call that is written out, or a text that is to be understood otherwise. */
export type GoalPart =
  | { readonly kind: "call"; readonly call: ExactCall /** "then" is before it. */; readonly follows: boolean }
  | { readonly kind: "text"; readonly start: number; readonly end: number; readonly follows: boolean };

/** What may be before the name of a resource: a list mark, "first", "please", "call the tool". */
const lead =
  /^\s*(?:(?:[-*•]|\d{1,3}[.)]|step\s+\d{1,3}\s*[:.)])\s+)?(?:(?:first|then|next|now|finally|lastly|also|please|and)\b,?\s+){0,4}(?:(?:call|run|use|invoke|execute)\s+(?:the\s+)?(?:(?:tool|function|resource|endpoint)\s+)?:?\s*)?/i;
/** What may be between two calls. */
const separator =
  /^(?:\s*(?:;|,|\.(?=\s|$)|!(?=\s)|\r?\n|→|->|=>))*\s*(?:(?:and|then|next|finally|also|after that|afterwards)\b,?\s*){0,3}/i;
const saysOrder = /\b(?:then|next|finally|after that|afterwards)\b|→|->|=>/i;

/**
 * Cuts a text into calls that are written out by their exact names, and the texts between them. Linear in the text, times the
 * names of the arguments.
 * @returns nothing where no call is written out
 */
export function readCalls(text: string, from: number, catalogue: Catalogue): readonly GoalPart[] {
  const parts: GoalPart[] = [];
  let at = from;
  let follows = false;
  let free: { start: number; follows: boolean } | undefined;
  while (at < text.length) {
    const call = callAt(text, at, catalogue);
    if (call !== undefined) {
      if (free !== undefined) addText(parts, text, free, at);
      free = undefined;
      const leading = /^\s*(?:(?:[-*•]|\d{1,3}[.)])\s+)?(?:then|next|finally)\b/i.test(text.slice(at, at + 40));
      parts.push({ kind: "call", call, follows: (follows || leading) && parts.length > 0 });
      at = call.end;
    } else free ??= { start: at, follows };
    const [between = ""] = separator.exec(text.slice(at, at + maxSeparator)) ?? [];
    follows = saysOrder.test(between);
    if (call !== undefined) at += between.length;
    if (call !== undefined && at < text.length) continue;
    const next = call === undefined ? nextStart(text, at) : undefined;
    if (next === undefined) break;
    follows = saysOrder.test(text.slice(next.from, next.to));
    at = next.to;
  }
  if (free !== undefined) addText(parts, text, free, text.length);
  return parts.some(({ kind }) => kind === "call") ? parts : [];
}

function addText(
  parts: GoalPart[],
  text: string,
  { start, follows }: { start: number; follows: boolean },
  end: number,
): void {
  if (/[\p{L}\p{N}]/u.test(text.slice(start, end)))
    parts.push({ kind: "text", start, end, follows: follows && parts.length > 0 });
}

const maxSeparator = 200;

/** The next place at which another step may begin. */
function nextStart(text: string, from: number): { from: number; to: number } | undefined {
  const pattern = /(?:;|\n|\.\s|,?\s(?:and\s)?then\s|,?\sand\s)\s*/gi;
  pattern.lastIndex = from + 1;
  const match = pattern.exec(text);
  return match === null ? undefined : { from: match.index, to: match.index + match[0].length };
}

/** The call that begins at an offset. */
function callAt(text: string, at: number, catalogue: Catalogue): ExactCall | undefined {
  const [led = ""] = lead.exec(text.slice(at, at + maxSeparator)) ?? [];
  // A resource may itself be called "call" or "use".
  for (const start of new Set([
    at + led.length,
    at + (/^\s*/.exec(text.slice(at, at + maxSeparator))?.[0].length ?? 0),
  ])) {
    const asked = /\b(?:call|run|use|invoke|execute)\s+\S*\s*\S*\s*$/i.test(text.slice(at, start));
    const quote = /["'`]/.test(text[start] ?? "") ? 1 : 0;
    const name = nameAt(text, start + quote, catalogue);
    if (name === undefined || (quote === 1 && text[name.end] !== text[start])) continue;
    const calls = name.profiles.flatMap((profile) => {
      const read = readArguments(text, name.end + quote, profile, catalogue);
      const isBare = read !== undefined && read.arguments.length + read.unknown.length === 0 && !read.isCalled;
      if (read === undefined) return [];
      // A plain word is a name where it is called, is alone, or has arguments that are given by a sign or in brackets.
      const isSentence = isBare
        ? text.slice(read.end).trim() !== ""
        : read.arguments.some(({ written }) => written.inSentence);
      if (name.isPlain && !asked && isSentence) return [];
      return [{ profile, start, ...read }];
    });
    const best = calls.reduce<(typeof calls)[number] | undefined>(
      (left, right) => (left === undefined || worth(right) > worth(left) ? right : left),
      undefined,
    );
    if (best === undefined) continue;
    const namesakes = calls
      .filter((each) => each !== best && worth(each) === worth(best))
      .map(({ profile }) => profile);
    return { ...best, namesakes };
  }
  return undefined;
}

/** Of resources of one name, the one that takes what is given and lacks least. */
function worth({ profile, arguments: given, unknown }: Pick<ExactCall, "profile" | "arguments" | "unknown">): number {
  const names = new Set(given.map(({ path }) => path[0]));
  const lacking = [...keysOf(profile).required].filter((name) => !names.has(name)).length;
  return given.length - unknown.length - lacking;
}

type ReadArguments = Pick<ExactCall, "arguments" | "unknown" | "end"> & {
  /** Brackets say that it is a call. */
  readonly isCalled: boolean;
};

/** What leads from a name to its arguments: nothing, "with", "with the following arguments:". */
const connectors = [
  /^\s*/,
  /^\s*(?:(?:tool|function)\b)?\s*,?\s*(?:with|using|where|given|on|for|and)\b\s*:?\s*/i,
  /^\s*(?:(?:tool|function)\b)?\s*,?\s*(?:with|using|where|given|on|for|and)\b\s+(?:the\s+)?(?:following\s+)?(?:arguments?|args|parameters?|params|inputs?|values?)\b\s*:?\s*/i,
  /^\s*(?:(?:tool|function)\b)?\s*:\s*/i,
];

/** The arguments after a name; undefined where what follows is none and does not end the call either. */
function readArguments(text: string, at: number, profile: Profile, catalogue: Catalogue): ReadArguments | undefined {
  const keys = keysOf(profile);
  const scope: PairScope = {
    text,
    keys,
    limit: text.length,
    inParentheses: false,
    endsCall: (offset) => beginsCall(text, offset, catalogue),
  };
  const open = /^\s*\(/.exec(text.slice(at, at + maxSeparator))?.[0];
  if (open !== undefined) {
    const end = bracketEnd(text, at + open.length - 1, text.length);
    const inside =
      end === undefined
        ? undefined
        : readInParentheses(
            { ...scope, limit: end - 1, inParentheses: true, endsCall: () => false },
            at + open.length,
            profile,
          );
    return end === undefined || inside === undefined ? undefined : { ...inside, end, isCalled: true };
  }
  for (const connector of connectors) {
    const [linked] = connector.exec(text.slice(at, at + maxSeparator)) ?? [];
    if (linked === undefined) continue;
    const object = readObject(text, at + linked.length, text.length, profile);
    if (object !== undefined && endsHere(text, object.end)) return { ...object, isCalled: true };
    const pairs = readPairs(linked.trim() === "" ? at : at + linked.length, scope);
    if (pairs !== undefined && (endsHere(text, pairs.end) || scope.endsCall(pairs.end)))
      return { ...pairs, isCalled: false };
  }
  if (endsHere(text, at) || scope.endsCall(at)) return { arguments: [], unknown: [], end: at, isCalled: false };
  return readBareValue(scope, at, profile);
}

/** Nothing follows but a mark, a new line or the next step. */
function endsHere(text: string, at: number): boolean {
  return /^(?:[\s.!?;,]*$|\s*[;,.!]?\s*(?:\r?\n|;)|\s*,?\s*(?:and\s+)?then\b|\s*(?:→|->|=>)|[.!;]\s)/i.test(
    text.slice(at, at + maxSeparator),
  );
}

/** `{"owner": …}` as all arguments. */
function readObject(
  text: string,
  at: number,
  limit: number,
  profile: Profile,
): Pick<ExactCall, "arguments" | "unknown" | "end"> | undefined {
  const end = text[at] === "{" ? bracketEnd(text, at, limit) : undefined;
  const literal = end === undefined ? undefined : readLiteral(text.slice(at, end));
  if (end === undefined || literal === undefined || !isRecord(literal.value)) return undefined;
  const keys = keysOf(profile);
  const found: WrittenArgument[] = [];
  const unknown: { key: string; text: string }[] = [];
  for (const [key, value] of Object.entries(literal.value)) {
    const path = keys.resolve(key);
    const said = JSON.stringify(value);
    const written: WrittenValue = { text: said, isQuoted: false, start: at, inSentence: false };
    if (path === undefined) unknown.push({ key, text: said });
    else found.push({ path, written, read: { value } });
  }
  return { arguments: found, unknown, end };
}

/** `(owner="facebook", repo=react)`, `({"owner": …})`, `("facebook", "react")` in the order of the schema. */
function readInParentheses(
  scope: PairScope,
  at: number,
  profile: Profile,
): Omit<ReadArguments, "isCalled" | "end"> | undefined {
  const inner = scope.text.slice(at, scope.limit);
  if (inner.trim() === "") return { arguments: [], unknown: [] };
  const begin = at + inner.length - inner.trimStart().length;
  const object = readObject(scope.text, begin, scope.limit, profile);
  const isWhole = (end: number) => /^[\s,]*$/.test(scope.text.slice(end, scope.limit));
  if (
    object !== undefined &&
    isWhole(object.end) &&
    (object.arguments.length > 0 || object.unknown.length === 0 || scope.keys.names.length !== 1)
  )
    return object;
  const pairs = readPairs(begin, scope);
  if (pairs !== undefined) return isWhole(pairs.end) ? pairs : undefined;
  return readPositions(scope, begin);
}

function readPositions(
  { text, keys, limit }: PairScope,
  from: number,
): Omit<ReadArguments, "isCalled" | "end"> | undefined {
  const found: WrittenArgument[] = [];
  let at = from;
  while (at < limit) {
    while (at < limit && /\s/.test(text[at]!)) at += 1;
    const name = keys.names[found.length];
    if (name === undefined) return at >= limit ? { arguments: found, unknown: [] } : undefined;
    const quotation = quotationAt(text, at, limit, true);
    const bracket = /[[{]/.test(text[at] ?? "") ? bracketEnd(text, at, limit) : undefined;
    const comma = text.indexOf(",", at);
    const end = quotation?.end ?? bracket ?? (comma < 0 || comma > limit ? limit : comma);
    const said = quotation?.text ?? text.slice(at, end).trim();
    if (said === "" && quotation === undefined) return undefined;
    found.push({
      path: [name],
      written: { text: said, isQuoted: quotation !== undefined, start: at, inSentence: false },
    });
    const [rest = ""] = /^\s*,?/.exec(text.slice(end, limit)) ?? [];
    if (end + rest.length < limit && !rest.endsWith(",")) return undefined;
    at = end + rest.length;
  }
  return { arguments: found, unknown: [] };
}

/** One value after the name of a resource that requires one argument, or takes no other: `read_page https://…`. */
function readBareValue(scope: PairScope, at: number, profile: Profile): ReadArguments | undefined {
  const { text, keys } = scope;
  const [name, ...others] = keys.required.size === 0 ? keys.names : [...keys.required];
  if (name === undefined || others.length > 0) return undefined;
  const [gap] = /^\s*:?\s+/.exec(text.slice(at, at + maxSeparator)) ?? [];
  if (gap === undefined || /^\p{L}[\p{Ll} ]*$/u.test(profile.label)) return undefined;
  const start = at + gap.length;
  const quotation = quotationAt(text, start, text.length);
  const [word = ""] = /^[^\s;,]+/.exec(text.slice(start)) ?? [];
  const end = quotation?.end ?? start + word.length;
  if ((quotation === undefined && word === "") || !endsHere(text, end)) return undefined;
  const written = { text: quotation?.text ?? word, isQuoted: quotation !== undefined, start, inSentence: true };
  return { arguments: [{ path: [name], written }], unknown: [], end, isCalled: false };
}

/** Whether a separator is at an offset and a call after it. A cheap look: nothing of its arguments is read. */
function beginsCall(text: string, at: number, catalogue: Catalogue): boolean {
  const [between = ""] = separator.exec(text.slice(at, at + maxSeparator)) ?? [];
  if (between.trim() === "" && !/\n/.test(between)) return false;
  const [led = ""] = lead.exec(text.slice(at + between.length, at + between.length + maxSeparator)) ?? [];
  const start = at + between.length + led.length;
  const quote = /["'`]/.test(text[start] ?? "") ? 1 : 0;
  const name = nameAt(text, start + quote, catalogue);
  if (name === undefined) return false;
  const asked = /\b(?:call|run|use|invoke|execute)\s/i.test(led);
  if (!name.isPlain || asked) return true;
  const rest = text.slice(name.end + quote, name.end + quote + maxSeparator);
  return name.profiles.some((profile) =>
    new RegExp(`^\\s*(?:[({]|--|(?:with\\s+)?${keysOf(profile).pattern}\\s*[=:])`, "iu").test(rest),
  );
}
