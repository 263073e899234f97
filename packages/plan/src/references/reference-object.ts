import { isRecord } from "../json.ts";

/**
 * The text of the object form `{"$ref": "name.path"}`: exactly this one key, its value a string. An object with further
 * keys stands for itself.
 */
export function referenceObjectText(value: unknown): string | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, "$ref")) return undefined;
  const text = value.$ref;
  return typeof text === "string" && Object.keys(value).length === 1 ? text : undefined;
}
