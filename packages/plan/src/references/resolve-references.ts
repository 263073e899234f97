import { PlanError, PlanErrorCode } from "../errors.ts";
import { formatReference } from "./format-reference.ts";
import { transformReferences } from "./map-references.ts";
import { parseReference } from "./parse-reference.ts";
import { parseTemplate } from "./parse-template.ts";
import { readPath } from "./read-path.ts";
import type { Reference, Template } from "./reference.ts";

/** Looks up the value that a name refers to, if there is one. */
export type ReferenceLookup = (name: string) => { readonly found: boolean; readonly value?: unknown };

const usualMaxText = 64 * 1024 * 1024;

/**
 * Replaces every reference in `value` by what it points at. One pass: what is put in is never searched again.
 * A string that is exactly one reference, and `{"$ref": …}`, give the value itself (shared, not copied); inside longer
 * text and in `{"$text": …}` it is rendered: texts as they are, all else as JSON. Neither `value` nor the looked-up values are mutated.
 * @param maxText most characters of all texts together into which references are written. @default 67_108_864
 * @throws PlanError REFERENCE_ABSENT when a value is absent and the reference has no `?`; REFERENCE_SYNTAX for malformed
 *   text; INVALID for arguments nested too deep, a value that JSON cannot carry inside text, or more than `maxText` characters of text (`details.max_characters`), which are not
 *   built then: a few references to a large output may ask for any amount of it.
 */
export function resolveReferences(value: unknown, lookup: ReferenceLookup, maxText: number = usualMaxText): unknown {
  let left = maxText;
  const renderParts = (parts: Template["parts"]): string => {
    const texts = parts.map((part) => {
      const text = typeof part === "string" ? part : render(resolveReference(part, lookup), part);
      left -= text.length;
      if (left < 0) throw tooLong(maxText);
      return text;
    });
    return texts.join("");
  };
  return transformReferences(value, {
    text(text) {
      const { parts } = parseTemplate(text);
      const [only] = parts;
      if (parts.length === 1 && typeof only === "object") return resolveReference(only, lookup);
      return renderParts(parts);
    },
    object: (text) => resolveReference(parseReference(text), lookup),
    textObject: (text) => renderParts(parseTemplate(text).parts),
  });
}

/** The value of one reference; null when it is absent and optional. @throws PlanError REFERENCE_ABSENT */
export function resolveReference(reference: Reference, lookup: ReferenceLookup): unknown {
  const { name, path, optional } = reference;
  const root = lookup(name);
  if (!root.found || (root.value === undefined && path.length === 0)) {
    if (optional) return null;
    throw absent(reference, name, `nothing has the name ${JSON.stringify(name)}`);
  }
  const read = readPath(root.value, path, { optional });
  if (read.found) return read.value;
  if (optional) return null;
  throw absent(reference, read.at, `there is no value at ${JSON.stringify(read.at)}`);
}

function render(value: unknown, reference: Reference): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    throw new PlanError(
      PlanErrorCode.INVALID,
      `Expected ${formatReference(reference)} to be a JSON value, to be written into text; it is not (cyclic, too deep, or a bigint).`,
      { details: { reference: formatReference(reference) }, cause },
    );
  }
}

function tooLong(maxText: number): PlanError {
  const message = `Expected at most ${maxText.toLocaleString("en")} characters of text into which references are written, got more. Refer to fewer or smaller outputs, or pass values as they are, outside of texts.`;
  const details = { issues: [{ path: "", message }], max_characters: maxText };
  return new PlanError(PlanErrorCode.INVALID, message, { details });
}

function absent(reference: Reference, at: string, why: string): PlanError {
  const text = formatReference(reference);
  const way = formatReference({ ...reference, optional: true });
  return new PlanError(
    PlanErrorCode.REFERENCE_ABSENT,
    `Expected a value for ${text}, but ${why}. Correct the reference, or write ${way} to get null instead.`,
    { details: { reference: text, at } },
  );
}
