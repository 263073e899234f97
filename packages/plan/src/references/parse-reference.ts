import { PlanError, PlanErrorCode } from "../errors.ts";
import { maxPathSegments, type PathSegment, type Reference } from "./reference.ts";

/** A reference or path that was read, and the offset after it. */
export interface ReadReference {
  readonly reference: Reference;
  readonly end: number;
}

/** Where a text stops being a reference. A value, because lenient readers meet many and errors cost a stack trace each. */
export interface ReferenceFault {
  readonly at: number;
  readonly expected: string;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["/", "/"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
]);

/**
 * Parses the text between `${` and `}`: `name`, then any of `.key`, `["any key"]`, `[0]`, `.*`, then perhaps `?`.
 * Linear in the text. Blanks at both ends, single quotes, `[*]` and a dot before a bracket are read too.
 * @throws PlanError REFERENCE_SYNTAX with `details.text`, `details.at` (offset in `text`); nothing else on any input.
 */
export function parseReference(text: string): Reference {
  const read = readReference(text, 0);
  if (isFault(read)) throw syntaxError(text, read);
  if (read.end < text.length) throw syntaxError(text, { at: read.end, expected: "the end of the reference" });
  return read.reference;
}

export function isFault(read: object): read is ReferenceFault {
  return "expected" in read;
}

/** Reads a reference that begins at `start` (after `${`), as far as it goes; the caller checks what follows at `end`. */
export function readReference(text: string, start: number): ReadReference | ReferenceFault {
  let at = skipBlanks(text, start);
  let name: string;
  if (text.charCodeAt(at) === bracketCode) {
    const quoted = readQuotedKey(text, at);
    if (quoted === undefined) return { at: at + 1, expected: "a quoted name" };
    if (isFault(quoted)) return quoted;
    name = quoted.key;
    at = quoted.end;
  } else {
    const end = identifierEnd(text, at);
    if (end === at) return { at, expected: "a name" };
    name = text.slice(at, end);
    at = end;
  }
  if (name === "") return { at: start, expected: "a name that is not empty" };
  const path: PathSegment[] = [];
  for (;;) {
    const dotted = text[at] === ".";
    const next = dotted ? at + 1 : at;
    if (text.charCodeAt(next) === bracketCode) {
      const bracket = readBracket(text, next);
      if (isFault(bracket)) return bracket;
      path.push(bracket.segment);
      at = bracket.end;
    } else if (!dotted) {
      break;
    } else if (text[next] === "*") {
      path.push({ map: true });
      at = next + 1;
    } else {
      const end = identifierEnd(text, next);
      if (end === next) return { at: next, expected: 'a key, "*" or a bracket after the dot' };
      path.push({ key: text.slice(next, end) });
      at = end;
    }
    if (path.length > maxPathSegments) return { at, expected: `at most ${maxPathSegments} segments` };
  }
  const optional = text[at] === "?";
  return { reference: { name, path, optional }, end: skipBlanks(text, optional ? at + 1 : at) };
}

function readBracket(text: string, at: number): { segment: PathSegment; end: number } | ReferenceFault {
  const quoted = readQuotedKey(text, at);
  if (quoted !== undefined) return isFault(quoted) ? quoted : { segment: { key: quoted.key }, end: quoted.end };
  if (text[at + 1] === "*" && text[at + 2] === "]") return { segment: { map: true }, end: at + 3 };
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  if (end === at + 1) return { at: end, expected: "a quoted key, an index from 0 or *" };
  const index = Number(text.slice(at + 1, end));
  if (!Number.isSafeInteger(index)) return { at: at + 1, expected: "a smaller index" };
  return text[end] === "]" ? { segment: { index }, end: end + 1 } : { at: end, expected: '"]"' };
}

function readQuotedKey(text: string, at: number): { key: string; end: number } | ReferenceFault | undefined {
  const quote = text[at + 1];
  if (quote !== '"' && quote !== "'") return undefined;
  let key = "";
  let position = at + 2;
  let copied = position;
  while (position < text.length && text[position] !== quote) {
    if (text[position] !== "\\") {
      position += 1;
      continue;
    }
    key += text.slice(copied, position);
    const letter = text[position + 1] ?? "";
    const plain = escapes.get(letter);
    if (plain !== undefined) {
      key += plain;
      position += 2;
    } else {
      const code = text.slice(position + 2, position + 6);
      if (letter !== "u" || !/^[0-9a-fA-F]{4}$/.test(code)) return { at: position, expected: "an escape as in JSON" };
      key += String.fromCharCode(Number.parseInt(code, 16));
      position += 6;
    }
    copied = position;
  }
  key += text.slice(copied, position);
  if (position >= text.length) return { at: position, expected: `a closing ${quote}` };
  return text[position + 1] === "]" ? { key, end: position + 2 } : { at: position + 1, expected: '"]"' };
}

/**
 * Where the identifier that begins at `start` ends; `start` if none does. An identifier is letters, digits, `_` and `-` in any
 * order, so every nanoid is one. Names and keys that are not identifiers are quoted.
 */
export function identifierEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    const lower = code | 32;
    if ((lower >= 97 && lower <= 122 && code < 128) || isDigit(code) || code === 95 || code === 45) {
      at += 1;
    } else if (code >= 128) {
      wordCharacters.lastIndex = at;
      if (!wordCharacters.test(text)) return at;
      at = wordCharacters.lastIndex;
    } else {
      return at;
    }
  }
}

const wordCharacters = /[\p{L}\p{N}\p{M}_-]+/uy;
const bracketCode = 91;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\t" || text[at] === "\r") at += 1;
  return at;
}

/** The message shows at most 80 characters around the place. */
export function syntaxError(text: string, { at, expected }: ReferenceFault): PlanError {
  const from = Math.max(0, at - 40);
  const excerpt = `${from > 0 ? "…" : ""}${text.slice(from, at + 40)}${at + 40 < text.length ? "…" : ""}`;
  const came = at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : "the end";
  return new PlanError(
    PlanErrorCode.REFERENCE_SYNTAX,
    `Expected ${expected}, got ${came} at offset ${at} of ${JSON.stringify(excerpt)}. ` +
      'A reference reads ${name.key[0]["any key"].*}; for a literal "${" write "$${".',
    { details: { text, at } },
  );
}
