import { collectReferences } from "../references/collect-references.ts";
import { maxArgumentDepth } from "../references/reference.ts";

/** Longer texts are read by the parser: its limits on paths are for them. */
const maxPlain = 200;

/** The place of a name: the characters of `text` from `start` to before `end`. */
export type NameVisitor = (text: string, start: number, end: number) => void;

/** Calls `visit` with the name of every reference in a value: the same names as `collectReferences` gives. Never throws. */
export function visitReferredNames(value: unknown, visit: (name: string) => void): void {
  visitNamePlaces(value, (text, start, end) => visit(text.slice(start, end)));
}

/**
 * The same without making a string of each name, for plans of many references: a fifth of the cost of `collectReferences`
 * where most are plainly written.
 */
export function visitNamePlaces(value: unknown, visit: NameVisitor, depth = 0): void {
  if (typeof value === "string") {
    const at = value.indexOf("${");
    if (at !== -1 && !visitPlain(value, at, visit)) visitParsed(value, visit);
    return;
  }
  if (typeof value !== "object" || value === null || depth >= maxArgumentDepth) return;
  if (Array.isArray(value)) {
    for (const element of value) visitNamePlaces(element, visit, depth + 1);
    return;
  }
  const keys = Object.keys(value);
  if (keys.length === 1 && (keys[0] === "$ref" || keys[0] === "$text")) {
    visitParsed(value, visit);
    return;
  }
  for (let i = 0; i < keys.length; i++) {
    const inner = (value as Record<string, unknown>)[keys[i]!];
    if (typeof inner === "string" || typeof inner === "object") visitNamePlaces(inner, visit, depth + 1);
  }
}

function visitParsed(value: unknown, visit: NameVisitor): void {
  for (const { reference } of collectReferences(value)) visit(reference.name, 0, reference.name.length);
}

/** False, and nothing visited, when the text has more in it than plain references. */
function visitPlain(text: string, first: number, visit: NameVisitor): boolean {
  // Pairs of dollars are literal.
  if (text.length > maxPlain || (first > 0 && text.charCodeAt(first - 1) === 36)) return false;
  const start = first + 2;
  const nameEnd = wordEnd(text, start);
  const end = nameEnd === start ? -1 : pathEnd(text, nameEnd);
  if (end === -1) return false;
  const next = end === text.length ? -1 : text.indexOf("${", end);
  if (next === -1) {
    visit(text, start, nameEnd);
    return true;
  }
  if (!arePlain(text, next)) return false;
  for (let at = first; at !== -1; at = text.indexOf("${", at + 2)) visit(text, at + 2, wordEnd(text, at + 2));
  return true;
}

/** All references from the one at `first` on are plain. */
function arePlain(text: string, first: number): boolean {
  for (let at = first; at !== -1; ) {
    const nameEnd = wordEnd(text, at + 2);
    const end = text.charCodeAt(at - 1) === 36 || nameEnd === at + 2 ? -1 : pathEnd(text, nameEnd);
    if (end === -1) return false;
    at = text.indexOf("${", end);
  }
  return true;
}

/** Letters, digits, `_` and `-` of ASCII, by code. */
const isWord = Uint8Array.from({ length: 128 }, (_, code) => (/[A-Za-z0-9_-]/.test(String.fromCharCode(code)) ? 1 : 0));

function wordEnd(text: string, start: number): number {
  let at = start;
  // Past the end the code is NaN, which is not an index.
  while (isWord[text.charCodeAt(at)] === 1) at++;
  return at;
}

/**
 * Where a path `.key[0].*?}` that begins at `start` ends, its brace included; -1 for any other. Indices have at most nine
 * digits.
 */
function pathEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 125) return at + 1;
    if (code === 63) return text.charCodeAt(at + 1) === 125 ? at + 2 : -1;
    if (code === 46) {
      const end = text.charCodeAt(at + 1) === 42 ? at + 2 : wordEnd(text, at + 1);
      if (end === at + 1) return -1;
      at = end;
    } else if (code === 91) {
      let end = at + 1;
      for (let digit = text.charCodeAt(end); digit >= 48 && digit <= 57; digit = text.charCodeAt(end)) end++;
      if (end === at + 1 || end > at + 10 || text.charCodeAt(end) !== 93) return -1;
      at = end + 1;
    } else return -1;
  }
}
