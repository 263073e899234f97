import { PlanError, PlanErrorCode } from "../errors.ts";
import { maxPathSegments, type PathSegment, type Reference } from "./reference.ts";

/** An identifier: letters, digits, `_` and `-` in any order, so that every nanoid is one. Other names are quoted. */
export const identifier = /[\p{L}\p{N}\p{M}_-]+/uy;
const digits = /[0-9]+/y;
const blanks = /[ \t\r\n]*/y;
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
  const { reference, end } = readReference(text, 0);
  if (end < text.length) throw syntaxError(text, end, `the end of the reference`);
  return reference;
}

/**
 * Reads a reference that begins at `start` (after `${`), as far as it goes; the caller checks what follows at `end`.
 * @throws PlanError REFERENCE_SYNTAX; `details.at` is an offset in `text`.
 */
export function readReference(text: string, start: number): { reference: Reference; end: number } {
  let at = matchEnd(blanks, text, start) ?? start;
  let name: string;
  if (text[at] === "[") {
    const quoted = readQuotedKey(text, at);
    if (quoted === undefined) throw syntaxError(text, at + 1, "a quoted name");
    name = quoted.key;
    at = quoted.end;
  } else {
    const end = matchEnd(identifier, text, at);
    if (end === undefined) throw syntaxError(text, at, "a name");
    name = text.slice(at, end);
    at = end;
  }
  if (name === "") throw syntaxError(text, start, "a name that is not empty");
  const read = readPathText(text, at);
  at = read.end;
  const optional = text[at] === "?";
  if (optional) at += 1;
  return { reference: { name, path: read.path, optional }, end: matchEnd(blanks, text, at) ?? at };
}

/** Reads path segments from `start` as far as they go. @throws PlanError REFERENCE_SYNTAX */
export function readPathText(text: string, start: number): { path: PathSegment[]; end: number } {
  const path: PathSegment[] = [];
  let at = start;
  for (;;) {
    const dotted = text[at] === ".";
    const next = dotted ? at + 1 : at;
    if (text[next] === "[") {
      const bracket = readBracket(text, next);
      path.push(bracket.segment);
      at = bracket.end;
    } else if (!dotted) {
      return { path, end: at };
    } else if (text[next] === "*") {
      path.push({ map: true });
      at = next + 1;
    } else {
      const end = matchEnd(identifier, text, next);
      if (end === undefined) throw syntaxError(text, next, 'a key, "*" or a bracket after the dot');
      path.push({ key: text.slice(next, end) });
      at = end;
    }
    if (path.length > maxPathSegments) throw syntaxError(text, at, `at most ${maxPathSegments} segments`);
  }
}

function readBracket(text: string, at: number): { segment: PathSegment; end: number } {
  const quoted = readQuotedKey(text, at);
  if (quoted !== undefined) return { segment: { key: quoted.key }, end: quoted.end };
  if (text[at + 1] === "*" && text[at + 2] === "]") return { segment: { map: true }, end: at + 3 };
  const end = matchEnd(digits, text, at + 1);
  if (end === undefined) throw syntaxError(text, at + 1, "a quoted key, an index from 0 or *");
  const index = Number(text.slice(at + 1, end));
  if (!Number.isSafeInteger(index)) throw syntaxError(text, at + 1, "a smaller index");
  if (text[end] !== "]") throw syntaxError(text, end, '"]"');
  return { segment: { index }, end: end + 1 };
}

function readQuotedKey(text: string, at: number): { key: string; end: number } | undefined {
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
      if (letter !== "u" || !/^[0-9a-fA-F]{4}$/.test(code)) throw syntaxError(text, position, "an escape as in JSON");
      key += String.fromCharCode(Number.parseInt(code, 16));
      position += 6;
    }
    copied = position;
  }
  key += text.slice(copied, position);
  if (position >= text.length) throw syntaxError(text, position, `a closing ${quote}`);
  if (text[position + 1] !== "]") throw syntaxError(text, position + 1, '"]"');
  return { key, end: position + 2 };
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** `at` is an offset in `text`; the message shows at most 80 characters around it. */
export function syntaxError(text: string, at: number, expected: string): PlanError {
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
