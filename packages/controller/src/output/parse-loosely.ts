import { deepest, readLooseJson } from "./loose-json.ts";
import { Code } from "./loose-text.ts";
import { type OutputRepair, RepairLog } from "./repairs.ts";

export interface Parsed {
  readonly value: unknown;
  /** What was wrong with the text; empty when it was JSON already. */
  readonly repairs: readonly OutputRepair[];
  /** The first key that an object has twice, with different values. */
  readonly twice?: string;
}

/** Reads an object or list that is JSON or nearly so. Never throws, linear; `undefined` when it cannot be read. */
export function parseLoosely(text: string): Parsed | undefined {
  return parseStrictly(text) ?? parseBroken(text);
}

/** The same for a text that is known not to be JSON. */
export function parseBroken(text: string): Parsed | undefined {
  const log = new RepairLog();
  const read = readLooseJson(text, log);
  // More than leftover marks behind it: the value ended before what the text means by it.
  if (read === undefined || /[\p{L}\p{N}]/u.test(text.slice(read.end))) {
    return undefined;
  }
  // What no rule was needed for was a line end or another control character in a string.
  if (log.entries.length === 0) log.add("escape");
  return { value: read.value, repairs: log.entries, ...twiceIn(read) };
}

/**
 * Reads what begins with a bracket at `start` and closes by itself, wherever that is. For brackets that a quote too few or too many
 * hides; without a repair there is nothing of the kind.
 */
export function parseHidden(text: string, start: number): (Parsed & { readonly end: number }) | undefined {
  const log = new RepairLog();
  const read = readLooseJson(text.slice(start), log);
  return read === undefined || !read.closed || log.entries.length === 0
    ? undefined
    : { value: read.value, repairs: log.entries, end: start + read.end, ...twiceIn(read) };
}

function twiceIn({ twice }: Pick<Parsed, "twice">): Pick<Parsed, "twice"> {
  return twice === undefined ? {} : { twice };
}

/** Reads JSON. Returns `undefined` for text that is not JSON, or is nested too deep. */
export function parseStrictly(text: string): Parsed | undefined {
  if (!mayBeJson(text)) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    // It takes the last of several values of a key without a word.
    const read = repeatsKey(text) ? readLooseJson(text, new RepairLog()) : undefined;
    return { value, repairs: [], ...(read !== undefined && twiceIn(read)) };
  } catch {
    return undefined;
  }
}

/** Whether an object of a text that is JSON has the same key twice. Linear. */
function repeatsKey(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  let mayBeKey = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === Code.DOUBLE) {
      const end = endOfString(text, at);
      const keys = mayBeKey ? open.at(-1) : undefined;
      const key = text.slice(at + 1, end);
      if (keys?.has(key)) return true;
      keys?.add(key);
      mayBeKey = false;
      at = end;
    } else if (code === Code.OPEN_OBJECT || code === Code.OPEN_LIST) {
      mayBeKey = code === Code.OPEN_OBJECT;
      open.push(mayBeKey ? new Set() : undefined);
    } else if (code === Code.CLOSE_OBJECT || code === Code.CLOSE_LIST) open.pop();
    else if (code === Code.COMMA) mayBeKey = open.at(-1) !== undefined;
  }
  return false;
}

/**
 * Unwraps JSON that was written as a JSON string, twice at most.
 */
export function unwrapString(parsed: Parsed): Parsed {
  let current = parsed;
  for (let times = 0; times < 2 && typeof current.value === "string"; times += 1) {
    const inner = /^\s*[[{"]/.test(current.value) ? parseStrictly(current.value) : undefined;
    if (inner === undefined) {
      return current;
    }
    current = { ...inner, repairs: [{ what: "string", near: "" }] };
  }
  return current;
}

/**
 * Whether marks and nesting are those of JSON. It ends at the first that is not, and a false yes is left to `JSON.parse`, each of
 * whose errors costs as much as reading some hundred characters.
 */
function mayBeJson(text: string): boolean {
  let depth = 0;
  /** A value may come: at the beginning, after an opening bracket, a comma or a colon. */
  let open = true;
  let last = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    switch (code) {
      case Code.SPACE:
      case Code.LINE:
      case Code.RETURN:
      case Code.TAB:
        continue;
      case Code.DOUBLE:
        if (!open) return false;
        at = endOfString(text, at);
        if (at === -1) return false;
        open = false;
        break;
      case Code.OPEN_LIST:
      case Code.OPEN_OBJECT:
        depth += 1;
        if (!open || depth > deepest) return false;
        break;
      case Code.CLOSE_LIST:
      case Code.CLOSE_OBJECT:
        depth -= 1;
        if (last === Code.COMMA || last === Code.COLON || depth < 0) return false;
        open = false;
        break;
      case Code.COMMA:
      case Code.COLON:
        if (open) return false;
        open = true;
        break;
      default:
        if (!open) return false;
        at = endOfLiteral(text, at, code) - 1;
        if (at === -2) return false;
        open = false;
    }
    last = code;
  }
  return depth === 0;
}

/** Returns the offset of the closing quote of a JSON string; -1 if the string is not closed. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === Code.DOUBLE) return at;
    if (code < Code.SPACE) return -1;
    if (code === Code.BACKSLASH) at += 1;
  }
  return -1;
}

/** Where a word or number of JSON that begins with `first` ends, leniently for numbers; -1 when it is none. */
function endOfLiteral(text: string, start: number, first: number): number {
  const word = first === 116 ? "true" : first === 102 ? "false" : first === 110 ? "null" : "";
  if (word !== "") return text.startsWith(word, start) ? start + word.length : -1;
  let end = start;
  while (end < text.length && isNumberPart(text.charCodeAt(end))) end += 1;
  return end === start ? -1 : end;
}

/** Digits, signs, the point and the letter of an exponent. */
function isNumberPart(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    code === Code.MINUS ||
    code === Code.DOT ||
    code === Code.PLUS ||
    code === 69 ||
    code === 101
  );
}
