import { isDeepStrictEqual } from "node:util";
import {
  Code,
  closesQuote,
  isBlank,
  isCommentAt,
  isKeyAt,
  isMemberAfterComma,
  isQuote,
  isQuotedKeyAt,
  type Place,
  readLiteral,
  shortKeyAt,
  skipBlank,
  unescaped,
} from "./loose-text.ts";
import type { RepairLog } from "./repairs.ts";

/** Values nested deeper are refused: nothing that plans is, and recursion further on must not overflow. */
export const deepest = 200;

/** A string may be looked through once for each kind of quote and place; more than this is text made to be read for ever. */
const looksPerCharacter = 16;

/** Not a value; no JSON value is a symbol. */
const nothing = Symbol("nothing");

/**
 * Reads an object or list that is nearly JSON: quotes that are missing, of another kind or unescaped inside a string; commas
 * missing or too many; keys and texts without quotes; Python literals; comments; brackets missing at the end. Total; one pass.
 *
 * What follows decides where a string ends: a quote counts when a comma and a key, or a closing bracket, come next. Each
 * look ahead stops at the next quote or key, and that a string never closes is found once. Where a string ends in a tail of marks, they
 * are read again; a text that needs this too often is refused, so the time is linear.
 * @returns `undefined` when the text is none, nests deeper than {@link deepest}, or would be looked through too often
 */
export function readLooseJson(text: string, log: RepairLog): LooseJson | undefined {
  return new LooseJsonReader(copied(text), log).read();
}

export interface LooseJson {
  readonly value: unknown;
  /** Just after the value. */
  readonly end: number;
  /** By its own bracket, not by the text's end. */
  readonly closed: boolean;
  /** The first key that an object has twice, with different values; the last one is in `value`. */
  readonly twice?: string;
}

/**
 * V8 keeps a slice as a view of its parent and looks there for each character, and code that has met both is slower for both: a
 * text of its own, always, is read 12% faster.
 */
function copied(text: string): string {
  const encoding = /[^\0-\xff]/.test(text) ? "utf16le" : "latin1";
  return Buffer.from(text, encoding).toString(encoding);
}

class LooseJsonReader {
  readonly #text: string;
  readonly #log: RepairLog;
  #at = 0;
  #depth = 0;
  #objects = 0;
  #lists = 0;
  /** The value read last ended with its own bracket. */
  #closed = false;
  #twice: string | undefined;
  /** By opening quote and place: from here on no string of that kind closes. */
  readonly #unclosed = new Map<string, number>();
  /** So many more characters may be looked at for the ends of strings. */
  #looks: number;

  constructor(text: string, log: RepairLog) {
    this.#text = text;
    this.#looks = looksPerCharacter * text.length + 20_000;
    this.#log = log;
  }

  read(): LooseJson | undefined {
    this.#skip();
    const code = this.#code();
    if (code !== Code.OPEN_OBJECT && code !== Code.OPEN_LIST) return undefined;
    const value = this.#value("list");
    if (value === nothing) return undefined;
    const twice = this.#twice;
    return { value, end: this.#at, closed: this.#closed, ...(twice !== undefined && { twice }) };
  }

  #code(at = this.#at): number {
    return this.#text.charCodeAt(at);
  }

  #repair(what: Parameters<RepairLog["add"]>[0], at = this.#at): void {
    this.#log.add(what, this.#text, at);
  }

  /** Over blanks and comments. */
  #skip(): void {
    for (;;) {
      let code = this.#code();
      if (isBlank(code)) {
        this.#at = skipBlank(this.#text, this.#at + 1);
        code = this.#code();
      }
      if (code !== Code.HASH && (code !== Code.SLASH || !isCommentAt(this.#text, this.#at))) return;
      this.#repair("comment");
      const block = this.#code(this.#at + 1) === Code.STAR && code === Code.SLASH;
      const end = this.#text.indexOf(block ? "*/" : "\n", this.#at + 1);
      this.#at = end === -1 ? this.#text.length : end + (block ? 2 : 1);
    }
  }

  #value(place: Place): unknown {
    const code = this.#code();
    if (code === Code.OPEN_OBJECT || code === Code.OPEN_LIST) {
      if (this.#depth >= deepest) return nothing;
      this.#depth += 1;
      const value = code === Code.OPEN_OBJECT ? this.#object() : this.#list();
      this.#depth -= 1;
      return value;
    }
    return isQuote(code) ? this.#joined(place) : this.#bare(place);
  }

  #object(): unknown {
    const found: Record<string, unknown> = {};
    this.#at += 1;
    this.#objects += 1;
    for (let first = true; this.#nextMember(first, Code.CLOSE_OBJECT, Code.CLOSE_LIST, this.#lists); first = false) {
      const key = this.#key();
      if (key === undefined) return nothing;
      this.#skip();
      const code = this.#code();
      if (code === Code.COMMA || code === Code.CLOSE_OBJECT || this.#at >= this.#text.length) {
        this.#repair("value");
        continue;
      }
      const value = this.#value("object");
      if (value === nothing) return nothing;
      if (Object.hasOwn(found, key) && !isDeepStrictEqual(found[key], value)) this.#twice ??= key;
      // A plain assignment of `__proto__` would set the prototype.
      if (key === "__proto__")
        Object.defineProperty(found, key, { value, enumerable: true, configurable: true, writable: true });
      else found[key] = value;
    }
    this.#objects -= 1;
    return found;
  }

  #list(): unknown {
    const found: unknown[] = [];
    this.#at += 1;
    this.#lists += 1;
    for (let first = true; this.#nextMember(first, Code.CLOSE_LIST, Code.CLOSE_OBJECT, this.#objects); first = false) {
      const value = this.#value("list");
      if (value === nothing) return nothing;
      found.push(value);
    }
    this.#lists -= 1;
    return found;
  }

  /** Moves to the next member, skipping commas. Returns false without a next member, and is then past the closing bracket. */
  #nextMember(first: boolean, closer: number, other: number, othersOpen: number): boolean {
    let commas = first ? 1 : 0;
    this.#closed = false;
    for (;;) {
      this.#skip();
      const code = this.#code();
      if (code === Code.COMMA) {
        commas += 1;
        if (commas > 1) this.#repair("comma");
      } else if (code === closer) {
        if (commas > 0 && !first) this.#repair("comma");
        this.#at += 1;
        this.#closed = true;
        return false;
      } else if (code === other || this.#at >= this.#text.length) {
        this.#repair("bracket");
        if (code !== other || othersOpen > 0) return false;
      } else if (code === Code.DOT && this.#text.startsWith("...", this.#at)) {
        this.#repair("value");
        this.#at += 2;
      } else {
        if (commas === 0) this.#repair("comma");
        return true;
      }
      this.#at += 1;
    }
  }

  /** Reads a key and its colon. */
  #key(): string | undefined {
    const start = this.#at;
    const open = this.#code();
    // `"a:` is a key without its closing quote, unless that follows.
    const short = open === Code.DOUBLE && isQuotedKeyAt(this.#text, start) ? undefined : shortKeyAt(this.#text, start);
    if (short !== undefined) {
      this.#at = short.end;
      this.#repair("quote", start);
      return short.key;
    }
    if (!isQuote(open)) return undefined;
    let end = start + 1;
    while (end < this.#text.length && !closesQuote(open, this.#code(end)) && this.#code(end) !== Code.LINE) {
      end += this.#code(end) === Code.BACKSLASH ? 2 : 1;
    }
    if (!closesQuote(open, this.#code(end))) return undefined;
    if (open !== Code.DOUBLE) this.#repair("quote", start);
    const raw = this.#text.slice(start + 1, end);
    this.#at = end + 1;
    this.#skip();
    const code = this.#code();
    if (code === Code.COLON || code === Code.EQUALS) {
      this.#at += code === Code.EQUALS && this.#code(this.#at + 1) === Code.GREATER ? 2 : 1;
      if (code === Code.EQUALS) this.#repair("colon", start);
    } else if (code === Code.OPEN_OBJECT || code === Code.OPEN_LIST || isQuote(code)) this.#repair("colon", start);
    else return undefined;
    return unescaped(raw);
  }

  /** A string, and those that `+` joins to it. */
  #joined(place: Place): unknown {
    let value = "";
    for (;;) {
      if (this.#looks < 0) return nothing;
      value += this.#string(place);
      const plus = skipBlank(this.#text, this.#at);
      const next = skipBlank(this.#text, plus + 1);
      if (this.#code(plus) !== Code.PLUS || !isQuote(this.#code(next))) return value;
      this.#repair("string", plus);
      this.#at = next;
    }
  }

  #string(place: Place): string {
    const text = this.#text;
    const start = this.#at;
    const open = this.#code();
    if (open !== Code.DOUBLE) this.#repair("quote");
    const triple = open === Code.TICK ? -1 : this.#tripleEnd(open);
    if (triple !== -1) {
      this.#repair("quote");
      this.#at = triple + 3;
      return unescaped(text.slice(start + 3, triple));
    }
    const kind = `${open}${place}`;
    if (start >= (this.#unclosed.get(kind) ?? Number.POSITIVE_INFINITY)) return this.#restOfLine(start);
    let before = -1;
    for (let at = start + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === Code.BACKSLASH) at += 1;
      else if (code === Code.LINE && place === "object") {
        const next = skipBlank(text, at);
        if (isQuotedKeyAt(text, next)) return this.#unclosedUntil(start, at);
        at = next - 1;
      } else if (closesQuote(open, code)) {
        if (this.#endsValue(at + 1, place)) {
          this.#at = at + 1;
          return unescaped(text.slice(start + 1, at));
        }
        if (place === "object" && text.charCodeAt(skipBlank(text, at + 1)) === Code.COLON && before !== -1) {
          // The quotes of the next key: this string's own is missing.
          this.#looks -= at - before;
          return this.#unclosedUntil(start, before);
        }
        before = at;
      }
    }
    this.#unclosed.set(kind, start);
    this.#looks -= text.length - start;
    return this.#restOfLine(start);
  }

  /** Where a Python text in triple quotes ends; -1 without an end. */
  #tripleEnd(open: number): number {
    const mark = String.fromCharCode(open).repeat(3);
    if (!this.#text.startsWith(mark, this.#at)) return -1;
    const none = this.#unclosed.get(mark) ?? Number.POSITIVE_INFINITY;
    const end = this.#at >= none ? -1 : this.#text.indexOf(mark, this.#at + 3);
    if (end === -1) this.#unclosed.set(mark, Math.min(none, this.#at));
    return end;
  }

  #restOfLine(start: number): string {
    const line = this.#text.indexOf("\n", start);
    return this.#unclosedUntil(start, line === -1 ? this.#text.length : line);
  }

  /** A string whose closing quote is missing: up to `end`, less the marks that are not its own. */
  #unclosedUntil(start: number, end: number): string {
    this.#repair("quote", start);
    this.#looks -= end - start;
    let last = end;
    while (last > start + 1 && isMark(this.#code(last - 1))) last -= 1;
    this.#at = last;
    while (this.#at < end && !isStructure(this.#code())) this.#at += 1;
    return unescaped(this.#text.slice(start + 1, last));
  }

  /** Whether what follows a quote says that a string in `place` ended there. */
  #endsValue(at: number, place: Place): boolean {
    const next = skipBlank(this.#text, at);
    if (next >= this.#text.length) return true;
    const code = this.#code(next);
    switch (code) {
      case Code.CLOSE_OBJECT:
        return this.#objects > 0;
      case Code.CLOSE_LIST:
        return this.#lists > 0;
      case Code.COMMA:
        return place === "list" || isMemberAfterComma(this.#text, next + 1);
      case Code.PLUS:
        return isQuote(this.#code(skipBlank(this.#text, next + 1)));
      case Code.SLASH:
        return isCommentAt(this.#text, next);
      case Code.OPEN_OBJECT:
      case Code.OPEN_LIST:
        return place === "list" && next > at;
      default:
        // `"one, "b": 2`: a quote right before a name is the one that opens it.
        if (next === at) return place === "object" && isQuote(code) && isKeyAt(this.#text, next);
        return place === "list" ? isQuote(code) : isKeyAt(this.#text, next);
    }
  }

  /** A literal, or a text without quotes: up to a comma that parts members, a closing bracket or the line of the next key. */
  #bare(place: Place): unknown {
    const start = this.#at;
    this.#at = this.#endOfBare(place);
    const word = this.#text.slice(start, this.#at).trim();
    if (word === "" || word.startsWith(":")) return nothing;
    const literal = readLiteral(word);
    if (literal !== undefined) {
      if (!literal.strict) this.#repair("literal", start);
      return literal.value;
    }
    this.#repair("quote", start);
    return unescaped(withoutUnpairedQuote(word));
  }

  #endOfBare(place: Place): number {
    const text = this.#text;
    let inner = 0;
    for (let at = this.#at; at < text.length; at += 1) {
      switch (text.charCodeAt(at)) {
        case Code.OPEN:
        case Code.OPEN_LIST:
        case Code.OPEN_OBJECT:
          inner += 1;
          break;
        case Code.CLOSE:
          inner = Math.max(0, inner - 1);
          break;
        case Code.CLOSE_LIST:
        case Code.CLOSE_OBJECT:
          if (inner === 0) return at;
          inner -= 1;
          break;
        case Code.LINE: {
          const next = skipBlank(text, at);
          if (place === "list" || isKeyAt(text, next)) return at;
          at = next - 1;
          break;
        }
        case Code.COMMA:
          if (inner === 0 && this.#commaEndsBare(at, place)) return at;
          break;
        case Code.DOUBLE:
          if (place === "object" && isBlank(text.charCodeAt(at - 1)) && isQuotedKeyAt(text, at)) return at;
          break;
        case Code.SLASH:
          if (at > this.#at && isBlank(text.charCodeAt(at - 1)) && isCommentAt(text, at)) return at;
          break;
        default:
      }
    }
    return text.length;
  }

  #commaEndsBare(at: number, place: Place): boolean {
    const text = this.#text;
    if (place === "list" || isMemberAfterComma(text, at + 1)) return true;
    // `"a": true, "b` — a quote after a literal begins a key, if one that is cut off.
    const isQuoted = text.charCodeAt(skipBlank(text, at + 1)) === Code.DOUBLE;
    return isQuoted && at - this.#at < 32 && readLiteral(text.slice(this.#at, at).trim()) !== undefined;
  }
}

function isStructure(code: number): boolean {
  return code === Code.COMMA || code === Code.CLOSE_LIST || code === Code.CLOSE_OBJECT;
}

function isMark(code: number): boolean {
  return isStructure(code) || isBlank(code) || isQuote(code);
}

/** `offices_list"` had a quote at both ends; `say "hi"` has its own. */
function withoutUnpairedQuote(word: string): string {
  const last = word.charCodeAt(word.length - 1);
  if (!isQuote(last)) return word;
  let quotes = 0;
  for (let at = 0; at < word.length; at += 1) if (word.charCodeAt(at) === last) quotes += 1;
  return quotes % 2 === 0 ? word : word.slice(0, -1).trimEnd();
}
