import { identifierEnd } from "./parse-reference.ts";
import type { PathSegment, Reference, Template } from "./reference.ts";

/** Formats a reference as text, with `${` and `}`. `parseReference` reads the inside back unchanged. */
export function formatReference(reference: Reference): string {
  return `\${${referenceText(reference)}}`;
}

/** The inside of a reference; also the text of the object form `{"$ref": "…"}`. */
export function referenceText({ name, path, optional }: Reference): string {
  const head = isIdentifier(name) ? name : `[${JSON.stringify(name)}]`;
  return `${head}${path.map(segmentText).join("")}${optional ? "?" : ""}`;
}

/** A path on its own, for people and issues: `filter.ids[0]`. */
export function formatPath(path: readonly PathSegment[]): string {
  return path.map(segmentText).join("").replace(/^\./, "");
}

/** The text that `parseTemplate` reads back as `template`. */
export function formatTemplate(template: Template): string {
  let text = "";
  for (const [index, part] of template.parts.entries()) {
    if (typeof part !== "string") {
      text += formatReference(part);
      continue;
    }
    text += escapeText(part);
    // Dollars that end up before our own `${` would pair with it.
    if (index + 1 < template.parts.length) text += "$".repeat(trailingDollars(part));
  }
  return text;
}

/** Escapes every `${` of a text, so that no reference is read in it. */
export function escapeText(text: string): string {
  if (!text.includes("${")) return text;
  let escaped = "";
  let copied = 0;
  for (let brace = text.indexOf("${"); brace !== -1; brace = text.indexOf("${", copied)) {
    let first = brace;
    while (first > copied && text[first - 1] === "$") first -= 1;
    escaped += `${text.slice(copied, brace + 1)}${"$".repeat(brace + 1 - first)}{`;
    copied = brace + 2;
  }
  return escaped + text.slice(copied);
}

function segmentText(segment: PathSegment): string {
  if ("map" in segment) return ".*";
  if ("index" in segment) return `[${segment.index}]`;
  return isIdentifier(segment.key) ? `.${segment.key}` : `[${JSON.stringify(segment.key)}]`;
}

/** Whether a name or key can be written without quotes. */
export function isIdentifier(text: string): boolean {
  return text !== "" && identifierEnd(text, 0) === text.length;
}

function trailingDollars(text: string): number {
  let count = 0;
  while (count < text.length && text[text.length - 1 - count] === "$") count += 1;
  return count;
}
