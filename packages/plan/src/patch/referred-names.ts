import { isRecord } from "../json.ts";
import { collectReferences } from "../references/collect-references.ts";
import { identifierEnd } from "../references/parse-reference.ts";
import { maxArgumentDepth } from "../references/reference.ts";
import { referenceObjectText, textObjectTemplate } from "../references/reference-object.ts";

/** A reference as most are written; short enough to be under every limit on paths. */
const plainReference = /\$\{[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+|\.\*|\[\d{1,9}\])*\??\}/y;
const maxPlain = 200;

/**
 * Calls `visit` with the name of every reference in a value; the same names as `collectReferences` gives, at a third of
 * its cost for plans in which most references stand alone. Never throws.
 */
export function visitReferredNames(value: unknown, visit: (name: string) => void, depth = 0): void {
  if (typeof value === "string") {
    if (value.includes("${") && !visitPlain(value, visit)) {
      for (const { reference } of collectReferences(value)) visit(reference.name);
    }
    return;
  }
  if (typeof value !== "object" || value === null || depth >= maxArgumentDepth) return;
  if (Array.isArray(value)) {
    for (const element of value) visitReferredNames(element, visit, depth + 1);
    return;
  }
  if (!isRecord(value)) return;
  if (referenceObjectText(value) !== undefined || textObjectTemplate(value) !== undefined) {
    for (const { reference } of collectReferences(value)) visit(reference.name);
    return;
  }
  for (const key in value) if (Object.hasOwn(value, key)) visitReferredNames(value[key], visit, depth + 1);
}

/** False, and nothing visited, when the text has more in it than plain references. Makes nothing but the names. */
function visitPlain(text: string, visit: (name: string) => void): boolean {
  if (text.length > maxPlain || text.includes("$$")) return false;
  for (let at = text.indexOf("${"); at !== -1; at = text.indexOf("${", plainReference.lastIndex)) {
    plainReference.lastIndex = at;
    if (!plainReference.test(text)) return false;
  }
  for (let at = text.indexOf("${"); at !== -1; at = text.indexOf("${", at + 2)) {
    visit(text.slice(at + 2, identifierEnd(text, at + 2)));
  }
  return true;
}
