import { isRecord } from "../json.ts";

/**
 * The text of the object form `{"$ref": "name.path"}`: exactly this one key, its value a string. An object with further
 * keys is an ordinary value.
 */
export function referenceObjectText(value: unknown): string | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, "$ref")) return undefined;
  const text = value.$ref;
  return typeof text === "string" && Object.keys(value).length === 1 ? text : undefined;
}

/**
 * The template of the object form `{"$text": "…${name.path}…"}`, which always gives text, even when the template is
 * exactly one reference. Again exactly this one key with a string.
 */
export function textObjectTemplate(value: unknown): string | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, "$text")) return undefined;
  const text = value.$text;
  return typeof text === "string" && Object.keys(value).length === 1 ? text : undefined;
}
