import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";
import { formatTemplate, referenceText } from "./format-reference.ts";
import { parseReference } from "./parse-reference.ts";
import { parseTemplate } from "./parse-template.ts";
import { maxArgumentDepth, type Reference } from "./reference.ts";
import { referenceObjectText, textObjectTemplate } from "./reference-object.ts";

/** Decides what to put at each place of a value. What it returns goes into the copy and is not visited again. */
export interface ReferenceVisitor {
  /** A string with `${` in it. */
  text(text: string): unknown;
  /** The text of a `{"$ref": "…"}`. */
  object(text: string, value: Record<string, unknown>): unknown;
  /** The template of a `{"$text": "…"}`. */
  textObject(text: string, value: Record<string, unknown>): unknown;
}

/**
 * Copies `value` with its texts and reference objects replaced; parts that do not change are shared, never mutated.
 * @throws PlanError INVALID for a value nested deeper than `maxArgumentDepth`, a cyclic one included.
 */
export function transformReferences(value: unknown, visitor: ReferenceVisitor, depth = 0): unknown {
  if (typeof value === "string") return value.includes("${") ? visitor.text(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxArgumentDepth) throw tooDeep();
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const element: unknown = value[index];
      const changed = transformReferences(element, visitor, depth + 1);
      if (changed === element) continue;
      copy ??= value.slice();
      copy[index] = changed;
    }
    return copy ?? value;
  }
  if (!isRecord(value)) return value;
  const text = referenceObjectText(value);
  if (text !== undefined) return visitor.object(text, value);
  const template = textObjectTemplate(value);
  if (template !== undefined) return visitor.textObject(template, value);
  let anyChange = false;
  const entries = Object.entries(value).map(([key, element]): [string, unknown] => {
    const changed = transformReferences(element, visitor, depth + 1);
    anyChange ||= changed !== element;
    return [key, changed];
  });
  // fromEntries defines own properties, so a key `__proto__` from JSON stays a plain key.
  return anyChange ? Object.fromEntries(entries) : value;
}

/**
 * Rewrites every reference, in texts and in object form. A text that is malformed as a whole stays as it is.
 * A string in place of a reference becomes literal text.
 */
export function mapReferences(value: unknown, map: (reference: Reference) => Reference | string): unknown {
  const mapText = (text: string): string => {
    const template = readable(() => parseTemplate(text));
    if (template === undefined) return text;
    const parts = template.parts.map((part) => (typeof part === "string" ? part : map(part)));
    return formatTemplate({ parts: joinTexts(parts) });
  };
  return transformReferences(value, {
    text: mapText,
    textObject: (text) => ({ $text: mapText(text) }),
    object(text, object) {
      const reference = readable(() => parseReference(text));
      if (reference === undefined) return object;
      const mapped = map(reference);
      return typeof mapped === "string" ? mapped : { $ref: referenceText(mapped) };
    },
  });
}

/** Renames what references point at; paths stay. Malformed texts stay as they are. */
export function renameReferences(value: unknown, rename: (name: string) => string): unknown {
  return mapReferences(value, (reference) => ({ ...reference, name: rename(reference.name) }));
}

/** Escapes every text of a value, so that no reference is read in it. */
export function escapeReferences(value: unknown): unknown {
  return transformReferences(value, {
    text: (text) => formatTemplate({ parts: [text] }),
    object: (_, object) => object,
    textObject: (_, object) => object,
  });
}

/** Parts of a template with neighbouring texts made one. */
export function joinTexts(parts: readonly (string | Reference)[]): (string | Reference)[] {
  const joined: (string | Reference)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
    else if (part !== "") joined.push(part);
  }
  return joined;
}

function readable<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof PlanError) return undefined;
    throw error;
  }
}

function tooDeep(): PlanError {
  return new PlanError(
    PlanErrorCode.INVALID,
    `Expected arguments nested at most ${maxArgumentDepth} levels deep, got deeper ones (or a cycle). Flatten them.`,
    { details: { maxDepth: maxArgumentDepth } },
  );
}
