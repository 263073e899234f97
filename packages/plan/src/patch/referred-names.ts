import { collectReferences } from "../references/collect-references.ts";
import { maxArgumentDepth } from "../references/reference.ts";

/** Longer texts are read by the parser: its limits on paths are for them. */
const maxPlain = 200;

/**
 * Calls `visit` with the name of every reference in a value; the same names as
 * `collectReferences` gives, at a fifth of its cost for plans in which most references are plainly written. Never throws.
 */
export function visitReferredNames(value: unknown, visit: (name: string) => void, depth = 0): void {
  if (typeof value === "string") {
    const at = value.indexOf("${");
    if (at !== -1 && !visitPlain(value, at, visit)) {
      for (const { reference } of collectReferences(value)) visit(reference.name);
    }
    return;
  }
  if (typeof value !== "object" || value === null || depth >= maxArgumentDepth) return;
  if (Array.isArray(value)) {
    for (const element of value) visitReferredNames(element, visit, depth + 1);
    return;
  }
  const keys = Object.keys(value);
  if (keys.length === 1 && (keys[0] === "$ref" || keys[0] === "$text")) {
    for (const { reference } of collectReferences(value)) visit(reference.name);
    return;
  }
  for (let i = 0; i < keys.length; i++) {
    const inner = (value as Record<string, unknown>)[keys[i]!];
    if (typeof inner === "string" || typeof inner === "object") visitReferredNames(inner, visit, depth + 1);
  }
}

/** False, and nothing visited, when the text has more in it than plain references. Makes nothing but the names. */
function visitPlain(text: string, first: number, visit: (name: string) => void): boolean {
  if (text.length > maxPlain) return false;
  let references = 0;
  for (let at = first; at !== -1; references++) {
    // Dollars in pairs stand for themselves.
    if (at > 0 && text.charCodeAt(at - 1) === 36) return false;
    const end = plainEnd(text, at + 2);
    if (end === -1) return false;
    at = text.indexOf("${", end);
  }
  for (let at = first; references > 0; references--) {
    visit(text.slice(at + 2, wordEnd(text, at + 2)));
    if (references > 1) at = text.indexOf("${", at + 2);
  }
  return true;
}

/** Letters, digits, `_` and `-` of ASCII, by code. */
const isWord = Uint8Array.from({ length: 128 }, (_, code) => (/[A-Za-z0-9_-]/.test(String.fromCharCode(code)) ? 1 : 0));

function wordEnd(text: string, start: number): number {
  let at = start;
  // Past the end the code is NaN, which is no index.
  while (isWord[text.charCodeAt(at)] === 1) at++;
  return at;
}

/**
 * Where a reference `name.key[0].*?}` whose name begins at `start` ends, its brace included; -1 for any other. Indices have at
 * most nine digits.
 */
function plainEnd(text: string, start: number): number {
  let at = wordEnd(text, start);
  if (at === start) return -1;
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
