import { isRecord } from "@planloom/plan";
import type { Outline } from "./schema-outline.ts";

/**
 * The outline in the form that OpenAI enforces with `strict`: every property is required, optional ones may be null, no further
 * properties. Undefined if the schema has no such form: an object of any properties, a value of any type.
 */
export function strictForm(outline: Outline): Outline | undefined {
  if ("const" in outline || "enum" in outline) return outline;
  if (Array.isArray(outline.anyOf)) {
    const forms = outline.anyOf.map((each: Outline) => strictForm(each));
    return forms.every((form) => form !== undefined) ? { anyOf: forms } : undefined;
  }
  if (outline.type === "array") {
    const items = strictForm(isRecord(outline.items) ? outline.items : {});
    return items && { ...outline, items };
  }
  if (outline.type !== "object") return typeof outline.type === "string" ? outline : undefined;
  if (!isRecord(outline.properties)) return undefined;
  const required = new Set(Array.isArray(outline.required) ? outline.required : []);
  const properties: Record<string, Outline> = {};
  for (const [name, inner] of Object.entries(outline.properties)) {
    const form = strictForm(isRecord(inner) ? inner : {});
    if (form === undefined) return undefined;
    properties[name] = required.has(name) ? form : orNull(form);
  }
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The same, or null. */
export function orNull(form: Outline): Outline {
  const alternatives: readonly Outline[] = Array.isArray(form.anyOf) ? form.anyOf : [form];
  return alternatives.some(({ type }) => type === "null") ? form : { anyOf: [...alternatives, { type: "null" }] };
}
